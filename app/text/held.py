"""The finished part of a long open block: rows, items or lines that need not be read again.

What follows is read as a block of the same kind and joined to it. A table goes on after its header,
code after its fence; an item of a list begins a list as well as it continues one.
"""

import re
from dataclasses import dataclass, replace

from app.text.blocks import Block, CodeBlock, ListBlock, Table
from app.text.passage import has_blank_line
from app.text.tree import Placed, is_tight

_LINE_BREAK = re.compile(r"\r\n?")
# A complete first line; one with a bar might begin a table if it stood alone.
_ITEM = re.compile(r"[^\r\n|]*(?:\n|\r.)", re.DOTALL)
_FENCES = ("```", "~~~")


@dataclass(frozen=True, slots=True)
class Held:
    """The finished part of an open block.

    Attributes:
        placed: the block, without what is still to be read again.
        opener: lines that make what follows a block of the same kind.
        end: where, in the text, what is to be read again begins.
    """

    placed: Placed
    opener: str
    end: int


def hold(placed: Placed, text: str, start: int) -> Held | None:
    """What can be held of the last block of a text that begins at offset `start`."""
    block = placed.block
    part: Block
    match block:
        case Table(rows=(*_, before, last)):
            part = replace(block, rows=block.rows[:-1], end=before.end)
            first = block.rows[0].start
        case CodeBlock(runs=(_, *_, last, _)) if text.startswith(_FENCES, block.start - start):
            part = replace(block, runs=block.runs[:-2])
            first = block.runs[0].start
        case ListBlock(items=(*_, before, last)) if _ITEM.match(text, last.start - start):
            items = block.items[:-1]
            tight = is_tight(items, text, start)
            part = replace(block, items=items, end=before.end, is_tight=tight)
            first = block.start
        case _:
            return None
    opener = _LINE_BREAK.sub("\n", text[block.start - start : first - start])
    return Held(replace(placed, block=part), opener, last.start - start)


def join(held: Held, placed: Placed, text: str, start: int) -> Placed:
    """The held part and what was read after it, as one block."""
    block: Block
    match held.placed.block, placed.block:
        case Table() as part, Table() as rest:
            rows = (*part.rows, *rest.rows)
            block = replace(part, rows=rows, end=rows[-1].end)
        case CodeBlock() as part, CodeBlock() as rest:
            block = replace(rest, start=part.start, runs=(*part.runs, *rest.runs))
        case ListBlock() as part, ListBlock() as rest:
            gap = text[part.end - start : rest.start - start]
            tight = part.is_tight and rest.is_tight and not has_blank_line(gap)
            items = (*part.items, *rest.items)
            block = replace(part, items=items, end=rest.end, is_tight=tight)
        case part, rest:
            raise ValueError(
                f"{type(rest).__name__} follows the held part of {type(part).__name__}"
            )
    return Placed(block, placed.first_line, held.placed.missing | placed.missing)

"""A part of a message as Markdown: its source, made whole where a cut falls inside of markup."""

from collections.abc import Iterable, Iterator, Sequence

from app.text.blocks import (
    Block,
    Cell,
    CodeBlock,
    ListBlock,
    ListItem,
    Quote,
    Reasoning,
    Row,
    Run,
    Style,
    Table,
)
from app.text.offsets import Span

FENCE = "```"
MARKS = ((Style.BOLD, "**"), (Style.ITALIC, "*"), (Style.STRUCK, "~~"))

_Holder = ListBlock | ListItem | Quote | Table | Row
_Leaf = Block | Cell


class _Placed:
    """A leaf, what holds it, outermost first, and where in the source its text stands."""

    def __init__(self, leaf: _Leaf, holders: tuple[_Holder, ...]) -> None:
        self.leaf = leaf
        self.holders = holders
        self.runs: tuple[Run, ...] = getattr(leaf, "runs", ())
        first, last = (self.runs[0], self.runs[-1]) if self.runs else (leaf, leaf)
        self.text = Span(first.start, last.end)

    @property
    def table(self) -> Table | None:
        """The table that a cell stands in."""
        return next((one for one in self.holders if isinstance(one, Table)), None)

    @property
    def row(self) -> Row | None:
        """The row that a cell stands in."""
        return next((one for one in self.holders if isinstance(one, Row)), None)


def markdown_between(source: str, blocks: Iterable[Block], start: int, end: int) -> str:
    """The Markdown of what is painted of a source from offset `start` up to `end`.

    Code comes with its fence unless a part of one block is all there is, cells of a table come
    with its header, reasoning comes without its marks, a call of a tool as code.
    """
    parts: list[list[Block]] = [[]]
    for block in blocks:
        if isinstance(block, Reasoning):
            parts += [list(block.blocks), []]
        elif isinstance(block, CodeBlock) and block.tool is not None:
            parts += [[block], []]
        else:
            parts[-1].append(block)
    excerpts = (_part_excerpt(source, part, start, end) for part in parts)
    return "\n\n".join(excerpt for excerpt in excerpts if excerpt)


def _part_excerpt(source: str, part: Sequence[Block], start: int, end: int) -> str:
    match part:
        case [CodeBlock(tool=str()) as call]:
            code = "".join(run.text for run in call.runs)
            is_asked_for = call.start < end and start < call.end
            return f"{FENCE}{call.language}\n{code}\n{FENCE}" if is_asked_for else ""
    return _excerpt(source, list(_leaves(part)), start, end)


def _excerpt(source: str, leaves: Sequence[_Placed], start: int, end: int) -> str:
    numbers = [n for n, one in enumerate(leaves) if one.text.start < end and start < one.text.end]
    if not numbers:
        return ""
    first, last = leaves[numbers[0]], leaves[numbers[-1]]
    is_whole = start <= first.text.start and last.text.end <= end
    if first is last and isinstance(first.leaf, Cell):
        prefix, begin = _inside(source, first.runs, start, end)
        finish, suffix = _inside_end(first.runs, start, end)
    elif first is last and isinstance(first.leaf, CodeBlock) and not is_whole:
        return "".join(_cut(run, start, end) for run in first.runs)
    else:
        prefix, begin = _opening(source, first, leaves[: numbers[0]], start, end)
        finish, suffix = _closing(source, last, leaves[numbers[-1] + 1 :], start, end)
    return prefix + source[begin:finish] + suffix


def _opening(
    source: str, first: _Placed, before: Sequence[_Placed], start: int, end: int
) -> tuple[str, int]:
    """What to put before an excerpt that begins in a leaf, and where in the source it goes on."""
    if first.table and first.row and first.row is not first.table.header:
        header = source[first.table.start : first.table.rows[0].start]
        return header, first.row.start
    if start <= first.text.start or first.table:
        taken = before[-1].text.end if before else 0
        outer = (one.start for one in (*first.holders, first.leaf) if one.start >= taken)
        return "", min(outer)
    if isinstance(first.leaf, CodeBlock):
        return f"{FENCE}{first.leaf.language}\n", start
    return _inside(source, first.runs, start, end)


def _closing(
    source: str, last: _Placed, after: Sequence[_Placed], start: int, end: int
) -> tuple[int, str]:
    """Where in the source an excerpt that ends in a leaf ends, and what to put after it."""
    if last.table and last.row is last.table.header and last.table.rows:
        return len(source[: last.table.rows[0].start].rstrip()), ""
    if last.text.end <= end or last.row:
        free = after[0].text.start if after else len(source)
        closed = (one.end for one in (*last.holders, last.leaf) if one.end <= free)
        return max(*closed, (last.row or last.leaf).end), ""
    if isinstance(last.leaf, CodeBlock):
        return end, f"\n{FENCE}"
    return _inside_end(last.runs, start, end)


def _inside(source: str, runs: Sequence[Run], start: int, end: int) -> tuple[str, int]:
    """The marks that are open at `start`, and where the text that they hold begins."""
    run = next(run for run in runs if start < run.end)
    begin = max(start, run.start) if run.is_exact else run.start
    opened = "".join(mark for style, mark in MARKS if style in run.style)
    if _is_link(run):
        opened += "!["[Style.IMAGE not in run.style :]
    if Style.CODE in run.style:
        return opened + "`", begin
    text = source[begin:end]  # a blank after the marks would undo them
    return opened, begin + (len(text) - len(text.lstrip()) if opened else 0)


def _inside_end(runs: Sequence[Run], start: int, end: int) -> tuple[int, str]:
    """Where the text before `end` ends, and what closes the marks that are open there."""
    run = next(run for run in reversed(runs) if run.start < end)
    closed = "`" if Style.CODE in run.style else ""
    if _is_link(run):
        closed += f"]({run.href})"
    closed += "".join(mark for style, mark in reversed(MARKS) if style in run.style)
    return min(end, run.end) if run.is_exact else run.end, closed


def _is_link(run: Run) -> bool:
    """Whether a link has a text of its own."""
    return bool(run.href) and run.href != run.text


def _cut(run: Run, start: int, end: int) -> str:
    if run.end <= start or end <= run.start:
        return ""
    return run.text[max(start - run.start, 0) : end - run.start] if run.is_exact else run.text


def _leaves(blocks: Iterable[Block], holders: tuple[_Holder, ...] = ()) -> Iterator[_Placed]:
    for block in blocks:
        match block:
            case ListBlock():
                for item in block.items:
                    yield from _leaves(item.blocks, (*holders, block, item))
            case Quote():
                yield from _leaves(block.blocks, (*holders, block))
            case Table():
                for row in (block.header, *block.rows):
                    for cell in row.cells:
                        yield _Placed(cell, (*holders, block, row))
            case _:
                yield _Placed(block, holders)

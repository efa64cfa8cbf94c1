"""All runs of parsed blocks, in the order of the text."""

from collections.abc import Iterable, Iterator

from app.text.blocks import Block, ListBlock, Quote, Reasoning, Rule, Run, Table


def runs_of(blocks: Iterable[Block]) -> Iterator[Run]:
    for block in blocks:
        match block:
            case Rule():
                pass
            case Table():
                cells = (cell for row in (block.header, *block.rows) for cell in row.cells)
                yield from (run for cell in cells for run in cell.runs)
            case ListBlock():
                for item in block.items:
                    yield from runs_of(item.blocks)
            case Quote() | Reasoning():
                yield from runs_of(block.blocks)
            case _:
                yield from block.runs

"""A message as plain text: for copying, for finding, and for assistive technology."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.text.blocks import Block, ListBlock, ListItem, Quote, Reasoning, Row, Rule, Run, Table
from app.text.offsets import Span

BULLET = "• "
RULE = "———"


@dataclass(frozen=True, slots=True)
class _Piece:
    """Text of a run, or what stands between two runs, at a position of the whole text."""

    position: int
    text: str
    run: Run | None


class PlainText:
    """The text of blocks without their markup, and where in the source it comes from.

    Attributes:
        text: blocks apart by a blank line, items by a line break, cells by a tab.
    """

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._pieces: list[_Piece] = []
        position = 0
        for text, run in _of_blocks(blocks, "\n\n"):
            self._pieces.append(_Piece(position, text, run))
            position += len(text)
        self.text = "".join(piece.text for piece in self._pieces)
        self._positions = [piece.position for piece in self._pieces]

    def find(self, wanted: str) -> list[Span]:
        """Where in the source `wanted` stands, whatever its case."""
        matches = re.finditer(re.escape(wanted), self.text, re.IGNORECASE)
        spans = (self.source_span(match.start(), match.end()) for match in matches if match[0])
        return [span for span in spans if span]

    def source_span(self, start: int, end: int) -> Span | None:
        """The source of `text[start:end]`; None if that is between runs."""
        parts = [
            _source(piece.run, start - piece.position, end - piece.position)
            for piece in self._pieces[max(bisect_right(self._positions, start) - 1, 0) :]
            if piece.run and piece.position < end and start < piece.position + len(piece.text)
        ]
        return Span(parts[0].start, parts[-1].end) if parts else None

    def between(self, start: int, end: int) -> str:
        """The text whose source lies from offset `start` up to `end`, as copied."""
        inside = [
            (number, _cut(piece.run, start, end))
            for number, piece in enumerate(self._pieces)
            if piece.run and piece.run.start < end and start < piece.run.end
        ]
        if not inside:
            return ""
        cuts = dict(inside)
        numbers = range(inside[0][0], inside[-1][0] + 1)
        return "".join(cuts.get(number, self._pieces[number].text) for number in numbers)


def _source(run: Run, start: int, end: int) -> Span:
    """The source of `run.text[start:end]`, bounds beyond it allowed."""
    if not run.is_exact:
        return Span(run.start, run.end)
    return Span(run.start + max(start, 0), min(run.start + end, run.end))


def _cut(run: Run, start: int, end: int) -> str:
    if not run.is_exact:
        return run.text
    return run.text[max(start - run.start, 0) : end - run.start]


_Part = tuple[str, Run | None]


def _of_blocks(blocks: Iterable[Block], gap: str) -> Iterator[_Part]:
    for number, block in enumerate(blocks):
        if number:
            yield gap, None
        yield from _of_block(block)


def _of_block(block: Block) -> Iterator[_Part]:
    match block:
        case Rule():
            yield RULE, None
        case Table():
            yield from _of_rows((block.header, *block.rows))
        case ListBlock():
            yield from _of_items(block)
        case Quote() | Reasoning():
            yield from _of_blocks(block.blocks, "\n\n")
        case _:
            yield from ((run.text, run) for run in block.runs)


def _of_items(block: ListBlock) -> Iterator[_Part]:
    gap = "\n" if block.is_tight else "\n\n"
    for number, item in enumerate(block.items):
        if number:
            yield gap, None
        yield _marker(block, number, item), None
        yield from _of_blocks(item.blocks, gap)


def _marker(block: ListBlock, number: int, item: ListItem) -> str:
    if item.is_checked is not None:
        return "[x] " if item.is_checked else "[ ] "
    return BULLET if block.first_number is None else f"{block.first_number + number}. "


def _of_rows(rows: Iterable[Row]) -> Iterator[_Part]:
    for number, row in enumerate(rows):
        if number:
            yield "\n", None
        for column, cell in enumerate(row.cells):
            if column:
                yield "\t", None
            yield from ((run.text, run) for run in cell.runs)

"""A message as plain text: for copying, for finding, and for assistive technology."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.text.blocks import Block, ListBlock, ListItem, Quote, Reasoning, Row, Rule, Run, Table
from app.text.offsets import Span

BULLET = "• "
RULE = "———"
MAX_WORD_CHARACTERS = 200  # a longer one is not told from its parts
_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]|\s+")


@dataclass(frozen=True, slots=True)
class _Part:
    """Text of a run, or what stands between two runs; `start` is where a marker's item begins."""

    text: str
    run: Run | None = None
    start: int | None = None


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part at a position of the whole text."""

    position: int
    part: _Part

    @property
    def end(self) -> int:
        return self.position + len(self.part.text)


class PlainText:
    """The text of blocks without their markup, and where in the source it comes from.

    Attributes:
        text: blocks apart by a blank line, items by a line break, cells by a tab.
    """

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._pieces: list[_Piece] = []
        position = 0
        for part in _of_blocks(blocks, "\n\n"):
            self._pieces.append(_Piece(position, part))
            position += len(part.text)
        self.text = "".join(piece.part.text for piece in self._pieces)
        self._positions = [piece.position for piece in self._pieces]

    def find(self, wanted: str) -> list[Span]:
        """Where in the source `wanted` stands, whatever its case."""
        matches = re.finditer(re.escape(wanted), self.text, re.IGNORECASE)
        spans = (self.source_span(match.start(), match.end()) for match in matches if match[0])
        return [span for span in spans if span]

    def source_span(self, start: int, end: int) -> Span | None:
        """The source of `text[start:end]`; None if that is between runs."""
        first = max(bisect_right(self._positions, start) - 1, 0)
        last = bisect_left(self._positions, end)
        parts = [
            _source(piece.part.run, start - piece.position, end - piece.position)
            for piece in self._pieces[first:last]
            if piece.part.run and piece.position < end and start < piece.end
        ]
        return Span(parts[0].start, parts[-1].end) if parts else None

    def between(self, start: int, end: int) -> str:
        """The text whose source lies from offset `start` up to `end`, as copied."""
        cuts = {
            number: _cut(piece.part.run, start, end)
            for number, piece in enumerate(self._pieces)
            if piece.part.run and piece.part.run.start < end and start < piece.part.run.end
        }
        if not cuts:
            return ""
        first, last = min(cuts), max(cuts)
        while first and _begins_after(self._pieces[first - 1], start):
            first -= 1  # the marker of an item that is copied from its beginning
        numbers = range(first, last + 1)
        return "".join(cuts.get(number, self._pieces[number].part.text) for number in numbers)

    def word_at(self, offset: int) -> Span | None:
        """The word at a place of the source, or the single character that stands there."""
        position = self._position(offset)
        for match in _WORD.finditer(self.text, max(position - MAX_WORD_CHARACTERS, 0)):
            if match.end() > position or match.end() == len(self.text):
                return self.source_span(*match.span())
        return None

    def paragraph_at(self, offset: int) -> Span | None:
        """The paragraph, cell or block of code at a place of the source."""
        number = max(bisect_right(self._positions, self._position(offset)) - 1, 0)
        if number >= len(self._pieces) or not self._pieces[number].part.run:
            return None
        first = last = number
        while first and self._pieces[first - 1].part.run:
            first -= 1
        while last + 1 < len(self._pieces) and self._pieces[last + 1].part.run:
            last += 1
        return self.source_span(self._pieces[first].position, self._pieces[last].end)

    def _position(self, offset: int) -> int:
        """Where the text of a place of the source stands."""
        for piece in self._pieces:
            run = piece.part.run
            if run and offset < run.end:
                inside = max(offset - run.start, 0) if run.is_exact else 0
                return piece.position + inside
        return max(len(self.text) - 1, 0)


def _begins_after(piece: _Piece, start: int) -> bool:
    return piece.part.start is not None and piece.part.start >= start


def _source(run: Run, start: int, end: int) -> Span:
    """The source of `run.text[start:end]`, bounds beyond it allowed."""
    if not run.is_exact:
        return Span(run.start, run.end)
    return Span(run.start + max(start, 0), min(run.start + end, run.end))


def _cut(run: Run, start: int, end: int) -> str:
    if not run.is_exact:
        return run.text
    return run.text[max(start - run.start, 0) : end - run.start]


def _of_blocks(blocks: Iterable[Block], gap: str) -> Iterator[_Part]:
    for number, block in enumerate(blocks):
        if number:
            yield _Part(gap)
        yield from _of_block(block)


def _of_block(block: Block) -> Iterator[_Part]:
    match block:
        case Rule():
            yield _Part(RULE, Run(RULE, block.start, block.end))
        case Table():
            yield from _of_rows((block.header, *block.rows))
        case ListBlock():
            yield from _of_items(block)
        case Quote() | Reasoning():
            yield from _of_blocks(block.blocks, "\n\n")
        case _:
            yield from (_Part(run.text, run) for run in block.runs)


def _of_items(block: ListBlock) -> Iterator[_Part]:
    gap = "\n" if block.is_tight else "\n\n"
    for number, item in enumerate(block.items):
        if number:
            yield _Part(gap)
        yield _Part(_marker(block, number, item), start=item.start)
        yield from _of_blocks(item.blocks, gap)


def _marker(block: ListBlock, number: int, item: ListItem) -> str:
    if item.is_checked is not None:
        return "[x] " if item.is_checked else "[ ] "
    return BULLET if block.first_number is None else f"{block.first_number + number}. "


def _of_rows(rows: Iterable[Row]) -> Iterator[_Part]:
    for number, row in enumerate(rows):
        if number:
            yield _Part("\n")
        for column, cell in enumerate(row.cells):
            if column:
                yield _Part("\t")
            yield from (_Part(run.text, run) for run in cell.runs)

"""Cells of a table's rows, with their places. Cells beyond the header's are kept."""

import re

from app.text.passage import Passage

_PIPE = re.compile(r"(?<!\\)\|")
_ESCAPED_PIPE = re.compile(r"\\(?=\|)")
BLANKS = " \t"


def read_cells(row: str, start: int) -> list[Passage]:
    """The cells of a row that begins at position `start` of the source's text."""
    row = row.rstrip(BLANKS)
    borders = [match.start() for match in _PIPE.finditer(row)]
    spans = list(zip([0, *(border + 1 for border in borders)], [*borders, len(row)], strict=True))
    if row.startswith("|"):
        spans = spans[1:]
    if spans and spans[-1][0] == spans[-1][1]:
        spans.pop()
    return [_cell(row, start, *span) for span in spans]


def _cell(row: str, start: int, first: int, last: int) -> Passage:
    content = row[first:last]
    first += len(content) - len(content.lstrip(BLANKS))
    content = content.strip(BLANKS)
    backslashes = [match.start() for match in _ESCAPED_PIPE.finditer(content)]
    starts = [0, *(place - number for number, place in enumerate(backslashes))]
    positions = [0, *(place + 1 for place in backslashes)]
    return Passage(
        _ESCAPED_PIPE.sub("", content),
        tuple(starts),
        tuple(start + first + position for position in positions),
    )

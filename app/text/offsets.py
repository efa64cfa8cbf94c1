"""Places in a text, in characters, in bytes of UTF-8 and in units of UTF-16, as Qt counts."""

from collections.abc import Iterable
from typing import NamedTuple

from app.text.blocks import Run

CONTINUATIONS = bytes(range(0x80, 0xC0))  # bytes of UTF-8 that begin no character


class Span(NamedTuple):
    """A stretch from `start` up to but not including `end`."""

    start: int
    end: int


def utf16_length(text: str) -> int:
    """How many UTF-16 units `text` takes; characters beyond U+FFFF take two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def characters_in(text: str, num_units: int) -> int:
    """How many characters of `text` its first UTF-16 units hold."""
    if text.isascii():
        return min(num_units, len(text))
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * num_units]
    return len(units.decode("utf-16-le", "ignore"))


def character_spans(text: str, byte_spans: Iterable[Span]) -> list[Span]:
    """The characters of `text` of which every byte lies in `byte_spans`.

    Args:
        text: the source.
        byte_spans: stretches of its UTF-8, ascending; those that touch count as one, so a
            character split between two of them is whole.
    """
    joined = _joined(byte_spans)
    if text.isascii():
        inside = (Span(span.start, min(span.end, len(text))) for span in joined)
        return [span for span in inside if span.start < span.end]
    source = text.encode("utf-8", "surrogatepass")
    spans, place, number = [], 0, 0  # `number` characters begin before byte `place`
    for span in joined:
        first = number + _num_begun(source[place : span.start])
        last = first + _num_begun(source[span.start : span.end])
        place, number = span.end, last
        if source[span.end : span.end + 1] and not _num_begun(source[span.end : span.end + 1]):
            last -= 1  # it ends inside of a character
        if first < last:
            spans.append(Span(first, last))
    return spans


def _num_begun(utf8: bytes) -> int:
    """How many characters begin in a stretch of UTF-8."""
    return len(utf8.translate(None, CONTINUATIONS))


def covered(run: Run, spans: Iterable[Span]) -> list[Span]:
    """The parts of a run's text whose source lies in `spans`, which ascend.

    A run that stands for its source as a whole is covered if all of its source is.
    """
    if not run.is_exact:
        is_covered = any(span.start <= run.start and run.end <= span.end for span in spans)
        return [Span(0, len(run.text))] if is_covered else []
    parts = (
        Span(max(span.start - run.start, 0), min(span.end, run.end) - run.start) for span in spans
    )
    return [part for part in parts if part.start < part.end]


def _joined(spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in spans:
        if joined and joined[-1].end >= span.start:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined

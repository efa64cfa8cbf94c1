"""Where in a text that grows stands what drafts had proposed."""

from bisect import bisect_right

from app.text.offsets import Span, character_spans


class AcceptedText:
    """Follows a text and the runs of its bytes that were accepted; what was found is kept.

    Attributes:
        spans: the accepted characters, apart from each other.
    """

    def __init__(self) -> None:
        self.spans: tuple[Span, ...] = ()
        self._text = ""
        self._runs: tuple[tuple[int, int], ...] = ()
        self._last_byte = 0  # where the last of the spans begins

    def update(self, text: str, runs: tuple[tuple[int, int], ...]) -> tuple[Span, ...]:
        """The accepted characters of `text`.

        Args:
            text: all that there is by now.
            runs: its accepted bytes, each from the first to the one after the last; they ascend.
        """
        if runs is self._runs and text == self._text:
            return self.spans
        grows = text.startswith(self._text) and runs[: len(self._runs)] == self._runs
        if not grows:
            self.spans, self._last_byte = (), 0
        self._text, self._runs = text, runs
        kept, begin, byte = self.spans[:-1], self._last_character, self._last_byte
        first = bisect_right(runs, byte, key=lambda run: run[1])
        later = (Span(max(start - byte, 0), end - byte) for start, end in runs[first:])
        found = character_spans(text[begin:], later)
        self.spans = (*kept, *(Span(begin + span.start, begin + span.end) for span in found))
        between = text[begin : self._last_character]
        self._last_byte += len(between.encode("utf-8", "surrogatepass"))
        return self.spans

    @property
    def _last_character(self) -> int:
        """Where the last of the spans begins."""
        return self.spans[-1].start if self.spans else 0

"""For how long a model reasons before it answers."""

from collections.abc import Callable
from time import monotonic

from app.text.reasoning import MARKS, find_mark


class ThinkingClock:
    """Reads a reply as it grows. What a reply took up to its first text is no reasoning.

    Attributes:
        thought_s: seconds from the beginning of the reasoning to its end, once that is there.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._began_s: float | None = None
        self._close = ""
        self._num_searched = 0
        self.thought_s: float | None = None

    def read(self, text: str) -> None:
        """Take in the whole text so far."""
        if self.thought_s is not None or not text:
            return
        if self._began_s is None:
            self._begin(text)
        if self._close and text.find(self._close, self._num_searched) >= 0:
            self.thought_s = self._clock() - (self._began_s or 0.0)
        self._num_searched = max(0, len(text) - len(self._close))

    def _begin(self, text: str) -> None:
        self._began_s = self._clock()
        mark = find_mark(text)
        if mark:
            self._close = MARKS[mark]
        elif mark == "":  # it may yet become one
            self._began_s = None

"""For how long a model reasons before it answers."""

from collections.abc import Callable
from time import monotonic

from app.bridge.types import ReplyReader
from app.text.parts import REASONING


class ThinkingClock:
    """Reads a reply as it grows. What a reply took up to its first text is no reasoning.

    Attributes:
        thought_s: seconds from the beginning of the first reasoning to its end, once that is there.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._began_s: float | None = None
        self._reader = ReplyReader()
        self._is_done = False
        self.thought_s: float | None = None

    def read(self, text: str) -> None:
        """Take in the whole text so far."""
        if self._is_done:
            return
        self._reader.feed(text[len(self._reader.text) :])
        told = (one for one in self._reader.parts() if one.kind == REASONING or one.end > one.start)
        first = next(told, None)
        if first is None:
            return
        if first.kind != REASONING:
            self._is_done = True
            return
        if self._began_s is None:
            self._began_s = self._clock()
        if first.is_closed:
            self.thought_s = self._clock() - self._began_s
            self._is_done = True

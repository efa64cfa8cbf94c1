"""Tokens per second over the recent past, from the engine's own times."""

from collections import deque
from math import nan

WINDOW_MS = 2_000.0


class SpeedWindow:
    """A windowed rate. Times come with the events, so no clock of the reader distorts it."""

    def __init__(self) -> None:
        self._points: deque[tuple[float, int]] = deque()  # (elapsed_ms, tokens so far)

    def add(self, elapsed_ms: float, num_tokens: int) -> None:
        """Take in `num_tokens` that were emitted by `elapsed_ms` after the first one."""
        total = self._points[-1][1] + num_tokens if self._points else num_tokens
        self._points.append((elapsed_ms, total))
        while len(self._points) > 2 and self._points[1][0] <= elapsed_ms - WINDOW_MS:
            self._points.popleft()

    @property
    def tokens_per_second(self) -> float:
        """The rate over the window; NaN before two moments are known."""
        if len(self._points) < 2 or self._points[-1][0] <= self._points[0][0]:
            return nan
        (start_ms, before), (end_ms, after) = self._points[0], self._points[-1]
        return 1e3 * (after - before) / (end_ms - start_ms)

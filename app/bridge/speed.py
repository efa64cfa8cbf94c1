"""How a reply goes over the recent past, from the engine's own times."""

from collections import deque
from dataclasses import replace
from math import nan

from app.bridge.types import DraftProgress

WINDOW_MS = 2_000.0
DRAFTS_WINDOW_MS = 5_000.0  # longer: rounds are fewer than tokens


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


class DraftWindow:
    """What became of the drafts of the last seconds, so that a turn of the text shows."""

    def __init__(self) -> None:
        self._points = deque([(0.0, 0, 0, 0)])  # elapsed_ms; rounds, tested, accepted so far

    def add(self, elapsed_ms: float, progress: DraftProgress | None) -> DraftProgress | None:
        """Take in how drafting went by then; the same, with the counts of the window alone.

        Where nothing was tested in it, those of the whole reply stay.
        """
        if progress is None:
            return None
        counts = progress.rounds, progress.tested, progress.accepted
        self._points.append((elapsed_ms, *counts))
        while len(self._points) > 2 and self._points[1][0] <= elapsed_ms - DRAFTS_WINDOW_MS:
            self._points.popleft()
        _, *before = self._points[0]
        rounds, tested, accepted = (now - then for now, then in zip(counts, before, strict=True))
        if not tested:
            return progress
        return replace(progress, rounds=rounds, tested=tested, accepted=accepted)

"""What passes and proposals cost, in units of plain decoding."""

from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Hashable
from statistics import median

SAMPLES = 31
"""Latest measurements kept of one size; their median is within a few percent."""

PLAIN_SAMPLES = 16
"""Latest passes that the time of plain decoding is taken from."""

FIRST_PLAIN_SAMPLES = 6
"""Passes that it takes to know that time at all."""

FASTER = 1.3
"""Two passes in a row so many times as fast as usual show that those before were disturbed: nothing
makes a pass faster than it is. Measurements that are off by 20 % either way are not that far."""

CAUTION = 0.6
"""Divided by the number of passes measured: the share that their median may be too high by. After
the first six it is two standard errors of measurements that are off by up to 20 % either way."""

LEAST_READ = 16
"""Tokens that take time worth counting to be read; fewer take hardly more than one."""


class Curve:
    """A cost that grows with a size: the median of each size measured, made monotone.

    Neighbours whose medians are out of order are pooled, weighted by their measurements (isotonic
    regression). Between two sizes it is hoped that the smaller one's cost still holds, and so the
    place of a step is found: what is hoped for is tried. Below the first and beyond the last, the
    cost is on a line from size 0.
    """

    def __init__(self, at_zero: float) -> None:
        """`at_zero`: what size 0 costs; no other costs less."""
        self._at_zero = at_zero
        self._samples: dict[int, deque[float]] = {}
        self._sizes = [0]
        self._costs = [at_zero]

    def copy(self) -> "Curve":
        """One that begins with the same measurements."""
        other = Curve(self._at_zero)
        other._samples = {size: samples.copy() for size, samples in self._samples.items()}
        other._sizes, other._costs = self._sizes, self._costs
        return other

    def observe(self, size: int, cost: float) -> None:
        """Take in a measurement of a size above 0."""
        self._samples.setdefault(size, deque(maxlen=SAMPLES)).append(cost)
        self._fit()

    def known(self, size: int) -> bool:
        """Whether a size was measured often enough for a median that one disturbance leaves be."""
        return len(self._samples.get(size, ())) >= 3

    def certainty(self, size: int) -> float:
        """From 0, where a size was never measured, to 1."""
        return len(self._samples.get(size, ())) / SAMPLES

    def at(self, size: int) -> float:
        """What a size is expected to cost."""
        place = bisect_right(self._sizes, size) - 1
        if place == 0 and len(self._sizes) > 1:
            return self._on_line(1, size)
        if place == len(self._sizes) - 1:
            return self._on_line(place, size)
        return self._costs[place]

    def _on_line(self, place: int, size: int) -> float:
        """The cost on the line from size 0 through a size measured."""
        rise = self._costs[place] - self._at_zero
        return self._at_zero + rise * size / max(1, self._sizes[place])

    def _fit(self) -> None:
        """Fit the sizes that are known well, or all where none is."""
        sizes = sorted(filter(self.known, self._samples)) or sorted(self._samples)
        blocks: list[tuple[float, int, int]] = []  # cost, weight, sizes of equal cost
        for size in sizes:
            samples = self._samples[size]
            block = (max(self._at_zero, _median_low(samples)), len(samples), 1)
            while blocks and blocks[-1][0] >= block[0]:
                block = _pool(blocks.pop(), block)
            blocks.append(block)
        self._sizes = [0, *sizes]
        self._costs = [self._at_zero]
        for cost, _, count in blocks:
            self._costs += [cost] * count


def _median_low(samples: Collection[float]) -> float:
    """That of `statistics`, which takes five times as long, more than a token may spare."""
    return sorted(samples)[(len(samples) - 1) // 2]


def _pool(one: tuple[float, int, int], other: tuple[float, int, int]) -> tuple[float, int, int]:
    weight = one[1] + other[1]
    return (one[0] * one[1] + other[0] * other[1]) / weight, weight, one[2] + other[2]


class PlainTime:
    """Seconds of a pass without drafts, for the replies that share passes now.

    Who shares them, and how long their texts are, changes the time; so it is measured afresh when
    a reply comes or goes, by decoding plainly for a few passes, and follows the latest passes.
    So it is as well when another program, which had slowed them all, has ended.
    """

    def __init__(self) -> None:
        self._company: Hashable = None
        self._samples: deque[float] = deque(maxlen=PLAIN_SAMPLES)

    def of(self, company: Hashable) -> float | None:
        """The time, or None where it takes more passes to know it."""
        if company != self._company or len(self._samples) < FIRST_PLAIN_SAMPLES:
            return None
        return _median_low(self._samples)

    @property
    def caution(self) -> float:
        """What to multiply the time by, so that it is hardly too high."""
        return 1.0 - CAUTION / len(self._samples)

    def observe(self, company: Hashable, seconds: float) -> None:
        """Take in a pass."""
        if company != self._company:
            self._company = company
            self._samples.clear()
        elif len(self._samples) > FIRST_PLAIN_SAMPLES:
            latest = self._samples[-1]
            if FASTER * max(latest, seconds) < _median_low(self._samples):
                self._samples.clear()
                self._samples.append(latest)
        self._samples.append(seconds)


class CostTable:
    """Costs of drafting, as multiples of a plain pass over the same replies.

    What slows the machine slows both, so the ratio stays true when the speed drifts.
    """

    def __init__(self) -> None:
        self._passes: dict[tuple[int, int], Curve] = {}
        self._proposals: dict[str, Curve] = {}
        self._reading: dict[str, deque[float]] = {}
        self._deciding: deque[float] = deque(maxlen=SAMPLES)

    @property
    def deciding(self) -> float:
        """For deciding on drafts; on a very small model that is a good part of a pass."""
        return median(self._deciding) if self._deciding else 0.0

    def observe_deciding(self, cost: float) -> None:
        """Take in what it took to decide on a pass."""
        self._deciding.append(cost)

    def passes(self, context: int, replies: int) -> Curve:
        """By rows of drafts: passes over so many replies and positions in all.

        Contexts are told apart by powers of two. A new one begins with what is known of the most
        similar: the number of replies matters more, because each is a row of every pass.
        """
        shape = (context.bit_length(), replies)
        if shape not in self._passes:
            nearest = min(
                self._passes,
                key=lambda known: (abs(known[1] - replies), abs(known[0] - shape[0])),
                default=None,
            )
            self._passes[shape] = self._passes[nearest].copy() if nearest else Curve(at_zero=1.0)
        return self._passes[shape]

    def forget(self, method: str) -> None:
        """Know nothing of what a method costs: it is another than before."""
        self._proposals.pop(method, None)
        self._reading.pop(method, None)

    def proposals(self, method: str) -> Curve:
        """By tokens of the longest draft: proposing for all replies at once."""
        if method not in self._proposals:
            self._proposals[method] = Curve(at_zero=0.0)
        return self._proposals[method]

    def reading(self, method: str, tokens: int) -> float:
        """For a method to read tokens of a text before it drafts; 0 until it is known."""
        samples = self._reading.get(method)
        return median(samples) * tokens if samples and tokens >= LEAST_READ else 0.0

    def observe_reading(self, method: str, tokens: int, cost: float) -> None:
        """Take in what it took to read so many tokens."""
        if tokens >= LEAST_READ:
            self._reading.setdefault(method, deque(maxlen=SAMPLES)).append(cost / tokens)

"""How likely the first i tokens of a draft are all accepted, from the rounds of one reply."""

from itertools import accumulate
from operator import mul

HALF_LIFE = 256
"""Emitted tokens after which a round counts half: a few paragraphs, or a page of code."""

TURN = 0.005
"""How improbable whole rejections in a row must be for the text to have turned."""

SHARED_WEIGHT = 8.0
"""Tested tokens that a place needs of its own before it counts as much as all places together."""

PRIOR_WEIGHT = 3.0
"""Tested tokens that what is known of a method from other replies counts for."""

HOPE = 0.8
"""What a method accepts that nothing is known of: good enough to be tried at once."""


class Habit:
    """The share of tested tokens that a method had accepted, over the replies of an engine."""

    _HALF_LIFE = 2048  # tested tokens: many replies, and yet another kind of work is noticed

    def __init__(self) -> None:
        self._accepted, self._tested = HOPE * PRIOR_WEIGHT, PRIOR_WEIGHT

    @property
    def rate(self) -> float:
        """From 0 to 1."""
        return self._accepted / self._tested

    def observe(self, tested: int, accepted: int) -> None:
        """Count a round."""
        kept = 0.5 ** (tested / self._HALF_LIFE)
        self._accepted = kept * self._accepted + accepted
        self._tested = kept * self._tested + tested


class Survival:
    """Estimates r_i, the probability that the first i tokens of a draft are accepted.

    r_i is the product of the chances c_1 … c_i of each place, given that those before it held. A
    place is judged by its own rounds and by all places together, which a few rounds suffice for:

        c      = (accepted + PRIOR_WEIGHT · prior) / (tested + PRIOR_WEIGHT)
        c_i    = (accepted_i + SHARED_WEIGHT · c) / (tested_i + SHARED_WEIGHT)

    Counts halve with every `HALF_LIFE` tokens of text: a reply turns from prose to code and back,
    and after a rest a few drafts tell more than what was before it. They halve as well with each
    draft that is rejected whole while so many in a row, (1 - r_1)^n, are less likely than `TURN`.
    """

    def __init__(self, prior: float) -> None:
        """`prior`: the share that the method had accepted in other replies."""
        self._prior = prior
        self._tested: list[float] = []
        self._accepted: list[float] = []
        self._unfaded = 0.0  # tokens of text since the counts were faded
        self._chance = 1.0  # of the last whole rejections in a row

    def pass_by(self, emitted: int) -> None:
        """Let the text go on by so many tokens."""
        self._unfaded += emitted

    def observe(self, tested: int, accepted: int) -> None:
        """Count a round."""
        self._chance = 1.0 if accepted else self._chance * (1.0 - self.first(1)[0])
        if self._chance < TURN:
            self._unfaded += HALF_LIFE
        self._fade()
        missing = tested - len(self._tested)
        if missing > 0:
            self._tested += [0.0] * missing
            self._accepted += [0.0] * missing
        for place in range(tested):
            self._tested[place] += 1.0
        for place in range(accepted):
            self._accepted[place] += 1.0

    def first(self, places: int) -> list[float]:
        """r_1 … r_places."""
        self._fade()
        shared = self._shared()
        chances = [
            (accepted + SHARED_WEIGHT * shared) / (tested + SHARED_WEIGHT)
            for accepted, tested in zip(self._accepted, self._tested, strict=True)
        ][:places]
        chances += [shared] * (places - len(chances))
        return list(accumulate(chances, mul))

    def _shared(self) -> float:
        """c, of all places together."""
        accepted = sum(self._accepted) + PRIOR_WEIGHT * self._prior
        return accepted / (sum(self._tested) + PRIOR_WEIGHT)

    def _fade(self) -> None:
        """Let counts lose weight; what they said takes the place of the prior by as much."""
        if self._unfaded:
            kept = 0.5 ** (self._unfaded / HALF_LIFE)
            self._prior = kept * self._prior + (1.0 - kept) * self._shared()
            self._tested = [count * kept for count in self._tested]
            self._accepted = [count * kept for count in self._accepted]
            self._unfaded = 0.0

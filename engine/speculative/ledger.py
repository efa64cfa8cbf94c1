"""What drafting has cost a reply so far, compared with doing without."""

from collections import deque
from collections.abc import Collection
from math import inf
from statistics import median

BUDGET = 0.01
"""Share of its own time that a reply may lose to drafting. The promise is 1.5 %; a third of it is
left for errors in the time of plain decoding, which the losses are measured against."""

SPENT_AGAIN = 0.6
"""Share of the dearest round that drafts may lose once more, beside what was read for it. The rest
is for the error with which it was measured; yet a short one that was rejected whole leaves enough
for another."""

KEPT = 0.5
"""Share of what drafting has gained that is not staked again when a text turns. The gain is known
no better than the time of plain decoding, which is seldom measured while drafts pay: a computer
that got faster meanwhile makes it look larger than it is."""

SHOWN_ROUNDS = 15
"""Latest rounds that are shown the usual one of; fewer than 3 are not, as one may be disturbed."""


class Ledger:
    """Keeps a reply's regret: time spent minus emitted tokens × the time of plain decoding.

    A round may begin only if the regret stays within the budget even where all of its draft is
    rejected. The dearest round so far comes on top for drafts that are expected to pay: a first
    round, which reads the whole prompt, may be won back by those that follow. So the promise holds:

        time spent <= (1 + budget) · time of plain decoding + one round

    Each method has a first round, which nothing is known of, so that the silence of one does not
    keep the next from being tried.

    Attributes:
        regret: seconds lost; below zero where drafting has paid.
    """

    def __init__(self) -> None:
        self.regret = 0.0
        self._elapsed = 0.0
        self._decoding = 0.0
        self._best = 0.0  # the least regret so far
        self._lost = 0.0  # as regret, without caution
        self._rounds: deque[float] = deque(maxlen=SHOWN_ROUNDS)  # each over its tokens' time
        self._round_cost: float | None = None  # of the rounds as they are
        self._begun = 0.0  # seconds of the round that is being read for
        self._dearest = 0.0
        self._tried: set[str] = set()

    def read_prompt(self, seconds: float) -> None:
        """Add the time to the first token: it is part of the request, and nothing drafted in it."""
        self._elapsed += seconds

    def decode(self, seconds: float) -> None:
        """Add a pass without drafts, which takes the time that it takes."""
        self._elapsed += seconds
        self._decoding += seconds

    def weigh(self, seconds: float) -> None:
        """Add what it took to decide on drafts, whether there were any or not."""
        self.decode(seconds)
        self.regret += seconds
        self._lost += seconds

    def read(self, seconds: float) -> None:
        """Add what was spent on reading for a round that is yet to come."""
        self.weigh(seconds)
        self._begun += seconds

    def draft(
        self,
        methods: Collection[str],
        seconds: float,
        without: float,
        caution: float = 1.0,
    ) -> None:
        """Add a round.

        Args:
            methods: who was asked for drafts.
            seconds: that it took.
            without: seconds that its tokens would have taken without drafts.
            caution: the share of `without` that is certain.
        """
        self.decode(seconds)
        self.regret += seconds - caution * without
        self._best = min(self._best, self.regret)
        self._lost += seconds - without
        self._rounds.append(seconds / without)
        self._round_cost = None
        self._dearest = max(self._dearest, self._begun + SPENT_AGAIN * seconds)
        self._begun = 0.0
        self._tried.update(methods)

    def has_tried(self, method: str) -> bool:
        """Whether a method was asked for drafts."""
        return method in self._tried

    def allowance(self, method: str, *, pays: bool) -> float:
        """Seconds that a round may lose; `pays`: it is expected to gain."""
        if pays and method not in self._tried:
            return inf
        staked = self.regret - KEPT * self._best
        return BUDGET * self._elapsed + pays * self._dearest - staked

    @property
    def speedup(self) -> float | None:
        """How many times as long the tokens after the first would have taken without drafts.

        None where there was nothing to compare.
        """
        return 1.0 - self._lost / self._decoding if self._tried else None

    @property
    def round_cost(self) -> float:
        """The share of time that a round usually costs, below zero where it gains; 0: unknown."""
        if self._round_cost is None:
            self._round_cost = median(self._rounds) - 1.0 if len(self._rounds) >= 3 else 0.0
        return self._round_cost


class Purse:
    """What an engine may spend on first rounds that are not expected to pay.

    A reply may be too short to earn a trial of its own, above all where its prompt would have to be
    read. Without this, what was measured wrongly once, while the computer was busy, would keep
    short replies from being drafted for ever after. No reply spends more than its one round.
    """

    def __init__(self) -> None:
        self._saved = 0.0

    def earn(self, seconds: float) -> None:
        """Put aside the budget of a pass."""
        self._saved += BUDGET * seconds

    def pays(self, loss: float) -> bool:
        """Whether there is enough for a round that may lose so many seconds; if so, it is spent."""
        if self._saved < loss:
            return False
        self._saved = 0.0
        return True

"""What drafting has cost a reply so far, compared with doing without."""

BUDGET = 0.01
"""Share of its own time that a reply may lose to drafting. The promise is 1.5 %; a third of it is
left for errors in the time of plain decoding, which the losses are measured against."""

SURE_LOSS = 0.75
"""Plain passes that are taken off the dearest round before drafts may spend as much: a round that
was rejected whole has brought one token, and a quarter of it is left for first rounds to go on."""


class Ledger:
    """Keeps a reply's regret: time spent minus emitted tokens × the time of plain decoding.

    A round may begin only if the regret stays within the budget even where all of its draft is
    rejected. The dearest round so far comes on top for drafts that are expected to pay: a first
    round, which reads the whole prompt, may be won back by those that follow. So the promise holds:

        time spent <= (1 + budget) · time of plain decoding + one round

    Attributes:
        regret: seconds lost; below zero where drafting has paid.
    """

    def __init__(self) -> None:
        self.regret = 0.0
        self._elapsed = 0.0
        self._decoding = 0.0
        self._dearest = 0.0

    def read_prompt(self, seconds: float) -> None:
        """Add the time to the first token: it is part of the request, and nothing drafted in it."""
        self._elapsed += seconds

    def decode(self, seconds: float) -> None:
        """Add a pass without drafts, which takes the time that it takes."""
        self._elapsed += seconds
        self._decoding += seconds

    def draft(self, seconds: float, without: float, plain: float) -> None:
        """Add a round whose tokens would have taken `without` seconds, at `plain` a pass."""
        self.decode(seconds)
        self.regret += seconds - without
        self._dearest = max(self._dearest, seconds - SURE_LOSS * plain)

    def affords(self, loss: float, *, pays: bool) -> bool:
        """Whether a round may lose so many seconds; `pays`: it is expected to gain."""
        allowance = BUDGET * self._elapsed + pays * self._dearest
        return self.regret + loss <= allowance or self._dearest == 0.0

    @property
    def speedup(self) -> float:
        """How many times as long the tokens after the first would have taken without drafts."""
        return 1.0 - self.regret / self._decoding if self._decoding else 1.0

"""What the controller keeps for one reply."""

from engine.base.types import LONGEST_DRAFT, Drafting
from engine.speculative.ledger import Ledger
from engine.speculative.survival import Survival

FIRST_LENGTH = 2
"""Tokens of a first draft, and of one after a rest; twice as many follow a success."""

SHORTEST_REST = 16
LONGEST_REST = 128
"""Tokens from one trial to the next while drafting rests. The rest doubles from trial to trial, but
not beyond what a change of text may go unnoticed for; what trials may cost, the ledger says."""


class Attempts:
    """The drafts of one reply by one method.

    Attributes:
        survival: how they fared.
        rounds: how many of them the target has seen.
        resting: whether they have not been worth their time lately.
        wait: tokens until they are considered again.
    """

    def __init__(self, survival: Survival) -> None:
        self.survival = survival
        self.rounds = 0
        self.resting = False
        self.wait = 0.0
        self._ramp = FIRST_LENGTH
        self._rest = SHORTEST_REST // 2

    def longest(self, most: int, least: int) -> int:
        """Tokens of the next draft at most."""
        return min(most, max(least, self._ramp))

    def rest(self) -> None:
        """Stop drafting for a while, twice as long as the last time."""
        self.resting = True
        self._ramp = FIRST_LENGTH
        self._rest = min(LONGEST_REST, 2 * self._rest)
        self.wait = self._rest

    def postpone(self, tokens: float) -> None:
        """Wait until so many tokens have earned what a round may lose."""
        self.wait = min(LONGEST_REST, max(SHORTEST_REST, tokens))

    def pay(self) -> None:
        """Forget rests that were long, bit by bit."""
        self._rest = max(SHORTEST_REST // 2, self._rest // 2)

    def pass_by(self, emitted: int) -> None:
        """Let the text go on by so many tokens."""
        self.wait -= emitted
        self.survival.pass_by(emitted)

    def observe(self, drafted: int, tested: int, accepted: int) -> None:
        """Learn from a round. After a rest, the next choice decides whether to go on."""
        self.survival.observe(tested, accepted)
        self.rounds += 1
        self.resting, self.wait = False, 0.0
        if accepted == drafted >= self._ramp:
            self._ramp *= 2


class Account:
    """One reply: its limits, its drafts by method and its ledger.

    Attributes:
        methods: what may draft for it.
        fixed: whether each of its drafts has the most tokens that it may, whatever that costs.
        least: tokens below which a draft is dropped.
        attempts: by method.
    """

    def __init__(self, drafting: Drafting) -> None:
        self.methods = drafting.methods
        self.fixed = drafting.fixed
        self.least = max(1, drafting.n_min)
        self.ledger = Ledger()
        self.attempts: dict[str, Attempts] = {}
        self._most = min(drafting.n_max, LONGEST_DRAFT)

    def give_up(self) -> None:
        """Draft no more for this reply."""
        self.methods = ()

    def forget(self, method: str) -> None:
        """Expect nothing of a method from its drafts so far: it is another than it was."""
        self.attempts.pop(method, None)

    def most(self, method: str, room: int) -> int:
        """Tokens of a method's draft at most where the reply has room for so many; 0 for none."""
        most = min(self._most, room) if method in self.methods else 0
        return most if most >= self.least else 0

    def attempts_of(self, method: str, prior: float) -> Attempts:
        """Those of a method, begun where there are none yet."""
        if method not in self.attempts:
            self.attempts[method] = Attempts(Survival(prior))
        return self.attempts[method]

    def hold(self, method: str, length: int) -> None:
        """Draft so many tokens by one method from now on, whatever that costs."""
        self.methods, self.fixed, self._most = (method,), True, length

    @property
    def asleep(self) -> bool:
        """Whether nothing may draft for it yet, so that there is nothing to decide."""
        attempts = map(self.attempts.get, self.methods)
        return not self.fixed and all(one and one.wait > 0 for one in attempts)

    @property
    def resting(self) -> bool:
        """Whether what has drafted would cost time now; what had no guess yet may be asked."""
        attempts = self.attempts.values()
        return any(one.resting for one in attempts) and not any(
            one.rounds and not one.resting for one in attempts
        )

    @property
    def rest_cost(self) -> float | None:
        """The share of time that drafting would cost now; None where it does not rest."""
        return max(0.0, self.ledger.round_cost) if self.resting else None

    def pass_by(self, emitted: int) -> None:
        """Let the text go on by so many tokens."""
        for attempts in self.attempts.values():
            attempts.pass_by(emitted)

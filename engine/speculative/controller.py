"""How long drafts are: as long as makes replies fastest, and never slower than without drafting.

Before each pass the controller is asked for lengths, and afterwards it is told what the pass took
and emitted. It reads no clock: whoever steps the engine measures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from engine.base.types import LOOKUP_METHODS
from engine.speculative.account import Account, Attempts
from engine.speculative.cost_table import CostTable, PlainTime
from engine.speculative.goodput import choose
from engine.speculative.ledger import BUDGET, Purse
from engine.speculative.proposer import Turn
from engine.speculative.survival import Habit

LEAST_GAIN = 1.03
"""Speed-up that drafting is begun for: less is within the error of what is measured."""

PLAIN_SHARE = 0.005
"""Share of the time that may go into plain passes amid drafting, which keep their time known. They
are the more frequent the less drafting gains, which is where an error would matter."""

HORIZON = 256
"""Tokens that a reply is expected to go on for, unless its limit is nearer: reading the text before
a first draft must be worth it within these. About half of a usual answer."""

DISTURBED = 2.0
"""A round that takes so many times what is expected was disturbed by something else."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A running reply in the coming pass.

    Attributes:
        context: positions that it holds.
        room: tokens that a draft may have before the reply or the context is at its end.
        unread: tokens that each of its methods has to read before it can draft.
        opening: whether nothing is said yet; only drafts of a fixed length follow a prompt, and
            of those none that a model has to be run for.
    """

    account: Account
    context: int
    room: int
    unread: Mapping[str, int]
    opening: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a pass led to for one seat; `method` made its draft, if it had any."""

    seat: Seat
    emitted: int
    method: str = ""
    drafted: int = 0
    tested: int = 0
    accepted: int = 0


@dataclass(frozen=True, slots=True)
class _Prospect:
    """What a round is expected to be.

    Attributes:
        lengths: of the drafts, by seat.
        speedup: expected tokens for the time that a plain pass takes for one.
        cost: in plain passes, without what is to be read first.
        reading: plain passes that this takes.
        known: whether the costs were measured often enough to be held against it.
    """

    lengths: list[int]
    speedup: float = 1.0
    cost: float = 1.0
    reading: float = 0.0
    known: bool = True

    def pays(self, horizon: int) -> bool:
        """Whether it gains enough, over so many tokens, to make up for the reading as well."""
        return self.speedup >= LEAST_GAIN and horizon * (1.0 - 1.0 / self.speedup) >= self.reading


class Controller:
    """Chooses lengths for all replies of an engine, and learns what they cost and bring."""

    def __init__(self, methods: Sequence[str]) -> None:
        """`methods`: names of what may draft, in any order."""
        self._habits = {method: Habit() for method in methods}
        self._costs = CostTable()
        self._plain = PlainTime()
        self._since_plain = 0.0  # seconds of drafting since the last plain pass
        self._disturbed = False  # whether the last round was
        self._purse = Purse()

    def forget_texts(self) -> None:
        """Expect of every method what a new one may hope for; what passes cost is still known."""
        self._habits = {method: Habit() for method in self._habits}

    def exchange(self, methods: Sequence[str], changed: str) -> None:
        """Go on with these methods, of which one is another than before, if it is there at all."""
        self._costs.forget(changed)
        self._habits.pop(changed, None)
        self._habits = {method: self._habits.get(method) or Habit() for method in methods}

    def lengths(self, seats: Sequence[Seat], *, reading: bool) -> Mapping[str, Sequence[int]]:
        """How many tokens to ask each method for, by seat; 0 for none.

        While a prompt is read (`reading`) nobody drafts: its first token comes as without drafts.
        """
        if any(seat.account.fixed for seat in seats):
            return {method: _fixed(method, seats) for method in self._habits}
        none = [0] * len(seats)
        plain = self._plain.of(_company(seats))
        nobody = dict.fromkeys(self._habits, none)
        if reading or plain is None:
            return nobody
        prospects = {
            method: self._prospect(method, seats, plain) or _Prospect(none)
            for method in self._habits
            if any(method in seat.account.methods for seat in seats)
        }
        speedup = max((prospect.speedup for prospect in prospects.values()), default=1.0)
        if self._since_plain * PLAIN_SHARE > plain * (1.0 - 1.0 / max(1.0, speedup)):
            return nobody
        return nobody | {method: prospect.lengths for method, prospect in prospects.items()}

    def record(
        self,
        outcomes: Sequence[Outcome],
        turns: Sequence[Turn],
        seconds: float,
        *,
        reading: bool,
        deciding: float = 0.0,
    ) -> None:
        """Learn from a pass.

        Args:
            outcomes: of every reply that was given a seat, in the same order.
            turns: who was asked for drafts before it.
            seconds: from the end of proposing until all was committed.
            reading: whether it read of a prompt, too.
            deciding: seconds that it took beside to come to its lengths.
        """
        seats = [outcome.seat for outcome in outcomes]
        for seat in seats:
            seat.account.ledger.weigh(deciding)
        plain = self._plain.of(_company(seats))
        if plain is not None:
            self._costs.observe_deciding(deciding / plain)
        self._charge(outcomes, turns, seconds, None if reading else plain)
        if not reading:
            self._learn_costs(outcomes, turns, seconds, plain)
        for outcome in outcomes:
            self._learn_acceptance(outcome)

    def rests(self, accounts: Sequence[Account]) -> bool:
        """Whether there is nothing to decide for these replies.

        All wait, or plain decoding is still being measured. To look closer at them would take a
        fifth of a very small model's pass.
        """
        if all(account.asleep for account in accounts):
            return True
        fixed = any(account.fixed for account in accounts)
        return not fixed and self._plain.of(tuple(accounts)) is None

    def rest(self, accounts: Sequence[Account], seconds: float, *, reading: bool) -> None:
        """Let replies be, in a pass that emitted a token for each and may have read a prompt."""
        self._purse.earn(seconds)
        self._since_plain = 0.0
        if not reading:
            self._plain.observe(tuple(accounts), seconds)
        for account in accounts:
            account.ledger.decode(seconds)
            account.pass_by(1)

    def _prospect(self, method: str, seats: Sequence[Seat], plain: float) -> _Prospect | None:
        """The round that one method should try next, as if it drafted for all; None for none."""
        able = {
            place: attempts
            for place, seat in enumerate(seats)
            if seat.account.most(method, seat.room)
            and (attempts := self._attempts(seat.account, method)).wait <= 0
        }
        if active := {place: tries for place, tries in able.items() if not tries.resting}:
            horizon = min(HORIZON, max(seats[place].room for place in active))
            best = self._best(method, seats, active)
            if best.known and not best.pays(horizon):  # what any round costs may be too much for it
                longer = self._best(method, seats, active, ramped=False)
                best = longer if longer.known else best
            if best.pays(horizon):
                for attempts in active.values():
                    attempts.pay()
                chosen = self._affordable(method, seats, active, best, plain, pays=True)
                return chosen if chosen and chosen.pays(horizon) else None
            for attempts in active.values():
                attempts.rest()
        if due := {place: tries for place, tries in able.items() if tries.wait <= 0}:
            best = self._best(method, seats, due)
            if chosen := self._affordable(method, seats, due, best, plain, pays=not best.known):
                return chosen
            tried = any(seat.account.ledger.has_tried(method) for seat in seats)
            if not tried and self._purse.pays(_loss(best, plain)):
                return best
        return None

    def _affordable(
        self,
        method: str,
        seats: Sequence[Seat],
        able: Mapping[int, Attempts],
        best: _Prospect,
        plain: float,
        *,
        pays: bool,
    ) -> _Prospect | None:
        """The best round with which no reply could lose too much: all wait for it, whoever drafts.

        Where there is none, those who may draft wait until one may be lost, with what it takes to
        look at them again: on a very small model that is a good part of a pass.
        """
        most = min(seat.account.ledger.allowance(method, pays=pays) for seat in seats)
        missing = _loss(best, plain) - most
        if missing <= 0.0:
            return best
        shorter = self._best(method, seats, able, 1.0 + most / plain - best.reading)
        if any(shorter.lengths):
            return shorter
        for attempts in able.values():
            attempts.postpone((missing / plain + self._costs.deciding) / BUDGET)
        return None

    def _best(
        self,
        method: str,
        seats: Sequence[Seat],
        able: Mapping[int, Attempts],
        most_cost: float = inf,
        *,
        ramped: bool = True,
    ) -> _Prospect:
        """The round with the best lengths above 0 that costs no more, for some of the seats.

        `ramped`: with drafts that are no longer than their successes have led to.
        """
        passes, proposals = self._costs.passes(*_shape(seats)), self._costs.proposals(method)
        accounts = [seats[place].account for place in able]
        deciding = self._costs.deciding
        rooms = [seats[place].account.most(method, seats[place].room) for place in able]
        choice = choose(
            [
                attempts.survival.first(attempts.longest(most, account.least) if ramped else most)
                for attempts, account, most in zip(able.values(), accounts, rooms, strict=True)
            ],
            [account.least for account in accounts],
            len(seats),
            lambda rows, longest: deciding + passes.at(rows) + proposals.at(longest),
            passes.certainty,
            most_cost,
        )
        lengths = dict(zip(able, choice.lengths, strict=True))
        return _Prospect(
            [lengths.get(place, 0) for place in range(len(seats))],
            choice.speedup,
            choice.cost,
            self._costs.reading(method, sum(seats[place].unread[method] for place in able)),
            passes.known(sum(choice.lengths)) and proposals.known(max(choice.lengths)),
        )

    def _charge(
        self,
        outcomes: Sequence[Outcome],
        turns: Sequence[Turn],
        seconds: float,
        plain: float | None,
    ) -> None:
        """Enter a pass in the ledgers; `plain` None where there is nothing to compare it with."""
        drafted = any(outcome.drafted for outcome in outcomes)
        asked = [turn.method for turn in turns if turn.longest is not None]
        reading = sum(turn.read_s for turn in turns)
        charged = seconds + reading + sum(turn.draft_s for turn in turns)
        self._purse.earn(charged)
        self._since_plain = self._since_plain + charged if drafted else 0.0
        if plain is not None and asked:
            charged = self._undisturbed(outcomes, turns, charged, plain)
        rest = charged - reading
        for outcome in outcomes:
            ledger = outcome.seat.account.ledger
            if plain is None:
                ledger.decode(charged)
                continue
            ledger.read(reading)
            if not asked:
                ledger.decode(rest)
            elif drafted:
                without = outcome.emitted * plain
                ledger.draft(asked, rest, without, self._plain.caution)
            else:
                ledger.draft(asked, rest, seconds)

    def _undisturbed(
        self,
        outcomes: Sequence[Outcome],
        turns: Sequence[Turn],
        took: float,
        plain: float,
    ) -> float:
        """What a round took, less what came between: that would have struck a plain pass, too.

        Forgiven once, and only where the costs are known well; a second time in a row it is what
        rounds have come to cost.
        """
        passes = self._costs.passes(*_shape([outcome.seat for outcome in outcomes]))
        rows = sum(outcome.drafted for outcome in outcomes)
        expected = passes.at(rows)
        known = passes.known(rows)
        for turn in turns:
            expected += self._costs.reading(turn.method, turn.read)
            if turn.longest is not None:
                curve = self._costs.proposals(turn.method)
                expected += curve.at(max(1, turn.longest))
                known = known and curve.known(max(1, turn.longest))
        most = DISTURBED * expected * plain
        forgiven = took > most and known and not self._disturbed
        self._disturbed = took > most
        return most if forgiven else took

    def _learn_costs(
        self,
        outcomes: Sequence[Outcome],
        turns: Sequence[Turn],
        seconds: float,
        plain: float | None,
    ) -> None:
        seats = [outcome.seat for outcome in outcomes]
        rows = sum(outcome.drafted for outcome in outcomes)
        if not rows:
            self._plain.observe(_company(seats), seconds)
        if plain is None:
            return
        if rows:
            # A pass over more rows takes no longer than as many passes; else it was disturbed.
            self._costs.passes(*_shape(seats)).observe(rows, min(seconds / plain, 1.0 + rows))
        for turn in turns:
            self._costs.observe_reading(turn.method, turn.read, turn.read_s / plain)
            if turn.longest is not None:
                curve = self._costs.proposals(turn.method)
                curve.observe(max(1, turn.longest), turn.draft_s / plain)

    def _learn_acceptance(self, outcome: Outcome) -> None:
        outcome.seat.account.pass_by(outcome.emitted)
        if outcome.drafted:
            attempts = self._attempts(outcome.seat.account, outcome.method)
            attempts.observe(outcome.drafted, outcome.tested, outcome.accepted)
            self._habits[outcome.method].observe(outcome.tested, outcome.accepted)

    def _attempts(self, account: Account, method: str) -> Attempts:
        return account.attempts_of(method, self._habits[method].rate)


def _fixed(method: str, seats: Sequence[Seat]) -> list[int]:
    """Lengths by seat where some are fixed; the others wait with theirs."""
    return [
        seat.account.most(method, seat.room)
        if seat.account.fixed and (method in LOOKUP_METHODS or not seat.opening)
        else 0
        for seat in seats
    ]


def _loss(prospect: _Prospect, plain: float) -> float:
    """Seconds lost to a round of which nothing is accepted."""
    return plain * (prospect.cost + prospect.reading - 1.0)


def _company(seats: Sequence[Seat]) -> tuple[Account, ...]:
    """Who shares the pass."""
    return tuple(seat.account for seat in seats)


def _shape(seats: Sequence[Seat]) -> tuple[int, int]:
    """What the cost of a pass goes by: positions in all, and replies."""
    return sum(seat.context for seat in seats), len(seats)

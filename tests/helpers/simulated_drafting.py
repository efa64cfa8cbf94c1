"""A machine on which drafting has known costs and texts have known acceptance; no time passes.

What the controller is told is noisy. What is compared is the time that would have passed without
noise: what strikes a pass from outside strikes it with drafting and without.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.base.types import Drafting
from engine.speculative.account import Account
from engine.speculative.controller import Controller, Outcome, Seat
from engine.speculative.proposer import Turn

METHOD = "draft"
PassCost = Callable[[int], float]
"""Of a pass with so many rows of drafts, in plain passes."""

PASS_COSTS: dict[str, PassCost] = {
    "free up to four rows": lambda drafted: max(1.0, 1.0 + 0.14 * (drafted - 3)),
    "every row costs": lambda drafted: 1.0 + 0.35 * drafted,
    "little by little": lambda drafted: 1.0 + 0.05 * drafted,
    "cliff at nine rows": lambda drafted: 1.0 + 0.03 * drafted + (1.0 if drafted >= 8 else 0.0),
    "staircase": lambda drafted: 1.0 + 0.4 * ((drafted + 3) // 4),
}


@dataclass(frozen=True)
class Machine:
    """What a pass, a drafted token, reading a token for the draft and deciding on drafts cost.

    Attributes:
        plain: seconds of a plain pass at the start.
        pass_cost: of a pass with drafts, in plain passes.
        draft: of a drafted token, in plain passes.
        read: of a token of the text that the draft has to read, in plain passes.
        deciding: seconds for deciding on drafts; a small model's pass takes hardly longer.
        drift: how much slower the machine gets, and faster again, as a share.
        period: tokens from slow to slow.
        spikes: share of passes that something else disturbs.
    """

    plain: float
    pass_cost: PassCost
    draft: float
    read: float
    deciding: float = 0.0
    drift: float = 0.0
    period: int = 1000
    spikes: float = 0.0

    def plain_at(self, place: int) -> float:
        """Seconds of a plain pass once so many tokens are emitted."""
        phase = place % self.period / self.period
        return self.plain * (1.0 + self.drift * (4.0 * abs(phase - 0.5) - 1.0))


@dataclass
class Times:
    """Seconds without noise, after the first token: with the controller, without drafts, and of
    the dearest round, reading included."""

    spent: float = 0.0
    off: float = 0.0
    round: float = 0.0


def text(chances: Sequence[float], length: int, rng: random.Random) -> list[bool]:
    """Whether the draft knows each token of a reply, whose parts have these chances."""
    return [rng.random() < chances[len(chances) * place // length] for place in range(length)]


def accepted_of(known: Sequence[bool], place: int, drafted: int) -> int:
    """How many tokens of a draft hold."""
    run = 0
    while run < drafted and known[place + run]:
        run += 1
    return run


def noise(machine: Machine, rng: random.Random) -> float:
    """What a measurement is off by, as a factor."""
    spike = rng.uniform(2.0, 6.0) if rng.random() < machine.spikes else 1.0
    return spike * rng.uniform(0.8, 1.2)


def reply(
    controller: Controller,
    machine: Machine,
    known: Sequence[bool],
    rng: random.Random,
    prompt: int = 100,
) -> Times:
    """Let a reply be made, alone on its machine."""
    account = Account(Drafting((METHOD,)))
    times = Times()
    place, unread = 1, prompt  # the prompt's pass emits the first token
    while place < len(known):
        now = machine.plain_at(place)
        if controller.rests([account]):
            controller.rest([account], now * noise(machine, rng), reading=False)
            times.spent, times.off = times.spent + now, times.off + now
            place, unread = place + 1, unread + 1
            continue
        room = len(known) - place - 1
        seat = Seat(account, prompt + place, room, {METHOD: unread})
        (drafted,) = controller.lengths([seat], reading=False)[METHOD]
        accepted = accepted_of(known, place, drafted)
        turns, propose_s = [], machine.deciding
        if drafted:
            read_s, draft_s = now * machine.read * unread, now * machine.draft * drafted
            measured_s = read_s * noise(machine, rng), draft_s * noise(machine, rng)
            turns = [Turn(METHOD, unread, measured_s[0], drafted, measured_s[1])]
            propose_s, unread = propose_s + read_s + draft_s, 0
        else:
            unread += 1
        pass_s = now * (machine.pass_cost(drafted) if drafted else 1.0)
        outcome = Outcome(seat, accepted + 1, METHOD, drafted, min(drafted, accepted + 1), accepted)
        controller.record(
            [outcome],
            turns,
            pass_s * noise(machine, rng),
            reading=False,
            deciding=machine.deciding * noise(machine, rng),
        )
        times.spent += propose_s + pass_s
        times.off += sum(machine.plain_at(place + i) for i in range(accepted + 1))
        times.round = max(times.round, propose_s + pass_s)
        place += accepted + 1
    return times


def fixed(machine: Machine, known: Sequence[bool], length: int, prompt: int = 100) -> float:
    """Seconds of a reply whose drafts all have one length; 0: no drafts."""
    spent, place = 0.0, 1
    if length:
        spent += machine.plain_at(place) * machine.read * prompt
    while place < len(known):
        drafted = min(length, len(known) - place - 1)
        cost = machine.pass_cost(drafted) if drafted else 1.0
        spent += machine.plain_at(place) * (cost + machine.draft * drafted)
        spent += machine.deciding if drafted else 0.0
        place += 1 + accepted_of(known, place, drafted)
    return spent

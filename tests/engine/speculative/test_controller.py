"""What the controller decides, in situations that can be followed by hand."""

from collections.abc import Sequence

from engine.base.types import Drafting
from engine.speculative.account import Account
from engine.speculative.controller import Controller, Outcome, Seat
from engine.speculative.cost_table import FIRST_PLAIN_SAMPLES
from engine.speculative.proposer import Turn
from tests.helpers.simulated_drafting import METHOD

PLAIN = 0.01


def account(*, methods: tuple[str, ...] = (METHOD,), **limits: object) -> Account:
    return Account(Drafting(methods, **limits))  # type: ignore[arg-type]


def seat(of: Account, room: int = 500, unread: int = 0) -> Seat:
    return Seat(of, 100, room, {METHOD: unread})


class Replies:
    """Replies that share passes, on a machine without noise."""

    def __init__(self, *accounts: Account, cost: float = 0.05, accept: Sequence[bool] = ()) -> None:
        """`cost` of a row and of a drafted token each, in plain passes; `accept`: by reply."""
        self.controller = Controller([METHOD])
        self.accounts = accounts
        self.cost = cost
        self.accept = list(accept) or [True] * len(accounts)

    def lengths(self, room: int = 500, *, reading: bool = False) -> list[int]:
        seats = [seat(one, room) for one in self.accounts]
        return list(self.controller.lengths(seats, reading=reading)[METHOD])

    def step(self, *, slow: float = 1.0) -> list[int]:
        """One pass, the machine being so many times slower; gives the lengths."""
        lengths = self.lengths()
        outcomes = []
        for one, length, accept in zip(self.accounts, lengths, self.accept, strict=True):
            accepted = length * accept
            tested = min(length, accepted + 1)
            outcomes.append(Outcome(seat(one), accepted + 1, METHOD, length, tested, accepted))
        longest = max(lengths)
        draft_s = slow * PLAIN * self.cost * longest
        turns = [Turn(METHOD, 0, 0.0, longest, draft_s)] if longest else []
        pass_s = slow * PLAIN * (1.0 + self.cost * sum(lengths))
        self.controller.record(outcomes, turns, pass_s, reading=False)
        return lengths

    def steps(self, count: int, *, slow: float = 1.0) -> list[list[int]]:
        return [self.step(slow=slow) for _ in range(count)]


def test_the_time_of_plain_decoding_is_measured_before_anything_is_drafted() -> None:
    lengths = Replies(account()).steps(FIRST_PLAIN_SAMPLES + 1)
    assert lengths == [[0]] * FIRST_PLAIN_SAMPLES + [[2]]


def test_lengths_at_most_double_while_drafts_are_accepted_in_full() -> None:
    lengths = [length for (length,) in Replies(account()).steps(100)[FIRST_PLAIN_SAMPLES:]]
    assert lengths[:3] == [2, 4, 8]
    assert sum(length >= 14 for length in lengths) > 50


def test_drafting_rests_when_nothing_is_accepted_and_is_tried_ever_more_rarely() -> None:
    lengths = Replies(account(), accept=[False]).steps(700)
    rounds = [place for place, (length,) in enumerate(lengths) if length]
    assert len([place for place in rounds if place < 40]) < 10
    assert 1 <= len([place for place in rounds if place > 100]) < 10


def test_a_draft_that_cannot_be_afforded_is_made_shorter() -> None:
    one = account()
    replies = Replies(one)
    replies.steps(60)
    one.ledger.regret += one.ledger.allowance(METHOD, pays=True) - 0.5 * PLAIN
    assert 0 < replies.lengths()[0] <= 5 < replies.steps(30)[-1][0]


def test_drafting_comes_back_when_the_text_turns() -> None:
    replies = Replies(account(), accept=[False])
    replies.steps(300)
    replies.accept = [True]
    lengths = replies.steps(160)
    assert max(length for (length,) in lengths) > 2


def test_drafting_that_costs_more_than_it_brings_rests_though_all_is_accepted() -> None:
    lengths = Replies(account(), cost=3.0).steps(400)
    assert sum(length > 0 for (length,) in lengths) < 5


def test_a_slower_machine_is_no_reason_to_rest() -> None:
    replies = Replies(account())
    replies.steps(60)
    lengths = replies.steps(100, slow=1.5)
    assert sum(length > 0 for (length,) in lengths) > 80


def test_each_request_keeps_its_own_limits() -> None:
    replies = Replies(account(n_max=5), account(n_min=4, n_max=4))
    lengths = replies.steps(60)
    assert max(of_long for of_long, _ in lengths) == 5
    assert {of_short for _, of_short in lengths} == {0, 4}


def test_nothing_is_drafted_past_the_room_or_where_the_room_is_below_the_least() -> None:
    replies = Replies(account(n_min=3))
    replies.steps(30)
    assert 0 < replies.lengths(room=4)[0] <= 4
    assert replies.lengths(room=2) == [0]


def test_fixed_lengths_are_drafted_from_the_first_pass_whatever_they_bring() -> None:
    fixed = account(n_max=7, fixed=True)
    assert Replies(fixed, accept=[False], cost=9.0).steps(30) == [[7]] * 30


def test_a_reply_that_nothing_drafts_for_is_never_asked_for() -> None:
    replies = Replies(account(), account(methods=()))
    assert all(unasked == 0 for _, unasked in replies.steps(40))


def test_nobody_drafts_while_a_prompt_is_read() -> None:
    replies = Replies(account())
    replies.steps(30)
    assert replies.lengths(reading=True) == [0]
    assert replies.lengths() != [0]


def test_rows_go_to_the_reply_whose_drafts_are_accepted() -> None:
    replies = Replies(account(), account(), cost=0.0003, accept=[True, False])
    replies.steps(40)
    lengths = replies.steps(30)
    assert sum(good for good, _ in lengths) > 10 * sum(bad for _, bad in lengths)


def test_no_reply_waits_for_the_drafts_of_another_for_longer_than_its_own_budget() -> None:
    alone, beside = account(), account(methods=())
    replies = Replies(alone, beside, cost=0.2)
    replies.steps(600)
    waited = beside.ledger.regret
    assert 0 < waited < 0.015 * 600 * PLAIN + 6 * PLAIN


def test_after_a_reply_joins_the_time_of_plain_decoding_is_measured_anew() -> None:
    replies = Replies(account())
    replies.steps(30)
    replies.accounts += (account(),)
    replies.accept.append(True)
    lengths = replies.steps(FIRST_PLAIN_SAMPLES + 1)
    assert lengths[:-1] == [[0, 0]] * FIRST_PLAIN_SAMPLES
    assert min(lengths[-1]) > 0


def test_what_a_method_did_in_one_reply_is_expected_of_the_next() -> None:
    replies = Replies(account(), accept=[False])
    replies.steps(400)
    replies.accounts = (account(),)
    assert sum(length > 0 for (length,) in replies.steps(60)) < 5


def test_the_gain_is_the_time_without_drafts_over_the_time_spent() -> None:
    one = account()
    assert one.ledger.speedup is None
    Replies(one).steps(400)
    assert one.ledger.speedup
    rounds = 17 / (1.0 + 0.05 * 32)  # 16 of 16 accepted, at the cost of rows and drafted tokens
    assert 0.85 * rounds < one.ledger.speedup < rounds


def test_while_resting_it_says_what_drafting_would_cost() -> None:
    one = account()
    replies = Replies(one, cost=0.1, accept=[False])
    replies.steps(200)
    assert one.resting
    assert one.rest_cost is not None
    assert 0.19 < one.rest_cost < 0.5
    assert one.ledger.speedup
    assert 0.97 < one.ledger.speedup < 1.0


def test_drafts_that_are_accepted_do_not_rest() -> None:
    one = account()
    Replies(one).steps(30)
    assert not one.resting
    assert one.rest_cost is None


def test_what_gave_up_is_not_asked_again() -> None:
    one = account()
    replies = Replies(one)
    replies.steps(30)
    one.give_up()
    assert replies.lengths() == [0]


def test_a_method_that_a_reply_does_not_use_is_not_asked_for_it() -> None:
    users = account(), account(methods=("other",))
    replies = Replies(*users)
    replies.controller = Controller([METHOD, "other"])
    replies.steps(FIRST_PLAIN_SAMPLES)
    lengths = replies.controller.lengths(
        [Seat(one, 100, 500, {METHOD: 0, "other": 0}) for one in users], reading=False
    )
    assert lengths == {METHOD: [2, 0], "other": [0, 2]}


def test_short_replies_try_again_what_once_looked_too_dear() -> None:
    replies = Replies(account(), cost=3.0)

    def rounds_of_replies(count: int) -> int:
        """Rounds of the last of so many short replies."""
        for _ in range(count):
            replies.accounts = (account(),)
            rounds = sum(length > 0 for (length,) in replies.steps(40))
        return rounds

    assert rounds_of_replies(20) <= 1
    replies.cost = 0.05
    assert rounds_of_replies(100) > 5


def test_with_its_texts_forgotten_a_method_is_hoped_for_again() -> None:
    replies = Replies(account(), cost=0.25, accept=[False])
    replies.steps(400)
    replies.controller.forget_texts()
    replies.accounts = (account(),)
    lengths = [length for (length,) in replies.steps(FIRST_PLAIN_SAMPLES + 3)]
    assert max(lengths) > 0


def test_a_look_that_leads_to_nothing_is_held_against_what_may_be_lost() -> None:
    """On a very small model it takes a good part of a pass; many would slow a reply."""
    one = account()
    replies = Replies(one)
    replies.steps(FIRST_PLAIN_SAMPLES)
    before = one.ledger.allowance("other", pays=False)
    looked = Outcome(seat(one), 1)
    replies.controller.record([looked], [], PLAIN, reading=False, deciding=0.4 * PLAIN)
    after = one.ledger.allowance("other", pays=False)
    assert before - after > 0.38 * PLAIN


def test_what_it_takes_to_decide_is_part_of_what_a_round_costs() -> None:
    replies = Replies(account(), cost=0.1)
    replies.steps(40)
    assert replies.lengths()[0] > 2
    for _ in range(40):
        one = Outcome(seat(*replies.accounts), 1)
        replies.controller.record([one], [], PLAIN, reading=False, deciding=20 * PLAIN)
    replies.accounts = (account(),)
    assert replies.steps(FIRST_PLAIN_SAMPLES + 3)[-3:] == [[0]] * 3

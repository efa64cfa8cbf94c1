"""The table of the suite `spec`: its arithmetic, and what it leaves out."""

import random

import pytest

from engine.base.bench import OFF, Asked, aggregate, figures, repeated_share
from engine.base.types import Timings
from engine.cli.bench_table import spec_document, spec_text

PLAIN = Timings(prompt_ms=100, predicted_n=20, predicted_ms=900)
DRAFTED = Timings(
    prompt_ms=150,
    predicted_n=20,
    predicted_ms=350,
    draft_n=16,
    draft_n_accepted=12,
    draft_rounds=7,
    draft_ms=50,
    verify_ms=200,
    rollback_ms=10,
)


def asked(prompt: str = "poem", drafted: Timings = DRAFTED, repeated: float = 0.0) -> Asked:
    return Asked(prompt, repeated, {OFF: PLAIN, "draft": drafted})


def test_a_speed_up_counts_whole_requests_and_a_rate_what_was_tested() -> None:
    found = asked().figures("draft")
    assert found.speedup == (100 + 900) / (150 + 350)
    assert found.tokens_per_second == 20 / 0.5
    assert found.rate == 12 / 16
    assert (found.predicted_n, found.draft_n, found.draft_n_accepted) == (20, 16, 12)


def test_serving_without_drafts_is_what_others_are_compared_with() -> None:
    found = asked().figures(OFF)
    assert (found.speedup, found.rate, found.draft_n) == (1, 0, 0)


def test_an_aggregate_weighs_every_prompt_by_its_time() -> None:
    slow = Timings(prompt_ms=500, predicted_n=20, predicted_ms=1000, draft_n=4)
    total = figures([(PLAIN, DRAFTED), (PLAIN, slow)])
    assert total.speedup == (1000 + 1000) / (500 + 1500)
    assert total.tokens_per_second == 40 / 2
    assert total.rate == 12 / 20


def test_replies_that_repeat_themselves_are_marked_and_not_in_the_aggregate() -> None:
    loop = Timings(prompt_ms=1, predicted_n=20, predicted_ms=1, draft_n=20, draft_n_accepted=20)
    both = [asked(), asked("song", loop, repeated=0.9)]
    assert aggregate(both, "draft") == asked().figures("draft")
    (_, draft) = spec_document(both)
    assert [row["loops"] for row in draft["prompts"]] == [False, True]
    text = spec_text(both)
    assert "because the reply repeats itself: song (90%)" in text
    assert sum(line.endswith("loops") for line in text.splitlines()) == 2


def test_where_every_reply_repeats_itself_there_is_no_aggregate() -> None:
    looping = [asked(repeated=0.9)]
    assert aggregate(looping, "draft") is None
    assert all("speedup" not in method for method in spec_document(looping))
    assert "  aggregate" not in spec_text(looping)


def test_the_table_gives_each_prompt_and_then_the_aggregate_with_the_shares_of_time() -> None:
    lines = spec_text([asked()]).splitlines()
    place = lines.index("draft")
    row = "pred=   20 draft=   16 acc=   12 rate=0.750 tok/s=   40.0 speedup=2.00"
    assert lines[place + 1] == f"  poem              {row}"
    assert lines[place + 2].startswith(f"  aggregate         {row}")
    assert lines[place + 2].endswith("draft 10.0%, verify 40.0%, fold 2.0%")


@pytest.mark.parametrize("period", [1, 2, 7, 40])
def test_a_reply_that_circles_through_its_last_half_is_a_loop(period: int) -> None:
    shuffled = random.Random(0).sample(range(1000), 96)
    reply = [*shuffled, *(shuffled[:period] * 96)[:96]]
    assert asked(repeated=repeated_share(reply)).loops


def test_a_reply_that_says_a_thing_twice_is_no_loop() -> None:
    words = random.Random(0).sample(range(1000), 150)
    assert not asked(repeated=repeated_share([*words, *words[:40]])).loops
    assert repeated_share(words) == repeated_share([1, 1, 1]) == repeated_share([]) == 0

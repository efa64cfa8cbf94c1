"""Replies that are drafted for: what they say, where they end, and what is counted on the way."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.base.types import (
    LONGEST_DRAFT,
    Drafting,
    GenerationResult,
    SamplingParams,
    Script,
    StopReason,
)
from tests.helpers.bench import Bench, bits, open_bench
from tests.helpers.tiny_model import SMALLEST

CONTEXT = 100
PROMPT = [(7 * i + 3) % 256 for i in range(20)]
END = 257  # of text, in the tiny vocabulary
LENGTHS = (1, 2, 3, 5, 16, LONGEST_DRAFT)


@pytest.fixture(scope="module", params=["llama", "qwen35"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return SMALLEST[request.param].write(tmp_path_factory.mktemp("drafted") / "tiny.gguf")


@pytest.fixture
def bench(model: Path) -> Iterator[Bench]:
    with open_bench(model, context=CONTEXT) as bench:
        yield bench


def drafting(
    plain: GenerationResult, n_max: int, accept: float = 1.0, **limits: object
) -> Drafting:
    """Drafts of the reply that is known, going on with more behind its end."""
    script = Script((*plain.tokens, *range(LONGEST_DRAFT)), accept)
    return Drafting(("scripted",), script=script, n_max=n_max, fixed=True, **limits)  # type: ignore[arg-type]


def with_errors(plain: GenerationResult, *places: int) -> Script:
    tokens = list(plain.tokens)
    for place in places:
        tokens[place] = (tokens[place] + 1) % 256
    return Script(tuple(tokens))


@pytest.mark.parametrize("accept", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_drafts_of_any_length_and_quality_change_nothing(
    bench: Bench, temperature: float, accept: float
) -> None:
    sampling = SamplingParams(temperature=temperature, repeat_penalty=1.3, seed=5)
    plain = bench.solo(PROMPT, sampling=sampling, max_tokens=30)
    for length in LENGTHS:
        drafted = bench.solo(
            PROMPT, sampling=sampling, max_tokens=30, drafting=drafting(plain, length, accept)
        )
        assert bits(drafted) == bits(plain)
        assert drafted.timings.draft_n > 0


@pytest.mark.parametrize("length", LENGTHS)
def test_the_end_of_text_inside_a_draft_ends_the_reply_there(bench: Bench, length: int) -> None:
    biased = SamplingParams(temperature=1.0, logit_bias={END: 3.0}, seed=1)
    common = {"sampling": biased, "ignore_eos": False, "max_tokens": None}
    plain = bench.solo(PROMPT, **common)
    assert plain.stop_reason is StopReason.EOS
    assert len(plain.tokens) > 3
    drafted = bench.solo(PROMPT, drafting=drafting(plain, length), **common)
    assert drafted.stop_reason is StopReason.EOS
    assert drafted.tokens[-1] == END
    assert bits(drafted) == bits(plain)


@pytest.mark.parametrize("length", LENGTHS)
def test_a_stop_string_inside_a_draft_ends_the_reply_there(bench: Bench, length: int) -> None:
    varied = SamplingParams(temperature=3.0, seed=3)
    free = bench.solo(PROMPT, sampling=varied, max_tokens=40)
    stop = next(
        chr(token)
        for place, token in enumerate(free.tokens)
        if place > 3 and 33 <= token < 127 and chr(token) not in free.text[:place]
    )
    common = {"sampling": varied, "max_tokens": 40, "stop": (stop,)}
    plain = bench.solo(PROMPT, **common)
    drafted = bench.solo(PROMPT, drafting=drafting(free, length), **common)
    assert drafted.stop_reason is StopReason.STOP
    assert len(free.tokens) > len(drafted.tokens) > 3
    assert (drafted.text, bits(drafted)) == (plain.text, bits(plain))


@pytest.mark.parametrize("length", LENGTHS)
def test_a_stop_string_across_accepted_tokens_ends_the_reply_with_its_last(
    bench: Bench, length: int
) -> None:
    letters = SamplingParams(1.0, seed=3, logit_bias=dict.fromkeys(range(97, 105), 50.0))
    free = bench.solo(PROMPT, sampling=letters, max_tokens=40)
    place = next(p for p in range(8, 30) if free.text.find(free.text[p : p + 3]) == p)
    common = {"sampling": letters, "max_tokens": 40, "stop": (free.text[place : place + 3],)}
    plain = bench.solo(PROMPT, **common)
    drafted = bench.solo(PROMPT, drafting=drafting(free, length), **common)
    assert drafted.stop_reason is StopReason.STOP
    assert drafted.tokens == free.tokens[: place + 3]
    assert drafted.text == free.text[:place]
    assert all(end <= place for _, end in drafted.accepted)
    assert bits(drafted) == bits(plain)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("tokens", [1, 2, 3, 17])
def test_a_limit_inside_a_draft_ends_the_reply_there(
    bench: Bench, length: int, tokens: int
) -> None:
    plain = bench.solo(PROMPT, max_tokens=tokens)
    drafted = bench.solo(PROMPT, max_tokens=tokens, drafting=drafting(plain, length))
    assert drafted.stop_reason is StopReason.LENGTH
    assert bits(drafted) == bits(plain)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("left", [0, 1, 2, 30])
def test_the_end_of_the_context_inside_a_draft_ends_the_reply_there(
    bench: Bench, length: int, left: int
) -> None:
    prompt = [5] * (CONTEXT - left)
    plain = bench.solo(prompt, max_tokens=None)
    drafted = bench.solo(prompt, max_tokens=None, drafting=drafting(plain, length))
    assert drafted.stop_reason is StopReason.CONTEXT
    assert len(drafted.tokens) == left + 1
    assert bits(drafted) == bits(plain)


@pytest.mark.parametrize("accept", [0.0, 0.5, 1.0])
def test_the_state_holds_every_token_but_the_last_emitted(bench: Bench, accept: float) -> None:
    plain = bench.solo(PROMPT, max_tokens=17)
    job = bench.submit(PROMPT, max_tokens=17, drafting=drafting(plain, 5, accept))
    while bench.stepper.jobs:
        bench.stepper.step()
        assert job.computed == len(PROMPT) + len(job.reply.tokens) - 1


def test_what_was_tested_and_accepted_is_counted(bench: Bench) -> None:
    plain = bench.solo(PROMPT, max_tokens=12)
    script = with_errors(plain, 6)
    timings = bench.solo(
        PROMPT, drafting=Drafting(("scripted",), script=script, n_max=4, fixed=True)
    ).timings
    # Token 0 came with the prompt. Drafts: 1–4 are right, 5 follows; 6 is wrong; 7–10 are right.
    assert timings.draft_rounds == 3
    assert (timings.draft_n, timings.draft_n_accepted) == (4 + 1 + 4, 4 + 0 + 4)
    assert timings.draft_by_position == ((3, 2), (2, 2), (2, 2), (2, 2))
    assert timings.draft_rejected_whole == 1
    assert timings.draft_empty == 0
    assert timings.predicted_n == 12


def test_what_lies_behind_the_first_error_counts_as_not_tested(bench: Bench) -> None:
    plain = bench.solo(PROMPT, max_tokens=5)
    script = with_errors(plain, 2, 3)
    drafted = bench.solo(
        PROMPT, max_tokens=5, drafting=Drafting(("scripted",), script=script, n_max=3, fixed=True)
    )
    # 1 is right and 2 wrong; 3 is wrong; nothing may follow token 4.
    assert drafted.timings.draft_by_position == ((2, 1), (1, 0))
    assert drafted.timings.draft_rejected_whole == 1


def test_rounds_without_a_draft_are_counted(bench: Bench) -> None:
    plain = bench.solo(PROMPT, max_tokens=12)
    short = Drafting(("scripted",), script=Script(plain.tokens[:3]), n_max=4, fixed=True)
    drafted = bench.solo(PROMPT, drafting=short)
    assert drafted.timings.draft_rounds == 1  # tokens 1 and 2
    assert drafted.timings.draft_empty == 7  # before tokens 4 … 10; the last needs no draft
    assert bits(drafted) == bits(plain)


def test_a_reply_that_is_not_drafted_for_counts_nothing(bench: Bench) -> None:
    timings = bench.solo(PROMPT).timings
    assert (timings.draft_n, timings.draft_rounds, timings.draft_empty) == (0, 0, 0)
    assert timings.draft_by_position == ()


def test_a_draft_is_no_longer_than_what_may_still_be_said(bench: Bench) -> None:
    plain = bench.solo(PROMPT, max_tokens=12)
    limited = bench.solo(PROMPT, drafting=drafting(plain, LONGEST_DRAFT)).timings
    assert limited.draft_by_position == ((1, 1),) * 10  # the first and the last are no drafts

    prompt = [5] * (CONTEXT - 7)
    plain = bench.solo(prompt, max_tokens=None)
    drafted = bench.solo(prompt, max_tokens=None, drafting=drafting(plain, LONGEST_DRAFT))
    assert drafted.timings.draft_by_position == ((1, 1),) * 6


def test_a_draft_shorter_than_wanted_is_dropped(bench: Bench) -> None:
    plain = bench.solo(PROMPT, max_tokens=12)
    script = Script(plain.tokens[:6])
    drafted = bench.solo(
        PROMPT, drafting=Drafting(("scripted",), script=script, n_min=3, n_max=3, fixed=True)
    )
    timings = drafted.timings
    assert timings.draft_rounds == 1  # 1–3 are a draft, 5 alone is none
    assert timings.draft_empty == 4  # before tokens 5 … 8; later there is no room for three
    assert bits(drafted) == bits(plain)

"""What is there already changes no bit of what follows, however long it is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.base.types import Drafting, Script, Segment
from engine.kernels.state_types import PAGE_POSITIONS
from engine.memory import feed, spec
from tests.helpers.bench import Bench, bits, open_bench
from tests.helpers.tiny_model import TinyModel

LENGTHS = (64, 65, 255, 256, 257, 511, 512, 513)
TOKENS = 6
QUESTION = Segment((3, 1, 4, 1, 5))


@pytest.fixture(scope="module")
def bench(model: Path, way: tuple[str, str]) -> Iterator[Bench]:
    kernels, kv_type = way
    with open_bench(model, context=600, kv_type=kv_type, kernels=kernels) as bench:
        yield bench


@pytest.fixture(params=LENGTHS)
def prompt(request: pytest.FixtureRequest, bench: Bench) -> list[int]:
    bench.forget()
    return [(7 * i + request.param) % 256 for i in range(request.param)]


def test_regenerating_and_going_on_as_if_nothing_was_there(bench: Bench, prompt: list[int]) -> None:
    first = bench.solo(prompt, max_tokens=TOKENS)
    script = Script(first.tokens, 0.6)
    again = bench.solo(
        prompt, max_tokens=TOKENS, drafting=Drafting(("scripted",), script=script, fixed=True)
    )
    assert again.timings.prompt_n == 0
    assert bits(again) == bits(first)

    reply = Segment(first.tokens[:-1], generated=True)
    turn = (Segment(tuple(prompt)), reply, QUESTION)
    warm = bench.solo([], prompt=turn, max_tokens=TOKENS)
    assert warm.timings.prompt_n == len(QUESTION.tokens)
    bench.forget()
    cold = bench.solo([], prompt=turn, max_tokens=TOKENS)
    assert cold.timings.cache_n == 0
    assert bits(warm) == bits(cold)


@pytest.mark.parametrize("architecture", ["llama", "qwen35"])
def test_in_a_nearly_full_context_an_edit_costs_only_the_last_message(
    architecture: str, tmp_path: Path
) -> None:
    """Pages run short there, and the states that the next turn needs must not be given up."""
    path = TinyModel(architecture, layers=3).write(tmp_path / "tiny.gguf")
    context = 4 * PAGE_POSITIONS
    with open_bench(path, context=context, spare=1) as bench:
        prompt: tuple[Segment, ...] = (Segment(tuple(range(100))),)
        for _ in range(6):
            reply = bench.solo([], prompt=prompt, max_tokens=12)
            prompt += (Segment(reply.tokens[:-1], generated=True), Segment(tuple(range(130))))
        before_last = sum(len(segment.tokens) for segment in prompt[:-1])
        assert context - PAGE_POSITIONS < before_last + 130 < context
        bench.solo([], prompt=prompt, max_tokens=12)
        assert bench.solo([], prompt=prompt, max_tokens=12).timings.prompt_n == 0
        edited = bench.solo([], prompt=(*prompt[:-1], Segment((1, 2, 3))), max_tokens=12)
        assert (edited.timings.cache_n, edited.timings.prompt_n) == (before_last, 3)


def test_a_recurrent_chat_goes_on_where_people_do_with_the_fewest_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its template begins the reasoning, and drops it from earlier replies."""
    monkeypatch.setattr(spec, "CHECKPOINT_BYTES", 0)
    monkeypatch.setattr(feed, "MARK_INTERVAL", 64)
    opening, said = Segment((7,)), Segment((1, 2, 3))
    with open_bench(TinyModel("qwen35", layers=3).write(tmp_path / "tiny.gguf")) as bench:

        def cache_n(*prompt: Segment) -> int:
            return bench.solo([], prompt=(*prompt, opening), max_tokens=2).timings.cache_n

        asked, long = Segment(tuple(range(20))), Segment(tuple(range(150)))
        assert cache_n(asked) == 0
        assert cache_n(asked, said, long) == 20
        assert cache_n(asked, said, long) == cache_n(asked, said, long) == 20 + 3 + 150 + 1
        assert cache_n(asked, said, long, said, QUESTION) == 20 + 3 + 150
        assert cache_n(asked, said, long, said, Segment((9,))) == 20 + 3 + 150 + 3


def test_a_long_prompt_is_read_again_only_from_its_last_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recurrent state cannot go back; it is kept every so often on the way."""
    monkeypatch.setattr(feed, "MARK_INTERVAL", 64)
    with open_bench(TinyModel("qwen35", layers=3).write(tmp_path / "tiny.gguf")) as bench:
        long = [(7 * i) % 256 for i in range(2 * 64 + 30)]
        bench.solo(long, max_tokens=1)
        assert bench.solo([*long[:-9], 5], max_tokens=1).timings.cache_n == 2 * 64

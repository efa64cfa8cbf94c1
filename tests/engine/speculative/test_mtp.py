"""A model drafts with the head in its own file, and says what it says without."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.base.types import Drafting, Request, SamplingParams, Segment
from engine.gguf.reader import open_gguf
from engine.memory.sequence_state import SequenceState
from engine.models.headed_runner import HeadedRunner
from engine.speculative.mtp import MtpHeads
from engine.speculative.proposer import SlotView
from engine.text.gguf_tokenizer import load_tokenizer
from tests.helpers.bench import Bench, bits, open_bench
from tests.helpers.models import decode, open_runner, prompt, rows_of, stored
from tests.helpers.one_operation import skip_unless_built
from tests.helpers.tiny_gguf import Tensor, write_gguf
from tests.helpers.tiny_model import TinyModel

MODEL = TinyModel("qwen35", layers=3, mtp=1)
CONTEXT = 400
PROMPTS = [[(7 * i + 11 * n) % 256 for i in range(length)] for n, length in enumerate((5, 70, 270))]
DRAFTING = Drafting(("mtp",), n_max=3, fixed=True)
QUESTION = Segment((3, 1, 4, 1, 5))


class Recorded(MtpHeads):
    """Heads that remember what they proposed, by the tokens that it was to follow."""

    def __init__(self, runner: HeadedRunner) -> None:
        super().__init__(runner)
        self.drafts: dict[tuple[int, ...], list[int]] = {}

    def propose(self, views: Sequence[SlotView], limits: Sequence[int]) -> list[list[int]]:
        drafts = super().propose(views, limits)
        self.drafts |= {tuple(v.tokens): d for v, d in zip(views, drafts, strict=True)}
        return drafts

    def take(self) -> dict[tuple[int, ...], list[int]]:
        """What was proposed since the last time."""
        drafts, self.drafts = self.drafts, {}
        return drafts


class HeadedBench(Bench):
    """A bench whose model drafts with its own head."""

    heads: Recorded


@contextmanager
def open_headed_bench(
    path: Path,
    *,
    slots: int = 1,
    context: int = CONTEXT,
    kv_type: str = "f32",
    kernels: str = "torch",
    spare: int = 4,
) -> Iterator[HeadedBench]:
    if kernels == "native":
        skip_unless_built()
    with open_gguf(path) as file:
        tokenizer = load_tokenizer(file.metadata)
    with open_runner(
        path,
        slots=slots,
        context=spare * context,
        kv_type=kv_type,
        kernels=kernels,
        with_head=True,
    ) as runner:
        assert isinstance(runner, HeadedRunner)
        heads = Recorded(runner)
        bench = HeadedBench(runner, tokenizer, slots, context, {"mtp": heads})
        bench.heads = heads
        yield bench


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return MODEL.write(tmp_path_factory.mktemp("mtp") / "m.gguf")


@pytest.fixture(scope="module", params=["torch", "native"])
def kernels(request: pytest.FixtureRequest) -> str:
    if request.param == "native":
        skip_unless_built()
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def bench(path: Path, kernels: str) -> Iterator[HeadedBench]:
    with open_headed_bench(path, kernels=kernels) as bench:
        yield bench


@pytest.mark.parametrize("temperature", [0.0, 0.8])
@pytest.mark.parametrize(
    ("kernels", "kv_type"), [("native", "f16"), ("native", "q8_0"), ("torch", "f16")]
)
@pytest.mark.parametrize("slots", [1, 3])
def test_whatever_is_drafted_the_reply_is_the_model_s_own(
    path: Path, kernels: str, slots: int, kv_type: str, temperature: float
) -> None:
    if kernels == "native":
        skip_unless_built()
    sampling = SamplingParams(temperature=temperature, seed=3)
    with open_bench(path, context=CONTEXT, kv_type=kv_type, kernels=kernels) as alone:
        plain = [alone.solo(prompt, max_tokens=24, sampling=sampling) for prompt in PROMPTS]
    with open_headed_bench(path, slots=slots, kv_type=kv_type, kernels=kernels) as bench:
        jobs = [
            bench.submit(prompt, max_tokens=24, sampling=sampling, drafting=DRAFTING)
            for prompt in PROMPTS
        ]
        drafted = [bench.result(job) for job in jobs]
    assert [bits(result) for result in drafted] == [bits(result) for result in plain]
    assert all(result.timings.draft_n > 10 for result in drafted)


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_a_head_that_thinks_as_the_model_does_is_always_right(
    tmp_path: Path, kernels: str, temperature: float
) -> None:
    path = write_gguf(tmp_path / "echo.gguf", MODEL.metadata(), of_one_mind())
    few = dict.fromkeys(range(12), 30.0)  # so that what was said comes up again and is penalised
    sampling = SamplingParams(
        temperature, repeat_penalty=1.5, penalty_window=8, logit_bias=few, seed=3
    )
    with open_headed_bench(path, kernels=kernels) as bench:
        timings = bench.solo(
            PROMPTS[1], max_tokens=40, sampling=sampling, drafting=DRAFTING
        ).timings
    assert timings.draft_n_accepted == timings.draft_n > 25


def of_one_mind() -> dict[str, Tensor]:
    """Weights with which model and head say what follows a token from that token alone."""
    tensors = MODEL.tensors()
    for name, (array, _) in tensors.items():
        if name.endswith(("attn_output.weight", "ffn_down.weight", "ssm_out.weight")):
            tensors[name] = np.zeros_like(array), None
        elif "norm.weight" in name:
            tensors[name] = np.ones_like(array), None
    only_embedding = np.eye(MODEL.width, 2 * MODEL.width, dtype=np.float32)
    return tensors | {"blk.3.nextn.eh_proj.weight": (only_embedding, None)}


@pytest.mark.parametrize("room", [0, 2, 7])
def test_a_full_context_ends_the_reply_where_it_would_without(
    path: Path, kernels: str, room: int
) -> None:
    """Also where pages run short: a draft that finds none is left out."""
    context = 300
    text = [(5 * i + room) % 256 for i in range(context - room)]
    with open_bench(path, slots=2, context=context, kernels=kernels) as alone:
        plain = alone.solo(text, max_tokens=None)
    with open_headed_bench(path, slots=2, context=context, kernels=kernels, spare=1) as bench:
        first = bench.solo(text, max_tokens=None, drafting=DRAFTING)
        jobs = [bench.submit([n, *text[1:]], max_tokens=None, drafting=DRAFTING) for n in (7, 8)]
        bench.finish()
        again = bench.solo(text, max_tokens=None, drafting=DRAFTING)
    assert bits(first) == bits(again) == bits(plain)
    assert first.stop_reason == "context"
    assert all(bench.result(job).stop_reason == "context" for job in jobs)


def test_drafts_do_not_depend_on_what_was_drafted_before(bench: HeadedBench) -> None:
    bench.forget()
    bench.heads.take()
    reply = bench.solo(PROMPTS[1], max_tokens=24, drafting=DRAFTING)
    often = bench.heads.take()
    assert len(often) > 10
    bench.forget()
    late = Segment((*PROMPTS[1], *reply.tokens[:-5]))
    text = (Segment(tuple(PROMPTS[1])), Segment(reply.tokens[:-6], generated=True))
    bench.solo([], prompt=text, max_tokens=6, drafting=DRAFTING)
    seldom = bench.heads.take()
    assert seldom[late.tokens] == often[late.tokens]


def test_after_a_reused_beginning_the_head_has_its_pages(bench: HeadedBench) -> None:
    first = bench.solo(PROMPTS[2], max_tokens=12)
    turn = (Segment(tuple(PROMPTS[2])), Segment(first.tokens[:-1], generated=True), QUESTION)
    drafts = []
    for _ in range(2):
        bench.heads.take()
        result = bench.solo([], prompt=turn, max_tokens=12, drafting=DRAFTING)
        drafts.append((result.timings.cache_n > 0, bench.heads.take()))
        bench.forget()
    (was_warm, warm), (was_warm_again, cold) = drafts
    assert was_warm
    assert not was_warm_again
    assert warm == cold
    assert len(warm) > 5


def test_a_reply_made_again_is_drafted_for_from_its_first_token(bench: HeadedBench) -> None:
    drafts = []
    for _ in range(2):
        bench.heads.take()
        result = bench.solo(PROMPTS[1], max_tokens=12, drafting=DRAFTING)
        drafts.append(bench.heads.take())
    assert result.timings.prompt_n == 0
    assert drafts[0] == drafts[1]


def test_slots_draft_as_if_alone(path: Path, kernels: str) -> None:
    with open_headed_bench(path, slots=3, kernels=kernels) as bench:
        for prompt_ in PROMPTS:
            bench.solo(prompt_, max_tokens=16, drafting=DRAFTING)
        alone = bench.heads.take()
        bench.forget()
        jobs = [bench.submit(each, max_tokens=16, drafting=DRAFTING) for each in PROMPTS]
        for job in jobs:
            bench.result(job)
        assert bench.heads.take() == alone


def test_a_draft_ends_where_the_request_wants_more_certainty(bench: HeadedBench) -> None:
    sure = Drafting(("mtp",), n_max=3, fixed=True, p_min=1.0)
    timings = bench.solo(PROMPTS[0], max_tokens=12, drafting=sure).timings
    assert timings.draft_n == 0
    assert timings.draft_empty > 5


class Seated:
    """A text in a slot that the test feeds itself."""

    def __init__(self, runner: HeadedRunner) -> None:
        self.sequence: SequenceState = runner.memory.new_sequence()
        self.tokens = list(PROMPTS[1])
        prompt(runner, self.sequence, self.tokens)
        runner.seat(0, self.sequence)

    @property
    def view(self) -> SlotView:
        return SlotView(1, 0, Request(()), [*self.tokens, 7], 1)


@pytest.fixture
def runner(path: Path, kernels: str) -> Iterator[HeadedRunner]:
    with open_runner(path, kernels=kernels, with_head=True) as runner:
        assert isinstance(runner, HeadedRunner)
        yield runner


def test_proposing_leaves_no_trace_in_the_state(runner: HeadedRunner) -> None:
    seated, heads = Seated(runner), MtpHeads(runner)
    before = stored(seated.sequence)
    first = heads.propose([seated.view], [5])
    assert heads.propose([seated.view], [5]) == first
    assert heads.propose([seated.view], [2]) == [first[0][:2]]
    assert stored(seated.sequence) == before
    assert seated.sequence.length == len(seated.tokens)
    said = decode(runner, seated.sequence, [7])
    untouched = Seated(runner)
    assert torch.equal(decode(runner, untouched.sequence, [7]), said)


def test_rows_that_were_rejected_leave_no_trace_in_later_drafts(runner: HeadedRunner) -> None:
    drafts = []
    for wrong in ([], [9, 8, 7]):
        seated = Seated(runner)
        if wrong:
            runner.forward([rows_of(seated.sequence, [*PROMPTS[0][:1], *wrong])])
            seated.sequence.rollback()
        drafts += MtpHeads(runner).propose([seated.view], [4])
        seated.sequence.free()
    assert drafts[0] == drafts[1]


def test_a_branch_drafts_as_the_text_that_it_left(runner: HeadedRunner) -> None:
    seated, heads = Seated(runner), MtpHeads(runner)
    branch = seated.sequence.fork()
    own = heads.propose([seated.view], [4])
    decode(runner, seated.sequence, [7, 9, 11])
    runner.seat(0, branch)
    assert heads.propose([seated.view], [4]) == own


def test_a_failing_pass_of_the_head_leaves_the_state_ready(
    runner: HeadedRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> torch.Tensor:
        raise RuntimeError("the device gave up")

    seated, heads = Seated(runner), MtpHeads(runner)
    with monkeypatch.context() as patch:
        patch.setattr(runner, "draft_logits", fail)
        with pytest.raises(RuntimeError):
            heads.propose([seated.view], [4])
    assert len(heads.propose([seated.view], [4])[0]) == 4
    decode(runner, seated.sequence, [7])

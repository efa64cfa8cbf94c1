"""A draft model proposes; the target says what it says without."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from engine.base.types import LONGEST_DRAFT, Drafting, Failed, SamplingParams, Segment
from engine.kernels.backend import Logits
from engine.models.runner import Runner, SlotRows
from engine.speculative.draft_model import DraftModel
from tests.helpers.bench import Bench, bits, open_bench
from tests.helpers.models import open_runner
from tests.helpers.tiny_model import TinyModel

CONTEXT = 300
PROMPTS = [[(7 * i + 11 * n) % 256 for i in range(length)] for n, length in enumerate((5, 70, 131))]
DRAFTING = Drafting(("draft",), n_max=5, fixed=True)
ARCHITECTURES = ["llama", "qwen35"]


@dataclass
class Watched:
    """A runner that counts the rows it runs and can be made to fail."""

    runner: Runner
    rows: list[int] = field(default_factory=list)
    fails: bool = False

    def forward(self, work: list[SlotRows]) -> Logits:
        if self.fails:
            raise RuntimeError("the device gave up")
        self.rows += [slot.num_rows for slot in work]
        return self.runner.forward(work)

    def __getattr__(self, name: str) -> object:
        return getattr(self.runner, name)


@dataclass(frozen=True)
class Pair:
    """A target that is served, and what drafts for it."""

    target: Bench
    draft: Watched


@pytest.fixture(scope="module", params=ARCHITECTURES)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return TinyModel(request.param, layers=3).write(tmp_path_factory.mktemp("draft") / "tiny.gguf")


@pytest.fixture(scope="module", params=ARCHITECTURES)
def another(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("another")
    return TinyModel(request.param, layers=2, seed=5).write(folder / "tiny.gguf")


def open_pair(
    target: Path,
    draft: Path,
    *,
    slots: int = 1,
    context: int = CONTEXT,
    known: int = 1 << 30,
    differing: Collection[int] = (),
) -> Iterator[Pair]:
    with open_runner(draft, slots=slots, context=4 * CONTEXT, drafting=True) as runner:
        watched = Watched(runner)
        drafts = DraftModel(watched, context, known, differing)  # type: ignore[arg-type]
        with open_bench(target, slots=slots, context=CONTEXT, methods={"draft": drafts}) as bench:
            yield Pair(bench, watched)


@pytest.fixture
def own(model: Path) -> Iterator[Pair]:
    """The target as its own draft."""
    yield from open_pair(model, model)


@pytest.fixture(params=[1, 3], ids="{} slots".format)
def pair(model: Path, another: Path, request: pytest.FixtureRequest) -> Iterator[Pair]:
    yield from open_pair(model, another, slots=request.param)


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_whatever_is_drafted_the_reply_is_the_target_s_own(pair: Pair, temperature: float) -> None:
    bench, sampling = pair.target, SamplingParams(temperature=temperature, seed=3)
    plain = [bench.solo(prompt, max_tokens=24, sampling=sampling) for prompt in PROMPTS]
    bench.forget()
    jobs = [
        bench.submit(prompt, max_tokens=24, sampling=sampling, drafting=DRAFTING)
        for prompt in PROMPTS
    ]
    drafted = [bench.result(job) for job in jobs]
    assert [bits(result) for result in drafted] == [bits(result) for result in plain]
    assert all(result.timings.draft_n > 10 for result in drafted)


@pytest.mark.parametrize("temperature", [0.0, 0.8])
@pytest.mark.parametrize("length", [1, 3, 16])
def test_a_model_that_drafts_for_itself_is_always_right(
    own: Pair, temperature: float, length: int
) -> None:
    sampling = SamplingParams(temperature=temperature, seed=3)
    drafting = Drafting(("draft",), n_max=length, fixed=True)
    timings = own.target.solo(
        PROMPTS[1], max_tokens=40, sampling=sampling, drafting=drafting
    ).timings
    assert timings.draft_n_accepted == timings.draft_n > 15


def test_a_model_that_drafts_for_itself_is_right_through_the_whole_chain(own: Pair) -> None:
    few = dict.fromkeys(range(12), 30.0)  # so that what was said comes up again and is penalised
    sampling = SamplingParams(
        1.0, top_k=9, top_p=0.9, repeat_penalty=1.5, penalty_window=8, logit_bias=few, seed=3
    )
    timings = own.target.solo(
        PROMPTS[0], max_tokens=40, sampling=sampling, drafting=DRAFTING
    ).timings
    assert timings.draft_n_accepted == timings.draft_n > 15


def test_a_model_of_which_few_tokens_are_known_proposes_only_those(
    model: Path, another: Path
) -> None:
    for pair in open_pair(model, another, known=1):
        (plain, drafted) = (
            pair.target.solo(PROMPTS[1], max_tokens=30, drafting=drafting)
            for drafting in (Drafting(), DRAFTING)
        )
        assert bits(drafted) == bits(plain)
        assert drafted.timings.draft_n_accepted == plain.tokens[1:].count(0)


def test_a_draft_ends_before_a_token_that_differs(model: Path) -> None:
    with open_bench(model, context=CONTEXT) as bench:
        said = bench.solo(PROMPTS[1], max_tokens=30).tokens
    for pair in open_pair(model, model, differing={said[20]}):
        drafted = pair.target.solo(PROMPTS[1], max_tokens=30, drafting=DRAFTING)
        assert drafted.tokens == said
        timings = drafted.timings
        assert timings.draft_n_accepted == timings.draft_n > 10


def test_it_reads_what_was_said_while_it_rested(own: Pair) -> None:
    bench = own.target
    job = bench.submit(PROMPTS[1], max_tokens=80, drafting=DRAFTING)
    bench.stepper.step()
    bench.stepper.step()
    methods, job.account.methods = job.account.methods, ()
    while len(job.reply.tokens) < 40:
        bench.stepper.step()
    job.account.methods = methods
    timings = bench.result(job).timings
    assert timings.draft_n_accepted == timings.draft_n > 15


def test_after_a_rest_the_longest_draft_has_room_beside_what_was_said(own: Pair) -> None:
    """Both are in the tape of one pass after the other, which is no longer than a draft."""
    longest = Drafting(("draft",), n_max=LONGEST_DRAFT, fixed=True)
    job = own.target.submit(PROMPTS[0], max_tokens=80, drafting=longest)
    while not job.reply.tokens:
        own.target.stepper.step()
    methods, job.account.methods = job.account.methods, ()
    for _ in range(5):
        own.target.stepper.step()
    job.account.methods = methods
    timings = own.target.result(job).timings
    assert timings.draft_n_accepted == timings.draft_n > 60
    assert 50 < len(timings.draft_by_position) < LONGEST_DRAFT


def test_without_room_in_its_own_context_it_is_silent(model: Path) -> None:
    for pair in open_pair(model, model, context=90):
        plain = pair.target.solo(PROMPTS[1], max_tokens=60)
        pair.target.forget()
        drafted = pair.target.solo(PROMPTS[1], max_tokens=60, drafting=DRAFTING)
        assert bits(drafted) == bits(plain)
        assert 10 < drafted.timings.draft_n < 21


def test_a_draft_ends_where_its_model_is_unsure(own: Pair) -> None:
    unsure = Drafting(("draft",), n_max=5, fixed=True, p_min=1.0)
    timings = own.target.solo(PROMPTS[1], drafting=unsure).timings
    assert (timings.draft_n, timings.draft_empty) == (0, 10)  # the last token needs no draft


@pytest.mark.logs_warnings
def test_a_failing_draft_model_costs_the_reply_nothing_but_its_drafts(
    own: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    plain = own.target.solo(PROMPTS[1], max_tokens=30)
    own.target.forget()
    job = own.target.submit(PROMPTS[1], max_tokens=30, drafting=DRAFTING)
    for _ in range(5):
        own.target.stepper.step()
    own.draft.fails = True
    assert bits(own.target.result(job)) == bits(plain)
    assert "drafting failed" in caplog.text


@pytest.mark.logs_warnings
def test_a_draft_model_that_fails_to_learn_is_given_up_too(
    own: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = own.target.solo(PROMPTS[1], max_tokens=30)
    own.target.forget()
    monkeypatch.setattr(DraftModel, "observe", lambda *_: 1 / 0)
    drafted = own.target.solo(PROMPTS[1], max_tokens=30, drafting=DRAFTING)
    assert bits(drafted) == bits(plain)
    assert drafted.timings.draft_rounds <= 1


def test_a_failing_pass_of_the_target_leaves_the_draft_model_ready(
    own: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Logits:
        raise RuntimeError("the device gave up")

    job = own.target.submit(PROMPTS[1], max_tokens=40, drafting=DRAFTING)
    while not job.tally.rounds:
        own.target.stepper.step()
    with monkeypatch.context() as patch:
        patch.setattr(own.target._runner, "forward", fail)
        own.target.stepper.step()
    assert isinstance(own.target.events[job][-1], Failed)
    again = own.target.solo(PROMPTS[1], max_tokens=40, drafting=DRAFTING)
    assert again.timings.draft_n_accepted == again.timings.draft_n > 15


def test_the_next_turn_goes_on_from_the_draft_model_s_own_state(own: Pair) -> None:
    first = own.target.solo(PROMPTS[2], max_tokens=20, drafting=DRAFTING)
    read = sum(own.draft.rows)
    assert read >= len(PROMPTS[2])
    del own.draft.rows[:]
    turn = (
        Segment(tuple(PROMPTS[2])),
        Segment(first.tokens[:-1], generated=True),
        Segment((3, 1, 4)),
    )
    own.target.solo([], prompt=turn, max_tokens=4, drafting=DRAFTING)
    assert sum(own.draft.rows) < 20


def test_after_a_message_was_edited_it_drafts_for_the_new_text(own: Pair) -> None:
    own.target.solo(PROMPTS[2], max_tokens=20, drafting=DRAFTING)
    edited = [*PROMPTS[2][:90], 9, 9, 9, *PROMPTS[2][:30]]
    drafted = own.target.solo(edited, max_tokens=20, drafting=DRAFTING)
    assert drafted.timings.draft_n_accepted == drafted.timings.draft_n > 10
    own.target.forget()
    assert bits(drafted) == bits(own.target.solo(edited, max_tokens=20))


@pytest.mark.parametrize("steps", [2, 3, 5])
def test_a_reply_that_takes_over_a_slot_in_the_midst_of_drafting_is_drafted_for_anew(
    own: Pair, steps: int
) -> None:
    job = own.target.submit(PROMPTS[2], max_tokens=60, drafting=DRAFTING)
    for _ in range(steps):
        own.target.stepper.step()
    job.cancelled.set()
    following = own.target.solo(PROMPTS[1], max_tokens=20, drafting=DRAFTING)
    assert following.timings.draft_n_accepted == following.timings.draft_n > 10
    again = own.target.solo(PROMPTS[2], max_tokens=20, drafting=DRAFTING)
    assert again.timings.draft_n_accepted == again.timings.draft_n > 10


@pytest.mark.parametrize("drafting", [DRAFTING, Drafting(("draft",), n_max=4)], ids=str)
def test_counts_are_possible_ones(pair: Pair, drafting: Drafting) -> None:
    for job in [pair.target.submit(p, max_tokens=40, drafting=drafting) for p in PROMPTS]:
        timings = pair.target.result(job).timings
        assert 0 <= timings.draft_n_accepted <= timings.draft_n
        assert timings.draft_n_accepted + timings.draft_rounds < timings.predicted_n
        tested = [tested for tested, _ in timings.draft_by_position]
        assert tested == sorted(tested, reverse=True)
        assert all(accepted <= tested for tested, accepted in timings.draft_by_position)
        assert timings.draft_rejected_whole <= timings.draft_rounds

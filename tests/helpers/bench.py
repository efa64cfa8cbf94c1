"""Requests served step by step on a model, on the test's own thread."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine.base.types import Drafting, Event, Finished, GenerationResult, Request, Segment
from engine.gguf.reader import open_gguf
from engine.kernels.backend import Logits
from engine.memory.feed import Feed
from engine.models.runner import Runner, SlotRows
from engine.scheduler.reply import Reply
from engine.scheduler.request import Job
from engine.scheduler.step import Stepper
from engine.speculative.priority import PriorityList
from engine.speculative.proposer import Proposer
from engine.speculative.scripted import ScriptedProposer
from engine.text.gguf_tokenizer import load_tokenizer
from engine.text.tokenizer import Tokenizer
from tests.helpers.models import open_runner

PASS_S, ROW_S = 80.0, 20.0


class Clock:
    """Goes on with the passes of a runner, and by a little each time that it is read."""

    def __init__(self, runner: Runner) -> None:
        self._now = 0.0
        self._forward = runner.forward
        runner.forward = self._timed  # type: ignore[method-assign]

    def __call__(self) -> float:
        self._now += 1e-3
        return self._now

    def _timed(self, work: Sequence[SlotRows]) -> Logits:
        self._now += PASS_S + ROW_S * sum(rows.num_rows for rows in work)
        return self._forward(work)


class Bench:
    """A stepper over a model, with every event of every job."""

    def __init__(
        self,
        runner: Runner,
        tokenizer: Tokenizer,
        slots: int,
        context: int,
        methods: Mapping[str, Proposer] | None,
    ) -> None:
        self._runner = runner
        self._tokenizer = tokenizer
        self._slots = slots
        self._context = context
        self._methods = PriorityList(
            methods or {"scripted": ScriptedProposer(runner.vocab_size)}, ends=()
        )
        self._clock = Clock(runner)
        self.events: dict[Job, list[Event]] = {}
        self.stepper = self._new_stepper()

    @property
    def drafting(self) -> Drafting:
        """Drafting by all methods that it has, wherever there is something to propose."""
        return Drafting(self._methods.methods, fixed=True)

    def submit(self, tokens: list[int], **changes: object) -> Job:
        segments = changes.pop("prompt", (Segment(tuple(tokens)),))
        defaults = {"max_tokens": 12, "digest": True, "ignore_eos": True}
        request = Request(segments, **(defaults | changes))  # type: ignore[arg-type]
        events: list[Event] = []
        feed = Feed(request.prompt, self._runner.grouping)
        reply = Reply(request, self._tokenizer, self._clock)
        job = Job(request, feed, reply, events.append)
        self.events[job] = events
        self.stepper.submit(job)
        return job

    def finish(self) -> None:
        while self.stepper.jobs:
            self.stepper.step()

    def result(self, job: Job) -> GenerationResult:
        self.finish()
        final = self.events[job][-1]
        assert isinstance(final, Finished)
        return final.result

    def solo(self, tokens: list[int], **changes: object) -> GenerationResult:
        return self.result(self.submit(tokens, **changes))

    def forget(self) -> None:
        """Begin anew: nothing of earlier requests can be used again."""
        self.finish()
        self.stepper.close()
        self.stepper = self._new_stepper()

    def _new_stepper(self) -> Stepper:
        return Stepper(self._runner, self._methods, self._slots, self._context, self._clock)


@contextmanager
def open_bench(
    path: Path,
    *,
    slots: int = 1,
    context: int = 300,
    kv_type: str = "f32",
    kernels: str = "torch",
    methods: Mapping[str, Proposer] | None = None,
    spare: int = 4,
) -> Iterator[Bench]:
    """A bench over a model file, with room for `spare` conversations in the place of each slot."""
    with open_gguf(path) as file:
        tokenizer = load_tokenizer(file.metadata)
    with open_runner(
        path, slots=slots, context=spare * context, kv_type=kv_type, kernels=kernels
    ) as runner:
        yield Bench(runner, tokenizer, slots, context, methods)


def bits(result: GenerationResult) -> tuple[tuple[int, ...], str, str]:
    """All of a reply that must be the same bit for bit: tokens, logits and state."""
    return result.tokens, result.digest, result.state_digest

"""One reply under way: the engine's events, merged into a message and its live figures."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import nan
from time import perf_counter

from PySide6.QtCore import QObject, Signal

from app.bridge.making import timings_of
from app.bridge.problems import problem_from
from app.bridge.speed import DraftWindow, SpeedWindow
from app.bridge.thinking import ThinkingClock
from app.bridge.throttle import Throttle
from app.bridge.types import (
    DraftProgress,
    Event,
    Failed,
    Finished,
    Generation,
    GenerationResult,
    PromptProgress,
    StopReason,
    TextDelta,
    Waiting,
)
from app.domain.generation import ByteRun
from app.domain.message import ContextUse, Message, MessageState, ReplyStats
from app.domain.problem import Problem

FLUSH_INTERVAL_MS = 33


@dataclass(frozen=True, slots=True)
class LiveFigures:
    """What the gauges show. `tokens_per_second` is NaN until it can be told."""

    is_writing: bool = False  # the first token is there
    prompt: PromptProgress | None = None
    tokens_per_second: float = nan
    context: ContextUse | None = None
    drafting: DraftProgress | None = None  # None where nothing is to draft


class Reply(QObject):
    """Writes a message as the engine generates it; one that has a text goes on from there.

    Attributes:
        message: the reply being written; changes only where `flushed` or `ended` is emitted.
        figures: live figures, always current; None while it waits for its turn.

    Signals:
        flushed: the message has grown or the figures moved; at most once every 33 ms.
        state_changed: the message waits, or does not any more; `flushed` has told of it before.
        ended: the message has reached its final state; carries the `Problem` or None.
    """

    flushed = Signal()
    state_changed = Signal()
    ended = Signal(object)

    def __init__(
        self,
        message: Message,
        generation: Generation,
        context_size: int,
        parent: QObject | None = None,
        *,
        lead: str = "",
    ) -> None:
        """Take over a message to write; its text begins with `lead`, which the prompt has said."""
        super().__init__(parent)
        self.message = message
        self._lead = lead
        self.figures: LiveFigures | None = LiveFigures()
        self._generation = generation
        self._context_size = context_size
        self._speed, self._drafts = SpeedWindow(), DraftWindow()
        self._before, self._tokens_before = message.text, message.tokens
        self._accepted_before = message.accepted
        self._thinking = ThinkingClock()
        self._unshown = ""
        self._num_bytes = 0  # of the text that has come
        self._unshown_accepted: list[ByteRun] = []  # counted in that text
        self._ahead, self._for_bench = 0, False
        self._started_s = perf_counter()
        self._first_text_s: float | None = None
        self._throttle = Throttle(FLUSH_INTERVAL_MS, self)
        self._throttle.fired.connect(self._flush)
        message.state = MessageState.GENERATING

    def cancel(self) -> None:
        """Ask the engine to stop; `ended` follows."""
        self._generation.cancel()

    def set_in_view(self, in_view: bool) -> None:
        """Say whether a person looks at this reply, which then goes before others."""
        if in_view:
            self._generation.in_view.set()
        else:
            self._generation.in_view.clear()

    async def run(self) -> None:
        """Take in events until the last one."""
        problem = None
        try:
            async for event in self._generation:
                problem = self._take(event)
        except Exception as error:
            problem = self._fail(problem_from(error))
        self._throttle.stop()
        self.ended.emit(problem)

    def _take(self, event: Event) -> Problem | None:
        match event:
            case Waiting():
                self.figures = None
                self._ahead, self._for_bench = event.ahead, event.for_measurement
                self._throttle.request()
            case PromptProgress():
                context = ContextUse(event.done, self._context_size)
                self.figures = LiveFigures(prompt=event, context=context)
                self._throttle.request()
            case TextDelta():
                self._grow(event)
            case Finished():
                self._finish(event.result)
                if event.result.notice:
                    return Problem(event.result.notice)
            case Failed():
                return self._fail(Problem(event.message, event.details, event.is_too_long))
        return None

    def _grow(self, delta: TextDelta) -> None:
        self._speed.add(delta.elapsed_ms, len(delta.tokens))
        self._unshown += delta.text
        self._num_bytes += len(delta.text.encode())
        self._unshown_accepted += delta.accepted
        if self._first_text_s is None and _without_lead(self._unshown):
            self._first_text_s = perf_counter() - self._started_s
        self.figures = LiveFigures(
            is_writing=True,
            tokens_per_second=self._speed.tokens_per_second,
            context=ContextUse(delta.context_used, self._context_size),
            drafting=self._drafts.add(delta.elapsed_ms, delta.drafting),
        )
        self._throttle.request()

    def _flush(self) -> None:
        before = self.message.state
        self.message.state = (
            MessageState.WAITING if self.figures is None else MessageState.GENERATING
        )
        self.message.ahead, self.message.waits_for_bench = self._ahead, self._for_bench
        self._show_text()
        self.flushed.emit()
        if self.message.state is not before:
            self.state_changed.emit()

    def _show_text(self) -> None:
        if self._first_text_s is None:  # nothing but its lead so far, which may still grow
            return
        message = self.message
        message.text += self._unshown if message.text else self._begun(self._unshown)
        self._unshown = ""
        self._show_accepted()
        self._thinking.read(message.text)
        if message.thought_s is None:
            message.thought_s = self._thinking.thought_s

    def _show_accepted(self) -> None:
        """Take in what drafts had proposed of the text that is shown."""
        size, message = self._num_bytes, self.message
        runs = [(start, min(end, size)) for start, end in self._unshown_accepted if start < size]
        message.accepted += tuple(self._in_message(runs, size, message.text))
        self._unshown_accepted = [
            (max(start, size), end) for start, end in self._unshown_accepted if end > size
        ]

    def _finish(self, result: GenerationResult) -> None:
        self._show_text()
        message = self.message
        message.text = self._before + result.text if self._before else self._begun(result.text)
        message.tokens = self._all_tokens(result)
        runs = self._in_message(result.accepted, len(result.text.encode()), message.text)
        message.accepted = (*self._accepted_before, *runs)
        message.context = self.figures.context if self.figures else None
        message.stats = ReplyStats(
            num_tokens=len(result.tokens),
            tokens_per_second=result.timings.predicted_per_second,
            first_token_s=self._first_text_s,
            stop_reason=result.stop_reason.value,
            timings=timings_of(result.timings),
        )
        stopped = result.stop_reason is StopReason.CANCELLED
        message.state = MessageState.STOPPED if stopped else MessageState.DONE

    def _all_tokens(self, result: GenerationResult) -> tuple[int, ...] | None:
        """The ids that spell the whole text; None where those of its beginning are not known."""
        if not self._before:
            return result.tokens
        return None if self._tokens_before is None else (*self._tokens_before, *result.tokens)

    def _in_message(self, runs: Iterable[ByteRun], num_bytes: int, text: str) -> Iterator[ByteRun]:
        """Runs of the `num_bytes` that the engine has said, counted in the message's `text`."""
        shift = len(text.encode()) - num_bytes  # by what stood before, or is left out
        first = len((self._before or self._lead).encode())
        for start, end in runs:
            if end + shift > first:
                yield max(first, start + shift), end + shift

    def _begun(self, text: str) -> str:
        """The beginning of a message, as it is shown and kept."""
        said = _without_lead(text)
        return self._lead + said if said else ""

    def _fail(self, problem: Problem) -> Problem:
        self._show_text()
        self.message.state = MessageState.FAILED
        self.message.failure = problem.sentence
        self.message.failure_details = problem.details
        return problem


def _without_lead(text: str) -> str:
    """`text` without the newlines and the one space that many models begin a reply with.

    More spaces are kept: they indent the first line of code.
    """
    text = text.lstrip("\r\n")
    return text[1:] if text.startswith(" ") and not text.startswith("  ") else text

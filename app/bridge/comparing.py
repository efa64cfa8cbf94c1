"""One prompt answered twice, as a rule without drafts and with them."""

import asyncio
from dataclasses import dataclass, replace
from time import time

from PySide6.QtCore import QObject, Signal

from app.bridge.making import lead_of, sampling_of
from app.bridge.measuring import Measuring
from app.bridge.reply import LiveFigures, Reply
from app.bridge.tasks import Tasks
from app.bridge.types import (
    ChatOptions,
    Drafting,
    EngineClient,
    EngineMessage,
    LoadedModel,
)
from app.domain.comparison import Comparison, ComparisonRecord, Half
from app.domain.message import Message, MessageState, Role
from app.domain.problem import Problem

SEED = 7
"""Both replies draw the same chance, so that they may be the same at any temperature."""


NOTHING_COMPARED = ComparisonRecord("", "", Half(), Half())


@dataclass(frozen=True, slots=True)
class Way:
    """How one of the two replies is drafted for.

    Attributes:
        drafting: for the engine.
        draft: what drafts, for people; empty where nothing does.
        details: how long the drafts may be, for people.
    """

    drafting: Drafting
    draft: str = ""
    details: str = ""


class Comparing(Measuring):
    """Answers a prompt twice: one reply after the other, each cold, or both at once for the show.

    Attributes:
        record: what is compared; its replies grow while they are written.
        result: what came of it; None until both are finished.

    Signals:
        written: the `Half` whose reply has grown, or its figures moved; at most once every 33 ms.
    """

    written = Signal(object)

    def __init__(self, engine: EngineClient, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(engine, tasks, parent)
        self._under_way: list[Reply] = []
        self._figures: dict[str, LiveFigures | None] = {}
        self._is_stopped = False
        self.record = NOTHING_COMPARED
        self.result: Comparison | None = None

    def figures(self, half: Half) -> LiveFigures | None:
        """Live figures of a reply; None where it is not being written."""
        return self._figures.get(half.reply.id)

    def start(
        self,
        prompt: str,
        model: LoadedModel,
        options: ChatOptions,
        ways: tuple[Way, Way],
        *,
        together: bool = False,
    ) -> None:
        """Answer a prompt in two ways, with the same `options` otherwise."""
        if self._task:
            return
        options = replace(options, sampling=replace(options.sampling, seed=SEED))
        left, right = (Half(_new_reply(model, options), way.draft, way.details) for way in ways)
        self._show(ComparisonRecord(prompt, model.summary.name, left, right, together), None)
        self._is_stopped = False
        self._begin(self._run(model, options, ways))

    def show(self, record: ComparisonRecord) -> None:
        """Show a comparison of before; not while one is under way."""
        if not self._task:
            self._show(record, record.result)
            self.changed.emit()

    def stop(self) -> None:
        """End it; what was written stays, and nothing is said of the gain."""
        self._is_stopped = True
        for reply in self._under_way:
            reply.cancel()

    def _show(self, record: ComparisonRecord, result: Comparison | None) -> None:
        self.record, self.result, self._figures = record, result, {}

    async def _run(self, model: LoadedModel, options: ChatOptions, ways: tuple[Way, Way]) -> None:
        work = [
            (half, replace(options, drafting=way.drafting))
            for half, way in zip(self._halves, ways, strict=True)
        ]
        try:
            if self.record.together:
                await asyncio.gather(*(self._write(half, model, how) for half, how in work))
            else:
                for half, how in work:
                    self._engine.forget()
                    await self._write(half, model, how)
                    if half.reply.state is not MessageState.DONE:
                        break
        finally:
            self._end()

    async def _write(self, half: Half, model: LoadedModel, options: ChatOptions) -> None:
        if self._is_stopped:
            return
        prompt = [EngineMessage(Role.USER.value, self.record.prompt)]
        generation = self._engine.chat(prompt, options)
        reply = Reply(half.reply, generation, model.context, self, lead=lead_of(model, options))
        reply.flushed.connect(lambda: self._tell_figures(half, reply.figures))
        reply.ended.connect(self._tell_problem)
        self._under_way.append(reply)
        await reply.run()
        self._under_way.remove(reply)
        reply.deleteLater()
        self._figures[half.reply.id] = None
        self.changed.emit()

    def _tell_problem(self, problem: Problem | None) -> None:
        if problem:
            self.failed.emit(problem)

    def _tell_figures(self, half: Half, figures: LiveFigures | None) -> None:
        self._figures[half.reply.id] = figures
        self.written.emit(half)

    def _end(self) -> None:
        self._task = None
        for half in self._halves:
            if half.reply.is_pending:
                half.reply.state = MessageState.STOPPED
        self.record = replace(self.record, created_at=time())
        self.result = self.record.result
        if self.result:
            self.finished.emit(self.record)
        self.changed.emit()

    @property
    def _halves(self) -> tuple[Half, Half]:
        return self.record.left, self.record.right


def _new_reply(model: LoadedModel, options: ChatOptions) -> Message:
    return Message(
        Role.ASSISTANT,
        state=MessageState.QUEUED,
        model=str(model.summary.path),
        quantisation=model.summary.quantisation,
        sampling=sampling_of(options),
    )

"""One prompt, answered without drafts and with them."""

import asyncio
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from app.bridge.making import lead_of
from app.bridge.reply import LiveFigures, Reply
from app.bridge.tasks import Tasks
from app.bridge.types import (
    ChatOptions,
    Drafting,
    EngineClient,
    EngineMessage,
    LoadedModel,
)
from app.domain.comparison import Comparison, Side, compare
from app.domain.message import Message, MessageState, Role
from app.domain.problem import Problem

SEED = 7
"""Both replies draw the same chance, so that they may be the same at any temperature."""


@dataclass(slots=True)
class Half:
    """One of the two replies. `figures` are live; None where it is not being written."""

    reply: Message
    drafting: Drafting
    figures: LiveFigures | None = None


class Comparing(QObject):
    """Answers a prompt twice: one reply after the other, each cold, or both at once for the show.

    Attributes:
        off, on: the reply without drafts and the one with them.
        result: what came of it; None until both are finished.
        together: whether both are written at once, which measures nothing exactly.

    Signals:
        changed: anything above is another than before.
        failed: the `Problem` that ended it.
    """

    changed = Signal()
    failed = Signal(object)

    def __init__(self, engine: EngineClient, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._tasks = tasks
        self._task: asyncio.Task[None] | None = None
        self._under_way: list[Reply] = []
        self._is_stopped = False
        self.prompt = ""
        self.off = Half(_no_reply(), Drafting())
        self.on = Half(_no_reply(), Drafting())
        self.result: Comparison | None = None
        self.together = False

    @property
    def is_running(self) -> bool:
        """Whether a reply is still being written."""
        return self._task is not None

    def start(
        self, prompt: str, model: LoadedModel, options: ChatOptions, drafting: Drafting
    ) -> None:
        """Answer a prompt without drafts and with `drafting`, otherwise with the same `options`."""
        if self._task:
            return
        self.prompt, self.result, self._is_stopped = prompt, None, False
        self.off, self.on = Half(_new_reply(), Drafting()), Half(_new_reply(), drafting)
        options = replace(options, sampling=replace(options.sampling, seed=SEED))
        self._task = self._tasks.start(self._run(model, options))
        self.changed.emit()

    def stop(self) -> None:
        """End it; what was written stays, and nothing is said of the gain."""
        self._is_stopped = True
        for reply in self._under_way:
            reply.cancel()

    async def _run(self, model: LoadedModel, options: ChatOptions) -> None:
        try:
            if self.together:
                await asyncio.gather(*(self._write(h, model, options) for h in self._halves))
            else:
                for half in self._halves:
                    self._engine.forget()
                    await self._write(half, model, options)
                    if half.reply.state is not MessageState.DONE:
                        break
        finally:
            self._end()

    async def _write(self, half: Half, model: LoadedModel, options: ChatOptions) -> None:
        if self._is_stopped:
            return
        prompt = [EngineMessage(Role.USER.value, self.prompt)]
        generation = self._engine.chat(prompt, replace(options, drafting=half.drafting))
        lead = lead_of(model, options)
        reply = Reply(half.reply, generation, model.context, self, lead=lead)
        reply.flushed.connect(lambda: self._show(half, reply.figures))
        reply.ended.connect(self._tell)
        self._under_way.append(reply)
        await reply.run()
        self._under_way.remove(reply)
        reply.deleteLater()
        self._show(half, None)

    def _tell(self, problem: Problem | None) -> None:
        if problem:
            self.failed.emit(problem)

    def _show(self, half: Half, figures: LiveFigures | None) -> None:
        half.figures = figures
        self.changed.emit()

    def _end(self) -> None:
        self._task = None
        for half in self._halves:
            if half.reply.is_pending:
                half.reply.state = MessageState.STOPPED
        sides = [_side(half.reply) for half in self._halves]
        off, on = sides
        if off and on:
            self.result = compare(off, on)
        self.changed.emit()

    @property
    def _halves(self) -> tuple[Half, Half]:
        return self.off, self.on


def _new_reply() -> Message:
    return Message(Role.ASSISTANT, state=MessageState.QUEUED)


def _no_reply() -> Message:
    return Message(Role.ASSISTANT)


def _side(reply: Message) -> Side | None:
    """A reply as it is compared; None where it was not finished."""
    if reply.state is not MessageState.DONE or not reply.stats or not reply.stats.timings:
        return None
    return Side(reply.tokens or (), reply.stats.timings)

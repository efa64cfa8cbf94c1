"""The replies under way, at most one a conversation, whichever chat is in view."""

import secrets
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.bridge.reply import LiveFigures, Reply
from app.bridge.tasks import Tasks
from app.bridge.types import ChatOptions, EngineClient, EngineMessage, LoadedModel
from app.domain.message import Message


class Replies(QObject):
    """Starts, stops and follows replies.

    Signals:
        flushed: conversation id; its reply has grown or its figures moved.
        ended: conversation id, and the `Problem` that ended the reply or None.
    """

    flushed = Signal(str)
    ended = Signal(str, object)

    def __init__(self, engine: EngineClient, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._tasks = tasks
        self._under_way: dict[str, Reply] = {}

    def start(
        self, conversation_id: str, prompt: Sequence[Message], reply: Message, model: LoadedModel
    ) -> None:
        """Have the loaded `model` write `reply`, the answer to `prompt`."""
        reply.model = str(model.summary.path)
        generation = self._engine.chat([_for_engine(message) for message in prompt], _options())
        under_way = Reply(reply, generation, model.context, self)
        under_way.flushed.connect(lambda: self.flushed.emit(conversation_id))
        under_way.ended.connect(lambda problem: self._end(conversation_id, problem))
        self._under_way[conversation_id] = under_way
        self._tasks.start(under_way.run())

    def stop(self, conversation_id: str) -> None:
        """Ask for the end of a conversation's reply, if one is under way."""
        if reply := self._under_way.get(conversation_id):
            reply.cancel()

    def figures(self, conversation_id: str) -> LiveFigures | None:
        """Live figures of a conversation's reply; None when none is under way."""
        reply = self._under_way.get(conversation_id)
        return reply.figures if reply else None

    def _end(self, conversation_id: str, problem: object) -> None:
        self._under_way.pop(conversation_id).deleteLater()
        self.ended.emit(conversation_id, problem)


def _for_engine(message: Message) -> EngineMessage:
    return EngineMessage(message.role.value, message.text, message.tokens)


def _options() -> ChatOptions:
    """Every reply has its own seed, so that asking again gives another answer."""
    options = ChatOptions()
    return replace(options, sampling=replace(options.sampling, seed=secrets.randbits(32)))

"""The replies under way, at most one a conversation, whichever chat is in view."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.bridge.making import lead_of, options_for, sampling_of, thinking_for
from app.bridge.reply import LiveFigures, Reply
from app.bridge.tasks import Tasks
from app.bridge.types import Drafting, EngineClient, EngineMessage, LoadedModel
from app.domain.generation import Sampling
from app.domain.message import Message

NO_DRAFTS = Drafting()


class Replies(QObject):
    """Starts, stops and follows replies.

    Signals:
        flushed: conversation id; its reply has grown or its figures moved.
        state_changed: conversation id; its reply waits, or does not any more.
        ended: conversation id, and the `Problem` that ended the reply or None.
    """

    flushed = Signal(str)
    state_changed = Signal(str)
    ended = Signal(str, object)

    def __init__(self, engine: EngineClient, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._tasks = tasks
        self._under_way: dict[str, Reply] = {}
        self._in_view = ""

    def start(
        self,
        conversation_id: str,
        prompt: Sequence[Message],
        reply: Message,
        model: LoadedModel,
        sampling: Sampling | None = None,
        *,
        thinking: bool | None = None,
        drafting: Drafting = NO_DRAFTS,
    ) -> None:
        """Have the loaded `model` write `reply`, the answer to `prompt`.

        The reply keeps who makes it and how; without `sampling` as the engine does it unasked.
        `thinking` counts where the model leaves the choice; None is what it does unasked.
        """
        options = options_for(sampling, thinking_for(model, thinking))
        options = replace(options, drafting=drafting)
        if reply.model != str(model.summary.path):
            reply.tokens = None  # of what another model began
        reply.model = str(model.summary.path)
        reply.quantisation = model.summary.quantisation
        reply.sampling = sampling_of(options)
        lead = lead_of(model, options)
        messages = [_for_engine(message) for message in prompt]
        if reply.text and messages:  # it goes on, behind the mark that the prompt has
            going_on = messages[-1]
            messages[-1] = replace(going_on, content=going_on.content.removeprefix(lead))
        generation = self._engine.chat(messages, options)
        under_way = Reply(reply, generation, model.context, self, lead=lead)
        under_way.flushed.connect(lambda: self.flushed.emit(conversation_id))
        under_way.state_changed.connect(lambda: self.state_changed.emit(conversation_id))
        under_way.ended.connect(lambda problem: self._end(conversation_id, problem))
        under_way.set_in_view(conversation_id == self._in_view)
        self._under_way[conversation_id] = under_way
        self._tasks.start(under_way.run())

    def put_in_view(self, conversation_id: str) -> None:
        """Let the reply of the conversation that a person sees now go before others."""
        self._in_view = conversation_id
        for id_, reply in self._under_way.items():
            reply.set_in_view(id_ == conversation_id)

    def stop(self, conversation_id: str) -> None:
        """Ask for the end of a conversation's reply, if one is under way."""
        if reply := self._under_way.get(conversation_id):
            reply.cancel()

    def figures(self, conversation_id: str) -> LiveFigures | None:
        """Live figures of a conversation's reply; None when it waits or none is under way."""
        reply = self._under_way.get(conversation_id)
        return reply.figures if reply else None

    def _end(self, conversation_id: str, problem: object) -> None:
        self._under_way.pop(conversation_id).deleteLater()
        self.ended.emit(conversation_id, problem)


def _for_engine(message: Message) -> EngineMessage:
    return EngineMessage(message.role.value, message.text, message.tokens)

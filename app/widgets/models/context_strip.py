"""Says that a chat fills its model's context, and offers the ways to go on."""

from PySide6.QtCore import QLocale, Signal

from app.actions.session import Session
from app.bridge.types import StopReason
from app.domain.conversation import Conversation, oldest_turns
from app.domain.message import MessageState
from app.domain.problem import Problem
from app.theme.theme import Theme
from app.widgets.models.choice_strip import ChoiceStrip


class ContextStrip(ChoiceStrip):
    """Shown where a reply ended for want of room, or a message was too long to be answered.

    Signals:
        more_asked: how many tokens of context the model is to be loaded with.
        drop_asked: the chat is to go on without its oldest turns.
        new_chat_asked: the person wants to begin anew.
    """

    more_asked = Signal(int)
    drop_asked = Signal()
    new_chat_asked = Signal()

    def __init__(self, theme: Theme, session: Session) -> None:
        super().__init__(theme, "contextStrip")
        self._session = session
        self._too_long: set[str] = set()  # chats whose last message was refused
        self._chat: Conversation | None = None
        self._larger: int | None = None
        self._more = self.add_button(
            "moreContext", self.tr("More context"), self.tr("Load the model with a longer context")
        )
        self._drop = self.add_button(
            "dropOldest",
            self.tr("Continue without the oldest turns"),
            self.tr("They stay in the chat, but the model no longer sees them"),
        )
        new = self.add_button("newChatInstead", self.tr("New chat"), self.tr("Begin a new chat"))
        self._more.clicked.connect(lambda: self.more_asked.emit(self._larger or 0))
        self._drop.clicked.connect(self.drop_asked)
        new.clicked.connect(self.new_chat_asked)
        session.replies.ended.connect(self._note_end)
        session.chats.message_added.connect(self._forget_refusal)
        session.model.ready.connect(self._forget_refusals)

    def has_waiting_message(self, chat: Conversation) -> bool:
        """Whether the last message of a chat was refused, and waits in its composer."""
        last = chat.messages[-1] if chat.messages else None
        return chat.id in self._too_long and (last is None or last.state is not MessageState.FAILED)

    def follow(self, chat: Conversation) -> None:
        """Show the ways out for a chat, if it needs one."""
        loaded = self._session.model.loaded
        was_shown = self._chat is chat and not self.isHidden()
        self._chat = chat
        if loaded is None or self._session.model.loading or not self._is_full(chat, loaded.context):
            self.hide()
            return
        count = QLocale().toString(loaded.context)
        self.offer(self.tr("The context is full: it holds {count} tokens.").format(count=count))
        oldest = oldest_turns(chat, all_may_go=self.has_waiting_message(chat))
        self._drop.setVisible(oldest is not None)
        if not was_shown:
            self._offer_more(None)
            self._session.model.find_larger_context(self._offer_more)

    def _is_full(self, chat: Conversation, context: int) -> bool:
        """Whether there is no room; a context that grew meanwhile has some."""
        if chat.pending_reply:
            return False
        if chat.id in self._too_long:
            return True
        last = chat.messages[-1] if chat.messages else None
        if last is None or last.stats is None:
            return False
        is_cut = last.stats.stop_reason == StopReason.CONTEXT.value
        return is_cut and (last.context is None or last.context.size >= context)

    def _offer_more(self, larger: int | None) -> None:
        self._larger = larger
        self._more.setVisible(larger is not None)

    def _forget_refusal(self, chat_id: str) -> None:
        self._too_long.discard(chat_id)

    def _forget_refusals(self) -> None:
        """Another model, or another context, may have room."""
        self._too_long.clear()
        if self._chat:
            self.follow(self._chat)

    def _note_end(self, chat_id: str, problem: Problem | None) -> None:
        if problem and problem.is_too_long:
            self._too_long.add(chat_id)
            if self._chat and self._chat.id == chat_id:
                self.follow(self._chat)

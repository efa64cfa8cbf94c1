"""The pane of the chat in view: conversation, live figures, composer."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from app.actions import attachments as attachment_actions
from app.actions import chat as chat_actions
from app.actions import chats as chats_actions
from app.actions import drafts as draft_actions
from app.actions import guide as guide_actions
from app.actions import presets as preset_actions
from app.actions.session import Session
from app.bridge.making import thinking_for
from app.domain.draft import DraftKind
from app.domain.message import ContextUse, Role
from app.theme.theme import Theme
from app.widgets.chat.composer import Composer
from app.widgets.chat.empty_state import EmptyState
from app.widgets.chat.gauges import GaugeRow
from app.widgets.chat.transcript import COLUMN_PX, MARGIN_PX, Transcript
from app.widgets.chat.workshop import Workshop
from app.widgets.common.labels import keep_place
from app.widgets.models.context_strip import ContextStrip
from app.widgets.models.other_model_strip import OtherModelStrip

KEEP_UNSENT_MS = 500  # after the last change of what stands in the composer


class ChatPane(QWidget):
    """Shows `Chats.current`, and turns what the person does here into actions.

    Signals:
        guide_needed: a message is going to be sent, and only the guide can answer it.
        model_asked: path of the model that the chat in view is to go on with.
        more_context_asked: how many tokens of context the model is to be loaded with.
    """

    guide_needed = Signal()
    model_asked = Signal(object)
    more_context_asked = Signal(int)

    def __init__(self, theme: Theme, session: Session, workshop: Workshop) -> None:
        super().__init__()
        self.setObjectName("chatPane")
        self._session = session
        self.empty_state = EmptyState(theme, session.model, guide_actions.suggested_questions())
        self.transcript = Transcript(theme, workshop)
        self.composer = Composer(theme, session.model)
        self._other_model = OtherModelStrip(theme, session)
        self._context_strip = ContextStrip(theme, session)
        self._gauges = GaugeRow(theme)
        keep_place(self._gauges)
        self._shown = session.chats.current
        self._unsent_timer = QTimer(self, interval=KEEP_UNSENT_MS, singleShot=True)
        self._lay_out()
        self._show_chat()
        self._connect()
        self._name_model()

    def _lay_out(self) -> None:
        self._stack = QStackedLayout()
        self._stack.addWidget(self.empty_state)
        self._stack.addWidget(self.transcript)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 24)
        column.setSpacing(0)
        column.addLayout(self._stack, 1)
        for strip in (self._other_model, self._context_strip):
            column.addLayout(_in_column(strip))
        column.addLayout(_in_column(self._gauges))
        column.addSpacing(4)
        column.addLayout(_in_column(self.composer))

    def _connect(self) -> None:
        session, chats = self._session, self._session.chats
        chats.current_changed.connect(self._show_current)
        chats.message_added.connect(self._add_message)
        chats.message_changed.connect(self._refresh_message)
        chats.message_removed.connect(self._remove_message)
        chats.path_changed.connect(self._show_path)
        self._unsent_timer.timeout.connect(self.keep_unsent)
        self.composer.changed.connect(self._unsent_timer.start)
        self.composer.attach_asked.connect(self.choose_attachments)
        self.composer.edit.files_pasted.connect(self.attach)
        self.composer.thinking_chosen.connect(
            lambda thinking: preset_actions.set_thinking(session, thinking)
        )
        self.composer.drafting_chosen.connect(
            lambda wanted: draft_actions.draft_once(session, wanted)
        )
        chats.changed.connect(self._refresh_drafting)
        session.drafts.changed.connect(self._refresh_drafting)
        self.empty_state.question_asked.connect(self._ask)
        session.library.changed.connect(self._name_model)
        session.model.changed.connect(self._name_model)
        session.model.changed.connect(self._refresh_state)
        self.composer.submitted.connect(self._send)
        self.composer.stop_asked.connect(lambda: chat_actions.stop(session))
        self._other_model.own_asked.connect(self.model_asked)
        self._context_strip.more_asked.connect(self.more_context_asked)
        self._context_strip.new_chat_asked.connect(lambda: chat_actions.new_chat(session))
        self._context_strip.drop_asked.connect(self._go_on_without_oldest)
        requests = self.transcript.requests
        requests.copied.connect(chat_actions.copy_message)
        requests.regenerated.connect(lambda m: chat_actions.regenerate(session, m.id))
        requests.continued.connect(lambda m: chat_actions.continue_reply(session, m.id))
        requests.stepped.connect(lambda m, step: chat_actions.show_version(session, m.id, step))
        requests.edited.connect(lambda m, text: chat_actions.edit(session, m.id, text))
        requests.edit_changed.connect(self._unsent_timer.start)
        requests.accepted_shown.connect(lambda s: chats_actions.show_accepted(session, s))

    def _ask(self, text: str) -> bool:
        if guide_actions.is_offered(self._session):
            self.guide_needed.emit()
        return chat_actions.send(self._session, text)

    def _send(self, text: str) -> None:
        if self._ask(text):
            self.composer.show_message("")
            self.keep_unsent()
            self._session.notices.settled.emit()

    def _go_on_without_oldest(self) -> None:
        """Send the message that waits, or have the reply that was cut or refused go on."""
        waits = self._context_strip.has_waiting_message(self._shown)
        chat_actions.leave_out_oldest_turns(self._session, all_may_go=waits)
        if waits:
            self._send(self.composer.message)
        elif self._shown.messages[-1].can_go_on:
            chat_actions.continue_reply(self._session)
        else:
            chat_actions.regenerate(self._session)

    def attach(self, paths: Sequence[Path]) -> None:
        """Let text files go along with the message that is being written."""
        read = (attachment_actions.read_attachment(self._session, path) for path in paths)
        self.composer.attach([attachment for attachment in read if attachment])

    def choose_attachments(self) -> None:
        """Let the person choose files that are to go along."""
        dialog = attachment_actions.choose_files(self.window())
        dialog.filesSelected.connect(lambda names: self.attach([Path(name) for name in names]))

    def message_in_hand(self) -> str:
        """Id of the message where the keyboard is; empty where it is on none."""
        message = self.transcript.message_in_hand
        return message.id if message else ""

    def edit_message(self) -> None:
        """Let the own message where the keyboard is be written anew, or else the last one."""
        in_hand = self.transcript.message_in_hand
        own = [m for m in self._shown.messages if m.role is Role.USER]
        if own:
            self.transcript.edit(in_hand if in_hand in own else own[-1])

    def keep_unsent(self) -> None:
        """Store what stands in the composer, and what is being said instead of messages."""
        self._unsent_timer.stop()
        details = self._shown.details
        kept = replace(details, unsent=self.composer.message, edits=self.transcript.edits)
        if kept != details:
            self._session.chats.set_details(kept)

    def _show_current(self) -> None:
        self.keep_unsent()
        self._shown = self._session.chats.current
        self._show_chat()

    def _show_path(self, conversation_id: str) -> None:
        if conversation_id == self._shown.id:
            self.transcript.show_path()
            if not self.composer.message:  # what was sent may have been taken back
                self.composer.show_message(self._shown.details.unsent)
            self._refresh_state()

    def _show_chat(self) -> None:
        self._session.replies.put_in_view(self._shown.id)
        self.composer.show_message(self._shown.details.unsent)
        self.transcript.show_conversation(self._shown)
        self._refresh_state()
        self.composer.edit.setFocus()

    def _add_message(self, conversation_id: str) -> None:
        if conversation_id == self._shown.id:
            self.transcript.add_message(self._shown.messages[-1])
            self._refresh_state()

    def _remove_message(self, conversation_id: str) -> None:
        if conversation_id == self._shown.id:
            self.transcript.remove_last()
            self._refresh_state()

    def _refresh_message(self, conversation_id: str, index: int) -> None:
        if conversation_id == self._shown.id:
            self.transcript.refresh_message(index)
            self._refresh_state()
            if not self._shown.pending_reply:
                self.keep_unsent()  # before a message that was refused could take its place

    def _refresh_state(self) -> None:
        chat = self._shown
        self._stack.setCurrentWidget(self.transcript if chat.messages else self.empty_state)
        self.composer.set_generating(chat.pending_reply is not None)
        self.composer.show_context(None if chat.pending_reply else self._context_use())
        self._other_model.follow(chat)
        self._context_strip.follow(chat)
        self._gauges.show_figures(self._session.replies.figures(chat.id))
        loaded = self._session.model.loaded
        thinking = thinking_for(loaded, chat.details.thinking) if loaded else None
        self.composer.show_thinking(thinking)
        self._refresh_drafting()

    def _refresh_drafting(self) -> None:
        has_draft = self._session.drafts.choice.kind is not DraftKind.NONE
        self.composer.show_drafting(self._shown.drafts_next if has_draft else None)

    def _context_use(self) -> ContextUse | None:
        loaded = self._session.model.loaded
        return self._shown.context_with(str(loaded.summary.path)) if loaded else None

    def _name_model(self) -> None:
        model = self._session.model
        is_guide_offered = guide_actions.is_offered(self._session)
        self.empty_state.offer_guide(is_guide_offered)
        if model.loaded:
            text = self.tr("Message {model}").format(model=model.loaded.summary.name)
        elif model.loading:
            text = self.tr("Write a message; it is sent when the model is ready")
        else:
            text = self.tr("Message the guide") if is_guide_offered else self.tr("Message")
        self.composer.edit.setPlaceholderText(text)


def _in_column(widget: QWidget) -> QHBoxLayout:
    """Centre a widget on the reading column."""
    widget.setMaximumWidth(COLUMN_PX)
    row = QHBoxLayout()
    row.setContentsMargins(MARGIN_PX, 0, MARGIN_PX, 0)
    row.addWidget(widget)
    return row

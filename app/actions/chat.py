"""What a person can do in a chat, one function each."""

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QGuiApplication

from app.actions.session import Session
from app.bridge.types import LoadedModel
from app.domain.conversation import Conversation, prompt_messages
from app.domain.message import Message, MessageState, Role
from app.domain.problem import Problem
from app.shortcuts import Shortcut


def new_chat(session: Session) -> None:
    """Show an empty chat."""
    session.chats.show_new()


def show_chat(session: Session, conversation_id: str) -> None:
    """Show another chat; a reply under way in the one left behind goes on."""
    session.chats.show(conversation_id)


def send(session: Session, text: str) -> bool:
    """Send a message in the chat in view, and have it answered.

    While the first model loads the message is kept, and answered once the model is ready.

    Returns:
        Whether it was sent; if not, a notice says why.
    """
    chat = session.chats.current
    if not text.strip() or chat.pending_reply:
        return False
    if not (session.model.loaded or session.model.loading):
        session.notices.raised.emit(_no_model())
        return False
    session.chats.add_message(chat.id, Message(Role.USER, text))
    _ask(session, chat)
    return True


def regenerate(session: Session) -> None:
    """Replace the last reply of the chat in view by a new one with another seed."""
    chat = session.chats.current
    if not chat.messages or chat.messages[-1].role is not Role.ASSISTANT or chat.pending_reply:
        return
    if not (session.model.loaded or session.model.loading):
        session.notices.raised.emit(_no_model())
        return
    session.chats.remove_last_message(chat.id)
    _ask(session, chat)


def stop(session: Session) -> None:
    """End the reply under way in the chat in view; what was written stays."""
    chat = session.chats.current
    reply = chat.pending_reply
    if reply is None:
        return
    if reply.state is MessageState.QUEUED:
        reply.state = MessageState.STOPPED
        session.chats.reply_ended(chat.id)
    else:
        session.replies.stop(chat.id)


def copy_reply(session: Session) -> None:
    """Put the last reply of the chat in view on the clipboard."""
    replies = [m for m in session.chats.current.messages if m.role is Role.ASSISTANT and m.text]
    if replies:
        QGuiApplication.clipboard().setText(replies[-1].text)


def answer_queued(session: Session, model: LoadedModel) -> None:
    """Start every reply that waited for a model to be ready."""
    for chat in session.chats.listed_chats:
        reply = chat.pending_reply
        if reply and reply.state is MessageState.QUEUED:
            _answer(session, chat, reply, model)


def end_queued(session: Session, state: MessageState) -> None:
    """End the replies that waited for a model which does not come."""
    for chat in session.chats.listed_chats:
        reply = chat.pending_reply
        if reply and reply.state is MessageState.QUEUED:
            reply.state = state
            session.chats.reply_ended(chat.id)


def _ask(session: Session, chat: Conversation) -> None:
    reply = Message(Role.ASSISTANT, state=MessageState.QUEUED)
    session.chats.add_message(chat.id, reply)
    if model := session.model.loaded:
        _answer(session, chat, reply, model)


def _answer(session: Session, chat: Conversation, reply: Message, model: LoadedModel) -> None:
    prompt = prompt_messages(chat.messages, str(model.summary.path))
    session.replies.start(chat.id, prompt, reply, model)
    session.chats.touch_last_message(chat.id)


def _no_model() -> Problem:
    text = QCoreApplication.translate(
        "Actions", "No model is loaded yet: drop a .gguf file on the window, or press {keys}."
    )
    return Problem(text.format(keys=Shortcut.OPEN_MODEL.label))

"""What a person can do in a chat, one function each."""

from dataclasses import replace

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QGuiApplication

from app.actions.presets import settle_preset
from app.actions.session import Session
from app.bridge.replies import NO_DRAFTS
from app.bridge.types import LoadedModel, separate
from app.domain.conversation import (
    Conversation,
    beginning_like,
    oldest_turns,
    prompt_for,
    sampling_for,
)
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
    if not text.strip() or chat.pending_reply or not _can_answer(session):
        return False
    settle_preset(session, chat)
    session.chats.add_message(chat.id, Message(Role.USER, text))
    reply = _new_reply()
    session.chats.add_message(chat.id, reply)
    _ask(session, chat, reply)
    return True


def edit(session: Session, message_id: str, text: str) -> bool:
    """Say something else instead of an own message, and have it answered; the old one is kept.

    Returns:
        Whether that was done; if not, a notice says why.
    """
    chat = session.chats.current
    if not text.strip() or not _can_answer(session) or not _is_at_rest(session, chat):
        return False
    edits = {id_: said for id_, said in chat.details.edits.items() if id_ != message_id}
    session.chats.set_details(replace(chat.details, edits=edits))
    session.chats.add_version(chat.id, message_id, Message(Role.USER, text))
    reply = _new_reply()
    session.chats.add_message(chat.id, reply)
    _ask(session, chat, reply)
    return True


def regenerate(session: Session, message_id: str = "") -> None:
    """Have another version of a reply written, with another seed; the old one is kept.

    Args:
        session: the session.
        message_id: a reply in the chat in view; the last one if not given.
    """
    before = _reply_or_last(session, message_id)
    if before:
        _ask_beside(session, before, _new_reply())


def continue_reply(session: Session, message_id: str = "") -> None:
    """Let a reply go on that was stopped or met its limit; as far as it got, it is kept too.

    Args:
        session: the session.
        message_id: a reply in the chat in view; the last one if not given.
    """
    before = _reply_or_last(session, message_id)
    if before and before.can_go_on:
        _ask_beside(session, before, beginning_like(before))


def leave_out_oldest_turns(session: Session, *, all_may_go: bool) -> None:
    """Let the model see no more of the oldest turns of the chat in view; they stay in the chat.

    Args:
        session: the session.
        all_may_go: whether another message is going to be sent, so that none needs to be left.
    """
    chat = session.chats.current
    if last := oldest_turns(chat, all_may_go=all_may_go):
        session.chats.set_details(replace(chat.details, last_unseen=last))


def show_version(session: Session, message_id: str, offset: int) -> None:
    """Show the version of a message `offset` places from it, if there is one.

    Args:
        session: the session.
        message_id: a message in the chat in view; the last reply if empty.
        offset: how many places further, or back.
    """
    chat = session.chats.current
    message = chat.message(message_id) if message_id else _reply_or_last(session, "")
    if message is None:
        return
    versions = chat.tree.versions(message.id)
    place = versions.index(message.id) + offset
    if 0 <= place < len(versions):
        session.chats.show_version(chat.id, versions[place])


def stop(session: Session) -> None:
    """End the reply under way in the chat in view; what was written stays."""
    _stop_in(session, session.chats.current)


def copy_reply(session: Session, message_id: str = "") -> None:
    """Put a reply of the chat in view on the clipboard; the last one if none is named."""
    reply = _reply_or_last(session, message_id)
    if reply and reply.text:
        copy_message(reply)


def copy_message(message: Message) -> None:
    """Put a message on the clipboard; of a reply the answer, if it has one."""
    is_reply = message.role is Role.ASSISTANT
    answer = separate(message.text).answer if is_reply else message.text
    QGuiApplication.clipboard().setText(answer or message.text)


def answer_queued(session: Session, model: LoadedModel) -> None:
    """Start every reply that waited for a model to be ready."""
    for chat in session.chats.pending:
        reply = chat.pending_reply
        if reply and reply.state is MessageState.QUEUED:
            _answer(session, chat, reply, model)


def end_queued(session: Session, state: MessageState, failure: str = "") -> None:
    """End the replies that waited for a model which does not come."""
    for chat in session.chats.pending:
        reply = chat.pending_reply
        if reply and reply.state is MessageState.QUEUED:
            reply.state = state
            reply.failure = failure
            session.chats.reply_ended(chat.id)


def take_back(session: Session, chat_id: str) -> None:
    """Give a message back to the composer that was too long to be answered, so that none is lost.

    It stays in the chat where something else is being written, or where it has other versions.
    """
    chat = session.chats.chat(chat_id)
    reply = chat.latest_reply
    if reply is None or reply.text or chat.details.unsent:
        return
    question = chat.tree.parents[reply.id]
    if question and all(chat.version(id_) == (1, 1) for id_ in (question, reply.id)):
        session.chats.take_back(chat_id, question)


def end_reply(session: Session, chat_id: str) -> None:
    """End the reply under way in a chat, if there is one."""
    if session.chats.pending_reply(chat_id):
        _stop_in(session, session.chats.chat(chat_id))


def _stop_in(session: Session, chat: Conversation) -> None:
    reply = chat.pending_reply
    if reply is None:
        return
    if reply.state is MessageState.QUEUED:
        reply.state = MessageState.STOPPED
        session.chats.reply_ended(chat.id)
    else:
        session.replies.stop(chat.id)


def _new_reply() -> Message:
    return Message(Role.ASSISTANT, state=MessageState.QUEUED)


def _reply_or_last(session: Session, message_id: str) -> Message | None:
    """A reply of the chat in view by its id; the last one where that is none's."""
    chat = session.chats.current
    if message_id and chat.message(message_id).role is Role.ASSISTANT:
        return chat.message(message_id)
    return next((m for m in reversed(chat.messages) if m.role is Role.ASSISTANT), None)


def _ask_beside(session: Session, before: Message, reply: Message) -> None:
    """Have a reply written as another version of one that is there."""
    chat = session.chats.current
    if _can_answer(session) and _is_at_rest(session, chat):
        session.chats.add_version(chat.id, before.id, reply)
        _ask(session, chat, reply)


def _is_at_rest(session: Session, chat: Conversation) -> bool:
    """Whether no reply is under way in a chat; if one is, a notice says what would help."""
    if chat.pending_reply is None:
        return True
    text = QCoreApplication.translate(
        "Actions", "A reply is being written in this chat: wait for its end, or press {keys}."
    )
    session.notices.raised.emit(Problem(text.format(keys=Shortcut.STOP.label)))
    return False


def _ask(session: Session, chat: Conversation, reply: Message) -> None:
    """Have a reply written now, or as soon as a model is ready."""
    session.chats.wait_for_disk()
    if model := session.model.loaded:
        _answer(session, chat, reply, model)


def _answer(session: Session, chat: Conversation, reply: Message, model: LoadedModel) -> None:
    session.comparing.stop()  # its figures would be wrong
    prompt = prompt_for(chat, reply, str(model.summary.path))
    details = chat.details
    session.replies.start(
        chat.id,
        prompt,
        reply,
        model,
        sampling_for(chat, reply),
        thinking=details.thinking,
        drafting=session.drafts.drafting if chat.drafts_next else NO_DRAFTS,
    )
    chat.drafting_once = None
    session.chats.reply_state_changed(chat.id)


def _can_answer(session: Session) -> bool:
    """Whether there is a model, or will be; if not, a notice says so."""
    if session.model.loaded or session.model.loading:
        return True
    text = QCoreApplication.translate(
        "Actions", "No model is loaded yet: drop a .gguf file on the window, or press {keys}."
    )
    session.notices.raised.emit(Problem(text.format(keys=Shortcut.OPEN_MODEL.label)))
    return False

"""What a person can do with whole chats, one function each."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QDesktopServices

from app.actions import chat as chat_actions
from app.actions.files import write_text
from app.actions.session import Session
from app.bridge.comparing import NOTHING_COMPARED
from app.bridge.types import ReplyReader
from app.domain.problem import Problem
from app.domain.record import copy_of
from app.storage.exchange import json_from, markdown_from, record_from
from app.storage.fields import FieldError
from app.storage.search import Hit
from app.text.readable import as_markdown, passages

JSON_SUFFIX = ".json"
MARKDOWN_SUFFIX = ".md"
translate = QCoreApplication.translate


def rename(session: Session, chat_id: str, title: str) -> None:
    """Give a chat another title; an empty one is none."""
    if title.strip():
        details = session.chats.details(chat_id)
        session.chats.set_details(replace(details, title=title.strip()))


def set_pinned(session: Session, chat_id: str, pinned: bool) -> None:
    """Keep a chat at the top of the list, or let it take its place again."""
    session.chats.set_details(replace(session.chats.details(chat_id), pinned=pinned))


def move_to_folder(session: Session, chat_id: str, folder: str) -> None:
    """Put a chat into a folder, where it is no longer pinned; empty takes it out.

    A folder is there as long as chats are in it.
    """
    details = session.chats.details(chat_id)
    folder = folder.strip()
    pinned = details.pinned and not folder
    session.chats.set_details(replace(details, folder=folder, pinned=pinned))


def rename_folder(session: Session, folder: str, name: str) -> None:
    """Give a folder another name; where that is another folder's, both become one."""
    if name.strip():
        _move_all(session, folder, name.strip())


def delete_folder(session: Session, folder: str) -> None:
    """Delete a folder; its chats are among the others again."""
    _move_all(session, folder, "")


def _move_all(session: Session, folder: str, target: str) -> None:
    for chat_id in session.chats.ids:
        details = session.chats.details(chat_id)
        if details.folder == folder:
            session.chats.set_details(replace(details, folder=target))


def set_system_prompt(session: Session, text: str) -> None:
    """Say what the model is told before all else in the chat in view, from the next reply on."""
    details = session.chats.current.details
    session.chats.set_details(replace(details, system_prompt=text.strip()))


def show_accepted(session: Session, shown: bool) -> None:
    """Mark what drafts had proposed in the replies of the chat in view, or do not."""
    details = session.chats.current.details
    session.chats.set_details(replace(details, shows_accepted=shown))


def duplicate(session: Session, chat_id: str) -> None:
    """Make a copy of a chat with all its versions, and show it."""
    record = session.chats.chat(chat_id).record
    title = translate("Chats", "{title} (copy)").format(title=record.details.title)
    copy = copy_of(record, title)
    session.chats.add_record(copy)
    session.chats.show(copy.details.id)


def delete(session: Session, chat_id: str) -> None:
    """Delete a chat; `undo_delete` brings it back while the window is open."""
    chat_actions.end_reply(session, chat_id)
    session.chats.remove(chat_id)


def delete_message(session: Session, message_id: str) -> None:
    """Delete a message of the chat in view with all that follows it; can be undone."""
    chat = session.chats.current
    reply = chat.pending_reply
    if reply and message_id in chat.tree.path_to(reply.id):
        chat_actions.end_reply(session, chat.id)
    session.chats.remove_message(chat.id, message_id)


def undo_delete(session: Session) -> None:
    """Bring back the chat or the messages that were deleted last, and show them."""
    session.chats.undo_removal()


def delete_everything(session: Session) -> None:
    """Delete all chats and measurements for good, with every trace of them on the disk."""
    if session.chats.pending:
        text = translate("Chats", "Stop the replies that are being written, then delete all chats.")
        session.notices.raised.emit(Problem(text))
    else:
        session.chats.remove_everything()
        session.measurements.forget()
        session.comparing.show(NOTHING_COMPARED)
        session.benching.show(None)


def export(session: Session, chat_id: str, path: Path) -> None:
    """Write a chat to a file: all of it as JSON, or what is shown as Markdown, by the suffix."""
    record = session.chats.chat(chat_id).record
    is_markdown = path.suffix.lower() == MARKDOWN_SUFFIX
    text = markdown_from(record, _read_reply) if is_markdown else json_from(record)
    write_text(session, path, text)


def _read_reply(text: str) -> str:
    return as_markdown(text, ReplyReader())


def import_chat(session: Session, path: Path) -> None:
    """Take in a chat that was exported as JSON, and show it."""
    try:
        record = record_from(path.read_text(encoding="utf-8"))
    except OSError as error:
        sentence = translate("Chats", "{name} cannot be read: it may be gone, or not for you.")
        session.notices.raised.emit(Problem(sentence.format(name=path.name), str(error)))
    except (FieldError, UnicodeDecodeError) as error:
        sentence = translate(
            "Chats", "{name} is not a chat that Paceline exported, or it was changed since."
        )
        session.notices.raised.emit(Problem(sentence.format(name=path.name), str(error)))
    else:
        session.chats.add_record(record)
        session.chats.show(record.details.id)


def import_chats(session: Session, paths: Sequence[Path]) -> None:
    """Take in chats that were exported as JSON, and show the last one."""
    for path in paths:
        import_chat(session, path)


def open_data_folder(session: Session) -> None:
    """Show the folder of chats and settings in the system's file manager."""
    folder = session.settings.folder
    if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
        text = translate(
            "Chats", "No file manager opened. Your chats and settings are in {folder}."
        )
        session.notices.raised.emit(Problem(text.format(folder=folder)))


async def search(session: Session, question: str) -> list[Hit]:
    """Messages and titles of all chats that hold every word of the question."""
    return await asyncio.to_thread(session.chats.store.search, question, _passages)


def _passages(text: str) -> list[str]:
    return passages(text, ReplyReader())


def show_hit(session: Session, hit: Hit) -> None:
    """Show what was found, in the version that it stands in; not what was deleted since."""
    if hit.chat_id not in session.chats.ids:
        return
    session.chats.show(hit.chat_id)
    chat = session.chats.current
    if hit.message_id in chat.tree.parents and hit.message_id not in chat.tree.path:
        session.chats.show_version(chat.id, hit.message_id)

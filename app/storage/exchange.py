"""Chats as files: JSON with all versions of all messages, to be read back; Markdown to be read.

The JSON form is an object with `format` and `version`, the chat's fields, `chosen` (ids of
messages shown in place of newer versions) and `messages` in the order of writing, each with its
`id`, its `parent`'s id or null, and for replies an object `reply` that says how it was made.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePath

from PySide6.QtCore import QCoreApplication

from app.domain.message import Message, Role
from app.domain.record import ChatDetails, ChatRecord, copy_of
from app.domain.tree import tree_from
from app.storage.codec import JsonObject, sampling_from, sampling_json
from app.storage.fields import FieldError, Fields, fields_of
from app.storage.message_codec import message_from_json, message_json
from app.storage.rows import storable

FORMAT = "paceline-chat"
VERSION = 1
MARK = f'"format": "{FORMAT}"'  # at the beginning of what `json_from` gives
MARK_WITHIN = 200  # characters, white space and another order of fields allowed for
translate = QCoreApplication.translate


def json_from(record: ChatRecord) -> str:
    """The whole chat, what is not sent yet excepted."""
    details, parents = record.details, record.tree.parents
    chat: JsonObject = {
        "format": FORMAT,
        "version": VERSION,
        "title": details.title,
        "pinned": details.pinned,
        "folder": details.folder,
        "created_at": details.created_at,
        "changed_at": details.changed_at,
        "system_prompt": details.system_prompt,
        "sampling": sampling_json(details.sampling) if details.sampling else None,
        "preset": details.preset,
        "thinking": details.thinking,
        "drafting": details.drafting,
        "last_unseen": details.last_unseen,
        "shows_accepted": details.shows_accepted,
        "chosen": sorted(record.tree.chosen),
        "messages": [message_json(m, parents[m.id]) for m in record.messages.values()],
    }
    return json.dumps(chat, ensure_ascii=False, indent=1) + "\n"


def is_chat_file(path: Path) -> bool:
    """Whether a file's beginning is that of an exported chat."""
    try:
        with path.open(encoding="utf-8") as file:
            return MARK in file.read(MARK_WITHIN)
    except (OSError, ValueError):
        return False


def record_from(text: str) -> ChatRecord:
    """Read what `json_from` gave. The chat gets ids of its own, so it can be read twice.

    Raises:
        FieldError: it is not such a text; the message names what is wrong.
    """
    fields = fields_of(text)
    if fields.text("format") != FORMAT:
        raise FieldError("it is not a chat")
    if fields.whole("version") > VERSION:
        raise FieldError("a newer Paceline wrote it")
    messages: dict[str, Message] = {}
    links: dict[str, str | None] = {}
    for item in fields.objects("messages"):
        message = message_from_json(item)
        messages[message.id] = message
        links[message.id] = item.optional("parent", item.text)
    details, tree = _details_from(fields), tree_from(links.items(), fields.texts("chosen"))
    record = copy_of(ChatRecord(details, messages, tree), details.title)
    own = record.details
    details = replace(details, id=own.id, last_unseen=own.last_unseen)
    return replace(record, details=details)


def markdown_from(record: ChatRecord, read_reply: Callable[[str], str]) -> str:
    """The messages that are shown, under headings that say who speaks.

    Args:
        record: the chat.
        read_reply: gives a reply's text without the marks of its model.
    """
    parts = [f"# {record.details.title}"]
    if record.details.system_prompt:
        heading = translate("Export", "System prompt")
        parts += [f"## {heading}", record.details.system_prompt.strip()]
    for message in record.shown:
        is_reply = message.role is Role.ASSISTANT
        said = read_reply(message.text) if is_reply else message.text.strip()
        parts += [f"## {_speaker(message)}", said]
    return "\n\n".join(part for part in parts if part) + "\n"


def _speaker(message: Message) -> str:
    match message.role:
        case Role.USER:
            return translate("Export", "You")
        case Role.SYSTEM:
            return translate("Export", "System prompt")
        case Role.ASSISTANT:
            name = PurePath(message.model).stem
            return name or translate("Export", "Reply")


def _details_from(fields: Fields) -> ChatDetails:
    sampling = fields.optional("sampling", fields.fields)
    return ChatDetails(
        title=storable(fields.text("title")),
        pinned=fields.flag("pinned"),
        folder=storable(fields.text("folder")),
        created_at=fields.number("created_at"),
        changed_at=fields.number("changed_at"),
        system_prompt=storable(fields.text("system_prompt")),
        sampling=sampling_from(sampling) if sampling else None,
        preset=storable(fields.optional("preset", fields.text) or ""),
        thinking=fields.optional("thinking", fields.flag),
        drafting=fields.optional("drafting", fields.flag) is not False,
        last_unseen=fields.optional("last_unseen", fields.text) or "",
        shows_accepted=fields.optional("shows_accepted", fields.flag) or False,
    )

"""Chats as files: JSON with all versions of all messages, to be read back; Markdown to be read.

The JSON form is an object with `format` and `version`, the chat's fields, `chosen` (ids of
messages shown in place of newer versions) and `messages` in the order of writing, each with its
`id`, its `parent`'s id or null, and for replies an object `reply` that says how it was made.
"""

import json
from dataclasses import asdict, replace
from pathlib import Path, PurePath

from PySide6.QtCore import QCoreApplication

from app.domain.generation import are_within
from app.domain.message import Message, Role
from app.domain.record import ChatDetails, ChatRecord, copy_of
from app.domain.tree import tree_from
from app.storage.codec import (
    JsonObject,
    context_from,
    sampling_from,
    sampling_json,
    stats_from,
    stats_json,
)
from app.storage.fields import FieldError, Fields, fields_of
from app.storage.rows import ROLES, final_state, storable

FORMAT = "paceline-chat"
VERSION = 1
MARK = f'"format": "{FORMAT}"'  # at the beginning of what `json_from` gives
MARK_WITHIN = 200  # characters, white space and another order of fields allowed for
translate = QCoreApplication.translate


def json_from(record: ChatRecord) -> str:
    """The whole chat, what stands unsent in its composer excepted."""
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
        "chosen": sorted(record.tree.chosen),
        "messages": [_message_json(m, parents[m.id]) for m in record.messages.values()],
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
    for item in _objects(fields, "messages"):
        message = _message_from(item)
        messages[message.id] = message
        links[message.id] = item.optional("parent", item.text)
    details, tree = _details_from(fields), tree_from(links.items(), fields.texts("chosen"))
    record = copy_of(ChatRecord(details, messages, tree), details.title)
    own = record.details
    details = replace(details, id=own.id, last_unseen=own.last_unseen)
    return replace(record, details=details)


def markdown_from(record: ChatRecord) -> str:
    """The messages that are shown, under headings that say who speaks."""
    parts = [f"# {record.details.title}"]
    if record.details.system_prompt:
        heading = translate("Export", "System prompt")
        parts += [f"## {heading}", record.details.system_prompt.strip()]
    for message in record.shown:
        parts += [f"## {_speaker(message)}", message.text.strip()]
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


def _message_json(message: Message, parent: str | None) -> JsonObject:
    values: JsonObject = {
        "id": message.id,
        "parent": parent,
        "role": message.role.value,
        "state": message.state.value,
        "created_at": message.created_at,
        "failure": message.failure,
        "text": message.text,
    }
    if message.role is Role.ASSISTANT:
        values["reply"] = {
            "model": message.model,
            "quantisation": message.quantisation,
            "sampling": sampling_json(message.sampling) if message.sampling else None,
            "stats": stats_json(message.stats) if message.stats else None,
            "context": asdict(message.context) if message.context else None,
            "tokens": message.tokens,
            "accepted": message.accepted,
            "thought_s": message.thought_s,
        }
    return values


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
    )


def _message_from(fields: Fields) -> Message:
    role = fields.text("role")
    if role not in ROLES:
        raise FieldError(f"“{role}” is no role")
    message = Message(Role(role), storable(fields.text("text")), id=fields.text("id"))
    message.created_at = fields.number("created_at")
    message.failure = storable(fields.text("failure"))
    message.state = final_state(fields.text("state"))
    if reply := fields.optional("reply", fields.fields):
        _add_reply(message, reply)
    return message


def _add_reply(message: Message, fields: Fields) -> None:
    sampling = fields.optional("sampling", fields.fields)
    stats = fields.optional("stats", fields.fields)
    context = fields.optional("context", fields.fields)
    message.model = storable(fields.text("model"))
    message.quantisation = storable(fields.text("quantisation"))
    message.sampling = sampling_from(sampling) if sampling else None
    message.stats = stats_from(stats) if stats else None
    message.context = context_from(context) if context else None
    message.tokens = fields.optional("tokens", fields.wholes)
    message.accepted = fields.pairs("accepted")
    message.thought_s = fields.optional("thought_s", fields.number)
    if not are_within(message.accepted, message.text):
        raise FieldError("“accepted” lies outside of its text")


def _objects(fields: Fields, name: str) -> list[Fields]:
    items = fields.items(name)
    objects = [
        Fields(item, f"{name}[{number}].")
        for number, item in enumerate(items)
        if isinstance(item, dict)
    ]
    if len(objects) != len(items):
        raise FieldError(f"“{name}” is not a list of objects")
    return objects

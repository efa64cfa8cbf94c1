"""Rows of the store as messages and chats, and back. Columns are in the order of `schema`."""

import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QCoreApplication

from app.domain.generation import ByteRun, Sampling, are_within
from app.domain.message import ContextUse, Message, MessageState, ReplyStats, Role
from app.domain.record import ChatDetails
from app.storage.codec import sampling_from, sampling_json, stats_from, stats_json
from app.storage.fields import FieldError, fields_of

Value = str | int | float | bytes | None
Row = tuple[Value, ...]
ROLES = frozenset(Role)
FINAL: Mapping[Value, MessageState] = {
    state.value: state for state in (MessageState.DONE, MessageState.FAILED)
}
THINKING: Mapping[Value, bool] = {0: False, 2: True}
NAMELESS = "damaged-"
"""Begins the ids of what lost its own; the number of its row follows."""

CHAT_COLUMNS = (
    "number, id, title, pinned, folder, unread, created_at, changed_at, chosen, sampling,"
    " system_prompt, unsent, thinking, preset, drafting, last_unseen, shows_accepted, edits"
)
MESSAGE_COLUMNS = (
    "m.number, m.id, m.parent, m.deleted_at, m.role, m.state, m.created_at, m.failure, m.text,"
    " r.model, r.quantisation, r.sampling, r.stats, r.context_used, r.context_size, r.tokens,"
    " r.accepted, r.thought_s"
)


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message, and its place among others."""

    message: Message
    parent: str | None
    is_deleted: bool = False


@dataclass(frozen=True, slots=True)
class StoredChat:
    """A chat's own row."""

    details: ChatDetails
    chosen: tuple[str, ...] = ()


def chat_from(row: Row) -> StoredChat:
    """Read a chat; where it makes no sense, as a damaged one that still has its id."""
    number, id_, title, pinned, folder, unread, created, changed, chosen, sampling, *rest = row
    system_prompt, unsent, thinking, preset, drafting, last_unseen, shows, edits = rest
    if not isinstance(id_, str) or not isinstance(title, str):
        known = id_ if isinstance(id_, str) else f"{NAMELESS}{number!r}"
        return StoredChat(ChatDetails(known, damaged=True, created_at=0.0, changed_at=0.0))
    details = ChatDetails(
        id=id_,
        title=title,
        pinned=bool(pinned),
        folder=_text(folder),
        unread=bool(unread),
        created_at=_number(created),
        changed_at=_number(changed),
        sampling=_sampling(sampling),
        system_prompt=_text(system_prompt),
        unsent=_text(unsent),
        thinking=THINKING.get(thinking),
        preset=_text(preset),
        drafting=drafting != 0,
        last_unseen=_text(last_unseen),
        shows_accepted=shows == 1,
        edits=_edits(edits),
    )
    return StoredChat(details, _chosen(chosen))


def chat_values(details: ChatDetails) -> dict[str, Value]:
    """A chat's columns by their names, without those that change on their own."""
    return {
        "id": details.id,
        "title": storable(details.title),
        "pinned": int(details.pinned),
        "folder": storable(details.folder),
        "unread": int(details.unread),
        "created_at": details.created_at,
        "changed_at": details.changed_at,
        "sampling": _sampling_text(details.sampling),
        "system_prompt": storable(details.system_prompt),
        "unsent": storable(details.unsent),
        "thinking": 1 if details.thinking is None else 2 * details.thinking,
        "preset": storable(details.preset),
        "drafting": int(details.drafting),
        "last_unseen": details.last_unseen,
        "shows_accepted": int(details.shows_accepted),
        "edits": storable(json.dumps(dict(details.edits))) if details.edits else "",
    }


def message_from(row: Row) -> StoredMessage:
    """Read a message. One that was being written when its process ended has been stopped."""
    number, id_, parent, deleted_at, role, state, created_at, failure, text, *reply = row
    known = id_ if isinstance(id_, str) else f"{NAMELESS}{number!r}"
    after = parent if isinstance(parent, str) else None
    if role not in ROLES or not isinstance(text, str):
        message = damaged_message(known)
    else:
        message = Message(Role(role), text, final_state(state), id=known)
        message.created_at = _number(created_at)
        message.failure = _text(failure)
        if reply[0] is not None:  # a model made it
            _add_reply(message, reply)
    return StoredMessage(message, after, deleted_at is not None)


def message_values(message: Message) -> dict[str, Value]:
    """A message's columns by their names, without its place."""
    return {
        "id": message.id,
        "role": message.role.value,
        "state": message.state.value,
        "created_at": message.created_at,
        "failure": storable(message.failure),
        "text": storable(message.text),
    }


def reply_values(message: Message) -> dict[str, Value]:
    """How a message was made, by the names of the columns."""
    context = message.context
    return {
        "model": storable(message.model),
        "quantisation": storable(message.quantisation),
        "sampling": _sampling_text(message.sampling),
        "stats": json.dumps(stats_json(message.stats)) if message.stats else None,
        "context_used": context.used if context else None,
        "context_size": context.size if context else None,
        "tokens": None if message.tokens is None else _packed(message.tokens),
        "accepted": _packed(end for run in message.accepted for end in run) or None,
        "thought_s": message.thought_s,
    }


def damaged_message(id_: str) -> Message:
    """What stands for a message that cannot be read."""
    sentence = QCoreApplication.translate(
        "Storage", "This message is damaged and cannot be read; the others are as they were."
    )
    return Message(Role.ASSISTANT, state=MessageState.FAILED, failure=sentence, id=id_)


def final_state(state: Value) -> MessageState:
    """A state as it was stored, as that of a message of which no more is to come."""
    return FINAL.get(state, MessageState.STOPPED)


def storable(text: str) -> str:
    """The text without halves of surrogate pairs, which no file can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _add_reply(message: Message, reply: Sequence[Value]) -> None:
    model, quantisation, sampling, stats, used, size, tokens, accepted, thought_s = reply
    message.model = _text(model)
    message.quantisation = _text(quantisation)
    message.sampling = _sampling(sampling)
    message.stats = _stats(stats)
    if isinstance(used, int) and isinstance(size, int):
        message.context = ContextUse(used, size)
    message.tokens = _unpacked(tokens)
    runs = _runs(_unpacked(accepted) or ())
    message.accepted = runs if are_within(runs, message.text) else ()
    message.thought_s = _number(thought_s) if thought_s is not None else None


def _chosen(value: Value) -> tuple[str, ...]:
    try:
        ids = json.loads(_text(value))
    except ValueError:
        return ()
    return tuple(id_ for id_ in ids if isinstance(id_, str)) if isinstance(ids, list) else ()


def _edits(value: Value) -> dict[str, str]:
    try:
        texts = json.loads(_text(value) or "{}")
    except ValueError:
        return {}
    pairs = texts.items() if isinstance(texts, dict) else ()
    return {id_: text for id_, text in pairs if isinstance(text, str)}


def _sampling_text(sampling: Sampling | None) -> str | None:
    return json.dumps(sampling_json(sampling)) if sampling else None


@lru_cache
def _sampling(value: Value) -> Sampling | None:
    try:
        return sampling_from(fields_of(_text(value))) if value else None
    except FieldError:
        return None


def _stats(value: Value) -> ReplyStats | None:
    try:
        return stats_from(fields_of(_text(value))) if value else None
    except FieldError:
        return None


def _text(value: Value) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Value) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _packed(numbers: Iterable[int]) -> bytes:
    values = tuple(numbers)
    return struct.pack(f"<{len(values)}i", *values)


def _unpacked(blob: Value) -> tuple[int, ...] | None:
    if not isinstance(blob, bytes) or len(blob) % 4:
        return None
    return struct.unpack(f"<{len(blob) // 4}i", blob)


def _runs(ends: Sequence[int]) -> tuple[ByteRun, ...]:
    return tuple(zip(ends[::2], ends[1::2], strict=False))

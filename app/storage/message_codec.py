"""The JSON form of a message; exported chats and kept comparisons share it."""

from dataclasses import asdict

from app.domain.generation import are_within
from app.domain.message import Message, Role
from app.storage.codec import (
    JsonObject,
    context_from,
    sampling_from,
    sampling_json,
    stats_from,
    stats_json,
)
from app.storage.fields import FieldError, Fields
from app.storage.rows import ROLES, final_state, storable


def message_json(message: Message, parent: str | None) -> JsonObject:
    """A message after its parent, the one with that id."""
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


def message_from_json(fields: Fields) -> Message:
    """Raises `FieldError` if it is not what `message_json` gave."""
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

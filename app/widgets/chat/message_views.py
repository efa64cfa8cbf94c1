"""The view of a message, whoever wrote it."""

from typing import TypeAlias

from app.domain.message import Role
from app.theme.theme import Theme
from app.widgets.chat.message_requests import MessageRequests
from app.widgets.chat.message_view import ReplyView, Version
from app.widgets.chat.own_message_view import OwnMessageView
from app.widgets.chat.reading import Reading
from app.widgets.chat.workshop import Workshop

View: TypeAlias = OwnMessageView | ReplyView


def make_message_view(
    theme: Theme,
    requests: MessageRequests,
    workshop: Workshop,
    reading: Reading,
    number: int,
    of: Version,
) -> View:
    """The view that fits a message's role."""
    if reading.message.role is Role.ASSISTANT:
        return ReplyView(theme, requests, workshop, reading, number, of)
    return OwnMessageView(theme, requests, reading.message, number, of)

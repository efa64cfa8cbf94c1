"""A conversation: its messages in order, and what of them the model is given."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import uuid4

from app.domain.message import ContextUse, Message, Role

MAX_TITLE_CHARACTERS = 60
TITLE_SOURCE_CHARACTERS = 1_000  # looked at for a title, which is read for every row painted


@dataclass(slots=True)
class Conversation:
    """A chat. `unsent` is what stands in its composer; `unread` a reply nobody has seen yet."""

    id: str = field(default_factory=lambda: uuid4().hex)
    messages: list[Message] = field(default_factory=list)
    unsent: str = ""
    unread: bool = False

    @property
    def title(self) -> str:
        """The start of the first message; empty while there is none."""
        return title_from(self.messages[0].text[:TITLE_SOURCE_CHARACTERS]) if self.messages else ""

    @property
    def pending_reply(self) -> Message | None:
        """The reply that is queued or being written, if any."""
        last = self.messages[-1] if self.messages else None
        return last if last and last.is_pending else None

    def context_with(self, model: str) -> ContextUse | None:
        """Context use after the newest reply that knows it, if `model` made that reply."""
        newest = next((m for m in reversed(self.messages) if m.context), None)
        return newest.context if newest and newest.model == model else None


def title_from(text: str) -> str:
    """The first line of a text, cut at a word where it is long."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if len(line) <= MAX_TITLE_CHARACTERS:
        return line
    return line[:MAX_TITLE_CHARACTERS].rsplit(" ", 1)[0] + "…"


def prompt_messages(messages: Sequence[Message], model: str) -> list[Message]:
    """The finished messages as the model is given them, in alternating roles.

    Replies without a token (stopped or failed at once) are left out and the questions around the
    gap joined, since many chat templates insist that user and assistant take turns. Ids made by
    another model than `model` are dropped: they mean something else to this one.
    """
    turns: list[Message] = []
    for message in messages:
        if message.is_pending or not (message.text or message.tokens):
            continue
        if message.model != model:
            message = replace(message, tokens=None)
        if turns and turns[-1].role is message.role is Role.USER:
            message = replace(message, text=f"{turns.pop().text}\n\n{message.text}")
        turns.append(message)
    return turns

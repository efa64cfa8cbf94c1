"""An open chat: its messages in all their versions, and what of them the model is given."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.domain.generation import Sampling
from app.domain.message import ContextUse, Message, MessageState, Role
from app.domain.record import ChatDetails, ChatRecord
from app.domain.tree import Branch

MAX_TITLE_CHARACTERS = 60
NO_TITLE = "…"  # where a first message has no word near its beginning
TITLE_SOURCE_CHARACTERS = 1_000  # of a first message, looked at for a title


@dataclass(frozen=True, slots=True)
class Removal:
    """Messages taken out of a chat, and what it takes to put them back."""

    branch: Branch
    messages: tuple[Message, ...]


class Conversation:
    """A chat whose messages are at hand.

    Attributes:
        details: what is known of it besides its messages.
        tree: which message follows which.
        messages: those of the path that is shown, first to last.
        drafting_once: whether the next reply is drafted, against what the chat says; None: as it
            says.
        latest_reply: the one asked for last since the chat was opened, if any.
    """

    def __init__(self, record: ChatRecord | None = None) -> None:
        record = record or ChatRecord(ChatDetails())
        self.details = record.details
        self.tree = record.tree
        self._all = dict(record.messages)
        self.messages: list[Message] = []
        self._find_path()
        self.drafting_once: bool | None = None
        self.latest_reply: Message | None = None

    @property
    def id(self) -> str:
        """The chat's id."""
        return self.details.id

    @property
    def title(self) -> str:
        """What it is called; empty while it holds no message."""
        return self.details.title

    @property
    def record(self) -> ChatRecord:
        """The chat as it is now; its messages may still change."""
        return ChatRecord(self.details, dict(self._all), self.tree)

    @property
    def pending_reply(self) -> Message | None:
        """The reply that more is to come of, if any, whether its version is shown or not."""
        return self.latest_reply if self.latest_reply and self.latest_reply.is_pending else None

    @property
    def drafts_next(self) -> bool:
        """Whether its next reply is drafted, where a draft is chosen."""
        return self.details.drafting if self.drafting_once is None else self.drafting_once

    def message(self, message_id: str) -> Message:
        """The message with this id; `KeyError` when there is none."""
        return self._all[message_id]

    def path_to(self, message_id: str) -> Iterator[Message]:
        """The messages that lead to one, itself included."""
        return (self._all[id_] for id_ in self.tree.path_to(message_id))

    def version(self, message_id: str) -> tuple[int, int]:
        """Which version of how many a message is, counted from 1."""
        versions = self.tree.versions(message_id)
        return versions.index(message_id) + 1, len(versions)

    def append(self, message: Message) -> None:
        """Add a message after the last one shown. The first names the chat."""
        self._add(message, self.messages[-1].id if self.messages else None)

    def add_version(self, of: str, message: Message) -> None:
        """Add another version of a message, and show it."""
        self._add(message, self.tree.parents[of])

    def show(self, message_id: str) -> None:
        """Bring a version of a message into the path that is shown."""
        self.tree = self.tree.show(message_id)
        self._find_path()

    def remove(self, message_id: str) -> Removal:
        """Take a message out, with all that follows it."""
        self.tree, branch = self.tree.cut(message_id)
        removal = Removal(branch, tuple(self._all.pop(id_) for id_ in branch.parents))
        self._find_path()
        return removal

    def put_back(self, removal: Removal) -> None:
        """Undo a removal."""
        self._all.update((message.id, message) for message in removal.messages)
        self.tree = self.tree.put_back(removal.branch)
        self._find_path()

    def context_with(self, model: str) -> ContextUse | None:
        """Context use after the newest reply that knows it, if `model` made that reply."""
        newest = next((m for m in reversed(self.messages) if m.context), None)
        return newest.context if newest and newest.model == model else None

    def _add(self, message: Message, after: str | None) -> None:
        beginning = message.text[:TITLE_SOURCE_CHARACTERS]
        title = self.details.title or title_from(beginning) or NO_TITLE
        self.details = replace(self.details, title=title, changed_at=message.created_at)
        self._all[message.id] = message
        self.tree = self.tree.add(message.id, after)
        if message.is_pending:
            self.latest_reply = message
        self._find_path()

    def _find_path(self) -> None:
        self.messages = [self._all[id_] for id_ in self.tree.path]


def title_from(text: str) -> str:
    """The first line of a text, cut at a word where it is long."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if len(line) <= MAX_TITLE_CHARACTERS:
        return line
    return line[:MAX_TITLE_CHARACTERS].rsplit(" ", 1)[0] + "…"


def beginning_like(reply: Message) -> Message:
    """A reply that is to go on from where another one ended."""
    return Message(
        Role.ASSISTANT,
        reply.text,
        MessageState.QUEUED,
        model=reply.model,
        tokens=reply.tokens,
        accepted=reply.accepted,
        thought_s=reply.thought_s,
    )


def sampling_for(chat: Conversation, reply: Message) -> Sampling | None:
    """How a reply's tokens are chosen: as the chat says, save that a further version gets a seed.

    With the chat's own seed it would say the same again.
    """
    sampling = chat.details.sampling
    is_further = len(chat.tree.versions(reply.id)) > 1
    return replace(sampling, seed=None) if sampling and is_further else sampling


def prompt_for(chat: Conversation, reply: Message, model: str) -> list[Message]:
    """What the model is given to write a reply: the system prompt, and what leads to the reply.

    A reply that has a text already goes on from there, so that text comes last.
    """
    turns = prompt_messages(seen_messages(chat, list(chat.path_to(reply.id))), model)
    if reply.text:
        turns.append(replace(reply, tokens=reply.tokens if reply.model == model else None))
    if chat.details.system_prompt:
        turns.insert(0, Message(Role.SYSTEM, chat.details.system_prompt))
    return turns


def seen_messages(chat: Conversation, path: Sequence[Message]) -> Sequence[Message]:
    """Those of a path that the model sees: all, or those after `ChatDetails.last_unseen`."""
    last = chat.details.last_unseen
    places = (place for place, message in enumerate(path) if message.id == last)
    return path[next(places, -1) + 1 :]


def oldest_turns(chat: Conversation, *, all_may_go: bool) -> str | None:
    """Id of the last message of the turns that hold about half of what the model sees.

    What is left begins with a question, since many chat templates insist on that.

    Args:
        chat: the chat whose shown path is looked at.
        all_may_go: whether another question follows, so that none of these needs to be left.

    Returns:
        None where there is nothing that could go.
    """
    seen = seen_messages(chat, chat.messages)
    ends = [place for place, message in enumerate(seen) if place and message.role is Role.USER]
    if all_may_go and seen:
        ends.append(len(seen))
    size = sum(len(message.text) for message in seen)
    for end in ends:
        left = sum(len(message.text) for message in seen[end:])
        if left <= size // 2 or end == ends[-1]:
            return seen[end - 1].id
    return None


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

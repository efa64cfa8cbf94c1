"""A whole chat, as it is stored, exported, imported and copied."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from time import time
from uuid import uuid4

from app.domain.generation import Sampling
from app.domain.message import Message, MessageState
from app.domain.tree import MessageTree


def new_id() -> str:
    """An id that no other chat or message has, here or in another store."""
    return uuid4().hex


@dataclass(frozen=True, slots=True)
class ChatDetails:
    """What is known of a chat besides its messages. Times are seconds since 1970.

    `unsent` is what stands in its composer, files included; `edits` what is being said instead of
    own messages, by their ids; `unread` a reply nobody has seen yet. `preset` names what `sampling`
    was changed from.
    """

    id: str = field(default_factory=new_id)
    title: str = ""
    pinned: bool = False
    folder: str = ""  # empty: none
    unread: bool = False
    created_at: float = field(default_factory=time)
    changed_at: float = field(default_factory=time)  # when the last message was added
    sampling: Sampling | None = None  # None: as the engine does it unasked
    system_prompt: str = ""
    unsent: str = ""
    edits: Mapping[str, str] = field(default_factory=dict)
    thinking: bool | None = None  # where a model leaves the choice; None: what it does unasked
    preset: str = ""  # empty: the one that new chats begin with
    drafting: bool = True  # whether its replies are drafted, where a draft is chosen
    last_unseen: str = ""  # id of the message up to which the model sees none; empty: it sees all
    shows_accepted: bool = False  # whether what drafts had proposed is marked in its replies
    damaged: bool = False  # its own row could not be read; its messages may be sound


@dataclass(frozen=True, slots=True)
class ChatRecord:
    """A chat with all versions of its messages. `messages` and `tree` hold the same ids."""

    details: ChatDetails
    messages: Mapping[str, Message] = field(default_factory=dict)
    tree: MessageTree = field(default_factory=MessageTree)

    @property
    def shown(self) -> Iterator[Message]:
        """The messages of the path that is shown."""
        return (self.messages[id_] for id_ in self.tree.path)


def copy_of(record: ChatRecord, title: str) -> ChatRecord:
    """The same chat under new ids and another title, what is not sent yet left out.

    What is still being written is in the copy as far as it got.
    """
    names = {id_: new_id() for id_ in record.messages}
    now = time()
    details = replace(
        record.details,
        id=new_id(),
        title=title,
        unread=False,
        unsent="",
        edits={},
        last_unseen=names.get(record.details.last_unseen, ""),
        created_at=now,
        changed_at=now,
    )
    copies = [replace(message, id=names[id_]) for id_, message in record.messages.items()]
    for copy in copies:
        if copy.is_pending:
            copy.state = MessageState.STOPPED
    return ChatRecord(details, {copy.id: copy for copy in copies}, record.tree.renamed(names))

"""Chats for tests of the store."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import monotonic, sleep

from app.domain.generation import Sampling, Timings
from app.domain.message import ContextUse, Message, MessageState, ReplyStats, Role
from app.domain.record import ChatDetails, ChatRecord
from app.domain.tree import Link, tree_from

SAMPLING = Sampling(0.8, 40, 0.95, 0.05, 1.1, 0.2, 0.5, 32, seed=2**32 - 1, max_tokens=512)
TIMINGS = Timings(
    cache_n=3,
    prompt_n=20,
    prompt_ms=12.5,
    predicted_n=9,
    predicted_ms=80.0,
    draft_n=8,
    draft_n_accepted=5,
    draft_rounds=3,
    draft_empty=1,
    draft_rejected_whole=1,
    draft_by_position=((3, 2), (3, 2), (2, 1)),
    draft_ms=4.0,
    verify_ms=60.0,
    rollback_ms=1.5,
    draft_speedup=1.7,
    draft_rest_cost=0.2,
)


def own(text: str = "What is a draft?") -> Message:
    return Message(Role.USER, text)


def reply(text: str = "A quick guess.", state: MessageState = MessageState.DONE) -> Message:
    """A reply of which everything is known."""
    num_bytes = len(text.encode())
    return Message(
        Role.ASSISTANT,
        text,
        state,
        model="/models/qwen3-4b.gguf",
        quantisation="Q4_K_M",
        sampling=SAMPLING,
        tokens=(1, 70_000, 151_935),
        accepted=((0, num_bytes // 3), (num_bytes // 2, num_bytes)),
        stats=ReplyStats(3, 38.2, 0.31, "eos", TIMINGS),
        context=ContextUse(1_204, 32_768),
        thought_s=12.5,
    )


def record_of(
    messages: Sequence[Message],
    parents: Sequence[int | None] | None = None,
    chosen: Sequence[int] = (),
    **details: object,
) -> ChatRecord:
    """A chat of messages in a row, or each after the one at an index in `messages`."""
    places = [None, *range(len(messages) - 1)] if parents is None else parents
    links: list[Link] = [
        (message.id, None if place is None else messages[place].id)
        for message, place in zip(messages, places, strict=True)
    ]
    known = replace(ChatDetails(title="A chat"), **details)  # type: ignore[arg-type]
    tree = tree_from(links, [messages[index].id for index in chosen])
    return ChatRecord(known, {message.id: message for message in messages}, tree)


def wait_until(holds: Callable[[], object], patience_s: float = 20.0) -> None:
    """Wait for something that another thread or process is about to do."""
    deadline = monotonic() + patience_s
    while not holds():
        assert monotonic() < deadline, "it never came to hold"
        sleep(0.005)

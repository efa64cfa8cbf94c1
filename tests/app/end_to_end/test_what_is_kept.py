"""What the store knows of a reply that the real engine made, and drafted for."""

from dataclasses import replace
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.actions.drafts import use_draft
from app.actions.presets import change_sampling, sampling_in_view
from app.actions.session import Session
from app.domain.draft import DraftChoice, DraftKind
from app.domain.message import Message
from app.storage.schema import FILE_NAME
from app.storage.store import ChatStore
from tests.app.end_to_end.conftest import drop_and_wait, wait_for
from tests.helpers.chats import wait_until
from tests.helpers.endless import endless_talker
from tests.helpers.person import Person

NUM_TOKENS = 480


async def at_once() -> None:
    """Nobody watches the load."""


def kept(folder: Path, chat_id: str) -> Message:
    """The last message shown of a chat, as another process finds it."""
    store = ChatStore(folder / FILE_NAME, print)
    try:
        return list(store.load(chat_id).shown)[-1]
    finally:
        store.close()


def test_all_that_is_known_of_a_reply_is_kept(person: Person, qtbot: QtBot, tmp_path: Path) -> None:
    path = endless_talker(tmp_path / "endless.gguf")
    drop_and_wait(person, qtbot, path)
    session: Session = person.window._session
    use_draft(session, DraftChoice(DraftKind.TEXT), at_once)
    likeliest = replace(sampling_in_view(session), temperature=0.0, max_tokens=NUM_TOKENS)
    change_sampling(session, likeliest)
    person.say("Go")
    wait_for(person, qtbot, 1, "done")
    wait_until(lambda: session.chats.store.num_waiting == 0)
    reply = kept(tmp_path / "data", session.chats.current.id)
    assert reply == session.chats.current.messages[-1]
    assert (reply.model, reply.quantisation) == (str(path), "F32")
    sampling, tokens, stats = reply.sampling, reply.tokens, reply.stats
    assert sampling
    assert tokens
    assert stats
    assert stats.timings
    assert replace(sampling, seed=None) == likeliest
    assert sampling.seed is not None
    assert len(tokens) == stats.num_tokens == NUM_TOKENS
    assert stats.stop_reason == "length"
    timings = stats.timings
    assert timings.predicted_n == NUM_TOKENS
    assert timings.predicted_ms > 0
    assert timings.draft_n_accepted > 0
    text = reply.text.encode()
    drafted = b"".join(text[start:end] for start, end in reply.accepted)
    assert 0 < len(drafted) < len(text)

"""How long the store takes to search, to open a long chat and to list many.

    python -m tests.benchmarks.store [--messages 100000]

Fills a fresh store with made-up chats of 100 messages (English and Chinese, 80 words each), then
measures each action over and over, and prints medians and 95th percentiles.
"""

import argparse
import random
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from app.domain.message import Message
from app.domain.record import ChatDetails
from app.storage.connection import connect
from app.storage.store import ChatStore
from tests.helpers.chats import own, record_of, reply

MESSAGES_A_CHAT = 100
WORDS_A_MESSAGE = 80
TOKENS_A_REPLY = 120
REPETITIONS = 20
LONG_CHAT = 1_000
SYLLABLES = ("ka", "to", "mi", "re", "son", "ti", "ver", "al", "qua", "pen", "dor", "ste")
CHINESE = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过"
)
QUESTIONS = (
    "t",
    "ka",
    "kato",
    "kato mi",
    "verso qua",
    "中国",
    "学",
    "一是在",
    "notthere",
    "rareword",
)


def main() -> None:
    """Fill a store and print a line for each action."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    num_messages = parser.parse_args().messages
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chats.sqlite3"
        long_chat = fill(path, num_messages)
        report_size(path)
        store = ChatStore(path, print)
        for question in QUESTIONS:
            measure(f"search {question!r}", lambda question=question: len(store.search(question)))
        measure(f"open {LONG_CHAT} messages", lambda: len(store.load(long_chat).messages))
        measure("list chats", lambda: len(store.list_chats()))
        store.close()
        measure("open the store, list", lambda: open_and_list(path))
        measure_growing(path)


def fill(path: Path, num_messages: int) -> str:
    """Write chats until there are `num_messages`; returns the id of one with 1,000."""
    words = random.Random(1)
    store = ChatStore(path, print)
    started = perf_counter()
    for number in range(num_messages // MESSAGES_A_CHAT):
        messages = [made_up(words, index) for index in range(MESSAGES_A_CHAT)]
        store.save_record(record_of(messages, title=f"{sentence(words, 4)} {number}"))
        if number % 50 == 0:
            store.wait(600)
    long_chat = record_of([made_up(words, index) for index in range(LONG_CHAT)], title="long")
    rare = record_of([own("rareword")])
    store.save_record(long_chat)
    store.save_record(rare)
    store.wait(600)
    written = perf_counter()
    with_all_indexed(path)
    print(f"filled in {written - started:.1f} s, then indexed in {perf_counter() - written:.1f} s")
    store.close()
    return long_chat.details.id


def with_all_indexed(path: Path) -> None:
    """Wait until the index holds every message."""
    connection = connect(path)
    while connection.execute("SELECT 1 FROM messages WHERE indexed = 0").fetchone():
        pass
    connection.close()


def made_up(words: random.Random, index: int) -> Message:
    if index % 2 == 0:
        return own(sentence(words, WORDS_A_MESSAGE))
    message = reply(sentence(words, WORDS_A_MESSAGE))
    message.tokens = tuple(words.randrange(150_000) for _ in range(TOKENS_A_REPLY))
    return message


def sentence(words: random.Random, length: int) -> str:
    if words.random() < 0.2:
        return "".join(words.choice(CHINESE) for _ in range(3 * length))
    return " ".join("".join(words.choices(SYLLABLES, k=words.randint(1, 4))) for _ in range(length))


def open_and_list(path: Path) -> int:
    store = ChatStore(path, print)
    count = len(store.list_chats())
    store.close()
    return count


def measure_growing(path: Path) -> None:
    """What a save of a long reply takes of the GUI thread, and until it is on the disk."""
    store = ChatStore(path, print)
    details, message = ChatDetails(), reply("word " * 8_000)
    message.tokens = tuple(range(10_000))
    parts = iter(range(10_000))

    def save() -> int:
        message.text += f" {next(parts)}"
        store.save_message(details, replace(message), None)
        return 1

    measure("save a 10,000-token reply", save)
    measure("... until it is on the disk", lambda: save() and store.wait(60))
    store.close()


def measure(name: str, action: Callable[[], object]) -> None:
    times_ms = []
    for _ in range(REPETITIONS):
        started = perf_counter()
        outcome = action()
        times_ms.append(1e3 * (perf_counter() - started))
    p95 = quantiles(times_ms, n=20)[-1]
    print(f"{name:30} median {median(times_ms):7.1f} ms, p95 {p95:7.1f} ms, gives {outcome}")


def report_size(path: Path) -> None:
    print(f"{path.name} is {path.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()

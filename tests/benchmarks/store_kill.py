"""Kills processes that write chats, at random moments, and looks for what is lost.

    python -m tests.benchmarks.store_kill [--kills 200] [--seed 1]

Each round starts two processes over the same store. Both talk in several chats at once, as the
window does: a prompt is stored before its reply is asked for, and the reply is saved as it grows.
They tell on a pipe what they have done and when; then both are killed (`kill -9`). The store must
open, hold every chat and every prompt, and every word older than a second, then and ever after.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

from PySide6.QtCore import QCoreApplication, QTimer

from app.domain.message import Message, MessageState, Role
from app.storage.chats import Chats
from app.storage.connection import connect
from app.storage.store import ChatStore

ROOT = Path(__file__).resolve().parents[2]
WORD_MS = 10  # three chats at 100 tokens a second each
CHATS_AT_ONCE = 3
PROCESSES = 2
MAY_BE_LOST_S = 1.0
START_S = 60.0  # at most, until a process has stored its first prompt
KILL_AFTER_S = (0.05, 2.5)  # after the first prompt is stored


class Talker:
    """One chat after another: asks, streams a reply word by word, asks again or begins anew."""

    def __init__(self, chats: Chats, dice: random.Random) -> None:
        self._chats = chats
        self._dice = dice
        self._chat_id = ""
        self._timer = QTimer(interval=WORD_MS)
        self._timer.timeout.connect(self._say_word)
        self._ask()

    def _ask(self) -> None:
        chats = self._chats
        if not self._chat_id or self._dice.random() < 0.5:
            chats.show_new()
            self._chat_id = chats.current.id
        self._reply = Message(Role.ASSISTANT, state=MessageState.GENERATING)
        chats.add_message(self._chat_id, Message(Role.USER, "question"))
        chats.add_message(self._chat_id, self._reply)
        if chats.store.wait(60):
            tell("prompt", self._chat_id, self._reply.id, 0)
        self._num_words, self._length = 0, self._dice.randrange(10, 200)
        self._timer.start()

    def _say_word(self) -> None:
        self._reply.text += f"{self._num_words} "
        self._num_words += 1
        self._chats.reply_grew(self._chat_id)
        tell("word", self._chat_id, self._reply.id, self._num_words)
        if self._num_words == self._length:
            self._timer.stop()
            self._reply.state = MessageState.DONE
            self._chats.reply_ended(self._chat_id)
            self._ask()


def tell(*facts: object) -> None:
    os.write(1, f"{monotonic()} {' '.join(map(str, facts))}\n".encode())


def talk(path: Path, seed: int) -> None:
    """What a process does until it is killed."""
    application = QCoreApplication([])
    chats = Chats(ChatStore(path, lambda error: tell("failed", repr(error))))
    talkers = [Talker(chats, random.Random(seed + n)) for n in range(CHATS_AT_ONCE)]
    application.exec()
    del talkers


@dataclass
class Expected:
    """What the store must hold: chats, replies with a number of words each."""

    words: dict[tuple[str, str], int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def learn(self, lines: list[str], killed_at: float) -> None:
        """Take in what a process told before it was killed."""
        for line in lines:
            at, kind, *facts = line.split()
            if kind == "failed":
                self.failures.append(line)
            elif kind == "prompt" or float(at) <= killed_at - MAY_BE_LOST_S:
                chat, reply, count = facts
                before = self.words.get((chat, reply), 0)
                self.words[chat, reply] = max(before, int(count))

    def check(self, path: Path) -> int:
        """Compare with what is there; returns how many replies there are."""
        with closing(connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            query = "SELECT chat, id, text FROM messages WHERE role = 'assistant'"
            stored = {(chat, id_): text for chat, id_, text in connection.execute(query)}
            listed = {row[0] for row in connection.execute("SELECT id FROM chats")}
        for (chat, reply), count in self.words.items():
            assert chat in listed, f"chat {chat} is lost"
            assert (chat, reply) in stored, f"reply {reply} is lost"
            words = stored[chat, reply].split()
            assert words == [f"{n}" for n in range(len(words))], f"{reply} is garbled"
            assert len(words) >= count, f"{reply} has {len(words)} of {count} words"
            self.words[chat, reply] = len(words)
        assert not self.failures
        return len(stored)


def kill_once(path: Path, dice: random.Random) -> Iterator[tuple[list[str], float]]:
    """Start processes, kill them at a random moment; what each told, and when it was killed."""
    processes = [_start(path, dice.randrange(2**30)) for _ in range(PROCESSES)]
    told: list[list[str]] = [[] for _ in processes]
    readers = [
        threading.Thread(target=lines.extend, args=(process.stdout,))
        for lines, process in zip(told, processes, strict=True)
    ]
    for reader in readers:
        reader.start()
    try:
        _wait_for_first_words(processes, told)
        sleep(dice.uniform(*KILL_AFTER_S))
    except BaseException:
        for process in processes:
            process.kill()
        raise
    for process, reader, lines in zip(processes, readers, told, strict=True):
        with process:  # closes the pipe
            killed_at = monotonic()
            process.kill()
            reader.join()
        yield [line for line in lines if line.endswith("\n")], killed_at


def kill_again_and_again(path: Path, kills: int, seed: int) -> Iterator[int]:
    """Kill and check; yields how many replies the store holds after each round."""
    dice, expected = random.Random(seed), Expected()
    for _ in range(0, kills, PROCESSES):
        for lines, killed_at in kill_once(path, dice):
            expected.learn(lines, killed_at)
        yield expected.check(path)


def _wait_for_first_words(processes: list["subprocess.Popen[str]"], told: list[list[str]]) -> None:
    deadline = monotonic() + START_S
    while not all(told):
        assert all(process.poll() is None for process in processes), "a process ended by itself"
        assert monotonic() < deadline, "a process says nothing"
        sleep(0.001)


def _start(path: Path, seed: int) -> "subprocess.Popen[str]":
    command = [
        sys.executable,
        "-m",
        "tests.benchmarks.store_kill",
        "--talk",
        str(path),
        "--seed",
        str(seed),
    ]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def main() -> None:
    """Kill, and print a line every ten rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--talk", type=Path, help="be one of the processes over this store")
    options = parser.parse_args()
    if options.talk:
        talk(options.talk, options.seed)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chats.sqlite3"
        rounds = kill_again_and_again(path, options.kills, options.seed)
        for number, num_replies in enumerate(rounds, start=1):
            if number % 10 == 0:
                print(f"{number * PROCESSES} kills, {num_replies} replies, none lost", flush=True)


if __name__ == "__main__":
    main()

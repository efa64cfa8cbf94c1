"""How long the program takes from the start of its process to the painted window, and its memory.

    QT_QPA_PLATFORM=offscreen python -m tests.benchmarks.start_up [--chats 1000]

Fills a data folder with chats, the last of which holds 100 messages and is in view, then starts the
program over it again and again, as a person does. Prints the median and every time.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from app.bootstrap import SETTINGS_FILE
from app.settings.schema import LAST_CHAT
from app.settings.store import Settings
from app.storage.schema import FILE_NAME
from app.storage.store import ChatStore
from tests.benchmarks.replies import make_reply
from tests.helpers.chats import own, record_of, reply

STARTS = 7
LONG_CHAT = 100  # messages
LIMIT_S, LIMIT_MB = 0.8, 150
CHILD = """
import json, resource, sys, time
import app.__main__ as program
when_painted = program.when_painted
def tell(then):
    now = time.time()
    pages = int(open("/proc/self/statm").read().split()[1])
    resident = pages * resource.getpagesize()
    print(json.dumps([now, resident, "torch" in sys.modules]), flush=True)
    then()
program.when_painted = lambda widget, then: when_painted(widget, lambda: tell(then))
sys.exit(program.main(["--data-dir", sys.argv[1]]))
"""


def main() -> None:
    """Fill a folder, start over it, and print what each start took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chats", type=int, default=1_000)
    num_chats = parser.parse_args().chats
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder, num_chats)
        start(folder)  # the first one reads everything from the disk
        starts = [start(folder) for _ in range(STARTS)]
    times_s = [taken for taken, _ in starts]
    memory_mb = max(resident for _, resident in starts) / 1e6
    each = " ".join(f"{taken:.2f}" for taken in times_s)
    print(f"painted after {median(times_s):.2f} s (limit {LIMIT_S}); each: {each}")
    print(f"resident memory {memory_mb:.0f} MB (limit {LIMIT_MB})")


def fill(folder: Path, num_chats: int) -> None:
    """Write chats of two messages, and one long one that is in view at the next start."""
    store = ChatStore(folder / FILE_NAME, print)
    for number in range(num_chats - 1):
        messages = [own(f"Question {number} about some matter"), reply("An answer. " * 40)]
        store.save_record(record_of(messages, title=f"Chat number {number}", changed_at=number))
    texts = [make_reply("prose")[:3_000] for _ in range(LONG_CHAT // 2)]
    messages = [message for text in texts for message in (own("And then?"), reply(text))]
    last = record_of(messages, title="The long one", changed_at=time.time())
    store.save_record(last)
    store.wait(600)
    store.close()
    Settings(folder / SETTINGS_FILE).set(LAST_CHAT, last.details.id)


def start(folder: Path) -> tuple[float, int]:
    """Seconds until the window was painted, and bytes of memory then."""
    began = time.time()
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(folder)],
        env=os.environ | {"PACELINE_EXIT_AFTER_PAINT": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    painted, resident, has_torch = json.loads(done.stdout.splitlines()[0])
    if has_torch:
        raise RuntimeError("torch was imported, which a start must not wait for")
    return painted - began, resident


if __name__ == "__main__":
    main()

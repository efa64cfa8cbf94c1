"""Two windows over one data folder, as processes of their own."""

import subprocess
import sys
from pathlib import Path

from tests.helpers.chats import own, record_of

ROOT = Path(__file__).resolve().parents[3]
CHATS_EACH = 40
WRITE = f"""
import sys
from pathlib import Path
from app.storage.store import ChatStore
from app.domain.record import ChatDetails
from tests.helpers.chats import own, reply
path, name = Path(sys.argv[1]), sys.argv[2]
failures = []
store = ChatStore(path, failures.append)
print("ready", flush=True)
sys.stdin.readline()
for number in range({CHATS_EACH}):
    details, question = ChatDetails(title=f"{{name}} {{number}}"), own("q")
    store.save_message(details, question, None)
    answer = reply("")
    for part in range(10):
        answer.text += f"{{name}}{{part}} "
        store.save_message(details, answer, question.id)
    store.wait(60)
    store.list_chats()
store.close()
print(failures)
"""


def start(path, name):
    return subprocess.Popen(
        [sys.executable, "-c", WRITE, str(path), name],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def finish(process):
    output, _ = process.communicate("go\n", timeout=120)
    return output.split("\n")[-2], process.returncode


def test_two_processes_write_at_once_and_nothing_is_lost(store_path, open_store):
    processes = [start(store_path, name) for name in ("left", "right")]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [finish(process) for process in processes] == [("[]", 0)] * 2
    store = open_store()
    titles = {details.title for details in store.list_chats()}
    assert titles == {f"{name} {n}" for name in ("left", "right") for n in range(CHATS_EACH)}
    for details in store.list_chats():
        name = details.title.split()[0]
        texts = [message.text for message in store.load(details.id).shown]
        assert texts == ["q", "".join(f"{name}{part} " for part in range(10))]
    assert store._reader.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_many_processes_may_make_the_store_at_the_same_moment(store_path, open_store):
    processes = [start(store_path, f"p{number}") for number in range(4)]
    assert [process.stdout.readline() for process in processes] == ["ready\n"] * 4
    for process in processes:
        process.kill()
        process.communicate()
    assert open_store().put_aside is None


def test_a_reply_another_process_is_writing_is_left_to_it(open_store):
    here, there = open_store(), open_store()
    record = record_of([own(), own("half")])
    here.save_record(record)
    assert here.wait(10)
    message = list(record.messages.values())[1]
    assert [m.text for m in there.load(record.details.id).shown][1] == "half"
    message.text = "half and the rest"
    here.save_message(record.details, message, record.tree.parents[message.id])
    assert here.wait(10)
    assert [m.text for m in there.load(record.details.id).shown][1] == "half and the rest"


def test_answering_in_a_chat_that_another_window_deleted_brings_it_back(open_store):
    here, there = open_store(), open_store()
    record = record_of([own("kept by the other")])
    here.save_record(record)
    assert here.wait(10)
    there.set_chat_deleted(record.details.id, True)
    there.close()
    here.save_message(record.details, own("and then?"), next(iter(record.messages)))
    assert here.wait(10)
    assert [details.id for details in here.list_chats()] == [record.details.id]
    assert [m.text for m in here.load(record.details.id).shown] == ["", "and then?"]

"""The window in each of its states, for pictures and checks of layout."""

import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from app.bridge.types import (
    ModelFileError,
    StopReason,
    Trial,
)
from app.domain.attachment import Attachment, joined
from app.widgets.chat.composer import Composer
from engine.api.sizes import size_fits
from engine.kernels.backend_memory import CPU_NATIVE
from engine.memory.fit import Room
from tests.helpers.drafting_states import (
    accepted,
    bench,
    bench_alone,
    bench_running,
    by_position,
    compare,
    compare_history,
    draft_picker,
    draft_settings,
    draft_switches,
    drafting,
    resting,
)
from tests.helpers.stage import (
    CUT_SHORT,
    ENGINE_SEEN,
    MODEL,
    OTHER,
    OTHER_QUESTIONS,
    QUESTION,
    REPLY,
    Stage,
)


async def empty(stage: Stage) -> None:
    """First start."""


async def loading(stage: Stage) -> None:
    """The first model on its way, with a message that waits for it."""
    await stage.begin_to_load()
    stage.engine.loads[-1].progress("Reading weights", 0.42)
    composer = stage.window.findChild(QPlainTextEdit, "composer")
    composer.setPlainText(QUESTION)
    stage.window.findChild(QPushButton, "sendButton").click()


async def loading_first(stage: Stage) -> None:
    """Before anything but the name is known."""
    stage.drop(MODEL)


async def drag(stage: Stage) -> None:
    """A model held over the window."""
    await stage.finish()
    stage.drag(OTHER)


async def drag_refused(stage: Stage) -> None:
    """Something else held over the window."""
    stage.drag(Path("/home/anna/notes.pdf"))


async def ready(stage: Stage) -> None:
    """A model, and nothing said yet."""
    await stage.load()


async def reading(stage: Stage) -> None:
    """The prompt is being read."""
    await stage.load()
    generation = await stage.send(QUESTION)
    generation.read_prompt(512, 1204)


async def generating(stage: Stage) -> None:
    """A reply half written, among other chats."""
    await stage.load()
    for question in OTHER_QUESTIONS[1:]:
        await stage.answer(question)
        stage.window.findChild(QPushButton, "newChat").click()
    await stage.send(OTHER_QUESTIONS[0])
    stage.window.findChild(QPushButton, "newChat").click()
    left = await stage.send(QUESTION)
    words = REPLY.split(" ")
    for start in range(0, 90, 10):  # over a while, for the history of the speed
        for word in words[start : start + 10]:
            left.say(word + " ")
        await stage.settle()
    stage.engine.generations[-2].say("Dear council,")
    stage.engine.generations[-2].finish()


async def finished(stage: Stage) -> None:
    """A reply with its figures."""
    await stage.finish()


async def long_chat(stage: Stage) -> None:
    """More than fits, and a second model on its way."""
    await stage.finish()
    await stage.answer("And in one line?", "sorted(items)")
    await stage.answer("Who invented it?\n\nPlease cite a source that I can find in a library.")
    await stage.begin_to_load(OTHER)
    stage.engine.loads[-1].progress("Reading weights", 0.73)


async def error(stage: Stage) -> None:
    """A file that cannot be used, with the details open."""
    await stage.load()
    stage.engine.broken[CUT_SHORT] = ModelFileError(
        "This file is cut short: 1.2 GB of 2.7 GB are there. Download it again.",
        details="tensor blk.17.ffn_down.weight ends at byte 2691234816, the file at 1213202432",
    )
    stage.drop(CUT_SHORT)
    await stage.until(stage.window.findChild(QWidget, "errorBar").isVisible)
    stage.window.findChild(QPushButton, "errorDetails").click()


async def failed_reply(stage: Stage) -> None:
    """A reply that broke off."""
    await stage.load()
    generation = await stage.send(QUESTION)
    generation.say("Quicksort picks a pivot, splits the list")
    await stage.settle()
    generation.fail("The device ran out of memory. Choose a smaller context.", "alloc 512 MiB")


async def attachments(stage: Stage) -> None:
    """A message with a file that was answered, and files beside the one being written."""
    await stage.load(has_thinking=True)
    code = Attachment("quicksort.py", REPLY.split("```")[1].removeprefix("python\n"))
    await stage.answer(joined("Why is this slow on sorted lists?", [code]), "The pivot.")
    notes = Attachment("measurements-of-all-variants-2026-10.csv", "n,seconds\n" + "1,2\n" * 3_000)
    box = stage.window.findChild(Composer, "composerFrame")
    box.attach([code, notes])
    box.edit.setPlainText("Then compare it with what I measured,\nand suggest a better pivot.")


async def versions(stage: Stage) -> None:
    """The second of three versions of a reply."""
    await stage.finish()
    for number, reply in enumerate(("Sort by a pivot, again and again.", REPLY), start=2):
        stage.window.findChild(QPushButton, "regenerate").click()
        await stage.until(lambda wanted=number: len(stage.engine.generations) == wanted)
        stage.engine.generations[-1].say(reply)
        stage.engine.generations[-1].finish()
        await stage.ended()
    reply = stage.window.findChild(QWidget, "message-1")
    reply.findChild(QPushButton, "versionPrevious").click()


async def search(stage: Stage) -> None:
    """Hits of a search over all chats."""
    await stage.load()
    for question in (*OTHER_QUESTIONS, QUESTION):
        stage.window.findChild(QPushButton, "newChat").click()
        await stage.answer(question)
    stage.window._start_search()
    stage.window.findChild(QLineEdit, "chatSearch").setText("pivot")
    await stage.until(stage.window.findChild(QListView, "searchHits").isVisible)


async def find(stage: Stage) -> None:
    """Words found in the chat in view."""
    await stage.finish()
    stage.window._pane.transcript.open_find()
    stage.window.findChild(QLineEdit, "findField").setText("pivot")


async def panel(stage: Stage) -> None:
    """The panel at the right, with numbers that are not the preset's."""
    await stage.finish()
    stage.window.findChild(QPushButton, "panelToggle").click()
    stage.window.findChild(QPlainTextEdit, "systemPrompt").setPlainText(
        "You are a patient teacher. Answer in short paragraphs, and show code only when asked."
    )
    stage.window.findChild(QDoubleSpinBox, "temperature").setValue(0.4)


async def engine_page(stage: Stage) -> None:
    """What the engine does."""
    stage.engine.seen = ENGINE_SEEN
    stage.engine.trials = (
        Trial("native (avx512) on cpu", "Linear", 1e-3, 1e-2, True),
        Trial("torch on cpu", "Linear", 1e-4, 1e-3, True),
    )
    await stage.load_pair()
    loaded = stage.engine.loaded
    reason = "The program's own kernels serve this model and this processor."
    stage.engine.loaded = replace(
        loaded, kernels="native (avx512)", kernels_reason=reason, threads=8, slots=2
    )
    stage.window._pages.show_engine()
    await stage.until(lambda: stage.window.findChild(QWidget, "engineTime").isVisible())
    stage.window.findChild(QPushButton, "runSelftest").click()


async def where_models(stage: Stage) -> None:
    """Where models come from, and which sizes fit."""
    stage.engine.sizes = size_fits(CPU_NATIVE.started(), Room(11_000_000_000))
    stage.window.findChild(QPushButton, "whereModelsOpen").click()
    await stage.until(stage.window.findChild(QWidget, "whereFits").accessibleName)
    await stage.settle()


async def picker(stage: Stage) -> None:
    """The list of models, open."""
    await stage.load(OTHER)
    await stage.finish()
    stage.window.findChild(QPushButton, "mainModelPicker").click()


async def load_panel(stage: Stage) -> None:
    """How a model is to be loaded, where the other one would not fit."""
    stage.engine.needed_bytes[OTHER] = 9 * 10**9
    await picker(stage)
    await stage.settle()
    stage.window.findChild(QPushButton, "loadOptions").click()


async def nothing_found(stage: Stage) -> None:
    """A folder that was added, and has no models in it."""
    with tempfile.TemporaryDirectory() as folder:
        stage.window._session.finder.take_folder(Path(folder))
        await stage.until(lambda: not stage.window._session.finder.is_looking)
    stage.window.findChild(QPushButton, "mainModelPicker").click()


async def other_model(stage: Stage) -> None:
    """A chat that another model wrote than the one loaded now."""
    await stage.finish()
    await stage.load(OTHER)


async def context_full(stage: Stage) -> None:
    """A reply that met the end of the context."""
    await stage.begin_to_load()
    stage.engine.loads[-1].finish(context=4096)
    await stage.until(lambda: stage.window._session.model.loading is None)
    await stage.answer(OTHER_QUESTIONS[1])
    generation = await stage.send(QUESTION)
    generation.say("Quicksort picks a pivot, splits the list around it and")
    generation.finish(StopReason.CONTEXT)
    await stage.ended()


State = Callable[[Stage], Awaitable[None]]
STATES: tuple[State, ...] = (
    empty,
    loading_first,
    loading,
    drag,
    drag_refused,
    ready,
    reading,
    generating,
    finished,
    long_chat,
    error,
    failed_reply,
    attachments,
    versions,
    search,
    find,
    panel,
    picker,
    load_panel,
    nothing_found,
    draft_picker,
    draft_settings,
    draft_switches,
    drafting,
    by_position,
    resting,
    accepted,
    compare,
    compare_history,
    bench,
    bench_alone,
    bench_running,
    engine_page,
    where_models,
    other_model,
    context_full,
)

SHEET: tuple[tuple[State, bool], ...] = (
    (empty, True),
    (loading, True),
    (reading, True),
    (generating, True),
    (finished, True),
    (versions, True),
    (long_chat, True),
    (search, True),
    (find, True),
    (attachments, True),
    (panel, True),
    (picker, True),
    (load_panel, True),
    (draft_picker, True),
    (draft_settings, True),
    (draft_switches, True),
    (drafting, True),
    (by_position, True),
    (resting, True),
    (accepted, True),
    (compare, True),
    (compare_history, True),
    (bench, True),
    (engine_page, True),
    (where_models, True),
    (drag, True),
    (error, True),
    (failed_reply, True),
    (other_model, True),
    (context_full, True),
    (attachments, False),
    (panel, False),
)
"""Those on the contact sheet, each in a wide window or a narrow one."""

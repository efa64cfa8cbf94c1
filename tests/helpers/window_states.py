"""The window in each of its states, over the tests' engine, for pictures and checks of layout."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
    QDoubleSpinBox,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from app.actions.drafts import use_draft
from app.bridge.types import (
    DeviceFacts,
    DraftCandidate,
    DraftProgress,
    DraftRanking,
    EngineSnapshot,
    MemoryUse,
    ModelFileError,
    PairVerdict,
    SlotSnapshot,
    SlotWork,
    StopReason,
    Timings,
    Trial,
    WorkTotals,
)
from app.domain.attachment import Attachment, joined
from app.domain.draft import DraftChoice
from app.widgets.chat.composer import Composer
from app.widgets.compare.reply_text import ReplyText
from app.widgets.main_window import MainWindow
from engine.api.sizes import size_fits
from engine.kernels.backend_memory import CPU_NATIVE
from engine.memory.fit import Room
from tests.helpers.fake_engine import FakeBench, FakeEngine, FakeGeneration

FOLDER = Path(tempfile.gettempdir()) / "paceline-pictures"
MODEL = FOLDER / "qwen3-4b-q4_k_m.gguf"
OTHER = FOLDER / "gemma-3-1b-it-q8_0.gguf"
DRAFT = FOLDER / "Qwen3 0.6B.gguf"
CUT_SHORT = FOLDER / "mistral-7b-q4_k_m.gguf"
QUESTION = "Write quicksort in Python and say when it is slow."
REPLY = """\
Quicksort picks a pivot, splits the list around it and sorts the two sides. It is fast on average, \
and degrades when every pivot is the smallest or largest element left.

```python
def quicksort(items):
    if len(items) < 2:
        return items
    pivot = items[len(items) // 2]
    left  = [x for x in items if x < pivot]
    same  = [x for x in items if x == pivot]
    right = [x for x in items if x > pivot]
    return quicksort(left) + same + quicksort(right)
```

Sorted input with the first element as pivot costs $n^2/2$ comparisons; the middle element avoids \
that case."""
OTHER_QUESTIONS = (
    "Letter to the council about the crossing at the school",
    "Gated delta nets, plainly",
    "A recipe for lentils that keeps for three days in the fridge and does not need stock",
)


WITHOUT_DRAFTS = Timings(prompt_n=14, prompt_ms=300.0, predicted_n=125, predicted_ms=5_600.0)
WITH_DRAFTS = Timings(
    prompt_n=14,
    prompt_ms=300.0,
    predicted_n=125,
    predicted_ms=3_100.0,
    draft_n=110,
    draft_n_accepted=88,
    draft_rounds=37,
    draft_by_position=((37, 34), (34, 29), (39, 25)),
    draft_ms=90.0,
    verify_ms=2_900.0,
    rollback_ms=9.0,
)

BENCH_PROMPTS = (
    "code_python",
    "code_cpp",
    "explain_concept",
    "summarize",
    "qa_factual",
    "translation",
    "creative_short",
    "stepwise_math",
    "high_entropy",
    "long_code_review",
)
SPEEDUPS = (2.31, 2.08, 1.52, 1.74, 1.36, 1.41, 1.18, 1.93, 0.94, 2.12)

ENGINE_SEEN = EngineSnapshot(
    (DeviceFacts("cpu", "AMD Ryzen 7 7840U", 10_400_000_000, 32_600_000_000),),
    4_130_000_000,
    slots=(
        SlotSnapshot(SlotWork.WRITING, 1_204, 792, 412, 377, 301),
        SlotSnapshot(SlotWork.READING, 512, 1_204),
        SlotSnapshot(SlotWork.FREE),
        SlotSnapshot(SlotWork.FREE),
    ),
    waiting=1,
    totals=WorkTotals(4_312, 11_480, 3.1, 9.8, 5.2, 21.4, 0.2),
    memory=(
        MemoryUse("weights", "cpu", 2_740_000_000),
        MemoryUse("draft_weights", "cpu", 410_000_000),
        MemoryUse("cache", "cpu", 604_000_000, 0.34),
        MemoryUse("state", "cpu", 52_000_000, 0.5),
        MemoryUse("checkpoint", "cpu", 210_000_000),
        MemoryUse("scratch", "cpu", 330_000_000),
    ),
)

_STARTS = range(9, len(REPLY.encode()) - 27, 34)
ACCEPTED = tuple((start, start + 27) for start in _STARTS)  # most of the reply, in pieces


@dataclass
class Stage:
    """A window over a fake engine, and what a person does with it."""

    window: MainWindow
    engine: FakeEngine
    settle_s: float = 0.15

    async def settle(self) -> None:
        """Let timers and layouts run their course."""
        await asyncio.sleep(self.settle_s)

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait for something that is about to happen."""
        while not holds():
            await asyncio.sleep(0.005)

    def drag(self, path: Path) -> None:
        """Hold a file over the left half, where a model becomes the main one."""
        self._carry(QDragEnterEvent, QPoint, path)

    def drop(self, path: Path) -> None:
        """Let a file go there."""
        self.drag(path)
        self._carry(QDropEvent, QPointF, path)

    def _carry(
        self, kind: type[QDropEvent], point: type[QPoint] | type[QPointF], path: Path
    ) -> None:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        place = point(self.window.width() // 4, self.window.height() // 2)
        copies, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
        event = kind(place, copies, data, button, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(self.window.windowHandle(), event)

    async def load(self, path: Path = MODEL, *, has_thinking: bool = False) -> None:
        await self.begin_to_load(path)
        self.engine.loads[-1].finish(has_thinking=has_thinking)
        await self.until(lambda: self.window._session.model.loading is None)

    async def load_pair(self) -> None:
        """A main model, and beside it a small one that drafts."""
        await self.load()
        choice = DraftChoice.model(DRAFT)
        use_draft(self.window._session, choice, self.window.announced)
        await self.until(lambda: len(self.engine.loads) > 1)
        self.engine.loads[-1].finish()
        await self.until(lambda: self.window._session.model.loading is None)

    async def begin_to_load(self, path: Path = MODEL) -> None:
        before = len(self.engine.loads)
        self.drop(path)
        await self.until(lambda: len(self.engine.loads) > before)

    async def send(self, text: str) -> FakeGeneration:
        composer = self.window.findChild(QPlainTextEdit, "composer")
        composer.setPlainText(text)
        before = len(self.engine.generations)
        self.window.findChild(QPushButton, "sendButton").click()
        await self.until(lambda: len(self.engine.generations) > before)
        return self.engine.generations[-1]

    async def answer(self, question: str, reply: str = REPLY) -> None:
        generation = await self.send(question)
        for word in reply.split(" "):
            generation.say(word + " ")
        await self.settle()
        generation.finish(text=reply)
        await self.ended()

    async def ended(self) -> None:
        """Wait for the end of the reply in view."""
        await self.until(lambda: self.window._session.chats.current.pending_reply is None)
        await self.settle()


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
    await finished(stage)
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
    await stage.load()
    await stage.answer(QUESTION)


async def long_chat(stage: Stage) -> None:
    """More than fits, and a second model on its way."""
    await finished(stage)
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
    await finished(stage)
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
    await finished(stage)
    stage.window._pane.transcript.open_find()
    stage.window.findChild(QLineEdit, "findField").setText("pivot")


async def panel(stage: Stage) -> None:
    """The panel at the right, with numbers that are not the preset's."""
    await finished(stage)
    stage.window.findChild(QPushButton, "panelToggle").click()
    stage.window.findChild(QPlainTextEdit, "systemPrompt").setPlainText(
        "You are a patient teacher. Answer in short paragraphs, and show code only when asked."
    )
    stage.window.findChild(QDoubleSpinBox, "temperature").setValue(0.4)


async def draft_picker(stage: Stage) -> None:
    """What could draft, with the reason for each."""
    reason = "It has the same tokens, and is a quarter of the main model's size."
    other = "Gemma 3 1B cannot draft for this model: its tokens differ from number 139 on."
    candidates = (
        DraftCandidate(DRAFT, "Qwen3 0.6B", 6 * 10**8, PairVerdict(True, reason)),
        DraftCandidate(OTHER, "Gemma 3 1B Instruct", 10**9, PairVerdict(False, other)),
    )
    stage.engine.ranking = DraftRanking(candidates, "")
    await finished(stage)
    stage.window.findChild(QPushButton, "draftPicker").click()


async def draft_settings(stage: Stage) -> None:
    """What drafts now, and how far drafts go."""
    await draft_picker(stage)
    await _open_draft_settings(stage)


async def _open_draft_settings(stage: Stage) -> None:
    choice = DraftChoice.model(DRAFT)
    use_draft(stage.window._session, choice, stage.window.announced)
    await stage.until(lambda: len(stage.engine.loads) > 1)
    stage.engine.loads[-1].finish()
    await stage.until(lambda: stage.window._session.drafts.choice == choice)
    QApplication.activePopupWidget().close()
    stage.window.findChild(QPushButton, "draftPicker").click()


async def draft_switches(stage: Stage) -> None:
    """A chat that drafts, and a message that is to do without."""
    await stage.load_pair()
    await stage.answer(QUESTION)
    stage.window.findChild(QPushButton, "panelToggle").click()
    stage.window.findChild(QPlainTextEdit, "composer").setPlainText("And without recursion?")
    stage.window.findChild(QPushButton, "draftToggle").click()


async def drafting(stage: Stage) -> None:
    """A reply that is drafted for, while it is written."""
    await _half_drafted(stage, DraftProgress(34, 113, 91, 1.68, None))


async def by_position(stage: Stage) -> None:
    """How often each place of a draft was accepted, over the gauge that the keyboard is on."""
    places = ((34, 31), (31, 27), (27, 20), (21, 13))
    await _half_drafted(stage, DraftProgress(34, 113, 91, 1.68, None, places))
    stage.window.findChild(QWidget, "acceptanceGauge").setFocus()


async def resting(stage: Stage) -> None:
    """Drafting rests where it does not pay, and the window says so."""
    await _half_drafted(stage, DraftProgress(6, 14, 1, None, 0.09))


async def _half_drafted(stage: Stage, progress: DraftProgress) -> None:
    await stage.load_pair()
    generation = await stage.send(QUESTION)
    words = REPLY.split(" ")
    for start in range(0, 90, 10):  # over a while, for the history of the speed
        for word in words[start : start + 10]:
            generation.say(word + " ", progress)
        await stage.settle()


async def accepted(stage: Stage) -> None:
    """A finished reply, with what the draft had proposed underlined."""
    await stage.load_pair()
    generation = await stage.send(QUESTION)
    for word in REPLY.split(" "):
        generation.say(word + " ")
    generation.finish(text=REPLY, timings=WITH_DRAFTS, accepted=ACCEPTED)
    await stage.ended()
    stage.window.findChild(QPushButton, "showAccepted").click()


async def compare(stage: Stage) -> None:
    """One prompt answered without drafts and with them."""
    await stage.load_pair()
    stage.window.findChild(QPushButton, "compareToggle").click()
    edit = stage.window.findChild(QPlainTextEdit, "comparePrompt")
    edit.setPlainText(QUESTION)
    stage.window.findChild(QPushButton, "compareRun").click()
    for number, timings in enumerate((WITHOUT_DRAFTS, WITH_DRAFTS), start=1):
        await stage.until(lambda wanted=number: len(stage.engine.generations) == wanted)
        for word in REPLY.split(" "):
            stage.engine.generations[-1].say(word + " ")
        runs = ACCEPTED if timings is WITH_DRAFTS else ()
        stage.engine.generations[-1].finish(text=REPLY, timings=timings, accepted=runs)
    await stage.until(stage.window.findChild(QPushButton, "compareRun").isVisible)
    for text in stage.window.findChildren(ReplyText):
        text.verticalScrollBar().setValue(0)


async def compare_history(stage: Stage) -> None:
    """Earlier comparisons, open in Compare."""
    await compare(stage)
    edit = stage.window.findChild(QPlainTextEdit, "comparePrompt")
    edit.setPlainText("Name ten rivers of Europe with their lengths.")
    stage.window.findChild(QPushButton, "compareRun").click()
    for number, timings in enumerate((WITHOUT_DRAFTS, WITH_DRAFTS), start=3):
        await stage.until(lambda wanted=number: len(stage.engine.generations) == wanted)
        stage.engine.generations[-1].say("The Volga, 3,530 km.")
        stage.engine.generations[-1].finish(timings=replace(timings, prompt_ms=1_000.0))
    await stage.until(stage.window.findChild(QPushButton, "compareRun").isVisible)
    stage.window.findChild(QPushButton, "compareHistory").click()


async def _open_bench(stage: Stage) -> None:
    await stage.load_pair()
    stage.window.findChild(QPushButton, "compareToggle").click()
    stage.window.findChild(QPushButton, "benchOpen").click()


async def _run_bench(stage: Stage, speedups: Sequence[float]) -> FakeBench:
    before = len(stage.engine.benches)
    stage.window.findChild(QPushButton, "benchRun").click()
    await stage.until(lambda: len(stage.engine.benches) > before)
    measuring = stage.engine.benches[-1]
    measuring.progress = replace(measuring.progress, total=4 * len(BENCH_PROMPTS))
    for number, (prompt, speedup) in enumerate(zip(BENCH_PROMPTS, speedups, strict=False)):
        measuring.begin(prompt)
        plain = Timings(prompt_ms=300.0 + 90 * number, predicted_n=192, predicted_ms=8_400.0)
        took_ms = (plain.prompt_ms + plain.predicted_ms) / speedup - plain.prompt_ms
        tested = 100 + 17 * number
        drafted = replace(
            plain,
            predicted_ms=took_ms,
            draft_n=tested,
            draft_n_accepted=round(tested * min(0.95, speedup / 2.4)),
            draft_rounds=60,
        )
        measuring.measure(prompt, plain, drafted, repeated=0.6 if number == 6 else 0.0)
    return measuring


async def bench(stage: Stage) -> None:
    """The bench, with another draft beside."""
    await _open_bench(stage)
    (await _run_bench(stage, [speedup * 0.8 for speedup in SPEEDUPS])).finish()
    run = stage.window.findChild(QPushButton, "benchRun")
    await stage.until(run.isVisible)
    (await _run_bench(stage, SPEEDUPS)).finish()
    await stage.until(run.isVisible)
    view = stage.window.findChild(QWidget, "benchView")
    view._lay_beside(stage.window._session.measurements.bench_runs[0])


async def bench_alone(stage: Stage) -> None:
    """What the bench came to."""
    await _open_bench(stage)
    (await _run_bench(stage, SPEEDUPS)).finish(("long_code_review",))
    await stage.until(stage.window.findChild(QPushButton, "benchRun").isVisible)


async def bench_running(stage: Stage) -> None:
    """The bench under way."""
    await _open_bench(stage)
    (await _run_bench(stage, SPEEDUPS[:4])).begin("qa_factual")


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
    await finished(stage)
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
    await finished(stage)
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


def put_models_there() -> None:
    """Make empty files in the models' places, for a window that looks whether they are there."""
    FOLDER.mkdir(exist_ok=True)
    for path in (MODEL, OTHER):
        path.touch()


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

"""A window over the tests' engine, and what is put before it for pictures and checks of layout."""

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
    QPlainTextEdit,
    QPushButton,
)

from app.actions.drafts import use_draft
from app.bridge.types import (
    DeviceFacts,
    EngineSnapshot,
    MemoryUse,
    SlotSnapshot,
    SlotWork,
    Timings,
    WorkTotals,
)
from app.domain.draft import DraftChoice
from app.widgets.main_window import MainWindow
from tests.helpers.fake_engine import FakeEngine, FakeGeneration

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

    async def finish(self) -> None:
        """Load the model and show a reply with its figures."""
        await self.load()
        await self.answer(QUESTION)

    async def ended(self) -> None:
        """Wait for the end of the reply in view."""
        await self.until(lambda: self.window._session.chats.current.pending_reply is None)
        await self.settle()


def put_models_there() -> None:
    """Make empty files in the models' places, for a window that looks whether they are there."""
    FOLDER.mkdir(exist_ok=True)
    for path in (MODEL, OTHER):
        path.touch()

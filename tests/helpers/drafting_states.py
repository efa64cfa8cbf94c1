"""The window where drafts show: their picker, the gauges, Compare and the bench."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtWidgets import (
    QApplication,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from app.actions.drafts import use_draft
from app.bridge.types import (
    DraftCandidate,
    DraftProgress,
    DraftRanking,
    PairVerdict,
    Timings,
)
from app.domain.draft import DraftChoice
from app.widgets.compare.reply_text import ReplyText
from tests.helpers.fake_engine import FakeBench
from tests.helpers.stage import (
    ACCEPTED,
    BENCH_PROMPTS,
    DRAFT,
    OTHER,
    QUESTION,
    REPLY,
    SPEEDUPS,
    WITH_DRAFTS,
    WITHOUT_DRAFTS,
    Stage,
)


async def draft_picker(stage: Stage) -> None:
    """What could draft, with the reason for each."""
    reason = "It has the same tokens, and is a quarter of the main model's size."
    other = "Gemma 3 1B cannot draft for this model: its tokens differ from number 139 on."
    candidates = (
        DraftCandidate(DRAFT, "Qwen3 0.6B", 6 * 10**8, PairVerdict(True, reason)),
        DraftCandidate(OTHER, "Gemma 3 1B Instruct", 10**9, PairVerdict(False, other)),
    )
    stage.engine.ranking = DraftRanking(candidates, "")
    await stage.finish()
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

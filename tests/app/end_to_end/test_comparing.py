"""Compare and the bench over the real engine: drafts change the time, never the text."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QListView, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from app.actions.compare import MOST_TOKENS
from app.bridge.types import ChatOptions, Engine, EngineMessage, Event, Finished
from app.paths import guide_files
from engine.api import Generation, bench_prompts
from tests.app.end_to_end.conftest import PATIENCE_MS, drop_and_wait
from tests.helpers.endless import endless_talker
from tests.helpers.person import Person

GARBLED = 37
"""The token that the broken engine alters, counted from 0."""


class Garbling:
    """A generation of which one token is told wrongly."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self.in_view = generation.in_view
        self.cancel = generation.cancel

    async def __aiter__(self) -> AsyncIterator[Event]:
        async for event in self._generation:
            if isinstance(event, Finished):
                tokens = list(event.result.tokens)
                tokens[GARBLED] += 1
                event = Finished(replace(event.result, tokens=tuple(tokens)))
            yield event


class BrokenEngine(Engine):
    """An engine whose drafts change what the model says."""

    def chat(self, messages: Sequence[EngineMessage], options: ChatOptions) -> Generation:
        generation = super().chat(messages, options)
        return Garbling(generation) if options.drafting.methods else generation  # type: ignore


def compare(person: Person, qtbot: QtBot, folder: Path) -> QWidget:
    """Compare no draft with drafts from the text, on a model that talks without end."""
    drop_and_wait(person, qtbot, endless_talker(folder / "endless.gguf"))
    person.click("draftPicker")
    rows = person.find("draftPopup").findChild(QListView)
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    person.click("compareToggle")
    edit = person.find("comparePrompt", QPlainTextEdit)
    edit.setPlainText("Go on.")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    result = person.find("compareResult")
    qtbot.waitUntil(lambda: result.property("identicalTokens") > 0, timeout=PATIENCE_MS)
    return result


def test_drafts_from_the_text_are_accepted_and_change_nothing(
    person: Person, qtbot: QtBot, tmp_path: Path
) -> None:
    result = compare(person, qtbot, tmp_path)
    assert result.property("identicalTokens") == MOST_TOKENS
    assert result.property("firstDifference") == -1
    assert result.property("speedup") > 0
    assert person.find("compareRun", QAbstractButton).isVisible()


class TestBroken:
    @pytest.fixture
    def engine(self) -> Engine:
        return BrokenEngine()

    def test_an_engine_that_alters_a_token_is_caught_with_the_place(
        self, person: Person, qtbot: QtBot, tmp_path: Path
    ) -> None:
        result = compare(person, qtbot, tmp_path)
        assert result.property("identicalTokens") == GARBLED
        assert result.property("firstDifference") == GARBLED
        told = f"different from token {GARBLED + 1} on"
        assert told in result.accessibleName()


def test_the_bench_measures_the_guide_with_its_draft(
    person: Person, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = tmp_path / "prompts.json"
    prompts.write_text(json.dumps({"draft": ["What is a draft?"], "add": ["How do I add one?"]}))
    monkeypatch.setattr(bench_prompts, "prompts_file", lambda: prompts)
    drop_and_wait(person, qtbot, guide_files().target)
    qtbot.waitUntil(lambda: person.find("draftPicker").text() != "none", timeout=PATIENCE_MS)
    person.click("compareToggle")
    person.click("benchOpen")
    person.click("benchRun")
    result = person.find("benchResult")
    qtbot.waitUntil(lambda: result.property("speedup") > 0, timeout=PATIENCE_MS)
    told = person.find("benchChart").accessibleName()
    assert "draft: " in told
    assert "All together: " in told
    assert not person.sees("errorBar")

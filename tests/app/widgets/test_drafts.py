"""What drafts for the main model: the picker, its list, and what picking does."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QListView

from app.bridge.types import (
    DraftCandidate,
    DraftRanking,
    ModelFileError,
    NotEnoughMemoryError,
    PairVerdict,
)
from tests.app.conftest import MODEL
from tests.helpers.fake_engine import drafted_by

FITTING = Path("/models/qwen3-0.6b.gguf")
STRANGE = Path("/models/gemma.gguf")
RANKING = DraftRanking(
    (
        DraftCandidate(
            FITTING, "Qwen3 0.6B", 400_000_000, PairVerdict(True, "A good draft: same tokens.", 9)
        ),
        DraftCandidate(
            STRANGE,
            "Gemma",
            2_000_000_000,
            PairVerdict(False, "Gemma cannot draft for this model: its tokens differ."),
        ),
    ),
    "A good draft: same tokens.",
)


@pytest.fixture
def rows(engine, ready_person, qtbot):
    """The open list of drafts."""
    engine.ranking = RANKING
    ready_person.click("draftPicker")
    rows = ready_person.find("draftPopup").findChild(QListView)
    qtbot.waitUntil(lambda: rows.model().rowCount() == 4)
    return rows


def pick(qtbot, rows, name):
    model = rows.model()
    row = next(row for row in range(model.rowCount()) if model.index(row, 0).data() == name)
    rows.scrollTo(model.index(row, 0))
    place = rows.visualRect(model.index(row, 0)).center()
    qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)


def picked_draft(engine, person, qtbot, rows):
    pick(qtbot, rows, "Qwen3 0.6B")
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    engine.loads[1].finish()
    qtbot.waitUntil(lambda: person.find("draftPicker").text() != "none")


def test_without_a_main_model_there_is_nothing_to_pick(person):
    assert person.find("draftPicker").text() == "none"
    assert not person.find("draftPicker").isEnabled()


def test_the_keys_of_the_draft_picker_say_what_comes_first(person):
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    person.press(Qt.Key.Key_L, both)
    assert not person.sees("draftPopup")
    text = person.find("errorBar").property("text")
    assert text == "A draft works for a main model: choose that one first, then its draft."


def test_every_way_to_draft_is_offered_with_its_reason(rows):
    model = rows.model()
    names = [model.index(row, 0).data() for row in range(4)]
    assert names == ["No draft", "From the text itself", "Qwen3 0.6B", "Gemma"]
    reasons = [
        model.index(row, 0).data(Qt.ItemDataRole.AccessibleDescriptionRole) for row in range(4)
    ]
    assert reasons[2:] == [one.verdict.sentence for one in RANKING.candidates]


def test_drafts_are_looked_for_beside_the_models_used_so_far(rows, engine):
    assert engine.searched[-1] == (MODEL.parent,)


def test_own_heads_are_offered_before_other_drafts(engine, ready_person, qtbot):
    engine.ranking = DraftRanking((), "None needed: this file has its own heads.", own_heads=1)
    ready_person.click("draftPicker")
    model = ready_person.find("draftPopup").findChild(QListView).model()
    qtbot.waitUntil(lambda: model.index(1, 0).data() == "Its own heads")
    told = model.index(1, 0).data(Qt.ItemDataRole.AccessibleDescriptionRole)
    assert told == "None needed: this file has its own heads."


def test_a_draft_is_loaded_beside_the_main_model_and_remembered(
    rows, engine, ready_person, qtbot, tmp_path
):
    picked_draft(engine, ready_person, qtbot, rows)
    assert engine.loads[1].path == MODEL
    assert engine.loads[1].options.draft.path == FITTING
    picker = ready_person.find("draftPicker")
    assert picker.text() == "qwen3-0.6b"
    assert picker.accessibleName() == "Draft: qwen3-0.6b"
    assert ready_person.find("mainModelPicker").text() == MODEL.stem
    settings = json.loads((tmp_path / "data" / "settings.json").read_text())
    assert settings["drafts"] == {str(MODEL): str(FITTING)}


def test_a_reply_goes_on_while_its_draft_is_exchanged(rows, engine, ready_person, qtbot):
    ready_person.say("one")
    picked_draft(engine, ready_person, qtbot, rows)
    assert engine.loads[1].beside  # the main model is not loaded again
    assert not engine.generations[0].cancelled
    assert not ready_person.sees("errorBar")
    engine.generations[0].say("Hello")
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: ready_person.sees("sendButton"))


def test_the_strip_names_the_draft_that_is_loading(rows, engine, ready_person, qtbot):
    pick(qtbot, rows, "Qwen3 0.6B")
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    strip = ready_person.find("loadProgress").parentWidget()
    assert FITTING.stem in [label.text() for label in strip.findChildren(QLabel)]
    ready_person.click("loadCancel")
    qtbot.waitUntil(lambda: engine.loads[1].cancelled)
    assert ready_person.find("draftPicker").text() == "none"


def test_a_draft_that_had_to_go_first_drafts_no_more(rows, engine, ready_person, qtbot):
    picked_draft(engine, ready_person, qtbot, rows)
    ready_person.drop_files([STRANGE], ready_person.find("panelToggle"))
    qtbot.waitUntil(lambda: len(engine.loads) == 3)
    engine.loaded = drafted_by(engine.loaded, None)
    engine.loads[2].fail(NotEnoughMemoryError("There is no room."))
    qtbot.waitUntil(lambda: ready_person.find("draftPicker").text() == "none")
    ready_person.say("one")
    assert engine.generations[0].options.drafting.methods == ()


@pytest.mark.parametrize("instead", ["No draft", "From the text itself"])
def test_the_memory_of_a_draft_is_free_once_it_is_not_wanted(
    rows, engine, ready_person, qtbot, instead
):
    picked_draft(engine, ready_person, qtbot, rows)
    ready_person.click("draftPicker")
    pick(qtbot, rows, instead)
    qtbot.waitUntil(lambda: engine.loaded.draft is None)
    assert len(engine.loads) == 2


def test_replies_are_drafted_by_what_was_picked(rows, engine, ready_person, qtbot):
    ready_person.say("one")
    assert engine.generations[0].options.drafting.methods == ()
    engine.generations[0].finish()
    picked_draft(engine, ready_person, qtbot, rows)
    qtbot.waitUntil(lambda: ready_person.sees("sendButton"))
    ready_person.say("two")
    assert engine.generations[1].options.drafting.methods == ("draft",)


def test_what_needs_no_file_drafts_at_once(rows, engine, ready_person, qtbot):
    pick(qtbot, rows, "From the text itself")
    assert ready_person.find("draftPicker").text() == "from the text"
    ready_person.say("one")
    assert engine.generations[0].options.drafting.methods
    assert len(engine.loads) == 1


def test_no_draft_ends_drafting(rows, engine, ready_person, qtbot):
    picked_draft(engine, ready_person, qtbot, rows)
    ready_person.click("draftPicker")
    pick(qtbot, rows, "No draft")
    assert ready_person.find("draftPicker").text() == "none"
    ready_person.say("one")
    assert engine.generations[0].options.drafting.methods == ()


def test_a_draft_that_cannot_serve_is_shown_but_not_picked(rows, engine, ready_person, qtbot):
    pick(qtbot, rows, "Gemma")
    assert ready_person.sees("draftPopup")
    assert len(engine.loads) == 1


def test_a_draft_that_fails_to_load_leaves_the_main_model_and_says_why(
    rows, engine, ready_person, qtbot
):
    pick(qtbot, rows, "Qwen3 0.6B")
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    engine.loads[1].fail(ModelFileError("This file is cut short."))
    qtbot.waitUntil(lambda: ready_person.sees("errorBar"))
    assert ready_person.find("mainModelPicker").text() == MODEL.stem
    assert ready_person.find("draftPicker").text() == "none"


def test_a_draft_that_fails_to_load_is_not_tried_again_at_the_next_start(
    rows, engine, ready_person, qtbot, tmp_path
):
    pick(qtbot, rows, "Qwen3 0.6B")
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    engine.loads[1].fail(ModelFileError("This file is cut short."))
    qtbot.waitUntil(lambda: ready_person.sees("errorBar"))
    settings = json.loads((tmp_path / "data" / "settings.json").read_text())
    assert str(FITTING) not in settings["drafts"].values()


def test_a_draft_is_given_up_for_one_that_is_there(rows, engine, ready_person, qtbot):
    pick(qtbot, rows, "Qwen3 0.6B")
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    ready_person.click("draftPicker")
    pick(qtbot, rows, "From the text itself")
    qtbot.waitUntil(lambda: engine.loads[1].cancelled)
    assert ready_person.find("draftPicker").text() == "from the text"


def test_a_main_model_on_its_way_is_not_given_up_for_a_draft(rows, engine, ready_person, qtbot):
    ready_person.drop_files([STRANGE], ready_person.find("sidebar"))
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    ready_person.click("draftPicker")
    pick(qtbot, rows, "Qwen3 0.6B")
    text = ready_person.find("errorBar").property("text")
    assert text == "gemma is being loaded: wait for it or cancel it, then choose a draft."
    assert not engine.loads[1].cancelled
    assert len(engine.loads) == 2


def test_nothing_drafts_once_the_main_model_has_gone(rows, engine, ready_person, qtbot):
    pick(qtbot, rows, "From the text itself")
    ready_person.click("mainModelPicker")
    ready_person.find("mainModelPopup").findChild(QAbstractButton, "ejectModel").click()
    assert ready_person.find("draftPicker").text() == "none"
    assert not ready_person.find("draftPicker").isEnabled()


def test_roles_can_be_swapped_where_there_are_two_models(rows, engine, ready_person, qtbot):
    popup = ready_person.find("draftPopup")
    assert popup.findChild(QAbstractButton, "swapRoles").isHidden()
    picked_draft(engine, ready_person, qtbot, rows)
    ready_person.click("draftPicker")
    popup.findChild(QAbstractButton, "swapRoles").click()
    qtbot.waitUntil(lambda: len(engine.loads) == 3)
    assert engine.loads[2].path == FITTING
    assert engine.loads[2].options.draft.path == MODEL


def test_own_heads_draft_where_nothing_else_was_chosen(person, engine, qtbot):
    person.drop_files([MODEL])
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    assert engine.loads[0].options.mtp
    engine.loads[0].finish(has_heads=True)
    qtbot.waitUntil(lambda: person.find("draftPicker").text() == "its own heads")
    person.say("hello")
    assert engine.generations[0].options.drafting.methods == ("mtp",)


def test_own_heads_are_loaded_when_they_are_picked(rows, engine, ready_person, qtbot):
    picked_draft(engine, ready_person, qtbot, rows)
    assert not engine.loads[1].options.mtp
    engine.ranking = DraftRanking((), "None needed: this file has its own heads.", own_heads=1)
    ready_person.click("draftPicker")
    qtbot.waitUntil(lambda: rows.model().index(1, 0).data() == "Its own heads")
    pick(qtbot, rows, "Its own heads")
    qtbot.waitUntil(lambda: len(engine.loads) == 3)
    assert engine.loads[2].options.mtp
    engine.loads[2].finish(has_heads=True)
    qtbot.waitUntil(lambda: ready_person.find("draftPicker").text() == "its own heads")


def test_no_draft_is_remembered_against_own_heads(rows, engine, ready_person, qtbot):
    pick(qtbot, rows, "No draft")
    ready_person.drop_files([STRANGE], ready_person.find("sidebar"))
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    engine.loads[1].finish()
    qtbot.waitUntil(lambda: ready_person.find("mainModelPicker").text() == STRANGE.stem)
    ready_person.drop_files([MODEL], ready_person.find("sidebar"))
    qtbot.waitUntil(lambda: len(engine.loads) == 3)
    assert not engine.loads[2].options.mtp


def test_the_list_opens_by_keyboard(engine, ready_person, qtbot):
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    ready_person.press(Qt.Key.Key_L, both)
    assert ready_person.sees("draftPopup")
    rows = ready_person.find("draftPopup").findChild(QListView)
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert ready_person.find("draftPicker").text() == "from the text"

"""Files over the window: everything a person can drop, wherever they drop it."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtWidgets import QLabel, QPlainTextEdit

from app.bridge.types import DraftCandidate, DraftRanking, ModelFileError, PairVerdict
from tests.app.conftest import MODEL
from tests.helpers.person import files

OTHER = Path("/models/gemma.gguf")


def overlay_text(person):
    overlay = person.find("dropOverlay")
    labels = overlay.findChildren(QLabel)
    return [label.text() for label in labels if label.isVisible()]


@pytest.mark.parametrize("direct", [False, True], ids=["window handle", "widget under pointer"])
@pytest.mark.parametrize(
    "where", ["mainWindow", "composer", "sidebar", "message-0", "message-1", "topRow", "chatList"]
)
def test_a_model_can_be_dropped_anywhere(ready_person, engine, qtbot, where, direct):
    ready_person.say("hello")
    engine.generations[0].say("hi")
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: ready_person.sees("statsLine"))
    place = None if where == "mainWindow" else ready_person.find(where)
    event = ready_person.drop(files(OTHER), place, direct=direct)
    assert event.isAccepted()
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    load = engine.loads[1]
    assert OTHER in (load.path, load.options.draft and load.options.draft.path)
    assert ready_person.find("composer", QPlainTextEdit).toPlainText() == ""


def test_dropping_never_asks_the_file_manager_to_move_the_file(person):
    event = person.drop(files(OTHER))
    assert event.dropAction() == Qt.DropAction.CopyAction


def test_the_overlay_names_the_model_and_then_what_its_header_says(person, engine, qtbot):
    engine.names[OTHER] = "Gemma 3 1B"
    person.drag(files(OTHER), person.find("composer"))
    assert overlay_text(person)[0] == "Use as main model: gemma.gguf"
    qtbot.waitUntil(lambda: overlay_text(person)[0] == "Use as main model: Gemma 3 1B")
    assert overlay_text(person)[1] == "qwen3 · Q4_K_M · 2.7 GB"
    person.leave()
    assert overlay_text(person) == []
    assert engine.loads == []


def test_the_overlay_says_why_a_broken_model_cannot_be_used(person, engine, qtbot):
    engine.broken[OTHER] = ModelFileError("This file is cut short. Download it again.")
    person.drag(files(OTHER))
    qtbot.waitUntil(lambda: "This file is cut short. Download it again." in overlay_text(person))
    person.leave()


def test_a_header_read_too_late_does_not_bring_the_overlay_back(person, engine, qtbot):
    person.drag(files(OTHER))
    person.leave()
    qtbot.waitUntil(lambda: engine.inspected == [OTHER])
    qtbot.wait(20)
    assert overlay_text(person) == []


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["/a/notes.pdf"], "notes.pdf is neither a model nor a text. Drop a .gguf file."),
        (
            ["/a/x.gguf", "/a/y.gguf"],
            "Drop one model at a time, or their folder; these are 2 files.",
        ),
    ],
)
def test_other_things_are_refused_with_a_sentence(person, engine, names, sentence):
    person.drag(files(*names))
    assert sentence in overlay_text(person)
    person.drop(files(*names))
    assert overlay_text(person) == []
    assert person.sees("errorBar")
    assert person.find("errorBar").property("text") == sentence
    assert engine.loads == []


def test_an_address_is_refused(person, engine):
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/model.gguf")])
    person.drop(data)
    assert "on this computer" in person.find("errorBar").property("text")
    assert engine.inspected == []


def test_text_dropped_on_the_composer_stays_text(person, engine):
    data = QMimeData()
    data.setText("some words")
    composer = person.find("composer", QPlainTextEdit)
    person.drop(data, composer)
    assert composer.toPlainText() == "some words"
    assert not person.sees("errorBar")


def test_text_dropped_elsewhere_is_not_taken(person):
    data = QMimeData()
    data.setText("some words")
    assert not person.drag(data, person.find("sidebar")).isAccepted()
    assert overlay_text(person) == []


def test_with_a_main_model_the_right_half_is_for_the_draft(ready_person, engine, qtbot):
    ready_person.drag(files(OTHER))
    assert "Use as main model: gemma.gguf" in overlay_text(ready_person)
    assert "Use as draft: gemma.gguf" in overlay_text(ready_person)
    ready_person.drop(files(OTHER), ready_person.find("panelToggle"))
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    assert engine.loads[1].path == MODEL
    assert engine.loads[1].options.draft.path == OTHER


def test_the_left_half_replaces_the_main_model(ready_person, engine, qtbot):
    ready_person.drop(files(OTHER), ready_person.find("sidebar"))
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    assert engine.loads[1].path == OTHER


def test_why_a_file_cannot_draft_is_said_while_it_is_dragged(ready_person, engine, qtbot):
    reason = "Gemma cannot draft for this model: its tokens differ."
    candidate = DraftCandidate(OTHER, "Gemma", 9, PairVerdict(False, reason))
    engine.ranking = DraftRanking((candidate,), "")
    ready_person.drag(files(OTHER))
    qtbot.waitUntil(lambda: reason in overlay_text(ready_person))
    assert "Use as main model: gemma" in overlay_text(ready_person)
    ready_person.leave()


def test_without_a_main_model_there_is_one_zone(person):
    person.drag(files(OTHER))
    assert not any("draft" in text for text in overlay_text(person))
    person.leave()


def test_a_folder_is_for_its_models_wherever_it_is_dropped(ready_person, engine, qtbot, tmp_path):
    (tmp_path / "a.gguf").touch()
    ready_person.drag(files(tmp_path))
    assert overlay_text(ready_person)[0] == f"Add the models in {tmp_path.name}"
    assert not any("draft" in text for text in overlay_text(ready_person))
    ready_person.drop(files(tmp_path), ready_person.find("panelToggle"))
    status = ready_person.find("findStatus", QLabel)
    qtbot.waitUntil(lambda: status.text() == f"Found one model in {tmp_path.name}.")
    assert ready_person.sees("mainModelPopup")
    assert len(engine.loads) == 1


def put_model_folder(folder: Path) -> Path:
    folder.mkdir()
    for name in ("config.json", "model.safetensors"):
        (folder / name).touch()
    return folder


@pytest.mark.parametrize("dropped", [".", "model.safetensors"])
def test_a_folder_of_safetensors_is_a_model(person, engine, qtbot, tmp_path, dropped):
    folder = put_model_folder(tmp_path / "Qwen3-0.6B")
    person.drag(files(folder / dropped))
    assert overlay_text(person)[0] == "Use as main model: Qwen3-0.6B"
    person.drop(files(folder / dropped))
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    assert engine.loads[0].path == folder


def test_a_folder_with_gguf_files_beside_a_configuration_is_for_its_files(person, tmp_path):
    folder = put_model_folder(tmp_path / "model")
    (folder / "a.gguf").touch()
    person.drag(files(folder))
    assert overlay_text(person)[0] == "Add the models in model"


def test_safetensors_alone_are_refused_with_what_helps(person, engine, tmp_path):
    path = tmp_path / "model.safetensors"
    path.touch()
    person.drop(files(path))
    assert "Drop the folder" in person.find("errorBar").property("text")
    assert engine.loads == []

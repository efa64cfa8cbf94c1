"""Models that are listed: found on this computer, in watched folders, removed again."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QListView, QMenu, QPushButton

from app.bridge.types import ModelFileError
from app.itemmodels.model_list import FACTS_ROLE, FIT_ROLE, FIT_TOKEN_ROLE, PATH_ROLE
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.person import Person, files


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A person's own folder, in which no other program keeps anything yet."""
    home = tmp_path / "home"
    home.mkdir()
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(home))
    for variable in (
        *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "HF_HOME", "HF_HUB_CACHE"),
        *("LLAMA_CACHE", "OLLAMA_MODELS", "LOCALAPPDATA", "APPDATA"),
    ):
        monkeypatch.delenv(variable, raising=False)
    return home


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def rows(person):
    return person.find("mainModelPopup").findChild(QListView)


def listed(person):
    model = rows(person).model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def status(person):
    label = person.find("findStatus", QLabel)
    return label.text() if label.isVisible() else ""


def drop_folder(person, qtbot, folder):
    person.drop(files(folder))
    qtbot.waitUntil(lambda: "Found" in status(person))


def test_find_on_this_computer_lists_what_other_programs_keep(person, engine, qtbot, home):
    path = put(home / ".lmstudio/models/maker/model/a.gguf")
    broken = put(home / ".lmstudio/models/maker/model/b.gguf")
    engine.broken[broken] = ModelFileError("This is no model.")
    person.click("mainModelPicker")
    person.click("findModels")
    qtbot.waitUntil(lambda: status(person).startswith("Found one model in the folders of LM"))
    assert listed(person) == ["a"]
    assert rows(person).model().index(0, 0).data(PATH_ROLE) == str(path)
    assert engine.loads == []
    person.click("findModels")
    qtbot.waitUntil(lambda: status(person).endswith("listed already."))
    assert listed(person) == ["a"]


def test_it_says_so_where_nothing_is_found(person, qtbot, home):
    person.click("findOnComputer")
    assert person.sees("mainModelPopup")
    qtbot.waitUntil(lambda: status(person).startswith("No models in the folders of LM Studio"))


def test_a_search_can_be_stopped(person, qtbot, home):
    put(home / "jan/models/a.gguf")
    person.click("mainModelPicker")
    person.click("findModels")
    assert person.find("findModels", QPushButton).text() == "Stop looking"
    person.click("findModels")
    assert person.find("findModels", QPushButton).text() == "Find on this computer"
    qtbot.wait(20)
    assert "Found" not in status(person)


def test_what_was_found_is_listed_at_the_next_start_under_the_same_name(
    open_window, engine, qtbot, home
):
    put(home / "jan/models/Qwen3-4B/model.gguf")
    before = Person(open_window(engine), qtbot)
    before.click("findOnComputer")
    qtbot.waitUntil(lambda: listed(before) == ["Qwen3-4B"])
    assert listed(Person(open_window(FakeEngine()), qtbot)) == ["Qwen3-4B"]


def test_a_watched_folder_is_looked_at_again_when_the_list_opens(person, qtbot, tmp_path):
    folder = tmp_path / "models"
    put(folder / "a.gguf")
    drop_folder(person, qtbot, folder)
    person.find("mainModelPopup").hide()
    put(folder / "below" / "b.gguf")
    person.click("mainModelPicker")
    qtbot.waitUntil(lambda: listed(person) == ["a", "b"])


def test_a_folder_can_be_chosen_in_a_dialog(person, qtbot, tmp_path):
    put(tmp_path / "models" / "a.gguf")
    person.click("mainModelPicker")
    person.click("addModelFolder")
    dialog = person.window.findChild(QFileDialog)
    qtbot.waitUntil(dialog.isVisible)
    dialog.fileSelected.emit(str(tmp_path / "models"))
    dialog.reject()
    qtbot.waitUntil(lambda: listed(person) == ["a"])


def test_delete_removes_a_model_from_the_list_for_good(open_window, engine, qtbot, tmp_path):
    folder = tmp_path / "models"
    kept, removed = put(folder / "a.gguf"), put(folder / "b.gguf")
    person = Person(open_window(engine), qtbot)
    drop_folder(person, qtbot, folder)
    qtbot.keyClick(rows(person), Qt.Key.Key_Down)
    qtbot.keyClick(rows(person), Qt.Key.Key_Delete)
    assert listed(person) == ["a"]
    assert removed.is_file()
    again = Person(open_window(FakeEngine()), qtbot)
    again.click("mainModelPicker")
    put(folder / "c.gguf")
    again.find("mainModelPopup").hide()
    again.click("mainModelPicker")
    qtbot.waitUntil(lambda: listed(again) == ["a", "c"])
    assert kept.is_file()


def choose(person, name):
    view = rows(person)
    view.customContextMenuRequested.emit(view.visualRect(view.model().index(0, 0)).center())
    menu = person.window.findChild(QMenu, "modelMenu")
    next(action for action in menu.actions() if action.objectName() == name).trigger()
    menu.close()


def test_the_menu_of_a_model_removes_it_and_ends_watching(person, qtbot, tmp_path):
    folder = tmp_path / "models"
    put(folder / "a.gguf")
    drop_folder(person, qtbot, folder)
    choose(person, "unwatchFolder")
    put(folder / "b.gguf")
    person.find("mainModelPopup").hide()
    person.click("mainModelPicker")
    model = rows(person).model()
    qtbot.waitUntil(lambda: model.index(0, 0).data(FACTS_ROLE) != "")
    assert listed(person) == ["a"]
    choose(person, "removeModel")
    assert listed(person) == []


def test_nothing_is_asked_where_there_is_no_model(person):
    person.click("mainModelPicker")
    rows(person).customContextMenuRequested.emit(QPoint(5, 5))
    assert person.window.findChild(QMenu, "modelMenu") is None


def test_the_row_with_the_keyboard_keeps_it_while_others_come(person, qtbot, tmp_path):
    folder = tmp_path / "models"
    for name in ("a", "b"):
        put(folder / f"{name}.gguf")
    drop_folder(person, qtbot, folder)
    qtbot.keyClick(rows(person), Qt.Key.Key_Down)
    put(folder / "c.gguf")
    person.drop(files(folder))
    qtbot.waitUntil(lambda: listed(person) == ["a", "b", "c"])
    assert rows(person).currentIndex().row() in (0, 1)


def test_a_model_that_cannot_be_read_says_why(person, engine, qtbot, tmp_path):
    path = put(tmp_path / "models" / "a.gguf")
    drop_folder(person, qtbot, tmp_path / "models")
    engine.broken[path] = ModelFileError("This file is cut short.")
    broken = put(tmp_path / "models" / "b.gguf")
    engine.broken[broken] = ModelFileError("This file is cut short.")
    person.find("mainModelPopup").hide()
    person.click("mainModelPicker")
    description = Qt.ItemDataRole.AccessibleDescriptionRole
    model = rows(person).model()
    qtbot.waitUntil(lambda: model.index(1, 0).data(description) == "This file is cut short.")


@pytest.mark.parametrize(
    ("free_bytes", "fit", "token"),
    [
        (11_000_000_000, "Fits: needs 3.1 GB of 11.0 GB free", "good"),
        (3_200_000_000, "Tight: needs 3.1 GB of 3.2 GB free", "warn"),
        (2_000_000_000, "Too large: needs 2.3 GB of 2.0 GB free", "bad"),
    ],
    ids=["fits", "tight", "too large with one chat at once"],
)
def test_each_row_says_whether_the_model_would_fit(
    person, engine, qtbot, tmp_path, free_bytes, fit, token
):
    put(tmp_path / "models" / "a.gguf")
    engine.free_bytes = free_bytes
    drop_folder(person, qtbot, tmp_path / "models")
    row = rows(person).model().index(0, 0)
    description = Qt.ItemDataRole.AccessibleDescriptionRole
    qtbot.waitUntil(lambda: fit in row.data(description))
    assert row.data(FIT_TOKEN_ROLE) == token


def test_memory_is_looked_at_again_each_time_the_list_opens(person, engine, qtbot, tmp_path):
    put(tmp_path / "models" / "a.gguf")
    drop_folder(person, qtbot, tmp_path / "models")
    row = rows(person).model().index(0, 0)
    qtbot.waitUntil(lambda: row.data(FIT_ROLE).startswith("Fits"))
    person.find("mainModelPopup").hide()
    engine.free_bytes = 1_000_000
    person.click("mainModelPicker")
    qtbot.waitUntil(lambda: row.data(FIT_ROLE).startswith("Too large"))

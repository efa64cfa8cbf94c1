"""Which model is loaded at the start, and how files are chosen."""

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QFileDialog, QListView

from app.actions import models as model_actions
from app.bootstrap import build_application
from app.bridge.types import ModelFileError
from app.domain.draft import DraftChoice
from app.itemmodels.model_list import FACTS_ROLE
from app.settings.schema import DRAFTS, LAST_MODEL
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.person import Person


@pytest.fixture
def application(tmp_path, qtbot, engine):
    application = build_application(tmp_path / "data", engine)
    yield application
    application.window.close()
    qtbot.waitUntil(lambda: engine.closed)
    application.window.deleteLater()


def load_last(application):
    model_actions.load_last(application.session, application.window.announced)
    return application.session.model.loading


def problems_of(application):
    raised = []
    application.session.notices.raised.connect(raised.append)
    return raised


def test_nothing_is_loaded_at_the_first_start(application):
    assert load_last(application) is None


def test_the_model_used_last_is_loaded(application, tmp_path):
    path = tmp_path / "a.gguf"
    path.touch()
    application.session.settings.set(LAST_MODEL, str(path))
    assert load_last(application).path == path


def test_a_model_that_has_gone_is_named(application, tmp_path):
    raised = problems_of(application)
    application.session.settings.set(LAST_MODEL, str(tmp_path / "gone.gguf"))
    assert load_last(application) is None
    assert raised[0].sentence.startswith("gone.gguf, the model used last, is no longer in")


@pytest.mark.parametrize("dropped", [(2,), (3, 1, 2)])
def test_parts_of_a_split_model_that_are_dropped_go_by_the_first(application, tmp_path, dropped):
    parts = [tmp_path / f"big-{number:05}-of-00003.gguf" for number in (1, 2, 3)]
    for part in parts:
        part.touch()
    urls = [QUrl.fromLocalFile(str(parts[number - 1])) for number in dropped]
    model_actions.use_dropped(application.session, urls, application.window.announced)
    assert application.session.model.loading.path == parts[0]


def test_parts_of_two_models_are_not_one(application, tmp_path):
    raised = problems_of(application)
    urls = [QUrl.fromLocalFile(str(tmp_path / f"{name}-00001-of-00002.gguf")) for name in "ab"]
    model_actions.use_dropped(application.session, urls, application.window.announced)
    assert application.session.model.loading is None
    assert "one model at a time" in raised[0].sentence


def test_a_file_can_be_chosen_in_a_dialog(person, engine, qtbot, tmp_path):
    path = tmp_path / "chosen.gguf"
    path.touch()
    person.press(Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)
    dialog = person.window.findChild(QFileDialog)
    qtbot.waitUntil(dialog.isVisible)
    dialog.selectFile(str(path))
    dialog.accept()
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    assert engine.loads[0].path == path


def test_the_draft_chosen_for_a_model_is_loaded_with_it(application, tmp_path):
    main, draft = tmp_path / "main.gguf", tmp_path / "draft.gguf"
    for path in (main, draft):
        path.touch()
    application.session.settings.set(LAST_MODEL, str(main))
    application.session.settings.set(DRAFTS, {str(main): DraftChoice.model(draft)})
    assert load_last(application).draft == DraftChoice.model(draft)


def test_a_draft_that_has_gone_does_not_keep_its_main_model_from_loading(application, tmp_path):
    main = tmp_path / "main.gguf"
    main.touch()
    application.session.settings.set(LAST_MODEL, str(main))
    application.session.settings.set(DRAFTS, {str(main): DraftChoice.model(tmp_path / "gone")})
    assert load_last(application).path == main
    assert load_last(application).draft == DraftChoice()


def test_models_used_before_are_known_at_the_next_start(open_window, engine, qtbot, tmp_path):
    path = tmp_path / "a.gguf"
    path.touch()
    before = Person(open_window(engine), qtbot)
    before.drop_files([path])
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    engine.loads[0].finish()
    qtbot.waitUntil(lambda: rows(before) == ["a"])
    person = Person(open_window(FakeEngine()), qtbot)
    assert rows(person) == ["a"]
    path.unlink()
    person.click("mainModelPicker")
    list_ = person.find("mainModelPopup").findChild(QListView).model()
    qtbot.waitUntil(lambda: list_.index(0, 0).data(FACTS_ROLE) == "missing")


def rows(person):
    model = person.find("mainModelPopup").findChild(QListView).model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_a_draft_that_keeps_its_model_from_loading_is_left_out_the_next_time(
    application, engine, tmp_path, qtbot
):
    main, draft = tmp_path / "a.gguf", tmp_path / "draft.gguf"
    for path in (main, draft):
        path.touch()
    settings = application.session.settings
    settings.set(LAST_MODEL, str(main))
    settings.set(DRAFTS, {str(main): DraftChoice.model(draft)})
    load_last(application)
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    assert engine.loads[0].options.draft.path == draft
    engine.loads[0].fail(ModelFileError("The draft is cut short."))
    qtbot.waitUntil(lambda: application.session.model.loading is None)
    assert load_last(application).draft is None


def test_a_folder_that_was_used_last_is_loaded_under_its_whole_name(application, tmp_path):
    folder = tmp_path / "Tiny-1.5B"
    folder.mkdir()
    for name in ("config.json", "model.safetensors"):
        (folder / name).touch()
    application.session.settings.set(LAST_MODEL, str(folder))
    loading = load_last(application)
    assert (loading.path, loading.name) == (folder, "Tiny-1.5B")

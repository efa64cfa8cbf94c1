"""Which model is loaded at the start, and how files are chosen."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from app.actions import models as model_actions
from app.bootstrap import build_application
from app.settings.schema import LAST_MODEL
from tests.helpers.fake_engine import FakeEngine


@pytest.fixture
def application(tmp_path, qtbot, loop):
    engine = FakeEngine()
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

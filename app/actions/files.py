"""Choosing a model's file, and writing files for people."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.actions.session import Session
from app.bridge.model_places import model_at
from app.domain.problem import Problem
from app.settings.schema import LAST_MODEL


def choose_model_file(
    session: Session, window: QWidget, title: str, chosen: Callable[[Path], None]
) -> None:
    """Let the person choose a model's file, beginning where the last main model lies."""
    dialog = QFileDialog(window, title)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setNameFilter(QCoreApplication.translate("Models", "Models (*.gguf *.safetensors)"))
    if last := session.settings.get(LAST_MODEL):
        dialog.setDirectory(str(Path(last).parent))
    dialog.fileSelected.connect(lambda name: chosen(model_at(Path(name))))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def write_text(session: Session, path: Path, text: str) -> None:
    """Write a file that somebody asked for, or say why that cannot be."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        sentence = QCoreApplication.translate(
            "Chats", "{name} cannot be written in {folder}. Choose another place."
        )
        problem = Problem(sentence.format(name=path.name, folder=path.parent), str(error))
        session.notices.raised.emit(problem)

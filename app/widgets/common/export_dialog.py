"""Asks where something is to be written, as Markdown or as JSON."""

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QWidget

MAX_FILE_NAME = 60  # characters of a title that a file is named after


def ask_export(
    window: QWidget,
    title: str,
    name: str,
    chosen: Callable[[Path], None],
    filters: Mapping[str, str] | None = None,
) -> None:
    """Let the person choose a file, named after `name` at first.

    Args:
        window: what the dialog belongs to.
        title: of the dialog.
        name: what is exported.
        chosen: is told the file.
        filters: the endings of files by what people are told of them; the first at first.
    """
    filters = filters or {
        QCoreApplication.translate("Export", "Markdown, to read (*.md)"): ".md",
        QCoreApplication.translate("Export", "JSON, everything (*.json)"): ".json",
    }
    dialog = QFileDialog(window, title)
    dialog.setObjectName("exportDialog")
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilters(list(filters))
    dialog.setDefaultSuffix(next(iter(filters.values())))
    dialog.filterSelected.connect(lambda choice: dialog.setDefaultSuffix(filters[choice]))
    dialog.selectFile(_file_name(name))
    dialog.fileSelected.connect(lambda file: chosen(Path(file)))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def _file_name(title: str) -> str:
    """A title without what some system takes for more than a name."""
    kept = "".join(letter if letter.isalnum() or letter in " -_" else " " for letter in title)
    return " ".join(kept.split())[:MAX_FILE_NAME] or "export"

"""Asks for a name."""

from collections.abc import Callable

from PySide6.QtWidgets import QInputDialog, QWidget


def ask_name(
    window: QWidget, name: str, title: str, label: str, value: str, then: Callable[[str], None]
) -> None:
    """Open a dialog over the window, and hand over what was written if it was accepted.

    Args:
        window: what the dialog belongs to.
        name: the dialog's object name.
        title: of the dialog.
        label: what is asked for.
        value: what stands there at first.
        then: takes the name.
    """
    dialog = QInputDialog(window)
    dialog.setObjectName(name)
    dialog.setWindowTitle(title)
    dialog.setLabelText(label)
    dialog.setTextValue(value)
    dialog.textValueSelected.connect(then)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()

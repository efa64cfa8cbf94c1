"""What can be done at a place of a transcript."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from app.shortcuts import Shortcut
from app.widgets.chat.links import ask_to_open
from app.widgets.chat.selection import Selection
from app.widgets.chat.selection_keys import copy_markdown, copy_text
from app.widgets.chat.table_grid import TableGrid
from app.widgets.chat.text_view import TextView

if TYPE_CHECKING:
    from app.widgets.chat.transcript import Transcript


class TranscriptMenu(QMenu):
    """Copying, and what concerns the link under the mouse."""

    def __init__(self, transcript: "Transcript", place: QPoint) -> None:
        super().__init__(transcript)
        self.setObjectName("transcriptMenu")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if address := link_at(transcript.viewport(), place):
            clipboard = QGuiApplication.clipboard()
            self._add("openLink", self.tr("Open link…"), lambda: ask_to_open(transcript, address))
            self._add("copyLink", self.tr("Copy address"), lambda: clipboard.setText(address))
            self.addSeparator()
        self._offer_copies(transcript.marking.selection)
        self.addSeparator()
        self._add("findInChat", self.tr("Find in this chat…"), transcript.open_find, Shortcut.FIND)

    def _offer_copies(self, selection: Selection) -> None:
        text, source, everything = (
            self.tr("Copy"),
            self.tr("Copy as Markdown"),
            self.tr("Select all"),
        )
        actions = (
            self._add("copySelection", text, lambda: copy_text(selection), Shortcut.COPY),
            self._add(
                "copyMarkdown", source, lambda: copy_markdown(selection), Shortcut.COPY_MARKDOWN
            ),
        )
        for action in actions:
            action.setEnabled(bool(selection))
        self._add("selectAll", everything, selection.select_all, Shortcut.SELECT_ALL)

    def _add(
        self, name: str, text: str, act: Callable[[], object], keys: Shortcut | None = None
    ) -> QAction:
        action = self.addAction(text)
        action.setObjectName(name)
        action.triggered.connect(lambda: act())
        if keys:
            action.setShortcut(keys.sequence)
        return action


def link_at(viewport: QWidget, place: QPoint) -> str:
    """The address of the link at a point, if there is one."""
    child = viewport.childAt(place)
    while child and child is not viewport:
        inside = child.mapFrom(viewport, place)
        if isinstance(child, TextView):
            return child.anchorAt(inside)
        if isinstance(child, TableGrid):
            return child.link_at(inside)
        child = child.parentWidget()
    return ""

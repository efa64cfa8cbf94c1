"""Where an own message is written anew, in its place in the transcript."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from app.domain.attachment import joined, separated
from app.shortcuts import Shortcut
from app.theme.theme import Theme
from app.widgets.chat.composer import ComposerEdit
from app.widgets.chat.own_files import OwnFiles
from app.widgets.common.buttons import ThemedButton


class MessageEditor(QFrame):
    """The text with *Send* and *Cancel*. Enter sends, Escape cancels. Files go along as they were.

    Signals:
        submitted: what is to be said instead.
        cancelled: the message stays as it was.
        changed: the text is another one.
        resized: its height may be another one now.
    """

    submitted = Signal(str)
    cancelled = Signal()
    changed = Signal()
    resized = Signal()

    def __init__(self, theme: Theme, message: str) -> None:
        super().__init__()
        text, self._attachments = separated(message)
        self.setProperty("look", "editor")
        self._edit = _EditorEdit()
        self._edit.setAccessibleName(self.tr("Your message, to be changed"))
        self._edit.setPlainText(text)
        self._edit.moveCursor(QTextCursor.MoveOperation.End)
        self._edit.submitted.connect(self._submit)
        self._edit.cancelled.connect(self.cancelled)
        self._edit.textChanged.connect(self.changed)
        self.setFocusProxy(self._edit)
        cancel = ThemedButton(theme, "cancelEdit", look="quiet", text=self.tr("Cancel"))
        cancel.describe(self.tr("Leave the message as it was"), Shortcut.STOP.label)
        cancel.clicked.connect(self.cancelled)
        send = ThemedButton(theme, "sendEdit", look="small", text=self.tr("Send"))
        send.describe(self.tr("Send it as another version"), Shortcut.SEND.label)
        send.clicked.connect(self._submit)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch()
        foot.addWidget(cancel)
        foot.addWidget(send)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 12, 12, 8)
        self._column.setSpacing(8)
        self._column.addWidget(self._edit)
        files = OwnFiles(theme)
        files.show_files(self._attachments)
        self._column.addWidget(files)
        self._column.addLayout(foot)

    @property
    def message(self) -> str:
        """What was written, with the files that go along."""
        return joined(self._edit.toPlainText(), self._attachments)

    def fit(self, width: int) -> int:
        """Lay the text out at `width`; returns the height."""
        self.resize(width, self.height())
        self.ensurePolished()
        self._column.activate()
        return self._column.sizeHint().height()

    def _submit(self) -> None:
        text = self._edit.toPlainText().strip()
        if text or self._attachments:
            self.submitted.emit(joined(text, self._attachments))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.resized.emit()
        return super().event(event)


class _EditorEdit(ComposerEdit):
    """As in the composer; Escape is for it as well.

    Signals:
        cancelled: Escape was pressed.
    """

    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__(takes_files=False)
        self.setObjectName("messageEditor")

    def event(self, event: QEvent) -> bool:
        is_key = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if is_key and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # else the window takes it, to stop a reply
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)

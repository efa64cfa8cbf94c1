"""Where messages are written, with send and stop in one place."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QFocusEvent,
    QFontMetrics,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QSizePolicy, QVBoxLayout

from app.domain.message import ContextUse
from app.shortcuts import Shortcut
from app.theme.fonts import Size, figure_font, interface_font
from app.theme.theme import Theme
from app.widgets.chat.stats import context_text
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import text_label

MAX_LINES = 10


class Composer(QFrame):
    """The frame around the text and its buttons.

    Signals:
        submitted: the text the person wants to send.
        stop_asked: the reply under way is to end.
    """

    submitted = Signal(str)
    stop_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("composerFrame")
        self.edit = ComposerEdit()
        self.edit.setAccessibleName(self.tr("Message"))
        self.edit.submitted.connect(self._submit)
        self.edit.focus_changed.connect(self._show_focus)
        self.edit.textChanged.connect(self._enable_send)
        self._context = text_label(figure_font(Size.SMALL), look="dim")
        self._context.setObjectName("contextUse")
        self._send = ThemedButton(
            theme, "sendButton", look="round", icon="arrow-up", token="button_text"
        )
        self._send.describe(self.tr("Send"), Shortcut.SEND.label)
        self._send.clicked.connect(self._submit)
        self._stop = ThemedButton(
            theme, "stopButton", look="round", icon="square", token="button_text", filled=True
        )
        self._stop.describe(self.tr("Stop"), Shortcut.STOP.label)
        self._stop.clicked.connect(self.stop_asked)
        self._lay_out()
        self.set_generating(False)
        self._enable_send()

    def set_generating(self, generating: bool) -> None:
        """Put *Stop* where *Send* was, or back."""
        had_focus = self._send.hasFocus() or self._stop.hasFocus()
        self._send.setVisible(not generating)
        self._stop.setVisible(generating)
        if had_focus:
            self.edit.setFocus()
        self._enable_send()

    def show_context(self, context: ContextUse | None) -> None:
        """Say how much of the context the conversation holds."""
        text = self.tr("Context {use}").format(use=context_text(context)) if context else ""
        self._context.setText(text)

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.setSpacing(12)
        foot.addStretch()
        foot.addWidget(self._context)
        foot.addWidget(self._send)
        foot.addWidget(self._stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 12, 8)
        column.setSpacing(0)
        column.addWidget(self.edit)
        column.addLayout(foot)

    def _submit(self) -> None:
        if self._send.isEnabled() and self._stop.isHidden():
            self.submitted.emit(self.edit.toPlainText())

    def _enable_send(self) -> None:
        self._send.setEnabled(bool(self.edit.toPlainText().strip()))

    def _show_focus(self, focused: bool) -> None:
        self.setProperty("active", "true" if focused else "false")
        self.style().polish(self)


class ComposerEdit(QPlainTextEdit):
    """The text itself: as tall as its lines, up to ten.

    Signals:
        submitted: Enter was pressed, outside the composition of an input method.
        focus_changed: whether it has the keyboard now.
    """

    submitted = Signal()
    focus_changed = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("composer")
        self.setFont(interface_font(Size.BODY))
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(0)
        self._composing = False
        self.textChanged.connect(self._fit_height)
        self._fit_height()

    def _fit_height(self) -> None:
        line_px = QFontMetrics(self.font()).lineSpacing()
        lines = min(MAX_LINES, max(1, int(self.document().size().height())))
        self.setFixedHeight(lines * line_px + 6)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        pressed = QKeySequence(event.keyCombination())
        if self._composing:
            super().keyPressEvent(event)
        elif _is_send(event):
            self.submitted.emit()
        elif pressed == Shortcut.NEW_LINE.sequence:
            self.insertPlainText("\n")
            self.ensureCursorVisible()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.ignore()  # files are for the window, which gets the event next
        else:
            super().dragEnterEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._fit_height)  # lines are broken anew after this event

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_changed.emit(False)


def _is_send(event: QKeyEvent) -> bool:
    pressed = QKeySequence(event.keyCombination().key())
    plain = event.modifiers() in (
        Qt.KeyboardModifier.NoModifier,
        Qt.KeyboardModifier.KeypadModifier,
    )
    return plain and pressed in (Shortcut.SEND.sequence, Shortcut.SEND_KEYPAD.sequence)

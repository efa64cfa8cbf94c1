"""Where messages are written, with send and stop in one place."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal
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

from app.bridge.main_model import MainModel
from app.domain.attachment import Attachment, joined, separated
from app.domain.message import ContextUse
from app.shortcuts import Shortcut
from app.theme.fonts import Size, figure_font, interface_font
from app.theme.theme import Theme
from app.widgets.chat.attachment_chips import AttachmentChips
from app.widgets.chat.stats import context_text
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import NameLabel

MAX_LINES = 10
LONG_PASTE = 2_000  # characters; what is longer goes along as a file


class Composer(QFrame):
    """The frame around the text, the files that go along and the buttons.

    Signals:
        submitted: the message the person wants to send, files included.
        changed: the message is another one.
        stop_asked: the reply under way is to end.
        attach_asked: files are wanted to go along.
        thinking_chosen: whether the model may reason before its replies.
        drafting_chosen: whether the next reply is drafted.
    """

    submitted = Signal(str)
    changed = Signal()
    stop_asked = Signal()
    attach_asked = Signal()
    thinking_chosen = Signal(bool)
    drafting_chosen = Signal(bool)

    def __init__(self, theme: Theme, model: MainModel) -> None:
        super().__init__()
        self.setObjectName("composerFrame")
        self.edit = ComposerEdit()
        self.edit.setAccessibleName(self.tr("Message"))
        self.edit.submitted.connect(self._submit)
        self.edit.focus_changed.connect(self._show_focus)
        self.edit.long_text_pasted.connect(self._attach_pasted)
        self._chips = AttachmentChips(theme, model)
        self._chips.left.connect(self.edit.setFocus)
        for signal in (self.edit.textChanged, self._chips.changed):
            signal.connect(self._enable_send)
            signal.connect(self.changed)
        self._make_buttons(theme)
        self._lay_out()
        self.set_generating(False)
        self._enable_send()

    @property
    def message(self) -> str:
        """What was written, with the files that go along."""
        return joined(self.edit.toPlainText(), self._chips.attachments)

    def show_message(self, message: str) -> None:
        """Let a message be written on, files included."""
        text, attachments = separated(message)
        self.edit.setPlainText(text)
        self._chips.show_attachments(attachments)

    def attach(self, attachments: Sequence[Attachment]) -> None:
        """Let files go along."""
        self._chips.show_attachments([*self._chips.attachments, *attachments])
        self.edit.setFocus()

    def show_thinking(self, thinking: bool | None) -> None:
        """Show whether the model may reason before its replies; None where it has no choice."""
        self._thinking.setVisible(thinking is not None)
        self._thinking.setChecked(bool(thinking))

    def show_drafting(self, drafting: bool | None) -> None:
        """Show whether the next reply is drafted; None where nothing drafts."""
        self._drafting.setVisible(drafting is not None)
        self._drafting.setChecked(bool(drafting))
        self._drafting.setText(self.tr("Draft") if drafting else self.tr("Draft off"))

    def _make_buttons(self, theme: Theme) -> None:
        attach = ThemedButton(theme, "attachButton", look="quiet", icon="plus", token="dim")
        attach.describe(self.tr("Attach text or code files"), Shortcut.ATTACH.label)
        attach.clicked.connect(self.attach_asked)
        self._attach = attach
        self._thinking = _switch(theme, "thinkingToggle", self.tr("Thinking"))
        self._thinking.setToolTip(self.tr("Let the model reason before its replies"))
        self._thinking.clicked.connect(self.thinking_chosen)
        self._drafting = _switch(theme, "draftToggle", self.tr("Draft"))
        self._drafting.setToolTip(
            self.tr("Whether the draft helps with the next reply; later ones are as the chat says")
        )
        self._drafting.clicked.connect(self.show_drafting)
        self._drafting.clicked.connect(self.drafting_chosen)
        self._context = NameLabel(figure_font(Size.SMALL))
        self._context.setProperty("look", "dim")
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
        foot.addWidget(self._attach)
        foot.addWidget(self._thinking)
        foot.addWidget(self._drafting)
        foot.addStretch()
        foot.addWidget(self._context)
        foot.addWidget(self._send)
        foot.addWidget(self._stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 12, 12, 8)
        column.setSpacing(0)
        body = QVBoxLayout()
        body.setContentsMargins(6, 0, 4, 0)  # so that the text begins where the first icon does
        body.setSpacing(8)
        body.addWidget(self._chips)
        body.addWidget(self.edit)
        column.addLayout(body)
        column.addLayout(foot)

    def _submit(self) -> None:
        if self._send.isEnabled() and self._stop.isHidden():
            self.submitted.emit(self.message)

    def _enable_send(self) -> None:
        has_text = bool(self.edit.toPlainText().strip())
        self._send.setEnabled(has_text or bool(self._chips.attachments))

    def _attach_pasted(self, text: str) -> None:
        taken = {attachment.name for attachment in self._chips.attachments}
        numbers = range(1, len(taken) + 2)
        names = (self.tr("pasted-{number}.txt").format(number=number) for number in numbers)
        self.attach([Attachment(next(name for name in names if name not in taken), text)])

    def _show_focus(self, focused: bool) -> None:
        self.setProperty("active", "true" if focused else "false")
        self.style().polish(self)


class ComposerEdit(QPlainTextEdit):
    """The text itself: as tall as its lines, up to ten.

    Signals:
        submitted: Enter was pressed, outside the composition of an input method.
        focus_changed: whether it has the keyboard now.
        files_pasted: paths of the files that were pasted.
        long_text_pasted: a text that is too long to be read here.
    """

    submitted = Signal()
    focus_changed = Signal(bool)
    files_pasted = Signal(list)
    long_text_pasted = Signal(str)

    def __init__(self, *, takes_files: bool = True) -> None:
        """With `takes_files` False, everything that is pasted becomes text."""
        super().__init__()
        self._takes_files = takes_files
        self.setObjectName("composer")
        self.setFont(interface_font(Size.BODY))
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(0)
        self._composing = False
        self._invitation = ""
        self.textChanged.connect(self._fit_height)
        self._fit_height()

    def setPlaceholderText(self, text: str) -> None:
        """Invite to write, on one line: without its middle where room is short."""
        self._invitation = text
        width = self.viewport().width() - 2
        fitting = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, width)
        super().setPlaceholderText(fitting)

    def _fit_height(self) -> None:
        line_px = QFontMetrics(self.font()).lineSpacing()
        lines = min(MAX_LINES, max(1, int(self.document().size().height())))
        self.setFixedHeight(lines * line_px + 6)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        pressed = QKeySequence(event.keyCombination())
        if self._composing and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return  # it ends the composition, which is for the input method to do
        if _is_send(event):
            self.submitted.emit()
        elif pressed == Shortcut.NEW_LINE.sequence:
            self.insertPlainText("\n")
            self.ensureCursorVisible()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or source.hasUrls()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Insert plain text, whatever it was; pasted files and long texts are told of instead."""
        urls = source.urls()
        has_files = bool(urls) and all(url.isLocalFile() for url in urls)
        if self._takes_files and has_files:
            self.files_pasted.emit([Path(url.toLocalFile()) for url in urls])
        elif self._takes_files and len(source.text()) > LONG_PASTE:
            self.long_text_pasted.emit(source.text())
        else:
            self.insertPlainText(source.text())
            self.ensureCursorVisible()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.ignore()  # files are for the window, which gets the event next
        else:
            super().dragEnterEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setPlaceholderText(self._invitation)
        QTimer.singleShot(0, self, self._fit_height)  # lines are broken anew after this event

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_changed.emit(False)


def _switch(theme: Theme, name: str, text: str) -> ThemedButton:
    """A button that stays pressed; not there until it means something."""
    switch = ThemedButton(theme, name, look="switch", text=text)
    switch.setAccessibleName(text)
    switch.setCheckable(True)
    switch.hide()
    return switch


def _is_send(event: QKeyEvent) -> bool:
    pressed = QKeySequence(event.keyCombination().key())
    plain = event.modifiers() in (
        Qt.KeyboardModifier.NoModifier,
        Qt.KeyboardModifier.KeypadModifier,
    )
    return plain and pressed in (Shortcut.SEND.sequence, Shortcut.SEND_KEYPAD.sequence)

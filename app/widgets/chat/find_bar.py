"""Finding in the chat in view: what to look for, how often it is there, and where."""

from PySide6.QtCore import QEvent, QLocale, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit

from app.shortcuts import Shortcut
from app.theme.fonts import Size, figure_font, interface_font
from app.theme.theme import Theme
from app.widgets.chat.finding import Finder
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import text_label
from app.widgets.common.speaking import announce

COUNT_PX = 88  # "9,999 of 9,999", so that nothing moves


class FindBar(QFrame):
    """A field over the messages, with the number of matches.

    Signals:
        wanted: what to look for; empty for nothing.
        toggled: whether it is shown now.
    """

    wanted = Signal(str)
    toggled = Signal(bool)

    def __init__(self, theme: Theme, finder: Finder) -> None:
        super().__init__()
        self.setObjectName("findBar")
        self.setProperty("look", "strip")
        self._finder = finder
        self._told: tuple[str, int | None] = "", None
        self._field = _FindField()
        self._field.textChanged.connect(self.wanted)
        self._field.stepped.connect(finder.step)
        self._field.closed.connect(self.close_bar)
        self._count = text_label(figure_font(Size.SMALL), look="dim")
        self._count.setObjectName("findCount")
        self._count.setMinimumWidth(COUNT_PX)
        self._count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._previous = self._step_button(theme, "findPrevious", "chevron-up", -1)
        self._previous.describe(self.tr("Previous match"), Shortcut.FIND_PREVIOUS.label)
        self._next = self._step_button(theme, "findNext", "chevron-down", +1)
        self._next.describe(self.tr("Next match"), Shortcut.FIND_NEXT.label)
        self._close = ThemedButton(theme, "findClose", look="quiet", icon="x", token="dim")
        self._close.describe(self.tr("Close"), Shortcut.STOP.label)
        self._close.clicked.connect(self.close_bar)
        self._lay_out()
        finder.found.connect(self._show_count)
        self.hide()

    def open_bar(self) -> None:
        """Take the keyboard, and look again for what was looked for last."""
        was_hidden = self.isHidden()
        self.show()
        self._field.setFocus()
        self._field.selectAll()
        if was_hidden:
            self.toggled.emit(True)
            self.wanted.emit(self._field.text())

    def close_bar(self) -> None:
        """Look for nothing any more."""
        self.hide()
        self.wanted.emit("")
        self.toggled.emit(False)

    def _step_button(self, theme: Theme, name: str, icon: str, offset: int) -> ThemedButton:
        button = ThemedButton(theme, name, look="quiet", icon=icon)
        button.clicked.connect(lambda: self._finder.step(offset))
        return button

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 4, 8, 4)
        row.setSpacing(4)
        row.addWidget(self._field, 1)
        for part in (self._count, self._previous, self._next, self._close):
            row.addWidget(part)
        row.insertSpacing(2, 4)

    def _show_count(self) -> None:
        finder = self._finder
        for button in (self._previous, self._next):
            button.setEnabled(bool(finder.matches))
        text = self._counted() if self._field.text() else ""
        self._count.setText(text)
        self._count.setAccessibleName(text)
        if text and finder.is_done:
            self._tell(text)

    def _tell(self, text: str) -> None:
        """Say where one is, but not how the count grows with a reply."""
        place = self._field.text(), self._finder.number
        if place != self._told:
            self._told = place
            announce(self._count, text)

    def _counted(self) -> str:
        finder, locale = self._finder, QLocale()
        if not finder.is_done:
            return self.tr("Searching…")
        if not finder.matches:
            return self.tr("Not found")
        count = locale.toString(len(finder.matches))
        if finder.number is None:
            return count
        number = locale.toString(finder.number + 1)
        return self.tr("{number} of {count}").format(number=number, count=count)


class _FindField(QLineEdit):
    """What to look for. Enter goes on, Shift+Enter back, Escape closes.

    Signals:
        stepped: how many matches to go on.
        closed: Escape was pressed.
    """

    stepped = Signal(int)
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("findField")
        self.setAccessibleName(self.tr("Find in this chat"))
        self.setPlaceholderText(self.tr("Find in this chat"))
        self.setFont(interface_font(Size.CONTROL))

    def event(self, event: QEvent) -> bool:
        is_override = event.type() is QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()  # else the window takes it, to stop a reply
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        goes_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match event.key():
            case Qt.Key.Key_Escape:
                self.closed.emit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.stepped.emit(-1 if goes_back else +1)
            case _:
                super().keyPressEvent(event)

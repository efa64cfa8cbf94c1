"""Every key of the window, in one table."""

from enum import StrEnum, unique

from PySide6.QtGui import QKeySequence


@unique  # two actions of one key would be one member with two names
class Shortcut(StrEnum):
    """Keys in Qt's portable notation; on macOS Ctrl stands for Command."""

    NEW_CHAT = "Ctrl+N"
    OPEN_MODEL = "Ctrl+O"
    MODEL_PICKER = "Ctrl+L"
    DRAFT_PICKER = "Ctrl+Shift+L"
    COMPARE = "Ctrl+D"
    SHOW_ACCEPTED = "Ctrl+Shift+U"
    FOCUS_COMPOSER = "Ctrl+J"
    SEND = "Return"
    SEND_KEYPAD = "Enter"
    NEW_LINE = "Shift+Return"
    ATTACH = "Ctrl+Shift+A"
    STOP = "Esc"
    REGENERATE = "Ctrl+R"
    CONTINUE_REPLY = "Ctrl+Shift+Return"
    EDIT_MESSAGE = "Ctrl+E"
    PREVIOUS_VERSION = "Alt+Left"
    NEXT_VERSION = "Alt+Right"
    COPY_REPLY = "Ctrl+Shift+C"
    COPY = "Ctrl+C"
    COPY_MARKDOWN = "Ctrl+Shift+M"
    SELECT_ALL = "Ctrl+A"
    FIND = "Ctrl+F"
    FIND_NEXT = "F3"
    FIND_PREVIOUS = "Shift+F3"
    NEXT_CHAT = "Ctrl+PgDown"
    PREVIOUS_CHAT = "Ctrl+PgUp"
    SEARCH_CHATS = "Ctrl+K"
    RENAME = "F2"
    DELETE_CHAT = "Ctrl+Shift+Backspace"
    NEXT_MESSAGE = "Alt+Down"
    PREVIOUS_MESSAGE = "Alt+Up"
    TOGGLE_SIDEBAR = "Ctrl+B"
    TOGGLE_PANEL = "Ctrl+Alt+B"
    QUIT = "Ctrl+Q"

    @property
    def sequence(self) -> QKeySequence:
        """As Qt's shortcuts take it."""
        return QKeySequence(self.value)

    @property
    def label(self) -> str:
        """As the system writes it, for hints beside a control."""
        return self.sequence.toString(QKeySequence.SequenceFormat.NativeText)

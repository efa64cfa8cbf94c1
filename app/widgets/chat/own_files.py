"""The files that went along with an own message, folded to their names."""

from collections.abc import Sequence

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.domain.attachment import Attachment
from app.itemmodels.model_facts import size_text
from app.theme.fonts import Size, figure_font, interface_font
from app.theme.theme import Theme
from app.widgets.common.labels import NameLabel, text_label

ICON_PX = 16
GAP_PX = 4


class OwnFiles(QWidget):
    """One line for each file: its name and size."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("messageFiles")
        self._theme = theme
        self._files: tuple[Attachment, ...] = ()
        self._lines: list[_FileLine] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, GAP_PX, 0, 0)
        self._column.setSpacing(GAP_PX)

    @property
    def spoken(self) -> str:
        """The names, as they are told to assistive technology."""
        return "\n".join(f"{file.name}, {size_text(file.num_bytes)}" for file in self._files)

    def show_files(self, files: Sequence[Attachment]) -> None:
        """Show these files; none hide the whole."""
        self.setVisible(bool(files))
        if tuple(files) == self._files:
            return
        for line in self._lines:
            line.setParent(None)
            line.deleteLater()
        self._files = tuple(files)
        self._lines = [_FileLine(self._theme, file) for file in files]
        for line in self._lines:
            self._column.addWidget(line)


class _FileLine(QFrame):
    def __init__(self, theme: Theme, file: Attachment) -> None:
        super().__init__()
        self.setProperty("look", "file")
        self._theme = theme
        self._icon = QLabel()
        name = NameLabel(interface_font(Size.CONTROL))
        name.setText(file.name)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(name, 1)
        row.addWidget(text_label(figure_font(Size.SMALL), size_text(file.num_bytes), "dim"))
        theme.changed.connect(self._fetch_icon)
        self._fetch_icon()

    def _fetch_icon(self) -> None:
        self._icon.setPixmap(self._theme.icon("file-text", "dim").pixmap(ICON_PX, ICON_PX))

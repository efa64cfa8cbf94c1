"""One sentence about what went wrong, with details for those who ask."""

from PySide6.QtCore import Property, Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent, QFontMetrics
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout

from app.domain.problem import Problem
from app.shortcuts import Shortcut
from app.theme.fonts import Size, code_font, interface_font
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import shorten_words, text_label

MAX_DETAILS_LINES = 8
DETAILS_FRAME_PX = 28  # the style sheet's padding and the document's margins, rounded up
ROW_HEIGHT_PX = 28


class ErrorBar(QFrame):
    """Shows the newest problem until it is dismissed."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("errorBar")
        self.setProperty("look", "alarm")
        self._theme = theme
        self._problem = Problem("")
        self._icon = QLabel()
        self._icon.setFixedHeight(ROW_HEIGHT_PX)
        self._sentence = text_label(interface_font(Size.CONTROL), wraps=True)
        self._sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._show_details = ThemedButton(
            theme, "errorDetails", look="quiet", text=self.tr("Details")
        )
        self._show_details.describe(self.tr("Show the details of this problem"))
        self._show_details.setCheckable(True)
        self._dismiss = ThemedButton(theme, "errorDismiss", look="quiet", icon="x", token="dim")
        self._dismiss.describe(self.tr("Dismiss"), Shortcut.STOP.label)
        self._dismiss.clicked.connect(self.hide)
        self._details = QPlainTextEdit()
        self._details.setReadOnly(True)
        self._details.setAcceptDrops(False)
        self._details.setFont(code_font(Size.SMALL))
        self._details.setObjectName("errorDetailsText")
        self._details.setAccessibleName(self.tr("Details"))
        self._show_details.toggled.connect(self._details.setVisible)
        self._lay_out()
        theme.changed.connect(self._fetch_icon)
        self._fetch_icon()
        self.hide()

    def show_problem(self, problem: Problem) -> None:
        """Show a problem in place of the one before."""
        self._problem = problem
        self._sentence.setText(shorten_words(problem.sentence))
        self.setAccessibleName(problem.sentence)
        self._details.setPlainText(problem.details)
        self._show_details.setVisible(bool(problem.details))
        wrapped = sum(1 + len(line) // 90 for line in problem.details.splitlines())
        lines = min(MAX_DETAILS_LINES, wrapped)
        line_px = QFontMetrics(self._details.font()).lineSpacing()
        self._details.setFixedHeight(lines * line_px + DETAILS_FRAME_PX)
        self._show_details.setChecked(False)
        self._details.hide()
        self.show()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    @Property(str)
    def details(self) -> str:
        return self._problem.details

    @Property(str)
    def text(self) -> str:
        return self._problem.sentence

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self._sentence.setMinimumHeight(ROW_HEIGHT_PX)
        row.addWidget(self._sentence, 1)
        row.addWidget(self._show_details, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._dismiss, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 8, 8)
        column.addLayout(row)
        column.addWidget(self._details)
        column.setSpacing(8)

    def _fetch_icon(self) -> None:
        self._icon.setPixmap(self._theme.icon("circle-alert", "bad").pixmap(16, 16))

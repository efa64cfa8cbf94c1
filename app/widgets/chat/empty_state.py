"""What an empty chat shows: where to drop a model and whom to ask, or that one is ready."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.bridge.main_model import MainModel
from app.shortcuts import Shortcut
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.chat.guide_offer import GuideOffer
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import NameLabel, text_label

TARGET_WIDTH_PX = 640
TARGET_HEIGHT_PX = 220
RADIUS_PX = 18


class EmptyState(QWidget):
    """Fills the pane of a chat without messages.

    Signals:
        browse_asked: the person wants to pick a file.
        find_asked: the person wants to know which models are on this computer already.
        where_asked: the person wants to know where models come from.
        question_asked: a question for the guide.
    """

    browse_asked = Signal()
    find_asked = Signal()
    where_asked = Signal()
    question_asked = Signal(str)

    def __init__(self, theme: Theme, model: MainModel, questions: Sequence[str]) -> None:
        super().__init__()
        self._model = model
        self._offer = GuideOffer(theme, questions)
        self._offer.asked.connect(self.question_asked)
        self._target = _DropTarget(theme)
        self._target.browse.clicked.connect(self.browse_asked)
        self._target.find_button.clicked.connect(self.find_asked)
        self._target.where.clicked.connect(self.where_asked)
        self._headline = NameLabel(interface_font(Size.TITLE, QFont.Weight.DemiBold))
        self._headline.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._line = text_label(interface_font(Size.BODY), look="dim")
        self._line.setAlignment(Qt.AlignmentFlag.AlignCenter)
        row = QHBoxLayout()
        row.addWidget(self._target)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(8)
        column.addStretch(1)
        column.addLayout(row)
        column.addWidget(self._headline)
        column.addWidget(self._line)
        column.addWidget(self._offer)
        column.addStretch(2)
        model.changed.connect(self._refresh)
        self._refresh()

    def offer_guide(self, offered: bool) -> None:
        """Show the guide's questions, or leave them out."""
        self._offer.setVisible(offered)

    def _refresh(self) -> None:
        loaded, loading = self._model.loaded, self._model.loading
        has_model = bool(loaded or loading)
        self._target.setVisible(not has_model)
        self._headline.setVisible(has_model)
        self._line.setVisible(has_model)
        if loaded:
            self._headline.setText(loaded.summary.name)
            self._line.setText(self.tr("Ready. What you write stays on this computer."))
        elif loading:
            self._headline.setText(loading.name)
            self._line.setText(self.tr("You can write already: it is sent when all is ready."))


class _DropTarget(QFrame):
    """The dashed field that stands for the whole window, which takes the drop."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("dropTarget")
        self.setMaximumWidth(TARGET_WIDTH_PX)
        self.setFixedHeight(TARGET_HEIGHT_PX)
        title = text_label(
            interface_font(Size.TITLE, QFont.Weight.DemiBold), self.tr("Drop a .gguf model here")
        )
        line = text_label(
            interface_font(Size.CONTROL),
            self.tr("It is used where it lies; nothing is copied or uploaded."),
            "dim",
        )
        self.browse = ThemedButton(theme, "browseButton", look="main", text=self.tr("Browse…"))
        self.browse.describe(self.tr("Browse for a model file"), Shortcut.OPEN_MODEL.label)
        self.browse.setMinimumWidth(160)
        self.find_button = ThemedButton(
            theme, "findOnComputer", text=self.tr("Find on this computer")
        )
        self.find_button.describe(
            self.tr("Look where LM Studio, Ollama, llama.cpp and others keep models")
        )
        self.find_button.setMinimumWidth(200)
        where = self.tr("No model yet? Where models come from")
        self.where = ThemedButton(theme, "whereModelsOpen", look="plain", text=where)
        self.where.setAccessibleName(where)
        buttons = QHBoxLayout()
        buttons.setSpacing(12)
        for button in (self.browse, self.find_button):
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setSpacing(0)
        column.addStretch()
        for widget, gap in ((title, 8), (line, 20)):
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
            column.addSpacing(gap)
        column.addLayout(buttons)
        column.setAlignment(buttons, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(8)
        column.addWidget(self.where, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(self._theme.colour("control_border"), 1.5)
        pen.setDashPattern([6, 4])
        painter.setPen(pen)
        painter.setBrush(self._theme.colour("code_ground"))
        area = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.drawRoundedRect(area, RADIUS_PX, RADIUS_PX)

"""The offer to ask the guide, with questions to begin with."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import text_label

STACK_BELOW_PX = 640  # the questions need it to stand side by side


class GuideOffer(QWidget):
    """Stands below the place where a model can be dropped.

    Signals:
        asked: a question to send.
    """

    asked = Signal(str)

    def __init__(self, theme: Theme, questions: Sequence[str]) -> None:
        super().__init__()
        self.setObjectName("guideOffer")
        line = text_label(
            interface_font(Size.BODY, QFont.Weight.DemiBold),
            self.tr("Or ask the built-in guide anything about Paceline; no download."),
            wraps=True,
        )
        line.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._row.setSpacing(12)
        self._row.addStretch()
        for number, question in enumerate(questions):
            chip = ThemedButton(theme, f"guideQuestion-{number}", look="suggestion", text=question)
            chip.setFont(interface_font(Size.CONTROL))
            chip.describe(self.tr("Ask the guide: {question}").format(question=question))
            chip.clicked.connect(lambda _=False, question=question: self.asked.emit(question))
            self._row.addWidget(chip, 0, Qt.AlignmentFlag.AlignHCenter)
        self._row.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 32, 0, 0)
        column.setSpacing(16)
        column.addWidget(line)
        column.addLayout(self._row)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = event.size().width() < STACK_BELOW_PX
        direction = QBoxLayout.Direction
        self._row.setDirection(direction.TopToBottom if is_narrow else direction.LeftToRight)

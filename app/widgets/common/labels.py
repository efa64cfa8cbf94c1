"""Labels and lines in the window's type."""

import re

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QToolTip, QWidget

from app.itemmodels.tooltips import plain_tooltip
from app.widgets.common.text_painting import paint_line

MAX_WORD = 40  # characters; a longer one in a sentence, such as a file's name, is shortened


def text_label(font: QFont, text: str = "", look: str = "", *, wraps: bool = False) -> QLabel:
    """A label that shows its text as it is: what looks like markup is not interpreted."""
    label = QLabel(text)
    dress(label, font, look)
    label.setWordWrap(wraps)
    return label


def dress(label: QLabel, font: QFont, look: str = "") -> None:
    """Let a label show its text as it is, in a font and in a look of the style sheet."""
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setFont(font)
    if look:
        label.setProperty("look", look)


class NameLabel(QLabel):
    """A name on one line, without its middle where room is short; `text()` stays whole.

    Pointed at, it tells what it leaves out.
    """

    def __init__(self, font: QFont) -> None:
        super().__init__()
        dress(self, font)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        is_cut = self.fontMetrics().horizontalAdvance(self.text()) > self.contentsRect().width()
        if isinstance(event, QHelpEvent) and is_cut and not self.toolTip():
            QToolTip.showText(event.globalPos(), plain_tooltip(self.text()), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_line(
            QPainter(self),
            self.contentsRect(),
            self.font(),
            self.palette().color(self.foregroundRole()),
            self.text(),
            side=self.alignment() & Qt.AlignmentFlag.AlignHorizontal_Mask,
            elide=Qt.TextElideMode.ElideMiddle,  # files of one model differ at the end
        )


def shorten_words(sentence: str) -> str:
    """Leave out the middle of words that are too long to break a line at."""
    half = MAX_WORD // 2
    return re.sub(rf"(\S{{{half}}})\S{{2,}}(\S{{{half}}})", r"\1…\2", sentence)


def hairline(orientation: Qt.Orientation = Qt.Orientation.Horizontal) -> QFrame:
    """A separator one pixel wide."""
    line = QFrame()
    line.setProperty("look", "hairline")
    if orientation is Qt.Orientation.Horizontal:
        line.setFixedHeight(1)
    else:
        line.setFixedWidth(1)
    return line


def keep_place(widget: QWidget) -> None:
    """Let a hidden widget keep its room, so that showing it moves nothing."""
    policy: QSizePolicy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    widget.setSizePolicy(policy)

"""What is around the messages of a transcript: a way to the end, the find bar, a bar at a hit."""

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.theme.theme import Theme
from app.widgets.chat.find_bar import FindBar
from app.widgets.chat.finding import Finder
from app.widgets.common.buttons import ThemedButton

JUMP_ABOVE_PX = 12
FIND_BAR_PX = 48
FIND_ROOM_PX = 56  # with what is below it
HIT_BAR_PX = 3
HIT_LEFT_PX = 16  # of its message


class Surroundings(QObject):
    """Holds the parts, and puts them in their places.

    Attributes:
        jump: goes to the end.
        find_bar: asks for words to find.
    """

    def __init__(self, area: QAbstractScrollArea, theme: Theme, finder: Finder) -> None:
        super().__init__(area)
        self._area = area
        self.jump = ThemedButton(theme, "jumpToEnd", look="float", icon="chevron-down")
        self.jump.describe(self.tr("Jump to the end"))
        self.jump.setParent(area)
        self.jump.hide()
        self.find_bar = FindBar(theme, finder)
        self.find_bar.setParent(area)
        self._hit_bar = QFrame(area.viewport())
        self._hit_bar.setObjectName("hitBar")
        self._hit_bar.hide()

    @property
    def room(self) -> int:
        """How much is taken above the messages, in pixels."""
        return 0 if self.find_bar.isHidden() else FIND_ROOM_PX

    def place(self, column_width: int) -> None:
        """Put everything where it belongs in the area as it is now."""
        size = self.jump.sizeHint()
        left = (self._area.width() - size.width()) // 2
        top = self._area.height() - size.height() - JUMP_ABOVE_PX
        self.jump.setGeometry(QRect(QPoint(left, top), size))
        left = (self._area.width() - column_width) // 2
        self.find_bar.setGeometry(left, 0, column_width, FIND_BAR_PX)

    def mark_hit(self, view: QWidget | None) -> None:
        """Put the bar beside a message, or away."""
        self._hit_bar.setVisible(view is not None)
        if view:
            left = view.x() - HIT_LEFT_PX
            self._hit_bar.setGeometry(left, view.y(), HIT_BAR_PX, view.height())

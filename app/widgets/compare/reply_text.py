"""The text of one reply of a comparison, as it would stand in a chat."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea

from app.domain.message import Message
from app.theme.theme import Theme
from app.widgets.chat.blocks_view import BlocksView
from app.widgets.chat.links import ask_to_open
from app.widgets.chat.marks import Marks
from app.widgets.chat.pointing import Pointing
from app.widgets.chat.reading import Reading
from app.widgets.chat.selection import Anchor, Selection
from app.widgets.chat.selection_keys import SelectionKeys
from app.widgets.chat.workshop import Workshop

AT_END_PX = 8


class ReplyText(QScrollArea):
    """Shows a reply as it grows, and follows it while its end is in sight."""

    def __init__(self, theme: Theme, workshop: Workshop) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._theme = theme
        self._follows = self._is_fitting = False
        self.verticalScrollBar().valueChanged.connect(self._note_place)
        # What is opaque can be scrolled without being painted again.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._blocks = BlocksView(theme, workshop)
        self._blocks.changed.connect(self._fit)
        self._blocks.link_asked.connect(lambda address: ask_to_open(self, address))
        self.setWidget(self._blocks)
        self._blocks.setAutoFillBackground(False)  # which `setWidget` turned on
        self._reading: Reading | None = None
        self._selection = Selection(lambda: [self._reading] if self._reading else [], self)
        self._selection.changed.connect(self._show_marks)
        Pointing(self, self._anchor_at, self._selection)
        SelectionKeys(self, self._selection, lambda: 0 if self._reading else None)

    def show_reply(self, reply: Message) -> None:
        """Show a reply as it is now."""
        if self._reading is None or self._reading.message is not reply:
            self._selection.clear()
            self._reading = Reading(reply)
            self.verticalScrollBar().setValue(0)
            self._follows = reply.is_pending
        document = self._reading.update()
        self._blocks.take_marks(self._marks)
        self._blocks.show_blocks(
            document.blocks, is_open=self._reading.is_open, thought_s=reply.thought_s
        )
        self.setAccessibleName("" if self._reading.is_open else self._reading.plain.text)
        self._fit()

    @property
    def _marks(self) -> Marks:
        selected = self._selection.span_in(0) if self._reading else None
        accepted = self._reading.accepted if self._reading else ()
        return Marks(selected, accepted=accepted, has_ground=True)

    def _show_marks(self) -> None:
        self._blocks.show_marks(self._marks)

    def _anchor_at(self, place: QPoint) -> Anchor | None:
        inside = self._blocks.mapFrom(self.viewport(), place)
        return Anchor(0, self._blocks.offset_at(inside)) if self._reading else None

    def _fit(self) -> None:
        self._is_fitting = True
        width, bar = self.viewport().width(), self.verticalScrollBar()
        self._blocks.resize(width, self._blocks.fit(width))
        if self._follows:
            bar.setValue(bar.maximum())
        self._is_fitting = False

    def _note_place(self, value: int) -> None:
        """Somebody scrolled."""
        if not self._is_fitting:
            self._follows = value >= self.verticalScrollBar().maximum() - AT_END_PX

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self.viewport()).fillRect(event.rect(), self._theme.colour("ground"))

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().scroll(dx, dy)  # moves what is painted already, and the reply with it
        super().scrollContentsBy(dx, dy)

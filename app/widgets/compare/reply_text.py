"""The text of one reply of a comparison, as it would stand in a chat."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea

from app.domain.message import Message
from app.theme.theme import Theme
from app.widgets.chat.blocks_view import BlocksView
from app.widgets.chat.links import ask_to_open
from app.widgets.chat.marks import Marks
from app.widgets.chat.reading import Reading
from app.widgets.chat.workshop import Workshop


class ReplyText(QScrollArea):
    """Shows a reply as it grows."""

    def __init__(self, theme: Theme, workshop: Workshop) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setProperty("look", "clear")
        self._blocks = BlocksView(theme, workshop)
        self._blocks.changed.connect(self._fit)
        self._blocks.link_asked.connect(lambda address: ask_to_open(self, address))
        self.setWidget(self._blocks)
        self._reading: Reading | None = None

    def show_reply(self, reply: Message) -> None:
        """Show a reply as it is now."""
        if self._reading is None or self._reading.message is not reply:
            self._reading = Reading(reply)
        document = self._reading.update()
        self._blocks.show_blocks(
            document.blocks, is_open=self._reading.is_open, thought_s=reply.thought_s
        )
        self._blocks.show_marks(Marks(accepted=self._reading.accepted, has_ground=True))
        self.setAccessibleName(self._reading.plain.text)
        self._fit()

    def _fit(self) -> None:
        width = self.viewport().width()
        self._blocks.resize(width, self._blocks.fit(width))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

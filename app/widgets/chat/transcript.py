"""The conversation in view. Follows the newest text only while its end is in sight."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.domain.conversation import Conversation
from app.domain.message import Message
from app.theme.theme import Theme
from app.widgets.chat.message_view import OwnMessageView, ReplyView, make_message_view

COLUMN_PX = 720
MARGIN_PX = 24
AT_END_PX = 8


class Transcript(QScrollArea):
    """The messages of one chat, in a column of at most 720 px.

    Signals:
        copy_asked: the message whose text is wanted on the clipboard.
        regenerate_asked: another last reply is wanted.
    """

    copy_asked = Signal(object)
    regenerate_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("transcript")
        self.setAccessibleName(self.tr("Conversation"))
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._theme = theme
        self._views: list[OwnMessageView | ReplyView] = []
        self._follows = True
        self._column_widget = QWidget()
        self._column = QVBoxLayout(self._column_widget)
        self._column.setContentsMargins(0, 8, 0, 24)
        self._column.setSpacing(24)
        self._column.addStretch()
        page = QWidget()
        self._page_row = QHBoxLayout(page)
        self._page_row.addWidget(self._column_widget)
        self.setWidget(page)
        bar = self.verticalScrollBar()
        bar.valueChanged.connect(self._note_place)
        bar.rangeChanged.connect(self._follow)

    def show_conversation(self, conversation: Conversation) -> None:
        """Show another chat, at its end."""
        while self._views:
            self._drop_last_view()
        self._follows = True
        for message in conversation.messages:
            self._append_view(message)
        self._mark_last()

    def add_message(self, message: Message) -> None:
        """Show one more message; an own one brings the end into sight."""
        self._append_view(message)
        self._mark_last()
        self.follow_end()

    def remove_last(self) -> None:
        """Take the last message away."""
        self._drop_last_view()
        self._mark_last()

    def refresh_message(self, index: int) -> None:
        """Show a message as it is now."""
        self._views[index].refresh()

    def follow_end(self) -> None:
        """Go to the end and stay there as text arrives."""
        self._follows = True
        self._follow()

    def _append_view(self, message: Message) -> None:
        view = make_message_view(self._theme, message, len(self._views))
        if isinstance(view, ReplyView):
            view.copy_asked.connect(lambda: self.copy_asked.emit(message))
            view.regenerate_asked.connect(self.regenerate_asked)
        view.fit(self._column_width())
        self._views.append(view)
        self._column.insertWidget(self._column.count() - 1, view)

    def _drop_last_view(self) -> None:
        view = self._views.pop()
        self._column.removeWidget(view)
        view.setParent(None)
        view.deleteLater()

    def _mark_last(self) -> None:
        for view in self._views:
            if isinstance(view, ReplyView):
                view.set_last(view is self._views[-1])

    def _column_width(self) -> int:
        bar_width = self.width() - self.viewport().width()
        return min(COLUMN_PX, self.viewport().width() - bar_width - 2 * MARGIN_PX)

    def _note_place(self, value: int) -> None:
        self._follows = value >= self.verticalScrollBar().maximum() - AT_END_PX

    def _follow(self) -> None:
        if self._follows:
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = self._column_width()
        bar_width = self.width() - self.viewport().width()
        # The column stays centred on the pane, above the composer, with or without a scroll bar.
        self._page_row.setContentsMargins(MARGIN_PX + bar_width, 0, MARGIN_PX, 0)
        self._column_widget.setFixedWidth(width)
        for view in self._views:
            view.fit(width)

"""One message on screen: own messages in a bubble at the right, replies plain on the ground."""

from PySide6.QtCore import Property, QLocale, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.domain.message import Message, MessageState, Role
from app.shortcuts import Shortcut
from app.theme.fonts import Size, figure_font, interface_font
from app.theme.theme import Theme
from app.widgets.chat.stats import stats_text
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import text_label
from app.widgets.common.plain_text import PlainText

MAX_OWN_CHARACTERS = 10_000  # shown of an own message: laying out 1 MB takes seconds
BUBBLE_SHARE = 0.8  # of the column, at most
BUBBLE_PADDING_PX = (16, 8, 16, 12)  # the text's own line spacing adds to the top


class MessageView(QWidget):
    """Base of both kinds. Its properties are what scripts and assistive technology read.

    Attributes:
        message: the message shown; call `refresh` after it has changed.
    """

    def __init__(self, message: Message, number: int, max_characters: int | None = None) -> None:
        super().__init__()
        self.message = message
        self.setObjectName(f"message-{number}")
        self._text = PlainText(interface_font(Size.BODY), max_characters)

    def refresh(self) -> None:
        """Show the message as it is now."""
        self._text.show_text(self.message.text)
        if not self.message.is_pending:
            self.setAccessibleName(self._text.toPlainText())

    @Property(str)
    def role(self) -> str:
        return self.message.role.value

    @Property(str)
    def state(self) -> str:
        return self.message.state.value

    @Property(str)
    def messageId(self) -> str:
        return self.message.id

    @Property(str)
    def text(self) -> str:
        return self._text.toPlainText()


class OwnMessageView(MessageView):
    """What the person wrote, as wide as it needs to be; of a very long text, the beginning."""

    def __init__(self, message: Message, number: int) -> None:
        super().__init__(message, number, MAX_OWN_CHARACTERS)
        self._text.setAccessibleName(self.tr("Your message"))
        self._bubble = QFrame()
        self._bubble.setProperty("look", "own")
        self._left_out = text_label(interface_font(Size.CONTROL), look="dim")
        self._left_out.setObjectName("leftOut")
        inner = QVBoxLayout(self._bubble)
        inner.setContentsMargins(*BUBBLE_PADDING_PX)
        inner.addWidget(self._text, alignment=Qt.AlignmentFlag.AlignLeft)
        inner.addWidget(self._left_out)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)  # what the bubble does not need, however short it is
        row.addWidget(self._bubble)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.refresh()

    def refresh(self) -> None:
        super().refresh()
        count = self._text.num_left_out
        self._left_out.setVisible(count > 0)
        text = self.tr("{count} more characters, sent but not shown")
        self._left_out.setText(text.format(count=QLocale().toString(count)))

    def fit(self, column_width: int) -> None:
        """Take the width that a column of `column_width` leaves."""
        left, _, right, _ = BUBBLE_PADDING_PX
        limit = int(column_width * BUBBLE_SHARE) - left - right
        self._text.setFixedWidth(self._text.ideal_width(limit))


class ReplyView(MessageView):
    """What the model wrote, with its figures and actions underneath once it is final.

    Signals:
        copy_asked: the reply is wanted on the clipboard.
        regenerate_asked: another answer is wanted.
    """

    copy_asked = Signal()
    regenerate_asked = Signal()

    def __init__(self, theme: Theme, message: Message, number: int) -> None:
        super().__init__(message, number)
        self._text.setAccessibleName(self.tr("Reply"))
        self._waiting = text_label(
            interface_font(Size.BODY), self.tr("Sent as soon as the model is ready."), "dim"
        )
        self._stats = text_label(figure_font(Size.CONTROL), look="dim", wraps=True)
        self._stats.setObjectName("statsLine")
        self._failure = text_label(
            interface_font(Size.CONTROL), self.tr("This reply broke off."), "bad"
        )
        self._actions = self._make_actions(theme)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        column.addWidget(self._waiting)
        column.addWidget(self._text)
        for part in (self._stats, self._failure, self._actions):
            column.addWidget(part)
        self._stats.setContentsMargins(0, 8, 0, 0)
        self._failure.setContentsMargins(0, 8, 0, 0)
        self.refresh()

    def refresh(self) -> None:
        super().refresh()
        message = self.message
        is_last_word = not message.is_pending
        self._waiting.setVisible(message.state is MessageState.QUEUED)
        self._text.setVisible(message.state is not MessageState.QUEUED and bool(message.text))
        self._stats.setVisible(is_last_word and message.stats is not None)
        if message.stats:
            self._stats.setText(stats_text(message.stats))
        self._failure.setVisible(message.state is MessageState.FAILED)
        self._actions.setVisible(is_last_word)
        self._copy.setVisible(bool(message.text))

    def set_last(self, is_last: bool) -> None:
        """Offer *Regenerate* on the newest reply alone."""
        self._regenerate.setVisible(is_last)

    def fit(self, column_width: int) -> None:
        """Replies take the whole column."""

    def _make_actions(self, theme: Theme) -> QWidget:
        self._copy = ThemedButton(theme, "copyReply", look="plain", text=self.tr("Copy"))
        self._copy.describe(self.tr("Copy this reply"), Shortcut.COPY_REPLY.label)
        self._copy.clicked.connect(self.copy_asked)
        self._regenerate = ThemedButton(
            theme, "regenerate", look="plain", text=self.tr("Regenerate")
        )
        self._regenerate.describe(self.tr("Answer again"), Shortcut.REGENERATE.label)
        self._regenerate.clicked.connect(self.regenerate_asked)
        actions = QWidget()
        row = QHBoxLayout(actions)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addWidget(self._copy)
        row.addWidget(self._regenerate)
        row.addStretch()
        return actions


def make_message_view(theme: Theme, message: Message, number: int) -> OwnMessageView | ReplyView:
    """The view that fits a message's role."""
    if message.role is Role.ASSISTANT:
        return ReplyView(theme, message, number)
    return OwnMessageView(message, number)

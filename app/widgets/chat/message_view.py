"""One message on screen: own messages in a bubble at the right, replies plain on the ground."""

from PySide6.QtCore import Property, QLocale, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.domain.message import Message, MessageState, Role
from app.shortcuts import Shortcut
from app.theme.fonts import Size, figure_font, interface_font
from app.theme.theme import Theme
from app.widgets.chat.blocks_view import BlocksView
from app.widgets.chat.reading import Reading
from app.widgets.chat.stack import natural_height, stack
from app.widgets.chat.stats import stats_text
from app.widgets.chat.workshop import Workshop
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import shorten_words, text_label
from app.widgets.common.plain_text import PlainText

MAX_OWN_CHARACTERS = 10_000  # shown of an own message: laying out 1 MB takes seconds
BUBBLE_SHARE = 0.8  # of the column, at most
BUBBLE_PADDING_PX = (16, 8, 16, 12)  # the text's own line spacing adds to the top
LEFT_OUT_GAP_PX = 4
FOOT_GAP_PX = 12


class MessageView(QWidget):
    """Base of both kinds. Its properties are what scripts and assistive technology read.

    Attributes:
        message: the message shown; call `refresh` after it has changed.

    Signals:
        changed: its height may be another one now.
    """

    changed = Signal()

    def __init__(self, message: Message, number: int) -> None:
        super().__init__()
        self.message = message
        self.setObjectName(f"message-{number}")

    def refresh(self) -> None:
        """Show the message as it is now."""
        raise NotImplementedError

    def fit(self, width: int) -> int:
        """Lay the message out in a column of `width`; returns its height."""
        raise NotImplementedError

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
        return self._source()

    def _source(self) -> str:
        """The message's text as it was written, as far as it is shown."""
        return self.message.text

    def _tell(self, spoken: str) -> None:
        """Give assistive technology what is painted, once all of it is there."""
        grows = self.message.state is MessageState.GENERATING
        self.setAccessibleName("" if grows else spoken)


class OwnMessageView(MessageView):
    """What the person wrote, as wide as it needs to be; of a very long text, the beginning."""

    def __init__(self, message: Message, number: int) -> None:
        super().__init__(message, number)
        self._text = PlainText(interface_font(Size.BODY), MAX_OWN_CHARACTERS)
        self._text.setAccessibleName(self.tr("Your message"))
        self._bubble = QFrame(self)
        self._bubble.setProperty("look", "own")
        self._left_out = text_label(interface_font(Size.CONTROL), look="dim")
        self._left_out.setObjectName("leftOut")
        inner = QVBoxLayout(self._bubble)
        inner.setContentsMargins(*BUBBLE_PADDING_PX)
        inner.setSpacing(LEFT_OUT_GAP_PX)
        inner.addWidget(self._text, alignment=Qt.AlignmentFlag.AlignLeft)
        inner.addWidget(self._left_out)
        self.refresh()

    def refresh(self) -> None:
        self._text.show_text(self.message.text)
        self._tell(self._text.toPlainText())
        count = self._text.num_left_out
        self._left_out.setVisible(count > 0)
        text = self.tr("{count} more characters, sent but not shown")
        self._left_out.setText(text.format(count=QLocale().toString(count)))

    def fit(self, width: int) -> int:
        left, top, right, bottom = BUBBLE_PADDING_PX
        limit = int(width * BUBBLE_SHARE) - left - right
        text_width = self._text.ideal_width(limit)
        self._text.setFixedWidth(text_width)
        height = top + self._text.height() + bottom
        if self._text.num_left_out:
            text_width = max(text_width, self._left_out.sizeHint().width())
            height += LEFT_OUT_GAP_PX + natural_height(self._left_out, text_width)
        bubble_width = left + text_width + right
        self._bubble.setGeometry(width - bubble_width, 0, bubble_width, height)
        return height

    def _source(self) -> str:
        return self._text.toPlainText()


class ReplyView(MessageView):
    """What the model wrote, with its figures and actions underneath once it is final.

    Signals:
        copy_asked: the reply is wanted on the clipboard.
        regenerate_asked: another answer is wanted.
        link_asked: the address of a link that was clicked.
    """

    copy_asked = Signal()
    regenerate_asked = Signal()
    link_asked = Signal(str)

    def __init__(self, theme: Theme, workshop: Workshop, reading: Reading, number: int) -> None:
        super().__init__(reading.message, number)
        self._reading = reading
        self._waiting = text_label(interface_font(Size.BODY), look="dim", wraps=True)
        self._waiting.setObjectName("waitingLine")
        self._blocks = BlocksView(theme, workshop)
        self._blocks.changed.connect(self.changed)
        self._blocks.link_asked.connect(self.link_asked)
        self._stats = text_label(figure_font(Size.CONTROL), look="dim", wraps=True)
        self._stats.setObjectName("statsLine")
        self._failure = text_label(interface_font(Size.CONTROL), look="bad", wraps=True)
        self._failure.setObjectName("failureLine")
        self._actions = self._make_actions(theme)
        for part in (self._waiting, self._blocks, self._stats, self._failure, self._actions):
            part.setParent(self)
        self.refresh()

    def refresh(self) -> None:
        message, reading = self.message, self._reading
        document = reading.update()
        self._blocks.show_blocks(
            document.blocks, is_open=reading.is_open, thought_s=reading.thought_s
        )
        self._blocks.setVisible(bool(document.blocks))
        is_last_word = not message.is_pending
        waits_for = self._waits_for()
        self._waiting.setText(waits_for)
        self._waiting.setVisible(bool(waits_for))
        self._stats.setVisible(is_last_word and message.stats is not None)
        if message.stats:
            self._stats.setText(stats_text(message.stats))
        self._failure.setText(shorten_words(message.failure))
        self._failure.setVisible(bool(message.failure))
        self._actions.setVisible(is_last_word)
        self._copy.setVisible(bool(message.text))
        if is_last_word:
            self._tell(self._spoken())
        elif self.accessibleName() != waits_for:
            self._tell(waits_for)

    def set_last(self, is_last: bool) -> None:
        """Offer *Regenerate* on the newest reply alone."""
        self._regenerate.setVisible(is_last)

    def fit(self, width: int) -> int:
        placed: list[tuple[QWidget, int, int, int]] = []
        if not self._blocks.isHidden():
            placed.append((self._blocks, 0, 0, self._blocks.fit(width)))
        rest = ((self._stats, FOOT_GAP_PX), (self._failure, FOOT_GAP_PX), (self._actions, 4))
        for part, gap in ((self._waiting, 0), *rest):
            if not part.isHidden():
                placed.append((part, 0, gap, natural_height(part, width)))
        return stack(placed, width)

    def _spoken(self) -> str:
        parts = (self._reading.plain.text, self._waits_for(), self.message.failure)
        return "\n".join(part for part in parts if part)

    def _waits_for(self) -> str:
        """What has to come before this reply can be written; empty when it does not wait."""
        if self.message.state is MessageState.QUEUED:
            return self.tr("Sent as soon as the model is ready.")
        if self.message.state is not MessageState.WAITING:
            return ""
        if self.message.ahead == 0:
            return self.tr("Waits until another chat has finished.")
        return self.tr("Waits until %n other chats have finished.", "", self.message.ahead + 1)

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


def make_message_view(
    theme: Theme, workshop: Workshop, reading: Reading, number: int
) -> OwnMessageView | ReplyView:
    """The view that fits a message's role."""
    if reading.message.role is Role.ASSISTANT:
        return ReplyView(theme, workshop, reading, number)
    return OwnMessageView(reading.message, number)

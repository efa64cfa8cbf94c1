"""A message on screen, and replies, which stand plain on the ground."""

from PySide6.QtCore import Property, QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtWidgets import QWidget

from app.domain.message import Message, MessageState
from app.shortcuts import Shortcut
from app.theme.fonts import Size, code_font, figure_font, interface_font
from app.theme.theme import Theme
from app.widgets.chat.blocks_view import BlocksView
from app.widgets.chat.marks import Marks
from app.widgets.chat.message_actions import ActionRow
from app.widgets.chat.message_requests import MessageRequests
from app.widgets.chat.reading import Reading
from app.widgets.chat.stack import keep_painted, natural_height, stack
from app.widgets.chat.stats import stats_text
from app.widgets.chat.workshop import Workshop
from app.widgets.common.labels import shorten_words, text_label

FOOT_GAP_PX = 12
LOOKING = (QEvent.Type.Enter, QEvent.Type.Leave, QEvent.Type.FocusIn, QEvent.Type.FocusOut)
Version = tuple[int, int]  # which of how many, from 1


class MessageView(QWidget):
    """Base of both kinds. Its properties are what scripts and assistive technology read.

    Attributes:
        message: the message shown; call `refresh` after it has changed.
        action_row: what can be done with it.

    Signals:
        changed: its height may be another one now.
    """

    changed = Signal()

    def __init__(
        self, theme: Theme, requests: MessageRequests, message: Message, number: int, of: Version
    ) -> None:
        super().__init__()
        self.message = message
        self.action_row = ActionRow(theme, of)
        self.action_row.setParent(self)
        self.action_row.stepped.connect(lambda step: requests.stepped.emit(message, step))
        self.setObjectName(f"message-{number}")
        keep_painted(self)

    @property
    def is_edited(self) -> bool:
        """Whether it is being written anew, so that its view must stay."""
        return False

    def set_last(self, is_last: bool) -> None:
        """Say whether no message follows."""

    def refresh(self) -> None:
        """Show the message as it is now."""
        raise NotImplementedError

    def fit(self, width: int) -> int:
        """Lay the message out in a column of `width`; returns its height."""
        raise NotImplementedError

    def show_marks(self, marks: Marks) -> None:
        """Mark stretches of the message in place of those before."""
        raise NotImplementedError

    def offset_at(self, place: QPoint) -> int:
        """The place in the message's text that is painted nearest to a point."""
        raise NotImplementedError

    def area_of(self, offset: int) -> QRect:
        """Where a place in the message's text is painted; what is folded there is unfolded."""
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

    def event(self, event: QEvent) -> bool:
        if event.type() in LOOKING:
            self.action_row.look_at(self.underMouse() or self.hasFocus())
        return super().event(event)

    def _source(self) -> str:
        """The message's text as it was written, as far as it is shown."""
        return self.message.text

    def _tell(self, spoken: str) -> None:
        """Give assistive technology what is painted, once all of it is there."""
        grows = self.message.state is MessageState.GENERATING
        self.setAccessibleName("" if grows else spoken)


class ReplyView(MessageView):
    """What the model wrote, with its figures and actions underneath once it is final.

    Signals:
        link_asked: the address of a link that was clicked.
    """

    link_asked = Signal(str)

    def __init__(
        self,
        theme: Theme,
        requests: MessageRequests,
        workshop: Workshop,
        reading: Reading,
        number: int,
        of: Version,
    ) -> None:
        super().__init__(theme, requests, reading.message, number, of)
        self._reading = reading
        self._waiting = text_label(interface_font(Size.BODY), look="dim", wraps=True)
        self._waiting.setObjectName("waitingLine")
        self._blocks = BlocksView(theme, workshop)
        self._blocks.changed.connect(self.changed)
        self._blocks.folded.connect(self._fold)
        self._blocks.link_asked.connect(self.link_asked)
        self._stats = text_label(figure_font(Size.CONTROL), look="dim", wraps=True)
        self._stats.setObjectName("statsLine")
        self._failure = text_label(interface_font(Size.CONTROL), look="bad", wraps=True)
        self._failure.setObjectName("failureLine")
        self._details = text_label(code_font(Size.SMALL), look="dim", wraps=True)
        self._details.setObjectName("failureDetailsText")
        self._details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._details.hide()
        self._legend = text_label(interface_font(Size.CONTROL), look="dim", wraps=True)
        self._legend.setObjectName("acceptedLegend")
        self._legend.setText(
            self.tr("Underlined: proposed by the draft, and what the main model says as well.")
        )
        self._add_actions(requests)
        foot = (self._stats, self._failure, self._details)
        for part in (self._legend, self._waiting, self._blocks, *foot):
            part.setParent(self)
        self.refresh()

    def refresh(self) -> None:
        message, reading = self.message, self._reading
        document = reading.update()
        self._blocks.show_blocks(
            document.blocks,
            is_open=reading.is_open,
            thought_s=message.thought_s,
            is_folded=reading.is_folded,
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
        self._details.setText(message.failure_details)
        self._show_details.setVisible(bool(message.failure_details))
        self.action_row.setVisible(is_last_word)
        self._copy.setVisible(bool(message.text))
        self._continue.setVisible(message.can_go_on)
        self._show_accepted.setVisible(is_last_word and bool(message.accepted))
        self._show_legend()
        if is_last_word:
            self._tell(self._spoken())
        elif self.accessibleName() != waits_for:
            self._tell(waits_for)

    def set_last(self, is_last: bool) -> None:
        self.action_row.keep_painted(is_last)

    def fit(self, width: int) -> int:
        placed: list[tuple[QWidget, int, int, int]] = []
        if not self._blocks.isHidden():
            placed.append((self._blocks, 0, 0, self._blocks.fit(width)))
        foot = (self._legend, self._stats, self._failure, self._details)
        rest = (*((part, FOOT_GAP_PX) for part in foot), (self.action_row, 4))
        for part, gap in ((self._waiting, 0), *rest):
            if not part.isHidden():
                placed.append((part, 0, gap, natural_height(part, width)))
        return stack(placed, width)

    def take_marks(self, marks: Marks) -> None:
        """Mark other stretches of the message from the next `refresh` on."""
        self._blocks.take_marks(marks)

    def show_marks(self, marks: Marks) -> None:
        self._blocks.show_marks(marks)

    def offset_at(self, place: QPoint) -> int:
        return self._blocks.offset_at(self._blocks.mapFrom(self, place))

    def area_of(self, offset: int) -> QRect:
        if self._reading.folds(offset):
            self._blocks.unfold()
        return self._blocks.area_of(offset).translated(self._blocks.pos())

    def _fold(self, is_folded: bool) -> None:
        self._reading.is_folded = is_folded
        if not self.message.is_pending:
            self._tell(self._spoken())

    def _spoken(self) -> str:
        parts = (self._reading.plain.text, self._waits_for(), self.message.failure)
        return "\n".join(part for part in parts if part)

    def _waits_for(self) -> str:
        """What has to come before this reply can be written; empty when it does not wait."""
        if self.message.state is MessageState.QUEUED:
            return self.tr("Sent as soon as the model is ready.")
        if self.message.state is not MessageState.WAITING:
            return ""
        if self.message.waits_for_bench:
            return self.tr("Waits until the bench has ended.")
        if self.message.ahead == 0:
            return self.tr("Waits until another chat has finished.")
        return self.tr("Waits until %n other chats have finished.", "", self.message.ahead + 1)

    def _add_actions(self, requests: MessageRequests) -> None:
        message, add = self.message, self.action_row.add
        described = self.tr("Copy this reply")
        self._copy = add("copyReply", self.tr("Copy"), described, Shortcut.COPY_REPLY)
        self._copy.clicked.connect(lambda: requests.copied.emit(message))
        described = self.tr("Answer again")
        again = add("regenerate", self.tr("Regenerate"), described, Shortcut.REGENERATE)
        again.clicked.connect(lambda: requests.regenerated.emit(message))
        described = self.tr("Let the reply go on")
        self._continue = add(
            "continueReply", self.tr("Continue"), described, Shortcut.CONTINUE_REPLY
        )
        self._continue.clicked.connect(lambda: requests.continued.emit(message))
        described = self.tr("Show the details of this problem")
        self._show_details = add("failureDetails", self.tr("Details"), described)
        self._show_details.setCheckable(True)
        self._show_details.toggled.connect(self._details.setVisible)
        self._show_details.toggled.connect(self.changed)
        described = self.tr("Show what the draft had proposed")
        self._show_accepted = add(
            "showAccepted", self.tr("Show accepted"), described, Shortcut.SHOW_ACCEPTED
        )
        self._show_accepted.setCheckable(True)
        self._show_accepted.clicked.connect(requests.accepted_shown)

    @property
    def has_accepted(self) -> bool:
        """Whether what drafts had proposed can be shown here."""
        return not self._show_accepted.isHidden()

    def show_accepted(self, shown: bool) -> None:
        """Say whether what drafts had proposed is marked."""
        self._show_accepted.setChecked(shown)
        text = self.tr("Hide accepted") if shown else self.tr("Show accepted")
        self._show_accepted.setText(text)
        self._show_legend()
        self.changed.emit()

    def _show_legend(self) -> None:
        is_marked = self._show_accepted.isChecked() and bool(self.message.accepted)
        self._legend.setVisible(is_marked and not self.message.is_pending)

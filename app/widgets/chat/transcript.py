"""The conversation in view. Only messages near what is seen have widgets.

Follows the newest text only while its end is in sight; otherwise what is read stays where it is.
"""

from itertools import takewhile

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from app.domain.conversation import Conversation
from app.domain.message import Message
from app.theme.theme import Theme
from app.widgets.chat.heights import TOP_PX, Heights, Place, estimate
from app.widgets.chat.keyboard import Keyboard
from app.widgets.chat.marking import Marking
from app.widgets.chat.message_requests import MessageRequests
from app.widgets.chat.message_view import ReplyView
from app.widgets.chat.own_message_view import OwnMessageView
from app.widgets.chat.pointing import Pointing
from app.widgets.chat.reading import Reading, readings_of
from app.widgets.chat.selection import Anchor
from app.widgets.chat.selection_keys import SelectionKeys
from app.widgets.chat.shown_views import ShownViews
from app.widgets.chat.surroundings import Surroundings
from app.widgets.chat.telling import EndTeller
from app.widgets.chat.transcript_menu import TranscriptMenu
from app.widgets.chat.workshop import Workshop

COLUMN_PX = 720
MARGIN_PX = 24
AT_END_PX = 8
STEP_PX = 50  # of the wheel and the arrow keys
SIGHT_PX = 24  # above and below what was found
MAX_ROUNDS = 20  # of measuring; each makes at least one height exact


class Transcript(QAbstractScrollArea):
    """The messages of one chat, in a column of at most 720 px.

    Attributes:
        requests: what people ask for at its messages.
        marking: what is selected and found in them.
    """

    def __init__(self, theme: Theme, workshop: Workshop) -> None:
        super().__init__()
        self.setObjectName("transcript")
        self.setAccessibleName(self.tr("Conversation"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._theme = theme
        self.requests = MessageRequests(self)
        self._chat = Conversation()
        self._readings: list[Reading] = []
        self._views = ShownViews(self, theme, self.requests, workshop)
        self._keyboard = Keyboard(self._views)
        self._heights = Heights()
        self._teller = EndTeller(self)
        self._place: Place | None = None  # None: at the end, which is followed
        self._is_arranging = False
        self._painted_top = 0
        # What is opaque can be scrolled without being painted again.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(self._look_around)
        self.marking = Marking(lambda: self._readings, self)
        self.marking.changed.connect(self._show_marks)
        self.requests.accepted_shown.connect(self.show_accepted)
        self._pointing = Pointing(self, self.anchor_at, self.marking.selection)
        SelectionKeys(self, self.marking.selection, lambda: self._keyboard.message)
        self._around = Surroundings(self, theme, self.marking.finder)
        self._around.jump.clicked.connect(self.follow_end)
        self._connect_finding()
        self.verticalScrollBar().setSingleStep(STEP_PX)
        self.verticalScrollBar().valueChanged.connect(self._note_place)

    def show_conversation(self, conversation: Conversation) -> None:
        """Show another chat, at its end."""
        self._chat = conversation
        self.marking.shows_accepted = conversation.details.shows_accepted
        self._read_path()
        self._place = None
        self._arrange()

    def show_path(self) -> None:
        """Show other versions of messages; where they begin stays in its place on the screen."""
        pairs = zip(self._readings, self._chat.messages, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0].message is pair[1], pairs))
        keyboard = self._keyboard.part_in(same)
        index = max(0, min(same, len(self._readings) - 1, len(self._chat.messages) - 1))
        above = self.verticalScrollBar().value() - self._heights.top(index)
        self._read_path(same)
        self._place = Place(index, above)
        self._arrange()
        self._keyboard.give(same, keyboard)

    def open_find(self) -> None:
        """Let words be found in this chat, if there are any."""
        if self.isVisible() and self._readings:
            self._around.find_bar.open_bar()

    def step_match(self, offset: int) -> None:
        """Go to the match after the one in sight, or to the one before."""
        if self._around.find_bar.isVisible():
            self.marking.finder.step(offset)
        else:
            self.open_find()

    def show_message(self, message_id: str, word: str) -> None:
        """Bring a message into sight and mark it, and the words in it that begin alike."""
        indices = (i for i, one in enumerate(self._readings) if one.message.id == message_id)
        index = next(indices, None)
        if index is not None:
            reading = self._readings[index]
            spans = reading.all_plain.find(word)
            self.marking.hit.mark(index, spans)
            begin = reading.painted[0].start if reading.painted else 0
            self.reveal(index, spans[0].start if spans else begin)

    def reveal(self, index: int, offset: int) -> None:
        """Bring a place of a message into sight, and hold it there."""
        if index not in self._views:
            self._place = Place(index, 0)
            self._arrange()
        area = self._views[index].area_of(offset)
        top = self.verticalScrollBar().value() - self._heights.top(index)
        page = self.viewport().height()
        if not top + SIGHT_PX <= area.top() <= area.bottom() <= top + page - SIGHT_PX:
            top = area.top() - page // 3
        self._place = Place(index, top)
        self._arrange()

    def anchor_at(self, place: QPoint) -> Anchor | None:
        """The place in the chat that is painted nearest to a point of the viewport."""
        area = self.viewport().rect()
        seen = QPoint(place.x(), max(area.top(), min(place.y(), area.bottom())))
        index = self._heights.at(self.verticalScrollBar().value() + seen.y())
        view = self._views.get(index)
        if view is None:
            return None
        return Anchor(index, view.offset_at(view.mapFrom(self.viewport(), seen)))

    def add_message(self, message: Message) -> None:
        """Show one more message, and with it the end."""
        self.marking.finder.look_later()
        self._readings.append(Reading(message))
        self._heights.append(estimate(message, self._column_width()))
        self._views.mark_last(len(self._readings) - 1)
        self.follow_end()

    def remove_last(self) -> None:
        """Take the last message away."""
        self._readings.pop()
        self._views.drop(len(self._readings))
        self._heights.pop()
        self._views.mark_last(len(self._readings) - 1)
        self.marking.reset()
        self._arrange()

    def refresh_message(self, index: int) -> None:
        """Show a message as it is now."""
        if view := self._views.get(index):
            if isinstance(view, ReplyView) and self.marking.shows_accepted:
                view.take_marks(self.marking.marks_in(index))
            view.refresh()
            self._measure(index)
        else:
            message = self._readings[index].message
            self._heights.set(index, estimate(message, self._column_width()))
        self._arrange()
        self.marking.finder.look_later()
        self._teller.look_at(self._readings[index].message)

    def edit(self, message: Message) -> None:
        """Let an own message be written anew, in its place."""
        index = next(i for i, one in enumerate(self._readings) if one.message is message)
        if not self._views.get(index):
            self._place = Place(index, -TOP_PX)
            self._arrange()
        view = self._views[index]
        if isinstance(view, OwnMessageView):
            view.edit()

    @property
    def edits(self) -> dict[str, str]:
        """What is being said instead of own messages, by their ids."""
        shown = {view.message.id for view in self._views.values()}
        waiting = self._chat.details.edits.items()
        return {id_: text for id_, text in waiting if id_ not in shown} | self._views.edits

    def show_accepted(self, shown: bool) -> None:
        """Mark what drafts had proposed in every reply, or do not."""
        self.marking.shows_accepted = shown
        for view in self._views.replies.values():
            view.show_accepted(shown)
        self._show_marks()

    def toggle_accepted(self) -> None:
        """Show what drafts had proposed, or do not any more."""
        if any(view.has_accepted for view in self._views.replies.values()):
            self.requests.accepted_shown.emit(not self.marking.shows_accepted)

    @property
    def message_in_hand(self) -> Message | None:
        """The message where the keyboard is."""
        index = self._keyboard.message
        return None if index is None else self._readings[index].message

    def follow_end(self) -> None:
        """Go to the end and stay there as text arrives."""
        self._place = None
        self._arrange()

    def go_beside(self, step: int) -> None:
        """Put the keyboard on the next message or the one before, and show its beginning."""
        if not self._readings:
            return
        focused = next((i for i, view in self._views.items() if view.hasFocus()), None)
        if focused is None:
            focused = self._seen(0)[1] + (1 if step < 0 else 0)
        index = max(0, min(focused + step, len(self._readings) - 1))
        self._place = Place(index, -TOP_PX)
        self._arrange()
        if self._is_at_end():
            self._place = None
        self._views[index].setFocus()

    def _arrange(self) -> None:
        """Make what is seen exact, put it in its place, and drop what is far away."""
        if self._is_arranging:
            return
        self._is_arranging = True
        for _ in range(MAX_ROUNDS):
            self._scroll_to_place()
            if not self._realise(*self._seen(0)):
                break
        self._position()
        first, last = self._seen(2 * self.viewport().height())
        for index in [i for i in self._views if not first <= i <= last]:
            if not self._is_in_use(index):
                self._views.drop(index)
        self._around.jump.setVisible(not self._is_at_end())
        self._is_arranging = False
        self._soon.start()

    def _is_in_use(self, index: int) -> bool:
        """Whether a view must stay wherever it is."""
        return self._views[index].is_edited or self._pointing.is_pressed_on(index)

    def _look_around(self) -> None:
        """Realise, one at a time, messages within a screen of what is seen."""
        first, last = self._seen(self.viewport().height())
        missing = [i for i in range(first, last + 1) if i not in self._views]
        if missing:
            self._realise(missing[-1], missing[-1])
            self._arrange()

    def _seen(self, margin: int) -> tuple[int, int]:
        """The first and the last message within `margin` pixels of what is seen."""
        if not self._readings:
            return 0, -1
        top = self.verticalScrollBar().value()
        bottom = top + self.viewport().height()
        return self._heights.at(top - margin), self._heights.at(bottom + margin)

    def _realise(self, first: int, last: int) -> bool:
        """Make the views that are missing; returns whether heights turned out otherwise."""
        changed = False
        for index in range(first, last + 1):
            if index not in self._views:
                self._make_view(index)
                changed |= self._measure(index)
        return changed

    def _make_view(self, index: int) -> None:
        reading = self._readings[index]
        id_ = reading.message.id
        edit = self._chat.details.edits.get(id_)
        view = self._views.make(index, reading, self._chat.version(id_), edit)
        view.set_last(index == len(self._readings) - 1)
        if isinstance(view, ReplyView):
            view.show_accepted(self.marking.shows_accepted)
        view.changed.connect(lambda: self._resized(index))
        if marks := self.marking.marks_in(index):
            view.show_marks(marks)

    def _resized(self, index: int) -> None:
        if index in self._views and not self._is_arranging:
            if self._views[index].is_edited:
                above = self.verticalScrollBar().value() - self._heights.top(index)
                self._place = Place(index, min(above, -TOP_PX))  # its beginning stays in sight
            self._measure(index)
            self._arrange()

    def _measure(self, index: int) -> bool:
        return self._heights.set(index, self._views[index].fit(self._column_width()))

    def _show_marks(self) -> None:
        for index, view in self._views.items():
            view.show_marks(self.marking.marks_in(index))
        self._place_hit_bar()

    def _place_hit_bar(self) -> None:
        index = self.marking.hit.message
        self._around.mark_hit(None if index is None else self._views.get(index))

    def _position(self) -> None:
        """Put the views where they belong."""
        width = self._column_width()
        left = (self.width() - width) // 2  # of the pane, above the composer, not of the viewport
        top = self.verticalScrollBar().value()
        if top != self._painted_top:
            self.viewport().scroll(0, self._painted_top - top)  # moves what is painted already
            self._painted_top = top
        for index, view in self._views.items():
            height = self._heights.height(index)
            view.setGeometry(left, self._heights.top(index) - top, width, height)
        self._place_hit_bar()

    def _scroll_to_place(self) -> None:
        bar, page = self.verticalScrollBar(), self.viewport().height()
        bar.setPageStep(page)
        bar.setRange(0, max(0, self._heights.total() - page))
        if self._place is None:
            bar.setValue(bar.maximum())
        else:
            bar.setValue(self._heights.top(self._place.index) + self._place.above)

    def _note_place(self, value: int) -> None:
        """Somebody scrolled."""
        if self._is_arranging:
            return
        if self._is_at_end():
            self._place = None
        else:
            index = self._heights.at(value)
            self._place = Place(index, value - self._heights.top(index))
        self._arrange()

    def _is_at_end(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - AT_END_PX

    def _read_path(self, same: int = 0) -> None:
        """Read the chat's messages anew, the first `same` of which are as they were."""
        for index in [i for i in self._views if i >= same]:
            self._views.drop(index)
        self._readings = readings_of(self._chat.messages, self._readings)
        kept = [self._heights.height(index) for index in range(same)]
        width = self._column_width()
        rest = [estimate(reading.message, width) for reading in self._readings[same:]]
        self._heights.replace(kept + rest)
        self._views.mark_last(len(self._readings) - 1)
        self.marking.reset()

    def _column_width(self) -> int:
        bar_width = self.width() - self.viewport().width()
        return min(COLUMN_PX, self.viewport().width() - bar_width - 2 * MARGIN_PX)

    def _connect_finding(self) -> None:
        finder, bar = self.marking.finder, self._around.find_bar
        bar.wanted.connect(lambda text: finder.look_for(text, self._seen(0)[0]))
        bar.toggled.connect(self._make_room)
        finder.gone_to.connect(lambda match: self.reveal(match.message, match.span.start))

    def _make_room(self, is_finding: bool) -> None:
        """Make room for the find bar, or close up; what is read stays where it is."""
        room = self._around.room - self.viewport().y()
        if self._place:
            self._place = Place(self._place.index, self._place.above + room)
        self.setViewportMargins(0, self._around.room, 0, 0)
        if not is_finding:
            self.setFocus()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        TranscriptMenu(self, event.pos()).popup(event.globalPos())

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self.viewport()).fillRect(event.rect(), self._theme.colour("ground"))

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Nothing to do: the views are placed by `_arrange`."""

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            return True  # views are placed by hand
        return super().viewportEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            width = self._column_width()
            self._heights.replace([estimate(one.message, width) for one in self._readings])
            for index in self._views:
                self._measure(index)
        self._around.place(self._column_width())
        self._arrange()

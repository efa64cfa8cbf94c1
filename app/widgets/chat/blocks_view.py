"""Blocks on screen: a widget for each section, kept for as long as its section stays."""

from collections.abc import Sequence

from PySide6.QtCore import QLocale, QPoint, QRect, QSignalBlocker, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.text.blocks import Block, CodeBlock, Reasoning, Table
from app.theme.theme import Theme
from app.widgets.chat.code_view import CodeView
from app.widgets.chat.marks import NO_MARKS, Marks
from app.widgets.chat.prose_view import ProseView
from app.widgets.chat.sections import Frame, Prose, Section, Sections
from app.widgets.chat.stack import keep_painted, natural_height, stack
from app.widgets.chat.table_view import TableView
from app.widgets.chat.workshop import Workshop
from app.widgets.common.buttons import ThemedButton

REASONING_INDENT_PX = 16
REASONING_GAP_PX = 8
BAR_PX = 3


class _Shown:
    """A section's view, and what it shows at which size; `width` is None if it may have changed."""

    def __init__(self, view: "SectionView") -> None:
        self.view = view
        self.section: Section = Prose(())
        self.is_open: bool | None = None
        self.width: int | None = None
        self.height = 0
        self.end = 0  # of the section's source
        self.marks: Marks | None = None  # None if they may have changed with the section


class BlocksView(QWidget):
    """The sections of a message under each other.

    Signals:
        changed: its height may be another one now.
        folded: whether the reasoning is folded now.
        link_asked: the address of a link that was clicked.
    """

    changed = Signal()
    folded = Signal(bool)
    link_asked = Signal(str)

    def __init__(self, theme: Theme, workshop: Workshop) -> None:
        super().__init__()
        self._theme = theme
        self._workshop = workshop
        self._sections = Sections()
        self._shown: list[_Shown] = []
        self._marks = self._told = NO_MARKS
        self._thought_s: float | None = None
        self._is_folded = True
        keep_painted(self)

    def show_blocks(
        self,
        blocks: Sequence[Block],
        *,
        is_open: bool,
        thought_s: float | None = None,
        is_folded: bool = True,
    ) -> None:
        """Show blocks; of those that are open, the last may still grow."""
        self._thought_s, self._is_folded = thought_s, is_folded
        sections = self._sections.of(blocks)
        while len(self._shown) > len(sections):
            self._drop(self._shown.pop().view)
        last = len(sections) - 1
        for index, section in enumerate(sections):
            self._show(index, section, is_open=is_open and index == last)
        self._pass_marks_on()

    def take_marks(self, marks: Marks) -> None:
        """Mark other stretches of the source from the next `show_blocks` on."""
        self._marks = marks

    def show_marks(self, marks: Marks) -> None:
        """Mark stretches of the source in place of those before."""
        self.take_marks(marks)
        self._pass_marks_on()

    def offset_at(self, place: QPoint) -> int:
        """The place in the source that is painted nearest to a point."""
        if not self._shown:
            return 0
        below = (one.view for one in self._shown if place.y() <= one.view.geometry().bottom())
        view = next(below, self._shown[-1].view)
        return view.offset_at(view.mapFrom(self, place))

    def area_of(self, offset: int) -> QRect:
        """Where a place in the source is painted."""
        for one in self._shown:
            if offset < one.section.end:
                return one.view.area_of(offset).translated(one.view.pos())
        return self.rect()

    def unfold(self) -> None:
        """Show the reasoning too."""
        for one in self._shown:
            if isinstance(one.view, ReasoningView):
                one.view.unfold()

    def _pass_marks_on(self) -> None:
        begin = self._told.first_change(self._marks)
        self._told = self._marks
        for one in self._shown:
            if one.marks is None or begin < one.end:
                one.marks = self._marks.within(one.section.start, one.end)
                one.view.show_marks(one.marks)

    def fit(self, width: int) -> int:
        """Place everything at `width`; returns the height."""
        placed: list[tuple[QWidget, int, int, int]] = []
        for one in self._shown:
            left = one.section.place.indent
            if one.width != width:
                one.width = width
                one.height = one.view.fit(width - left)
            placed.append((one.view, left, one.section.gap, one.height))
        return stack(placed, width)

    def _show(self, index: int, section: Section, *, is_open: bool) -> None:
        if index == len(self._shown):
            self._shown.append(_Shown(self._make(section)))
        one = self._shown[index]
        if not _can_show(one.view, section):
            self._drop(one.view)
            one = self._shown[index] = _Shown(self._make(section))
        if one.is_open == is_open and (one.section is section or one.section.is_same(section)):
            one.section = section
            return  # frozen
        one.section, one.is_open, one.width = section, is_open, None
        one.end, one.marks = section.end, None
        view = one.view
        if isinstance(view, ProseView) and isinstance(section, Prose):
            view.show_section(section, is_open=is_open)
        elif isinstance(view, ReasoningView) and isinstance(section, Frame):
            is_first = not any(isinstance(one.view, ReasoningView) for one in self._shown[:index])
            thought_s, is_folded = self._thought_s if is_first else None, self._is_folded
            view.show_section(section, is_open=is_open, thought_s=thought_s, is_folded=is_folded)
        elif isinstance(view, CodeView | TableView) and isinstance(section, Frame):
            view.show_section(section, is_open=is_open)

    def _refit(self, view: "SectionView") -> None:
        for one in self._shown:
            if one.view is view:
                one.width = None
        self.changed.emit()

    def _make(self, section: Section) -> "SectionView":
        view: SectionView
        if isinstance(section, Prose):
            view = ProseView(self._theme, self._workshop)
        elif isinstance(section.block, CodeBlock):
            view = CodeView(self._theme, self._workshop)
        elif isinstance(section.block, Table):
            view = TableView(self._theme, self._workshop)
        else:
            view = ReasoningView(self._theme, self._workshop)
            view.folded.connect(self.folded)
        view.changed.connect(lambda: self._refit(view))
        if not isinstance(view, CodeView):
            view.link_asked.connect(self.link_asked)
        view.setParent(self)
        view.show()
        return view

    def _drop(self, view: QWidget) -> None:
        view.hide()
        view.setParent(None)
        view.deleteLater()


class ReasoningView(QWidget):
    """What a model thought before its answer: one line, which unfolds.

    Signals:
        changed: its height may be another one now.
        folded: whether it is folded now.
        link_asked: the address of a link that was clicked.
    """

    changed = Signal()
    folded = Signal(bool)
    link_asked = Signal(str)

    def __init__(self, theme: Theme, workshop: Workshop) -> None:
        super().__init__()
        self._theme = theme
        self._workshop = workshop
        self._block: Reasoning | None = None
        self._is_open = False
        self._thought_s: float | None = None
        self._marks = NO_MARKS
        self._head = ThemedButton(theme, "reasoningToggle", look="plain")
        self._head.setParent(self)
        self._head.setCheckable(True)
        self._head.toggled.connect(self._toggle)
        self._body: BlocksView | None = None

    def show_section(
        self, section: Frame, *, is_open: bool, thought_s: float | None, is_folded: bool
    ) -> None:
        """Show a reasoning; `thought_s` is how long it took, where that is known."""
        if not isinstance(section.block, Reasoning):
            return
        self._block, self._is_open, self._thought_s = section.block, is_open, thought_s
        with QSignalBlocker(self._head):
            self._head.setChecked(not is_folded)
        self._show_head()
        self._show_body()

    def fit(self, width: int) -> int:
        """Place everything at `width`; returns the height."""
        size = self._head.sizeHint()
        self._head.setGeometry(0, 0, size.width(), natural_height(self._head, width))
        height = self._head.height()
        if self._body and self._head.isChecked():
            inner = width - REASONING_INDENT_PX
            body_height = self._body.fit(inner)
            top = height + REASONING_GAP_PX
            self._body.setGeometry(REASONING_INDENT_PX, top, inner, body_height)
            height = top + body_height
        return height

    def unfold(self) -> None:
        """Show what was thought."""
        self._head.setChecked(True)

    def show_marks(self, marks: Marks) -> None:
        """Mark stretches of the source in place of those before."""
        self._marks = marks
        if self._body:
            self._body.show_marks(marks)

    def offset_at(self, place: QPoint) -> int:
        """The place in the source that is painted nearest to a point."""
        if self._body and self._head.isChecked() and place.y() >= self._body.y():
            return self._body.offset_at(self._body.mapFrom(self, place))
        return self._block.start if self._block else 0

    def area_of(self, offset: int) -> QRect:
        """Where a place in the source is painted, if it is unfolded."""
        if self._body and self._head.isChecked():
            return self._body.area_of(offset).translated(self._body.pos())
        return self._head.geometry()

    def _show_head(self) -> None:
        mark = "▾" if self._head.isChecked() else "▸"
        self._head.setText(f"{mark} {self._summary()}")
        self._head.setAccessibleName(self._summary())

    def _summary(self) -> str:
        if self._block and not self._block.is_closed and self._is_open:
            return self.tr("Thinking…")
        if self._thought_s is None:
            return self.tr("Thought")
        seconds = QLocale().toString(self._thought_s, "f", 1)
        return self.tr("Thought for {seconds} s").format(seconds=seconds)

    def _show_body(self) -> None:
        if not self._head.isChecked() or not self._block:
            return
        if self._body is None:
            self._body = BlocksView(self._theme, self._workshop)
            self._body.setParent(self)
            self._body.changed.connect(self.changed)
            self._body.link_asked.connect(self.link_asked)
            self._body.show_marks(self._marks)
        self._body.show_blocks(self._block.blocks, is_open=not self._block.is_closed)
        self._body.show()

    def _toggle(self, unfolded: bool) -> None:
        self._show_head()
        self._show_body()
        if self._body:
            self._body.setVisible(unfolded)
        self.folded.emit(not unfolded)
        self.changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._body and self._head.isChecked():
            top = self._body.y()
            bar = QRect(0, top, BAR_PX, self._body.height())
            QPainter(self).fillRect(bar, self._theme.colour("hairline"))


SectionView = ProseView | CodeView | TableView | ReasoningView


def _can_show(view: "SectionView", section: Section) -> bool:
    """Whether a view is of the kind that a section needs."""
    if isinstance(section, Prose):
        return isinstance(view, ProseView)
    kinds = {CodeBlock: CodeView, Table: TableView, Reasoning: ReasoningView}
    return isinstance(view, kinds[type(section.block)])

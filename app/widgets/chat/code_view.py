"""Code in a frame: its language, a button that copies it, sideways scroll."""

import sys
from bisect import bisect_right

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent, QTextCursor, QTextLayout
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.text.blocks import CodeBlock
from app.text.highlight import CodeSpan
from app.text.offsets import Span, utf16_length
from app.theme.fonts import Size, interface_font
from app.theme.text_formats import CODE_LINE_PX, code_format, code_kind_format, line_format
from app.theme.theme import Theme
from app.widgets.chat.mark_painting import Ranges, cursor_over
from app.widgets.chat.marks import ACCEPTED, NO_MARKS, Marks, RunPlaces
from app.widgets.chat.sections import Frame
from app.widgets.chat.stack import keep_painted
from app.widgets.chat.text_view import TextView
from app.widgets.chat.workshop import CodeKey, Workshop
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import hairline, text_label

HEAD_PX = 32
PADDING_PX = 12
RADIUS_PX = 10  # of the frame's corners, in the style sheet too
SIGHT_PX = 40  # right of what was found
TOP_PX = 6  # the lines' own spacing adds to it


class CodeView(QFrame):
    """Shows one block of code.

    Signals:
        changed: its height may be another one now.
    """

    changed = Signal()

    def __init__(self, theme: Theme, workshop: Workshop) -> None:
        super().__init__()
        self.setProperty("look", "code")
        self._theme = theme
        self._workshop = workshop
        self._block: CodeBlock | None = None
        self._code = ""
        self._marks = NO_MARKS
        self._places = RunPlaces((), ())
        self._language = text_label(interface_font(Size.CONTROL), look="dim")
        self._language.setObjectName("codeLanguage")
        self.text_view = TextView(theme, self._marked, wraps=False)
        self.text_view.setObjectName("codeText")
        self._copy = ThemedButton(theme, "copyCode", look="plain", text=self.tr("Copy"))
        self._copy.describe(self.tr("Copy this code"))
        self._copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._code))
        self._lay_out()
        keep_painted(self)
        workshop.done.connect(self._take_colours)
        theme.changed.connect(self._wear_theme)
        self._wear_theme()

    def show_section(self, section: Frame, *, is_open: bool) -> None:
        """Show a block; of code that grew, only what is new is laid out."""
        block = section.block
        if not isinstance(block, CodeBlock) or block is self._block:
            return
        self._block = block
        self._places = RunPlaces(block.runs, [utf16_length(run.text) for run in block.runs])
        self._language.setText(self._title(block))
        is_code = block.tool is None
        self.text_view.setAccessibleName(self.tr("Code") if is_code else self._title(block))
        self._write("".join(run.text for run in block.runs))
        self._colour()

    def show_marks(self, marks: Marks) -> None:
        """Mark stretches of the source in place of those before."""
        begin = self._marks.first_change(marks)
        self._marks, self.text_view.is_marked = marks, bool(marks)
        if begin < sys.maxsize:
            self.text_view.paint_again(self._position_of(begin))

    def offset_at(self, place: QPoint) -> int:
        """The place in the source that is painted nearest to a point."""
        cursor = self.text_view.cursorForPosition(self.text_view.mapFrom(self, place))
        return self._places.offset(cursor.position())

    def area_of(self, offset: int) -> QRect:
        """Where the code of a place in the source is painted; scrolls sideways to it."""
        position = self._position_of(offset)
        cursor = cursor_over(self.text_view.document(), Span(position, position))
        self._scroll_sideways(self.text_view.cursorRect(cursor).x())
        area = self.text_view.cursorRect(cursor)
        return area.translated(self.text_view.mapTo(self, QPoint()))

    def fit(self, width: int) -> int:
        """Its height in pixels; code does not depend on the width but for its scroll bar."""
        document = self.text_view.document()
        bar = self.text_view.horizontalScrollBar()
        size = document.size()
        inner_width = width - 2 - 2 * PADDING_PX
        needs_bar = document.idealWidth() > inner_width
        policy = Qt.ScrollBarPolicy
        self.text_view.setHorizontalScrollBarPolicy(
            policy.ScrollBarAlwaysOn if needs_bar else policy.ScrollBarAlwaysOff
        )
        self.text_view.take_keys(needs_bar)
        bar_px = bar.sizeHint().height() if needs_bar else 0
        inner_height = round(size.height()) + bar_px
        below = PADDING_PX - bar_px // 2 + 1
        # Down to the frame's own end, over its line, which then need not be painted anew as lines
        # come; with a bar, which moves, all is painted anyway.
        self.text_view.setFixedHeight(inner_height if needs_bar else inner_height + below)
        return 1 + HEAD_PX + 1 + TOP_PX + inner_height + below

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What was its lower end is so no more; its sides move with its width."""
        super().resizeEvent(event)
        old = event.oldSize()
        if old.width() != self.width():
            self.update()
        else:
            self.update(0, old.height() - RADIUS_PX, self.width(), RADIUS_PX)

    def _title(self, block: CodeBlock) -> str:
        if block.tool is None:
            return block.language or self.tr("code")
        if not block.tool:
            return self.tr("Calling a tool…")
        return self.tr("Tool call: {name}").format(name=block.tool)

    def _position_of(self, offset: int) -> int:
        """The position of a place in the source."""
        found = self._places.positions(Span(offset, offset + 1))
        return found.start if found else 0

    def _marked(self, seen: Span) -> Ranges:
        """What is marked between two positions."""
        shown = self._places.source(seen)
        for span, kind in self._marks.within(shown.start, shown.end).each():
            if found := self._places.positions(span, only_whole=kind in ACCEPTED):
                yield found, kind

    def _scroll_sideways(self, x: int) -> None:
        """Bring a place into sight, in pixels of what is seen now."""
        bar, width = self.text_view.horizontalScrollBar(), self.text_view.viewport().width()
        if not 0 <= x < width - SIGHT_PX:
            bar.setValue(bar.value() + x - width // 2)

    def _lay_out(self) -> None:
        head = QWidget()
        head.setFixedHeight(HEAD_PX)
        row = QHBoxLayout(head)
        row.setContentsMargins(PADDING_PX, 0, PADDING_PX, 0)
        row.addWidget(self._language)
        row.addStretch()
        row.addWidget(self._copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 0)
        column.setSpacing(0)
        column.addWidget(head)
        column.addWidget(hairline())
        body = QVBoxLayout()
        body.setContentsMargins(PADDING_PX, TOP_PX, PADDING_PX, 0)
        body.addWidget(self.text_view)
        column.addLayout(body)
        column.addStretch()

    def _write(self, code: str) -> None:
        cursor = QTextCursor(self.text_view.document())
        with self.text_view.changing():
            cursor.beginEditBlock()
            if not code.startswith(self._code) or not self._code:
                cursor.select(QTextCursor.SelectionType.Document)
                cursor.removeSelectedText()
                cursor.setBlockFormat(line_format(CODE_LINE_PX))
                self._code = ""
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(code[len(self._code) :], code_format(self._theme.tokens))
            cursor.endEditBlock()
        self._code = code

    def _wear_theme(self) -> None:
        code, self._code = self._code, ""
        self._write(code)
        self._colour()

    def _take_colours(self, work: object) -> None:
        if self._block and self._block.is_closed and work == self._key():
            self._colour()

    def _key(self) -> CodeKey:
        return CodeKey(self._block.language if self._block else "", self._code)

    def _colour(self) -> None:
        if not self._block or not self._block.is_closed or not self._block.language:
            return
        spans = self._workshop.code_spans(self._key())
        if spans:
            self._paint_spans(spans)

    def _paint_spans(self, spans: tuple[CodeSpan, ...]) -> None:
        """Colour without laying out: the formats lie over the text."""
        tokens, document = self._theme.tokens, self.text_view.document()
        lines = self._code.split("\n")
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        formats: dict[int, list[QTextLayout.FormatRange]] = {}
        for span in spans:
            number = bisect_right(starts, span.start) - 1
            while number < len(lines) and starts[number] < span.end:
                line = lines[number]
                first = max(span.start - starts[number], 0)
                last = min(span.end - starts[number], len(line))
                one = QTextLayout.FormatRange()
                one.start = utf16_length(line[:first])
                one.length = utf16_length(line[first:last])
                one.format = code_kind_format(tokens, span.kind)
                formats.setdefault(number, []).append(one)
                number += 1
        for number, ranges in formats.items():
            document.findBlockByNumber(number).layout().setFormats(ranges)
        document.markContentsDirty(0, document.characterCount())

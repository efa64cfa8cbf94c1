"""An own message on screen: in a bubble at the right, or being written anew."""

from PySide6.QtCore import QLocale, QPoint, QRect, Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout

from app.domain.attachment import separated
from app.domain.message import Message
from app.shortcuts import Shortcut
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.chat.marks import Marks
from app.widgets.chat.message_editor import MessageEditor
from app.widgets.chat.message_requests import MessageRequests
from app.widgets.chat.message_view import MessageView, Version
from app.widgets.chat.own_files import OwnFiles
from app.widgets.chat.own_text import OwnText
from app.widgets.chat.stack import natural_height
from app.widgets.common.labels import text_label

MAX_OWN_CHARACTERS = 10_000  # shown of an own message: laying out 1 MB takes seconds
BUBBLE_SHARE = 0.8  # of the column, at most
BUBBLE_PADDING_PX = (16, 8, 16, 12)  # the text's own line spacing adds to the top
BUBBLE_LINE_PX = 45  # height of a bubble with one line
ACTIONS_GAP_PX = 12  # between the actions of an own message and its bubble
LEFT_OUT_GAP_PX = 4


class OwnMessageView(MessageView):
    """What the person wrote, as wide as it needs to be; of a very long text, the beginning."""

    def __init__(
        self, theme: Theme, requests: MessageRequests, message: Message, number: int, of: Version
    ) -> None:
        super().__init__(theme, requests, message, number, of)
        self._theme = theme
        self._requests = requests
        self._editor: MessageEditor | None = None
        self._text = OwnText(theme, MAX_OWN_CHARACTERS)
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
        self._files = OwnFiles(theme)
        inner.addWidget(self._files)
        described = self.tr("Say something else instead")
        edit = self.action_row.add("editMessage", self.tr("Edit"), described, Shortcut.EDIT_MESSAGE)
        edit.clicked.connect(self.edit)
        self.refresh()

    @property
    def is_edited(self) -> bool:
        return self._editor is not None

    @property
    def edited(self) -> str:
        """What is written instead of the message; empty where nothing is."""
        return self._editor.message if self._editor else ""

    def edit(self) -> None:
        """Let the message be written anew, in its place."""
        if self._editor is None:
            self.begin_edit(self.message.text)
        if self._editor:
            self._editor.setFocus()

    def begin_edit(self, text: str) -> None:
        """Show `text` to be written on; the keyboard stays where it is."""
        editor = MessageEditor(self._theme, text)
        editor.setParent(self)
        editor.submitted.connect(lambda text: self._requests.edited.emit(self.message, text))
        editor.cancelled.connect(self._end_edit)
        editor.resized.connect(self.changed)
        editor.changed.connect(self._requests.edit_changed)
        self._editor = editor
        self._show_editor()

    def _end_edit(self) -> None:
        if self._editor:
            self._editor.hide()
            self._editor.deleteLater()
            self._editor = None
            self._requests.edit_changed.emit()
            self._show_editor()
            self.setFocus()

    def _show_editor(self) -> None:
        for part in (self._bubble, self.action_row):
            part.setVisible(self._editor is None)
        if self._editor:
            self._editor.show()
        self.changed.emit()

    def refresh(self) -> None:
        written, files = separated(self.message.text)
        self._text.show_text(written)
        self._text.setVisible(bool(written))
        self._files.show_files(files)
        self._tell("\n".join(filter(None, [self._text.toPlainText(), self._files.spoken])))
        count = self._text.num_left_out
        self._left_out.setVisible(count > 0)
        text = self.tr("{count} more characters, sent but not shown")
        self._left_out.setText(text.format(count=QLocale().toString(count)))

    def fit(self, width: int) -> int:
        if self._editor:
            height = self._editor.fit(width)
            self._editor.setGeometry(0, 0, width, height)
            return height
        left, top, right, bottom = BUBBLE_PADDING_PX
        actions = self.action_row.sizeHint()
        most = min(int(width * BUBBLE_SHARE), width - actions.width() - ACTIONS_GAP_PX)
        limit = most - left - right
        text_width = self._text.ideal_width(limit)
        self._text.setFixedWidth(text_width)
        height = top + bottom - LEFT_OUT_GAP_PX
        for part in (self._text, self._left_out, self._files):
            if part.isHidden():
                continue
            if part is not self._text:
                text_width = max(text_width, min(limit, part.sizeHint().width()))
            part_px = part.height() if part is self._text else natural_height(part, text_width)
            height += LEFT_OUT_GAP_PX + part_px
        bubble_width = left + text_width + right
        self._bubble.setGeometry(width - bubble_width, 0, bubble_width, height)
        beside = width - bubble_width - ACTIONS_GAP_PX - actions.width()
        level = height - (BUBBLE_LINE_PX + actions.height()) // 2  # with the last line
        self.action_row.setGeometry(beside, level, actions.width(), actions.height())
        return height

    def show_marks(self, marks: Marks) -> None:
        self._text.show_marks(marks)

    def offset_at(self, place: QPoint) -> int:
        return self._text.offset_at(self._text.mapFrom(self, place))

    def area_of(self, offset: int) -> QRect:
        return self._text.area_of(offset).translated(self._text.mapTo(self, QPoint()))

    def _source(self) -> str:
        return self._text.toPlainText()

"""What the whole window has to say, above whatever it shows: a load under way, what went wrong."""

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.actions.session import Session
from app.theme.theme import Theme
from app.widgets.chat.transcript import COLUMN_PX, MARGIN_PX
from app.widgets.error_bar import ErrorBar
from app.widgets.load_strip import LoadStrip


class NoticeArea(QWidget):
    """Takes hardly any room while there is nothing to say."""

    def __init__(self, theme: Theme, session: Session) -> None:
        super().__init__()
        self.setObjectName("noticeArea")
        self.load_strip = LoadStrip(theme, session.model)
        self.error_bar = ErrorBar(theme)
        session.notices.raised.connect(self.error_bar.show_problem)
        session.notices.settled.connect(self.error_bar.hide)
        notices = QWidget()
        notices.setMaximumWidth(COLUMN_PX)
        stack = QVBoxLayout(notices)
        stack.setContentsMargins(0, 0, 0, 8)
        stack.setSpacing(8)
        stack.addWidget(self.load_strip)
        stack.addWidget(self.error_bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN_PX, 12, MARGIN_PX, 0)
        row.addWidget(notices)

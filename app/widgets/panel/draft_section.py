"""Whether the replies of the chat in view are drafted."""

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.actions import drafts as draft_actions
from app.actions.session import Session
from app.domain.draft import DraftKind
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.check_box import CheckBox
from app.widgets.common.labels import text_label


class DraftSection(QWidget):
    """A heading and the switch of this chat; there only where a draft is chosen."""

    def __init__(self, theme: Theme, session: Session) -> None:
        super().__init__()
        self._session = session
        self._switch = CheckBox(theme, "draftInChat", self.tr("Draft in this chat"))
        self._switch.setToolTip(
            self.tr("Other chats keep their own choice, and the models stay loaded.")
        )
        self._switch.toggled.connect(lambda wanted: draft_actions.draft_in_chat(session, wanted))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 8)
        column.setSpacing(8)
        heading = interface_font(Size.CONTROL, QFont.Weight.DemiBold)
        column.addWidget(text_label(heading, self.tr("Drafting")))
        column.addWidget(self._switch)
        session.drafts.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show what holds for the chat in view."""
        self.setVisible(self._session.drafts.choice.kind is not DraftKind.NONE)
        with QSignalBlocker(self._switch):
            self._switch.setChecked(self._session.chats.current.details.drafting)

"""The panel at the right: what the model is told in the chat in view, and how it chooses."""

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from app.actions import chats as chats_actions
from app.actions import presets as preset_actions
from app.actions.session import Session
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.labels import text_label
from app.widgets.panel.draft_section import DraftSection
from app.widgets.panel.preset_picker import PresetPicker
from app.widgets.panel.sampling_fields import SamplingFields

WIDTH_PX = 296
QWIDGETSIZE_MAX = 2**24 - 1  # Qt's own, which it does not tell Python
PADDING_PX = 16
SYSTEM_PROMPT_LINES = 6


class ChatPanel(QFrame):
    """Shows the chat in view; every change holds from its next reply on."""

    def __init__(self, theme: Theme, session: Session) -> None:
        super().__init__()
        self.setObjectName("chatPanel")
        self.setAccessibleName(self.tr("This chat"))
        self.fill(False)
        self._session = session
        self.system_prompt = _system_prompt_edit()
        self.system_prompt.setAccessibleName(self.tr("System prompt"))
        self.system_prompt.setPlaceholderText(
            self.tr("What the model is told before all else, such as “Answer briefly.”")
        )
        self.system_prompt.textChanged.connect(self._keep_system_prompt)
        self._picker = PresetPicker(theme, session)
        self._fields = SamplingFields()
        self._drafting = DraftSection(theme, session)
        self._shown_id = session.chats.current.id
        self._fields.changed.connect(
            lambda sampling: preset_actions.change_sampling(session, sampling, self._shown_id)
        )
        self._lay_out()
        session.chats.current_changed.connect(self._refresh)
        session.chats.changed.connect(self._refresh_if_current)
        session.settings.changed.connect(self._refresh)
        self._refresh()

    def fill(self, fills: bool) -> None:
        """Take all the room there is, where it is too short for the chat beside."""
        self.setMinimumWidth(WIDTH_PX)
        self.setMaximumWidth(QWIDGETSIZE_MAX if fills else WIDTH_PX)

    def _lay_out(self) -> None:
        inner = QWidget()
        inner.setObjectName("chatPanelInner")
        column = QVBoxLayout(inner)
        column.setContentsMargins(PADDING_PX, PADDING_PX, PADDING_PX, PADDING_PX)
        column.setSpacing(8)
        column.addWidget(_heading(self.tr("System prompt")))
        column.addWidget(self.system_prompt)
        column.addSpacing(8)
        column.addWidget(self._drafting)
        column.addWidget(_heading(self.tr("Sampling")))
        column.addWidget(self._picker)
        column.addWidget(self._fields)
        column.addWidget(
            text_label(
                interface_font(Size.SMALL),
                self.tr("Changes hold from the next reply on, in this chat alone."),
                "dim",
                wraps=True,
            )
        )
        column.addStretch()
        scroll = QScrollArea()
        scroll.setObjectName("chatPanelScroll")
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inner)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)

    def _keep_system_prompt(self) -> None:
        chats_actions.set_system_prompt(self._session, self.system_prompt.toPlainText())

    def _refresh_if_current(self, chat_id: str) -> None:
        if chat_id == self._session.chats.current.id:
            self._refresh()

    def _refresh(self) -> None:
        current = self._session.chats.current
        if current.id != self._shown_id:
            self._fields.finish()  # what is being written belongs to the chat before
            self._shown_id = current.id
        text = current.details.system_prompt
        if text != self.system_prompt.toPlainText().strip():
            with QSignalBlocker(self.system_prompt):
                self.system_prompt.setPlainText(text)
        self._drafting.refresh()
        self._picker.refresh()
        self._fields.show_sampling(
            preset_actions.sampling_in_view(self._session),
            preset_actions.preset_in_view(self._session),
        )


def _system_prompt_edit() -> QPlainTextEdit:
    edit = QPlainTextEdit()
    edit.setObjectName("systemPrompt")
    edit.setFont(interface_font(Size.CONTROL))
    edit.setTabChangesFocus(True)
    edit.setAcceptDrops(False)  # drops belong to the window
    line_px = QFontMetrics(edit.font()).lineSpacing()
    edit.setFixedHeight(SYSTEM_PROMPT_LINES * line_px + 24)
    return edit


def _heading(text: str) -> QWidget:
    return text_label(interface_font(Size.CONTROL, QFont.Weight.DemiBold), text)

"""The top row: main model and draft and, where the window is narrow, the way to the chats."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.bridge.drafts import Drafts
from app.bridge.main_model import MainModel
from app.shortcuts import Shortcut
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.draft_picker import DraftPicker
from app.widgets.model_picker import ModelPicker

HEIGHT_PX = 56


class TopRow(QWidget):
    """Holds the pickers; everything about models opens from here.

    Signals:
        sidebar_asked: the button that shows or hides the chats was pressed.
        panel_asked: the button that shows or hides the panel at the right was pressed.
        compare_toggled: whether Compare is to be shown in place of the chat.
    """

    sidebar_asked = Signal()
    panel_asked = Signal()
    compare_toggled = Signal(bool)

    def __init__(self, theme: Theme, model: MainModel, drafts: Drafts) -> None:
        super().__init__()
        self.setObjectName("topRow")
        self.setFixedHeight(HEIGHT_PX)
        self.picker = ModelPicker(theme, model)
        self.draft_picker = DraftPicker(theme, model, drafts)
        self.sidebar_button = ThemedButton(
            theme, "sidebarToggle", look="quiet", icon="panel-left", token="dim"
        )
        self.sidebar_button.describe(self.tr("Chats"), Shortcut.TOGGLE_SIDEBAR.label)
        self.sidebar_button.clicked.connect(self.sidebar_asked)
        self.panel_button = ThemedButton(
            theme, "panelToggle", look="quiet", icon="panel-right", token="dim"
        )
        self.panel_button.describe(self.tr("This chat's settings"), Shortcut.TOGGLE_PANEL.label)
        self.panel_button.clicked.connect(self.panel_asked)
        self.compare_button = ThemedButton(theme, "compareToggle", text=self.tr("Compare"))
        self.compare_button.setCheckable(True)
        self.compare_button.describe(
            self.tr("Compare answers with the draft and without it"), Shortcut.COMPARE.label
        )
        self.compare_button.toggled.connect(self.compare_toggled)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 16, 0)
        row.setSpacing(8)
        row.addWidget(self.sidebar_button)
        row.addWidget(self.picker)
        row.addWidget(self.draft_picker)
        row.addStretch()
        row.addWidget(self.compare_button)
        row.addWidget(self.panel_button)

    def leave_compare(self) -> None:
        """Go back to the chat."""
        self.compare_button.setChecked(False)

"""What stands beside the pages of the window: the sidebar, and the panel of the chat in view."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.settings.schema import PANEL_OPEN
from app.settings.store import Settings
from app.widgets.common.labels import hairline
from app.widgets.notice_area import NoticeArea
from app.widgets.pages.pages import Pages
from app.widgets.panel.chat_panel import ChatPanel
from app.widgets.sidebar import Sidebar
from app.widgets.top_row import TopRow

FOLD_BELOW_PX = 1000  # where there is room for one of them at most
ALONE_BELOW_PX = 700  # where the panel stands in place of the pages


class Sides(QWidget):
    """Lays out the window, and shows what there is room for."""

    def __init__(
        self,
        settings: Settings,
        sidebar: Sidebar,
        top_row: TopRow,
        middle: tuple[NoticeArea, Pages],
        panel: ChatPanel,
    ) -> None:
        super().__init__()
        self._settings = settings
        self._sidebar, self._sidebar_edge = sidebar, hairline(Qt.Orientation.Vertical)
        self._panel, self._panel_edge = panel, hairline(Qt.Orientation.Vertical)
        self._top_row = top_row
        self._notices, self._pages = middle
        self._is_narrow = False
        self._window_px = 0
        self._lay_out()
        top_row.sidebar_asked.connect(self.toggle_sidebar)
        top_row.panel_asked.connect(self.toggle_panel)
        self._pages.turned.connect(self._show_pages)

    def fit(self, window_px: int) -> None:
        """Show what there is room for in a window of this width."""
        is_first, self._window_px = not self._window_px, window_px
        is_narrow = window_px < FOLD_BELOW_PX
        if is_first or is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self.show_sidebar(not is_narrow)
            self._show_panel(not is_narrow and self._settings.get(PANEL_OPEN))
        self._place_panel()

    def show_sidebar(self, shown: bool) -> None:
        """Show the chats, or do not."""
        self._sidebar.setVisible(shown)
        self._sidebar_edge.setVisible(shown)
        self._top_row.sidebar_button.setVisible(self._is_narrow or not shown)

    def toggle_sidebar(self) -> None:
        """Show the chats, or do not any more."""
        self.show_sidebar(self._sidebar.isHidden())
        if self._is_narrow:
            self._show_panel(False)

    def toggle_panel(self) -> None:
        """Show the panel with the keyboard in it, or do not any more."""
        shown = self._panel.isHidden()
        self._show_panel(shown)
        if self._is_narrow:
            self.show_sidebar(False)
        else:
            self._settings.set(PANEL_OPEN, shown)
        if shown:
            self._panel.system_prompt.setFocus()
        else:
            self._pages.focus()

    def _show_pages(self) -> None:
        """Take away what stands in their place."""
        if self._pages.isHidden():
            self._show_panel(False)

    def _show_panel(self, shown: bool) -> None:
        self._panel.setVisible(shown)
        self._place_panel()

    def _place_panel(self) -> None:
        """Put the panel beside the pages, or in their place below the notices."""
        shown = not self._panel.isHidden()
        is_alone = shown and self._window_px < ALONE_BELOW_PX
        self._panel.fill(is_alone)
        self._panel_edge.setVisible(shown and not is_alone)
        self._pages.setVisible(not is_alone)
        directions = QBoxLayout.Direction
        self._below.setDirection(directions.TopToBottom if is_alone else directions.LeftToRight)
        self._below.setStretch(0, int(not is_alone))
        self._below.setStretchFactor(self._panel, int(is_alone))

    def _lay_out(self) -> None:
        middle = QVBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self._notices)
        middle.addWidget(self._pages, 1)
        self._below = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._below.setSpacing(0)
        self._below.addLayout(middle)
        self._below.addWidget(self._panel_edge)
        self._below.addWidget(self._panel)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self._top_row)
        right.addWidget(hairline())
        right.addLayout(self._below, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._sidebar)
        row.addWidget(self._sidebar_edge)
        row.addLayout(right, 1)

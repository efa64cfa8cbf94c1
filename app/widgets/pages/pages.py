"""What stands beside the chats: the chat in view, Compare, or another page."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedLayout, QWidget

from app.actions.session import Session
from app.bridge.engine_watch import EngineWatch
from app.bridge.size_fits import SizeFits
from app.theme.theme import Theme
from app.widgets.chat.chat_pane import ChatPane
from app.widgets.chat.workshop import Workshop
from app.widgets.compare.compare_pages import ComparePages
from app.widgets.pages.engine_page import EnginePage
from app.widgets.pages.side_page import SidePage
from app.widgets.pages.where_models_page import WhereModelsPage


class Pages(QWidget):
    """Shows one page at a time; all but the chat are made when they are first looked at.

    Signals:
        browse_asked: the person wants to pick a model's file.
        find_asked: the person wants to know which models are on this computer already.
        turned: a page was asked for, perhaps the one that is shown.
    """

    turned = Signal()
    browse_asked = Signal()
    find_asked = Signal()

    def __init__(
        self,
        theme: Theme,
        session: Session,
        workshop: Workshop,
        pane: ChatPane,
        watched: tuple[EngineWatch, SizeFits],
    ) -> None:
        super().__init__()
        self._theme = theme
        self._session = session
        self._workshop = workshop
        self._pane = pane
        self._watch, self._fits = watched
        self._compare: ComparePages | None = None
        self._engine: EnginePage | None = None
        self._where: WhereModelsPage | None = None
        self._is_comparing = False
        self._stack = QStackedLayout(self)
        self._stack.addWidget(pane)

    def show_compare(self, shown: bool) -> None:
        """Show Compare, or the chat."""
        self._is_comparing = shown
        self.go_back()

    def show_engine(self) -> None:
        """Show what the engine does."""
        if self._engine is None:
            self._engine = EnginePage(self._theme, self._watch)
            self._add(self._engine)
        self._show(self._engine)

    def show_where_models(self) -> None:
        """Show where models come from."""
        if self._where is None:
            self._where = WhereModelsPage(self._theme, self._fits)
            self._where.browse_asked.connect(self.browse_asked)
            self._where.find_asked.connect(self.find_asked)
            self._add(self._where)
        self._show(self._where)

    @property
    def shows_side_page(self) -> bool:
        """Whether a page stands before the chat and Compare."""
        return isinstance(self._stack.currentWidget(), SidePage)

    def go_back(self) -> None:
        """Show the chat again, or Compare, and give it the keyboard."""
        if self._is_comparing and self._compare is None:
            self._compare = ComparePages(self._theme, self._session, self._workshop)
            self._stack.addWidget(self._compare)
        self.turned.emit()
        shown = self._compare if self._is_comparing and self._compare else self._pane
        if shown is not self._stack.currentWidget():
            self._stack.setCurrentWidget(shown)
            self.focus()

    def focus(self) -> None:
        """Give the keyboard to what is done first on the page in sight."""
        page = self._stack.currentWidget()
        if isinstance(page, SidePage | ComparePages):
            page.focus()
        else:
            self._pane.composer.edit.setFocus()

    def _add(self, page: SidePage) -> None:
        page.left.connect(self.go_back)
        self._stack.addWidget(page)

    def _show(self, page: SidePage) -> None:
        self.turned.emit()
        self._stack.setCurrentWidget(page)
        page.focus()

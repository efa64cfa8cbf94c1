"""What stands in place of the chat while models are measured: Compare, or the bench."""

from PySide6.QtWidgets import QStackedLayout, QWidget

from app.actions.session import Session
from app.theme.theme import Theme
from app.widgets.bench.bench_view import BenchView
from app.widgets.chat.workshop import Workshop
from app.widgets.compare.compare_view import CompareView


class ComparePages(QWidget):
    """Compare first; the bench is made when it is first looked at."""

    def __init__(self, theme: Theme, session: Session, workshop: Workshop) -> None:
        super().__init__()
        self._theme = theme
        self._session = session
        self._compare = CompareView(theme, session, workshop)
        self._bench: BenchView | None = None
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._compare)
        self._compare.bench_asked.connect(self.show_bench)

    def show_bench(self) -> None:
        """Show the bench."""
        if self._bench is None:
            self._bench = BenchView(self._theme, self._session)
            self._bench.left.connect(self._show_compare)
            self._pages.addWidget(self._bench)
        self._pages.setCurrentWidget(self._bench)
        self._bench.focus()

    def focus(self) -> None:
        """Give the keyboard to what is done first on the page in sight."""
        if self._bench and self._pages.currentWidget() is self._bench:
            self._bench.focus()
        else:
            self._compare.edit.setFocus()

    def _show_compare(self) -> None:
        self._pages.setCurrentWidget(self._compare)
        self.focus()

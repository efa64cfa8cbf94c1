"""Files dragged over the window: what would happen, said before it happens."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent

from app.actions.drops import Refuse, judge
from app.bridge.main_model import MainModel
from app.bridge.problems import problem_from
from app.bridge.tasks import Tasks
from app.bridge.types import ModelSummary, PacelineError
from app.itemmodels.model_facts import facts
from app.widgets.drop_overlay import DropOverlay


class FileDrops(QObject):
    """Judges a drag by its file's name at once, and by its header as soon as that is read.

    Signals:
        dropped: the `QUrl`s that were dropped.
    """

    dropped = Signal(list)

    def __init__(
        self, overlay: DropOverlay, model: MainModel, tasks: Tasks, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._overlay = overlay
        self._model = model
        self._tasks = tasks
        self._dragged: Path | None = None

    def enter(self, event: QDragEnterEvent) -> None:
        """Take a drag that carries files, and say what dropping it would do."""
        if not event.mimeData().hasUrls():
            event.ignore()
            return
        self._explain(event.mimeData().urls())
        _accept(event)

    def move(self, event: QDragMoveEvent) -> None:
        """Go on taking it, wherever on the window it is."""
        _accept(event)

    def leave(self) -> None:
        """Forget the drag."""
        self._dragged = None
        self._overlay.hide()

    def drop(self, event: QDropEvent) -> None:
        """Hand over what was dropped."""
        self.leave()
        _accept(event)
        self.dropped.emit(event.mimeData().urls())

    def _explain(self, urls: Sequence[QUrl]) -> None:
        verdict = judge(urls)
        if isinstance(verdict, Refuse):
            self._dragged = None
            self._refuse(verdict.reason)
            return
        self._dragged = verdict.path
        self._welcome(verdict.path.name, self.tr("It is used where it lies."))
        self._tasks.start(self._read_header(verdict.path))

    async def _read_header(self, path: Path) -> None:
        show: Callable[[], None]
        try:
            summary = await self._model.inspect(path)
        except PacelineError as error:
            sentence = problem_from(error).sentence
            show = lambda: self._refuse(sentence)  # noqa: E731
        else:
            show = lambda: self._welcome_model(summary)  # noqa: E731
        if self._dragged == path:
            show()

    def _welcome_model(self, summary: ModelSummary) -> None:
        self._welcome(summary.name, f"{summary.architecture} · {facts(summary)}")

    def _welcome(self, name: str, line: str) -> None:
        self._overlay.welcome(self.tr("Use as main model: {name}").format(name=name), line)

    def _refuse(self, reason: str) -> None:
        self._overlay.refuse(self.tr("This cannot be used"), reason)


def _accept(event: QDropEvent) -> None:
    """Accept as a copy, or a link: to accept a move could make the source delete the file."""
    possible = event.possibleActions()
    copies = bool(possible & Qt.DropAction.CopyAction)
    event.setDropAction(Qt.DropAction.CopyAction if copies else Qt.DropAction.LinkAction)
    event.accept()

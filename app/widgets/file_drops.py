"""Files dragged over the window: what would happen, said before it happens."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent

from app.actions.drops import AddFolder, Refuse, exported_chats, judge, text_files
from app.bridge.drafts import Drafts
from app.bridge.main_model import MainModel
from app.bridge.problems import problem_from
from app.bridge.tasks import Tasks
from app.bridge.types import PacelineError
from app.itemmodels.model_facts import facts
from app.widgets.drop_overlay import DropOverlay, Zone


class FileDrops(QObject):
    """Judges a drag by its file's name at once, and by its header as soon as that is read.

    Signals:
        dropped: the `QUrl`s that were dropped to be used as main model.
        dropped_as_draft: those that were dropped to be used as draft.
        imported: paths of exported chats that were dropped.
        attached: paths of text files that were dropped to go along with a message.
        folder_dropped: path of a folder that was dropped for the models in it.
    """

    dropped = Signal(list)
    imported = Signal(list)
    attached = Signal(list)
    dropped_as_draft = Signal(list)
    folder_dropped = Signal(object)

    def __init__(
        self, overlay: DropOverlay, model: MainModel, drafts: Drafts, tasks: Tasks, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._overlay = overlay
        self._model = model
        self._drafts = drafts
        self._tasks = tasks
        self._dragged: Path | None = None

    def enter(self, event: QDragEnterEvent) -> None:
        """Take a drag that carries files, and say what dropping it would do."""
        if not event.mimeData().hasUrls():
            event.ignore()
            return
        urls = event.mimeData().urls()
        chats, texts = exported_chats(urls), text_files(urls)
        verdict = judge(urls)
        is_for_models = not texts and not isinstance(verdict, AddFolder)
        self._overlay.open(has_draft_zone=is_for_models and self._model.loaded is not None)
        if chats:
            self._offer_to_import(chats)
        elif texts:
            self._offer_to_attach(texts)
        elif isinstance(verdict, AddFolder):
            self._offer_to_list(verdict.path)
        else:
            self._explain(urls)
        self.move(event)

    def move(self, event: QDragMoveEvent) -> None:
        """Go on taking it, wherever on the window it is."""
        self._overlay.point_at(self._overlay.zone_at(event.position().toPoint()))
        _accept(event)

    def leave(self) -> None:
        """Forget the drag."""
        self._dragged = None
        self._overlay.hide()

    def drop(self, event: QDropEvent) -> None:
        """Hand over what was dropped."""
        zone = self._overlay.zone_at(event.position().toPoint())
        self.leave()
        _accept(event)
        urls = event.mimeData().urls()
        if chats := exported_chats(urls):
            self.imported.emit(list(chats))
        elif texts := text_files(urls):
            self.attached.emit(list(texts))
        elif isinstance(verdict := judge(urls), AddFolder):
            self.folder_dropped.emit(verdict.path)
        else:
            signal = self.dropped if zone is Zone.MAIN else self.dropped_as_draft
            signal.emit(urls)

    def _offer_to_import(self, paths: Sequence[Path]) -> None:
        self._dragged = None
        count = len(paths)
        title = self.tr("Import %n chats", "", count) if count > 1 else self.tr("Import this chat")
        line = self.tr("With all versions of all messages.")
        self._overlay.welcome(Zone.MAIN, title, line)

    def _offer_to_attach(self, paths: Sequence[Path]) -> None:
        self._dragged = None
        names = ", ".join(path.name for path in paths)
        title = self.tr("Attach to your message: {names}").format(names=names)
        self._overlay.welcome(Zone.MAIN, title, self.tr("Its text goes along with what you write."))

    def _offer_to_list(self, folder: Path) -> None:
        self._dragged = None
        title = self.tr("Add the models in {folder}").format(folder=folder.name)
        line = self.tr("They are listed and used where they lie; new ones appear by themselves.")
        self._overlay.welcome(Zone.MAIN, title, line)

    def _explain(self, urls: Sequence[QUrl]) -> None:
        verdict = judge(urls)
        if isinstance(verdict, Refuse):
            self._dragged = None
            for zone in Zone:
                self._refuse(zone, verdict.reason)
            return
        self._dragged = verdict.path
        for zone in Zone:
            self._welcome(zone, verdict.path.name, self.tr("It is used where it lies."))
        self._tasks.start(self._read_header(verdict.path))

    async def _read_header(self, path: Path) -> None:
        try:
            summary = await self._model.inspect(path)
        except PacelineError as error:
            if self._dragged == path:
                for zone in Zone:
                    self._refuse(zone, problem_from(error).sentence)
            return
        if self._dragged != path:
            return
        line = f"{summary.architecture} · {facts(summary)}"
        self._welcome(Zone.MAIN, summary.name, line)
        self._welcome(Zone.DRAFT, summary.name, line)
        verdict = await self._drafts.verdict_on(path)
        if verdict and self._dragged == path:
            show = self._welcome_draft if verdict.usable else self._refuse_draft
            show(summary.name, verdict.sentence)

    def _welcome(self, zone: Zone, name: str, line: str) -> None:
        if zone is Zone.MAIN:
            title = self.tr("Use as main model: {name}").format(name=name)
            self._overlay.welcome(zone, title, line)
        else:
            self._welcome_draft(name, line)

    def _welcome_draft(self, name: str, line: str) -> None:
        self._overlay.welcome(Zone.DRAFT, self.tr("Use as draft: {name}").format(name=name), line)

    def _refuse_draft(self, name: str, reason: str) -> None:
        title = self.tr("No draft for this main model: {name}").format(name=name)
        self._overlay.refuse(Zone.DRAFT, title, reason)

    def _refuse(self, zone: Zone, reason: str) -> None:
        self._overlay.refuse(zone, self.tr("This cannot be used"), reason)


def _accept(event: QDropEvent) -> None:
    """Accept as a copy, or a link: to accept a move could make the source delete the file."""
    possible = event.possibleActions()
    copies = bool(possible & Qt.DropAction.CopyAction)
    event.setDropAction(Qt.DropAction.CopyAction if copies else Qt.DropAction.LinkAction)
    event.accept()

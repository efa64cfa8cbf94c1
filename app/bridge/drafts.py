"""What drafts for the main model, and which files could."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.bridge.main_model import MainModel
from app.bridge.tasks import Tasks
from app.bridge.types import (
    Drafting,
    DraftRanking,
    EngineClient,
    LoadedModel,
    PacelineError,
    PairVerdict,
)
from app.domain.draft import DraftChoice, DraftKind, DraftSettings, DraftWay
from app.settings.schema import DRAFT_SETTINGS
from app.settings.store import Settings

METHODS = {
    DraftKind.NONE: (),
    DraftKind.TEXT: ("ngram-simple", "ngram-mod"),
    DraftKind.HEADS: ("mtp",),
    DraftKind.MODEL: ("draft",),
}
"""The engine's methods by where drafts come from, in the order in which they are asked."""

NOTHING_KNOWN = DraftRanking((), "")


def is_there(choice: DraftChoice, loaded: LoadedModel) -> bool:
    """Whether a model was loaded with what is to draft for it."""
    if not set(METHODS[choice.kind]) <= set(loaded.methods):
        return False
    return choice.path is None or (loaded.draft is not None and loaded.draft.path == choice.path)


class Drafts(QObject):
    """What drafts for the main model now, and what else could.

    Attributes:
        choice: what drafts; nothing where no main model is loaded.
        ranking: the files that might draft for the main model, the best first.

    Signals:
        changed: `choice` or `ranking` is another than before.
    """

    changed = Signal()

    def __init__(
        self,
        engine: EngineClient,
        model: MainModel,
        settings: Settings,
        tasks: Tasks,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._model = model
        self._settings = settings
        self._tasks = tasks
        self._looking: asyncio.Task[None] | None = None
        self.choice = DraftChoice()
        self.ranking = NOTHING_KNOWN
        model.changed.connect(self._follow_model)
        settings.changed.connect(self._follow_settings)

    @property
    def drafting(self) -> Drafting:
        """What to ask the engine for with each reply."""
        return self.drafting_in(DraftWay(self.choice.kind))

    @property
    def kinds(self) -> list[DraftKind]:
        """Every way to draft that the main model was loaded with, not at all among them."""
        methods = set(self._model.loaded.methods) if self._model.loaded else set()
        return [kind for kind in DraftKind if methods.issuperset(METHODS[kind])]

    def drafting_in(self, way: DraftWay) -> Drafting:
        """What to ask the engine for to draft in another way than is chosen."""
        settings = self.settings
        longest = way.longest or settings.longest
        return Drafting(METHODS[way.kind], n_max=longest, p_min=settings.least_chance)

    @property
    def settings(self) -> DraftSettings:
        """How drafts are made for the main model."""
        path = str(self._model.loaded.summary.path) if self._model.loaded else ""
        return self._settings.get(DRAFT_SETTINGS).get(path, DraftSettings())

    def use(self, choice: DraftChoice) -> None:
        """Draft with something else from the next reply on; it is loaded already."""
        if choice != self.choice:
            self.choice = choice
            self.changed.emit()

    def look_in(self, folders: Sequence[Path]) -> None:
        """Find out, in the background, which files could draft for the main model."""
        if self._looking:
            self._looking.cancel()
        if self._model.loaded:
            target = self._model.loaded.summary.path
            self._looking = self._tasks.start(self._look(target, folders))

    async def verdict_on(self, path: Path) -> PairVerdict | None:
        """Whether a file can draft for the main model; None where nothing can be said of it."""
        if self._model.loaded is None:
            return None
        try:
            found = await self._engine.rank_drafts(self._model.loaded.summary.path, [path])
        except PacelineError:
            return None
        return next((one.verdict for one in found.candidates if one.path == path), None)

    def _follow_model(self) -> None:
        """Draft with nothing that has gone, for nothing once the main model has."""
        loaded = self._model.loaded
        if loaded is None:
            if self._looking:
                self._looking.cancel()
            self.ranking = NOTHING_KNOWN
        if loaded is None or not is_there(self.choice, loaded):
            self.use(DraftChoice())

    def _follow_settings(self, key: str) -> None:
        if key == DRAFT_SETTINGS.key:
            self.changed.emit()

    async def _look(self, target: Path, folders: Sequence[Path]) -> None:
        try:
            self.ranking = await self._engine.rank_drafts(target, folders)
        except PacelineError:  # the file was taken away meanwhile: nothing is known of any draft
            self.ranking = NOTHING_KNOWN
        self.changed.emit()

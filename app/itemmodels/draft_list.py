"""What the draft's popup offers: every way to draft, each with its reason."""

from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.bridge.drafts import Drafts
from app.bridge.types import DraftCandidate
from app.domain.draft import DraftChoice, DraftKind
from app.itemmodels.model_facts import size_text
from app.itemmodels.tooltips import plain_tooltip

CHOICE_ROLE = Qt.ItemDataRole.UserRole + 1
FACTS_ROLE = Qt.ItemDataRole.UserRole + 2
CHOSEN_ROLE = Qt.ItemDataRole.UserRole + 3
REASON_ROLE = Qt.ItemDataRole.UserRole + 4


@dataclass(frozen=True, slots=True)
class _Offer:
    choice: DraftChoice
    name: str
    reason: str
    facts: str = ""
    is_usable: bool = True


class DraftListModel(QAbstractListModel):
    """No draft, what needs no file, and the files that might draft, the best first."""

    def __init__(self, drafts: Drafts, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._drafts = drafts
        self._rows = self._offers()
        drafts.changed.connect(self._refresh)

    def _refresh(self) -> None:
        self.beginResetModel()
        self._rows = self._offers()
        self.endResetModel()

    def _offers(self) -> list[_Offer]:
        offers = [
            _Offer(
                DraftChoice(),
                self.tr("No draft"),
                self.tr("The main model writes every token by itself."),
            ),
            _Offer(
                DraftChoice(DraftKind.TEXT),
                self.tr("From the text itself"),
                self.tr(
                    "Proposes what the chat has said before. It needs no file and no memory, and "
                    "helps with code, quotations and summaries."
                ),
            ),
        ]
        ranking = self._drafts.ranking
        if ranking.own_heads:
            heads = DraftChoice(DraftKind.HEADS)
            offers.insert(1, _Offer(heads, self.tr("Its own heads"), ranking.sentence))
        return offers + [_offer_of(candidate) for candidate in ranking.candidates]

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        if index.isValid() and not self._rows[index.row()].is_usable:
            return Qt.ItemFlag.NoItemFlags
        return super().flags(index)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if not index.isValid():
            return None
        offer = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return offer.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(str(offer.choice.path or offer.reason))
        if role in (REASON_ROLE, Qt.ItemDataRole.AccessibleDescriptionRole):
            return offer.reason
        if role == CHOICE_ROLE:
            return offer.choice
        if role == FACTS_ROLE:
            return offer.facts
        if role == CHOSEN_ROLE:
            return offer.choice == self._drafts.choice
        return None


def _offer_of(candidate: DraftCandidate) -> _Offer:
    verdict = candidate.verdict
    size = size_text(candidate.file_bytes) if candidate.file_bytes else ""
    choice = DraftChoice.model(candidate.path)
    return _Offer(choice, candidate.name, verdict.sentence, size, verdict.usable)

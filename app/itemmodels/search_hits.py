"""What a search over all chats found."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from app.itemmodels.tooltips import plain_tooltip
from app.storage.search import Hit

SNIPPET_ROLE = Qt.ItemDataRole.UserRole + 1
HIT_ROLE = Qt.ItemDataRole.UserRole + 2


class SearchHitsModel(QAbstractListModel):
    """Rows of hits: the chat's title, and of a message the words around what was found."""

    def __init__(self) -> None:
        super().__init__()
        self._hits: list[Hit] = []

    def show_hits(self, hits: Sequence[Hit]) -> None:
        """Show these in place of those before."""
        self.beginResetModel()
        self._hits = list(hits)
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._hits)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if not index.isValid():
            return None
        hit = self._hits[index.row()]
        snippet = " ".join(hit.snippet.text.split()) if hit.message_id else ""
        if role == Qt.ItemDataRole.DisplayRole:
            return hit.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(snippet or hit.title)
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return snippet
        if role == SNIPPET_ROLE:
            return snippet
        if role == HIT_ROLE:
            return hit
        return None

"""Link definitions of a text, and which labels were looked up in vain."""

from collections.abc import Mapping
from typing import Any

Definition = Mapping[str, Any]  # of markdown-it: "href", "title", "map"


class References(dict[str, Definition]):
    """Definitions by label, as markdown-it fills and reads them.

    Attributes:
        missing: labels that were looked up and not found.
    """

    def __init__(self, known: Mapping[str, Definition]) -> None:
        super().__init__(known)
        self.missing: set[str] = set()

    def get(self, label: str, default: object = None) -> Definition | None:  # type: ignore[override]
        if label not in self:
            self.missing.add(label)
        return super().get(label)

    def take_missing(self) -> frozenset[str]:
        """The labels missing since the last call."""
        taken = frozenset(self.missing)
        self.missing.clear()
        return taken

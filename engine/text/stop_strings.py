"""Ends a reply's text before the first stop string in it."""

from collections.abc import Iterable

from engine.base.errors import RequestError


class StopMatcher:
    """Passes a reply's text on, up to the first stop string that becomes complete.

    Text that may yet turn out to begin a stop string is withheld. How the text is cut into parts
    makes no difference to the whole.

    Raises:
        RequestError: a stop string is empty.
    """

    def __init__(self, stops: Iterable[str]) -> None:
        self._stops = tuple(stops)
        if "" in self._stops:
            raise RequestError("A stop string is empty; give it at least one character.")
        self._longest = max(map(len, self._stops), default=0)
        self._withheld = ""

    def add(self, text: str) -> tuple[str, bool]:
        """The text that is safe to show now, and whether a stop string has ended it."""
        text = self._withheld + text
        # (where a stop string ends, where it begins)
        found = [(at + len(stop), at) for stop in self._stops if (at := text.find(stop)) >= 0]
        if found:
            _, begin = min(found)
            self._withheld = ""
            return text[:begin], True
        safe = len(text) - self._undecided(text)
        self._withheld = text[safe:]
        return text[:safe], False

    def flush(self) -> str:
        """The text still withheld, for a reply that ends without a stop string."""
        text, self._withheld = self._withheld, ""
        return text

    def _undecided(self, text: str) -> int:
        """The length of the longest ending of `text` that a stop string begins with."""
        for length in range(min(len(text), self._longest - 1), 0, -1):
            ending = text[-length:]
            if any(stop.startswith(ending) for stop in self._stops):
                return length
        return 0

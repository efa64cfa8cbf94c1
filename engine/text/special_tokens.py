"""Finds tokens that are matched in text by name, before anything else looks at it."""

import re
from collections.abc import Iterator, Mapping


class SpecialTokens:
    """A set of token names to look for. The leftmost match counts, and of those the longest.

    Vocabularies have up to thousands of such names with few first characters among them, so the
    search looks for first characters and then tries the lengths that names have.
    """

    def __init__(self, ids: Mapping[str, int]) -> None:
        self._ids = ids
        lengths: dict[str, set[int]] = {}
        for name in ids:
            lengths.setdefault(name[0], set()).add(len(name))
        self._lengths = {first: sorted(sizes, reverse=True) for first, sizes in lengths.items()}
        starts = "".join(map(re.escape, lengths))
        self._starts = re.compile(f"[{starts}]" if starts else "(?!)")

    def occurrences(self, text: str, start: int = 0) -> Iterator[tuple[int, str]]:
        """Each place from `start` on where a name begins, with the longest; they may overlap."""
        for match in self._starts.finditer(text, start):
            at = match.start()
            for length in self._lengths[text[at]]:
                name = text[at : at + length]
                if name in self._ids:
                    yield at, name
                    break

    def split(self, text: str) -> Iterator[str | int]:
        """The text around the names, and the names' ids, in order."""
        start = 0
        while (found := next(self.occurrences(text, start), None)) is not None:
            at, name = found
            if at > start:
                yield text[start:at]
            yield self._ids[name]
            start = at + len(name)
        if start < len(text):
            yield text[start:]

"""Finds tokens that are matched in text by name, before anything else looks at it."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping

_LONGEST_NAME = 256  # characters; real names have fewer than 100


class SpecialTokens:
    """A set of token names to look for. The leftmost match counts, and of those the longest.

    Vocabularies have up to thousands of such names with few first characters among them, so the
    search looks for first characters and then for the text's place among the sorted names: a name
    that begins the text is the one right before that place, or else begins that one too.

    Names of more than 256 characters are never found.
    """

    def __init__(self, ids: Mapping[str, int]) -> None:
        self._ids = {name: index for name, index in ids.items() if len(name) <= _LONGEST_NAME}
        self._names = sorted(self._ids)
        self._shorter = _longest_names_within(self._names)
        firsts = dict.fromkeys(name[0] for name in self._names)
        starts = "".join(map(re.escape, firsts))
        self._starts = re.compile(f"[{starts}]" if starts else "(?!)")

    def occurrences(self, text: str, start: int = 0) -> Iterator[tuple[int, str]]:
        """Each place from `start` on where a name begins, with the longest; they may overlap."""
        for match in self._starts.finditer(text, start):
            at = match.start()
            place = bisect_right(self._names, text[at : at + _LONGEST_NAME])
            name = self._names[place - 1] if place else ""
            while not text.startswith(name, at):
                name = self._shorter[name]
            if name:
                yield at, name

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


def _longest_names_within(names: list[str]) -> dict[str, str]:
    """For each of the sorted names the longest other one that begins it, or ""."""
    shorter: dict[str, str] = {}
    name = ""
    for following in names:
        while not following.startswith(name):
            name = shorter[name]
        shorter[following] = name
        name = following
    return shorter

"""The tokens of a conversation in order, and which of them are computed together."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from engine.base.types import Segment
from engine.kernels.grouping import Grouping

MARK_INTERVAL = 1024
"""Tokens between marks within a long stretch of prompt: four pages of keys and values."""


class Feed:
    """Prompt and reply as one growing list of tokens that computation catches up with.

    A row's bits may depend on the rows computed beside it (`RowGroup`), so groups follow from the
    text alone: a prompt segment is cut at multiples of the group size counted from its start, and
    whatever a model emitted stands alone. Reuse resumes only where a group ends.

    Attributes:
        grouping: how the backend wants rows cut.
        tokens: all tokens so far.
        marks: where a later prompt may well part from this one: where what a model did not emit
            begins, such as a message of the person, every so often in it if it is long, and at
            the end.
    """

    def __init__(self, segments: Iterable[Segment], grouping: Grouping) -> None:
        self.grouping = grouping
        self.tokens: list[int] = []
        self.marks: list[int] = []
        self._starts: list[int] = []  # of prompt segments
        self._group_ends: list[int] = []  # for each token, where its group ends
        for segment in segments:
            if not segment.generated:
                first = len(self.tokens)
                self.marks += range(first, first + len(segment.tokens), MARK_INTERVAL)
                self._starts.append(first)
            step = 1 if segment.generated else grouping.prompt_rows
            for start in range(0, len(segment.tokens), step):
                self._append_group(segment.tokens[start : start + step])
        self.marks.append(len(self.tokens))

    def append(self, token: int) -> None:
        """Add an emitted token."""
        self._append_group((token,))

    def groups(self, start: int, budget: int, *, to_mark: bool = False) -> list[list[int]]:
        """Whole groups from `start` on: at least one, and more only within the budget of cost.

        With `to_mark` they end at the next mark, which is always where a group ends.
        """
        end = len(self.tokens)
        if to_mark:
            after = bisect_right(self.marks, start)
            end = self.marks[after] if after < len(self.marks) else end
        found: list[list[int]] = []
        position = start
        while position < end:
            group = self.tokens[position : self._group_ends[position]]
            budget -= self.grouping.cost(group)
            if found and budget < 0:
                break
            found.append(group)
            position += len(group)
        return found

    def is_passing(self, mark: int) -> bool:
        """Whether a mark is none of those near the end from which chats usually go on.

        They do so from the prompt's end, from where the last message begins, and from where its
        reply does if the prompt begins that itself.
        """
        return mark not in (*self._starts[-2:], self.marks[-1])

    def prefix(self, length: int) -> "Feed":
        """A copy of the first tokens, up to where a group ends."""
        copy = Feed((), self.grouping)
        copy.tokens, copy._group_ends = self.tokens[:length], self._group_ends[:length]
        return copy

    def reusable(self, other: "Feed") -> int:
        """How many leading positions of `other` this feed computes in the same way, bit for bit."""
        limit = min(len(self.tokens), len(other.tokens))
        same = 0
        while (
            same < limit
            and self.tokens[same] == other.tokens[same]
            and self._group_ends[same] == other._group_ends[same]
        ):
            same += 1
        while same and other._group_ends[same - 1] > same:
            same -= 1
        return same

    def group_start(self, position: int) -> int:
        """Where the group that holds a position begins."""
        end = self._group_ends[position]
        while position and self._group_ends[position - 1] == end:
            position -= 1
        return position

    def _append_group(self, tokens: Sequence[int]) -> None:
        self.tokens.extend(tokens)
        self._group_ends.extend([len(self.tokens)] * len(tokens))

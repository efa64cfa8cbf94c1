"""The tokens of a conversation in order, and which of them are computed together."""

from collections.abc import Iterable, Sequence

from engine.base.types import Segment


class Feed:
    """Prompt and reply as one growing list of tokens that computation catches up with.

    A row's bits may depend on the rows computed beside it (`RowGroup`), so groups follow from the
    text alone: a prompt segment is cut at multiples of the group size counted from its start, and
    whatever a model emitted stands alone. Reuse resumes only where a group ends.

    Attributes:
        tokens: all tokens so far.
    """

    def __init__(self, segments: Iterable[Segment], prompt_group: int) -> None:
        self.tokens: list[int] = []
        self._group_ends: list[int] = []  # for each token, where its group ends
        for segment in segments:
            step = 1 if segment.generated else prompt_group
            for start in range(0, len(segment.tokens), step):
                self._append_group(segment.tokens[start : start + step])

    def append(self, token: int) -> None:
        """Add an emitted token."""
        self._append_group((token,))

    def groups(self, start: int, budget: int) -> list[list[int]]:
        """Whole groups from `start` on: at least one, and more only within the budget of rows."""
        found: list[list[int]] = []
        position = start
        while position < len(self.tokens):
            end = self._group_ends[position]
            if found and end - start > budget:
                break
            found.append(self.tokens[position:end])
            position = end
        return found

    def truncate(self, length: int) -> None:
        """Forget tokens from `length` on, which must be where a group ends."""
        del self.tokens[length:], self._group_ends[length:]

    def reusable(self, other: "Feed") -> int:
        """How many leading positions of `other` this feed has already computed, bit for bit.

        The last token of `other` is never counted: its logits are still to be made.
        """
        limit = min(len(self.tokens), len(other.tokens) - 1)
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

    def _append_group(self, tokens: Sequence[int]) -> None:
        self.tokens.extend(tokens)
        self._group_ends.extend([len(self.tokens)] * len(tokens))

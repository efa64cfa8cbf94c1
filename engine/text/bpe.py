"""Byte pair encoding: neighbouring pieces of a word are merged, the best ranked pair first.

Byte-level BPE ranks a pair by its place in the list of merges; SentencePiece ranks it by the score
of the piece that it makes. One algorithm serves both.

It is ours rather than the `tokenizers` library's because building that library's model for 150,000
merges is one call that holds the interpreter lock for 310–430 ms, and the window would stand still
for as long. Here the tables are built by bytecode, between whose steps other threads run.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from heapq import heappop, heappush

_CACHED_WORDS = 1 << 15
_CACHED_WORD_CHARACTERS = 64  # longer words hardly ever come twice


class PairEncoder:
    """Cuts words into the ids of a vocabulary.

    Args:
        ids: pieces that words may become.
        ranks: `left + joiner + right` of every pair that may be merged → its rank, lowest first.
        joiner: what stands between the two in the keys of `ranks`.
        spell: the ids for a piece that the vocabulary does not have.
    """

    def __init__(
        self,
        ids: Mapping[str, int],
        ranks: Mapping[str, float],
        joiner: str,
        spell: Callable[[str], Iterable[int]],
    ) -> None:
        self._ids = ids
        self._ranks = ranks
        self._joiner = joiner
        self._spell = spell
        self._encode_cached = lru_cache(_CACHED_WORDS)(self._encode)

    def encode(self, word: str) -> tuple[int, ...]:
        """The ids of one word."""
        if len(word) <= _CACHED_WORD_CHARACTERS:
            return self._encode_cached(word)
        return self._encode(word)

    def _encode(self, word: str) -> tuple[int, ...]:
        ids: list[int] = []
        for piece in merge_pairs(word, self._ranks, self._joiner):
            known = self._ids.get(piece)
            ids.extend(self._spell(piece) if known is None else (known,))
        return tuple(ids)


def merge_pairs(word: str, ranks: Mapping[str, float], joiner: str = "") -> list[str]:
    """A word's pieces after every possible merge; of equal ranks the leftmost pair goes first.

    Pieces form a linked list and candidate pairs a heap, so that a word of n characters takes
    O(n log n). A candidate is outdated when its two pieces no longer make up its text.
    """
    end = len(word)
    pieces = list(word)  # a merged piece stands in its first character's place, "" in the others
    before = list(range(-1, end - 1))
    after = list(range(1, end + 1))
    candidates: list[tuple[float, int, str]] = []  # rank, place of the left piece, text of both

    def offer(left: int, right: int) -> None:
        if left >= 0 and right < end:
            rank = ranks.get(pieces[left] + joiner + pieces[right])
            if rank is not None:
                heappush(candidates, (rank, left, pieces[left] + pieces[right]))

    for left in range(end - 1):
        offer(left, left + 1)
    while candidates:
        _, left, both = heappop(candidates)
        right = after[left]
        if not pieces[left] or right == end or pieces[left] + pieces[right] != both:
            continue
        pieces[left], pieces[right] = both, ""
        following = after[left] = after[right]
        if following < end:
            before[following] = left
        offer(before[left], left)
        offer(left, following)
    return [piece for piece in pieces if piece]

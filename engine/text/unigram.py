"""Unigram vocabularies: of all ways to cut a text into pieces the likeliest one (T5, XLM-R)."""

import re
from collections.abc import Iterator, Mapping

from engine.text.charsmap import Charsmap
from engine.text.vocabulary import Vocabulary

_SPACE = "▁"  # U+2581, which SentencePiece writes for a space
_UNKNOWN_PENALTY = 10.0  # SentencePiece's: so much less likely than the least likely piece


class UnigramSubwords:
    """Cuts text into the pieces whose scores, logarithms of probabilities, have the largest sum.

    Args:
        vocabulary: its pieces, and the tokens that spell bytes if there are any.
        scores: piece → score.
        charsmap: how text is normalised first; None: not at all.
        adds_space: text is read with a space before it.
        removes_extra_spaces: runs of spaces become one, and those at both ends none.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        scores: Mapping[str, float],
        charsmap: Charsmap | None,
        *,
        adds_space: bool,
        removes_extra_spaces: bool,
    ) -> None:
        self._ids = vocabulary.text_ids
        self._byte_ids = vocabulary.byte_ids
        self._unknown_id = vocabulary.unknown_id
        self._scores = scores
        self._unknown_score = min(scores.values(), default=0.0) - _UNKNOWN_PENALTY
        self._longest: dict[str, int] = {}  # of the pieces that begin with a character
        for piece in scores:
            self._longest[piece[:1]] = max(len(piece), self._longest.get(piece[:1], 0))
        self._charsmap = charsmap
        self._adds_space = adds_space
        self._removes_extra_spaces = removes_extra_spaces

    def encode(self, text: str, *, after_text: bool) -> Iterator[int]:
        """See `Subwords`."""
        unknown = ""
        for piece in self._cut(self._normalised(text, after_text=after_text)):
            known = self._ids.get(piece)
            if known is None:
                unknown += piece
                continue
            yield from self._spell(unknown)
            unknown = ""
            yield known
        yield from self._spell(unknown)

    def piece_bytes(self, piece: str) -> bytes:
        """See `Subwords`."""
        return piece.replace(_SPACE, " ").encode()

    def _normalised(self, text: str, *, after_text: bool) -> str:
        if self._charsmap:
            text = self._charsmap.normalise(text)
        adds_space = self._adds_space
        if self._removes_extra_spaces:
            text = re.sub(" +", " ", text.rstrip(" ") if after_text else text.strip(" "))
            adds_space = True  # SentencePiece puts one before every word then, the first included
        if adds_space and not after_text and text.strip(" "):
            text = " " + text
        return text.replace(" ", _SPACE)

    def _cut(self, text: str) -> list[str]:
        """The likeliest pieces; a character that is in none is a piece of its own (Viterbi)."""
        best = [0.0] + [-float("inf")] * len(text)
        begins = [0] * (len(text) + 1)
        for start, first in enumerate(text):
            longest = min(self._longest.get(first, 0), len(text) - start)
            for end in range(start + 1, start + max(longest, 1) + 1):
                score = self._scores.get(text[start:end])
                if score is None and end == start + 1:
                    score = self._unknown_score
                if score is not None and best[start] + score > best[end]:
                    best[end], begins[end] = best[start] + score, start
        pieces = []
        end = len(text)
        while end:
            pieces.append(text[begins[end] : end])
            end = begins[end]
        return pieces[::-1]

    def _spell(self, unknown: str) -> Iterator[int]:
        """The ids for text that is in no piece: its bytes, or else one unknown token."""
        if not unknown:
            return
        ids = [self._byte_ids.get(byte) for byte in unknown.encode()]
        known = [index for index in ids if index is not None]
        if len(known) == len(ids):
            yield from known
        elif self._unknown_id is not None:
            yield self._unknown_id

"""WordPiece vocabularies: each word is cut into the longest known pieces from its left (BERT)."""

from collections.abc import Iterator

from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from engine.text.vocabulary import Vocabulary

_SPACE = "▁"  # GGUF files write it before a piece that begins a word, and nothing before others


class WordPieceSubwords:
    """Cuts words as BERT does; text is in lower case and without accents first."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._ids = vocabulary.text_ids
        self._unknown = () if vocabulary.unknown_id is None else (vocabulary.unknown_id,)
        self._longest = max(map(len, self._ids), default=0)
        self._normaliser = BertNormalizer(lowercase=True)
        self._splitter = BertPreTokenizer()

    def encode(self, text: str, *, after_text: bool) -> Iterator[int]:
        """See `Subwords`; what stands before the text makes no difference."""
        for word, _ in self._splitter.pre_tokenize_str(self._normaliser.normalize_str(text)):
            yield from self._pieces(_SPACE + word)

    def piece_bytes(self, piece: str) -> bytes:
        """See `Subwords`."""
        return piece.replace(_SPACE, " ").encode()

    def _pieces(self, word: str) -> tuple[int, ...]:
        """The ids of a word; one that cannot be cut into known pieces is unknown as a whole."""
        ids = []
        start = 0
        while start < len(word):
            ends = range(min(len(word), start + self._longest), start, -1)
            end = next((end for end in ends if word[start:end] in self._ids), None)
            if end is None:
                return self._unknown
            ids.append(self._ids[word[start:end]])
            start = end
        return tuple(ids)

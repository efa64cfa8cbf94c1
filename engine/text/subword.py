"""Cuts text that holds no special tokens into ids: byte-level BPE and SentencePiece BPE."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from engine.text.bpe import PairEncoder
from engine.text.pretokenize import PreTokenizer, Splitting
from engine.text.vocabulary import Vocabulary

_SPACE = "▁"  # U+2581, which SentencePiece writes for a space
# The alphabet of byte-level vocabularies: printable Latin-1 characters stand for their own byte,
# and the other bytes, in order, for the characters from U+0100 on (GPT-2's `bytes_to_unicode`).
_PRINTABLE = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
_BYTE_OF = {chr(byte): bytes([byte]) for byte in _PRINTABLE} | {
    chr(0x100 + place): bytes([byte]) for place, byte in enumerate(_OTHERS)
}


class Subwords(Protocol):
    """One way of cutting text into the pieces of a vocabulary."""

    def encode(self, text: str, *, after_text: bool) -> Iterator[int]:
        """The ids of a text. `after_text`: other text stands right before it."""
        ...

    def piece_bytes(self, piece: str) -> bytes:
        """What an ordinary piece spells, in UTF-8; may be part of a character."""
        ...


class ByteLevelSubwords:
    """Byte-level BPE: words are spelled in 256 characters, one a byte, and merged by rank."""

    def __init__(self, vocabulary: Vocabulary, merges: list[str], splitting: Splitting) -> None:
        self._pre_tokenizer = PreTokenizer(splitting)
        self._known_words = vocabulary.text_ids if splitting.keeps_known_words else {}
        self._ids = vocabulary.text_ids
        ranks = {merge: rank for rank, merge in enumerate(merges)}
        self._encoder = PairEncoder(self._ids, ranks, " ", self._spell)

    def encode(self, text: str, *, after_text: bool) -> Iterator[int]:
        """See `Subwords`; what stands before the text makes no difference."""
        for word in self._pre_tokenizer.words(text):
            known = self._known_words.get(word)
            if known is not None:
                yield known
            else:
                yield from self._encoder.encode(word)

    def piece_bytes(self, piece: str) -> bytes:
        """See `Subwords`."""
        return b"".join(_BYTE_OF.get(character) or character.encode() for character in piece)

    def _spell(self, piece: str) -> Iterable[int]:
        # A byte that the vocabulary lacks has no spelling at all.
        return [self._ids[character] for character in piece if character in self._ids]


class SentencePieceSubwords:
    """SentencePiece BPE: spaces become visible, and pieces merge over the whole text.

    Args:
        vocabulary: its pieces, and the tokens that spell bytes.
        ranks: of pairs, as `PairEncoder` takes them.
        joiner: as `PairEncoder` takes it.
        adds_space: text at the start, or after a special token, is read with a space before it.
    """

    def __init__(
        self, vocabulary: Vocabulary, ranks: Mapping[str, float], joiner: str, *, adds_space: bool
    ) -> None:
        self._byte_ids = vocabulary.byte_ids
        self._unknown = () if vocabulary.unknown_id is None else (vocabulary.unknown_id,)
        self._encoder = PairEncoder(vocabulary.text_ids, ranks, joiner, self._spell)
        self._adds_space = adds_space
        self._seam = _seam(vocabulary.text_ids)

    def encode(self, text: str, *, after_text: bool) -> Iterator[int]:
        """See `Subwords`."""
        prefix = _SPACE if self._adds_space and not after_text else ""
        text = prefix + text.replace(" ", _SPACE)
        start = 0
        for seam in self._seam.finditer(text):
            yield from self._encoder.encode(text[start : seam.end()])
            start = seam.end()
        yield from self._encoder.encode(text[start:])

    def piece_bytes(self, piece: str) -> bytes:
        """See `Subwords`."""
        return piece.replace(_SPACE, " ").encode()

    def _spell(self, piece: str) -> Iterable[int]:
        ids = [self._byte_ids.get(byte) for byte in piece.encode()]
        known = [index for index in ids if index is not None]
        return known if len(known) == len(ids) else self._unknown


def _seam(pieces: Iterable[str]) -> re.Pattern[str]:
    """The last character before a place where text may be cut without changing its pieces.

    Such a place lies before a space, after a character that no piece holds with a space behind it:
    no merge reaches over it.
    """
    inner = (piece for piece in pieces if piece.rfind(_SPACE) > 0)
    joined = {before for piece in inner for before in re.findall(f"(.){_SPACE}", piece, re.DOTALL)}
    excluded = "".join(map(re.escape, joined | {_SPACE}))
    return re.compile(f"[^{excluded}](?={_SPACE})")

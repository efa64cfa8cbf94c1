"""Turns the tokens of a reply into text while they arrive."""

from codecs import getincrementaldecoder
from collections.abc import Iterable

from engine.text.tokenizer import Tokenizer

_Utf8Decoder = getincrementaldecoder("utf-8")


class Detokenizer:
    """The text of one reply. However the tokens arrive, the texts together are the same.

    Control tokens are no part of it. Bytes that begin a character wait for the rest of it; bytes
    that belong to none become U+FFFD.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._decoder = _Utf8Decoder(errors="replace")

    def add(self, token_ids: Iterable[int]) -> str:
        """The text that became printable with these tokens; may be empty.

        Raises:
            RequestError: an id is outside the vocabulary.
        """
        printed = (index for index in token_ids if not self._tokenizer.is_control(index))
        return self._decoder.decode(b"".join(map(self._tokenizer.token_bytes, printed)))

    def finish(self) -> str:
        """What is left when no more tokens come: U+FFFD for a character that never ended."""
        return self._decoder.decode(b"", final=True)

"""Turns the tokens of a reply into text while they arrive."""

from codecs import getincrementaldecoder
from collections.abc import Iterable

from engine.text.tokenizer import Tokenizer

_Utf8Decoder = getincrementaldecoder("utf-8")


class Detokenizer:
    """The text of one reply. However the tokens arrive, the texts together are the same.

    Control tokens are no part of it, but for those that mark reasoning and calls of tools. Bytes
    that begin a character wait for the rest of it; bytes that belong to none become U+FFFD.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._decoder = _Utf8Decoder(errors="replace")
        self._decoded_bytes = 0

    def add(self, token_ids: Iterable[int]) -> str:
        """The text that became printable with these tokens; may be empty.

        Raises:
            RequestError: an id is outside the vocabulary.
        """
        printed = (index for index in token_ids if self._tokenizer.is_printed(index))
        return self._decode(b"".join(map(self._tokenizer.token_bytes, printed)))

    @property
    def position(self) -> int:
        """Where the last token ends, in bytes of the text's UTF-8 form; inside a character too."""
        return self._decoded_bytes + len(self._decoder.getstate()[0])

    def finish(self) -> str:
        """What is left when no more tokens come: U+FFFD for a character that never ended."""
        return self._decode(b"", final=True)

    def _decode(self, spelled: bytes, *, final: bool = False) -> str:
        text = self._decoder.decode(spelled, final)
        self._decoded_bytes += len(text.encode())
        return text

"""Text to token ids and back, as a model's vocabulary says.

Ids and texts are those of llama.cpp for the same file; `shared/checks/tokens.py` compares them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from engine.base.errors import RequestError
from engine.text.reply_marks import PRINTED_TOKENS
from engine.text.special_tokens import SpecialTokens
from engine.text.subword import Subwords
from engine.text.tokenizer_facts import TokenKind
from engine.text.vocabulary import Vocabulary, well_formed

_NAMED_KINDS = (TokenKind.CONTROL, TokenKind.UNKNOWN, TokenKind.USER_DEFINED)
_HIDDEN_KINDS = (TokenKind.CONTROL, TokenKind.UNKNOWN)
_CACHED_TOKENS = 1 << 15
_WHITE_SPACE = " \t\n\v\f\r"


@dataclass(frozen=True, slots=True)
class Conventions:
    """What a tokenizer adds to texts and takes away, beside cutting them into pieces."""

    adds_bos: bool
    adds_eos: bool
    adds_space: bool  # at the start, and after a special token
    cleans_spaces: bool = False  # decoding drops spaces before punctuation
    strips_after: frozenset[int] = frozenset()  # tokens that swallow white space behind them


class Tokenizer:
    """A model's tokenizer.

    Attributes:
        bos_id: the token that begins a text, if the vocabulary has one.
        eos_id: the token that ends one.
        end_of_generation: every token that ends a reply.
        adds_bos: whether texts are meant to begin with `bos_id`.
        notice: a sentence for people where the file asks for something unknown, else empty.
    """

    def __init__(
        self, vocabulary: Vocabulary, subwords: Subwords, conventions: Conventions, notice: str = ""
    ) -> None:
        self._vocabulary = vocabulary
        self._subwords = subwords
        self._conventions = conventions
        kinds = vocabulary.kinds
        special = vocabulary.special_ids
        self._special = SpecialTokens(special)
        self._user_defined = SpecialTokens(
            {name: i for name, i in special.items() if kinds[i] == TokenKind.USER_DEFINED}
        )
        self._control = SpecialTokens(
            {name: i for name, i in special.items() if kinds[i] in _HIDDEN_KINDS}
        )
        self._token_bytes = lru_cache(_CACHED_TOKENS)(self._spell)
        self._bytes_of = {i: bytes([byte]) for byte, i in vocabulary.byte_ids.items()}
        structuring = (i for name, i in special.items() if name in PRINTED_TOKENS)
        self._structuring = frozenset(structuring) - vocabulary.end_of_generation
        self.bos_id = vocabulary.bos_id
        self.eos_id = vocabulary.eos_id
        self.end_of_generation = vocabulary.end_of_generation
        self.adds_bos = conventions.adds_bos
        self.notice = notice

    @property
    def vocab_size(self) -> int:
        """How many tokens there are; ids run from 0 to one less."""
        return len(self._vocabulary.pieces)

    def encode(self, text: str, *, add_special: bool, parse_special: bool) -> list[int]:
        """The ids of a text.

        Args:
            text: any text; half a surrogate pair is read as U+FFFD.
            add_special: whether to begin and end with the tokens that the model expects there.
            parse_special: whether the names of control tokens in the text mean those tokens.
                User-defined tokens are always recognised.
        """
        ids = self.encode_parts(self.split_special(text, control=parse_special))
        if not add_special:
            return ids
        before = [self.bos_id] if self._conventions.adds_bos else []
        after = [self.eos_id] if self._conventions.adds_eos else []
        return [index for index in (*before, *ids, *after) if index is not None]

    def split_special(self, text: str, *, control: bool = True) -> Iterator[str | int]:
        """The plain texts between special tokens, and the ids of those, in order.

        Args:
            text: any text; half a surrogate pair is read as U+FFFD.
            control: whether control tokens count, or only user-defined ones.
        """
        special = self._special if control else self._user_defined
        return special.split(well_formed(text))

    def split_reply(self, text: str) -> Iterator[str | int]:
        """As `split_special` for a text that a model wrote, in which its marks count as well."""
        special = self._vocabulary.special_ids.items()
        written = {name: index for name, index in special if self.is_printed(index)}
        return SpecialTokens(written).split(well_formed(text))

    def encode_parts(self, parts: Iterable[str | int], *, after_text: bool = False) -> list[int]:
        """The ids of plain texts, in which nothing is special, and of special tokens, in order.

        Args:
            parts: as from `split_special`.
            after_text: whether other text stands right before the first part.
        """
        ids: list[int] = []
        for part in parts:
            if isinstance(part, int):
                ids.append(part)
                after_text = False
                continue
            if not after_text and ids and ids[-1] in self._conventions.strips_after:
                part = part.lstrip(_WHITE_SPACE)
            if part:
                ids.extend(self._subwords.encode(part, after_text=after_text))
                after_text = True
        return ids

    def control_names(self, text: str) -> Iterator[tuple[int, str]]:
        """The names of control tokens in a text, each with its place; they may overlap."""
        return self._control.occurrences(text)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of a whole sequence: the inverse of `encode`, special tokens by their names.

        Vocabularies that ask for it lose spaces before punctuation, as in llama.cpp's
        `llama_detokenize` and Hugging Face's `clean_up_tokenization_spaces`. Replies are turned to
        text by `Detokenizer`, which does not.

        Raises:
            RequestError: an id is outside the vocabulary.
        """
        spelled = b"".join(map(self.token_bytes, ids))
        if self._conventions.adds_space:
            spelled = spelled.removeprefix(b" ")
        text = spelled.decode(errors="replace")
        return _clean_spaces(text) if self._conventions.cleans_spaces else text

    def token_bytes(self, index: int) -> bytes:
        """What one token spells, in UTF-8; may be part of a character. Special ones, their names.

        Raises:
            RequestError: the id is outside the vocabulary.
        """
        return self._token_bytes(index)

    def is_control(self, index: int) -> bool:
        """Whether a token is a mark for the machine, no part of what people read.

        Raises:
            RequestError: the id is outside the vocabulary.
        """
        self._check(index)
        return self._vocabulary.kinds[index] in _HIDDEN_KINDS

    def is_printed(self, index: int) -> bool:
        """Whether a token is part of a reply's text: no control token but those that structure it.

        Raises:
            RequestError: the id is outside the vocabulary.
        """
        return not self.is_control(index) or index in self._structuring

    def piece(self, index: int) -> str:
        """A token as it stands in the vocabulary, "Ġthe" or "▁the", for people to look at.

        Raises:
            RequestError: the id is outside the vocabulary.
        """
        self._check(index)
        return self._vocabulary.pieces[index]

    def _spell(self, index: int) -> bytes:
        self._check(index)
        piece = self._vocabulary.pieces[index]
        if self._vocabulary.kinds[index] in _NAMED_KINDS:
            return piece.encode()
        byte = self._bytes_of.get(index)
        return self._subwords.piece_bytes(piece) if byte is None else byte

    def _check(self, index: int) -> None:
        if not 0 <= index < self.vocab_size:
            raise RequestError(
                f"There is no token {index}: this model's tokens run from 0 to "
                f"{self.vocab_size - 1}. The ids may belong to another model."
            )


def _clean_spaces(text: str) -> str:
    text = re.sub(r" (?=[?!.,])", "", text)
    text = text.replace(" ' ", "'")
    return re.sub(r" (?='(?:s|m|re|ve))", "", text)

"""Text to token ids and back, as the vocabulary in a model's file says.

Ids and texts are those of llama.cpp for the same file; `shared/checks/tokens.py` compares them.
"""

import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from engine.base.errors import RequestError, UnsupportedModelError
from engine.text.pretokenize import SPLITTINGS, UNKNOWN
from engine.text.special_tokens import SpecialTokens
from engine.text.subword import ByteLevelSubwords, SentencePieceSubwords, Subwords
from engine.text.vocabulary import (
    TokenKind,
    Vocabulary,
    read_entry,
    read_numbers,
    read_texts,
    read_vocabulary,
)

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
    eats_space_after: frozenset[int] = frozenset()  # tokens that swallow white space behind them


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
        return special.split(_well_formed(text))

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
            if not after_text and ids and ids[-1] in self._conventions.eats_space_after:
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


def load_tokenizer(metadata: Mapping[str, object]) -> Tokenizer:
    """The tokenizer in a file's metadata.

    Raises:
        UnsupportedModelError: the file has none, or one of a kind that is not supported.
    """
    vocabulary = read_vocabulary(metadata)
    match vocabulary.model:
        case "gpt2":
            return _byte_level(metadata, vocabulary)
        case "llama":
            return _sentencepiece(metadata, vocabulary)
        case "gemma4":
            return _gemma4(metadata, vocabulary)
    raise UnsupportedModelError(
        f"This model's tokenizer is of the kind {reprlib.repr(vocabulary.model)}; supported are "
        "byte-level BPE (gpt2) and SentencePiece BPE (llama). Choose a model with one of these."
    )


def _byte_level(metadata: Mapping[str, object], vocabulary: Vocabulary) -> Tokenizer:
    name = read_entry(metadata, "pre", str, "")
    splitting, notice = SPLITTINGS.get(name), ""
    if splitting is None:
        splitting = UNKNOWN
        notice = (
            f"This model splits text in a way that is not known here ({reprlib.repr(name)}), so a "
            "common one is used; its answers may be worse than they should be."
        )
    subwords = ByteLevelSubwords(vocabulary, read_texts(metadata, "merges"), splitting)
    conventions = Conventions(
        adds_bos=read_entry(metadata, "add_bos_token", bool, splitting.adds_bos),
        adds_eos=read_entry(metadata, "add_eos_token", bool, False),
        adds_space=False,
        cleans_spaces=splitting.cleans_spaces,
    )
    return Tokenizer(vocabulary, subwords, conventions, notice)


def _sentencepiece(metadata: Mapping[str, object], vocabulary: Vocabulary) -> Tokenizer:
    scores = read_numbers(metadata, "scores", len(vocabulary.pieces)).tolist()
    ranks = {piece: -scores[index] for piece, index in vocabulary.text_ids.items()}
    adds_space = read_entry(metadata, "add_space_prefix", bool, True)
    conventions = Conventions(
        adds_bos=read_entry(metadata, "add_bos_token", bool, True),
        adds_eos=read_entry(metadata, "add_eos_token", bool, False),
        adds_space=adds_space,
        eats_space_after=_phi3_eaters(metadata, vocabulary),
    )
    subwords = SentencePieceSubwords(vocabulary, ranks, "", adds_space=adds_space)
    return Tokenizer(vocabulary, subwords, conventions)


def _phi3_eaters(metadata: Mapping[str, object], vocabulary: Vocabulary) -> frozenset[int]:
    """Phi-3's own tokenizer.json sets `rstrip` on its special tokens; GGUF has no place for it."""
    if metadata.get("general.architecture") != "phi3":
        return frozenset()
    plain = {"<unk>", "<s>", "<|endoftext|>"}
    return frozenset(i for name, i in vocabulary.special_ids.items() if name not in plain)


def _gemma4(metadata: Mapping[str, object], vocabulary: Vocabulary) -> Tokenizer:
    """Gemma 4: SentencePiece's spaces and bytes, and pairs ranked by a list of merges."""
    ranks = {merge: rank for rank, merge in enumerate(read_texts(metadata, "merges"))}
    conventions = Conventions(
        adds_bos=True,  # files in circulation say otherwise, against the model's own tokenizer
        adds_eos=read_entry(metadata, "add_eos_token", bool, False),
        adds_space=False,
        cleans_spaces=True,
    )
    subwords = SentencePieceSubwords(vocabulary, ranks, " ", adds_space=False)
    return Tokenizer(vocabulary, subwords, conventions)


def _clean_spaces(text: str) -> str:
    text = re.sub(r" (?=[?!.,])", "", text)
    text = text.replace(" ' ", "'")
    return re.sub(r" (?='(?:s|m|re|ve))", "", text)


def _well_formed(text: str) -> str:
    """The text with half surrogate pairs, which UTF-8 cannot spell, as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text

"""What a GGUF file says of its tokenizer.

Keys and numbers are those of the GGUF specification, section "Tokenizer".
"""

import reprlib
from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from engine.base.errors import UnsupportedModelError
from engine.text.pretokenize import SPLITTINGS, UNKNOWN, Splitting
from engine.text.tokenizer import Tokenizer
from engine.text.tokenizer_facts import Numbers, TokenizerFacts, TokenKind, damaged_tokenizer
from engine.text.tokenizer_kinds import make_tokenizer

T = TypeVar("T")

_MERGED = ("gpt2", "gemma4")
_SCORED = ("llama", "t5")
_END_KEYS = ("eos_token_id", "eot_token_id", "eom_token_id")
# The ids of beginning, end, unknown and separator where a file of the kind names none.
_CUSTOMARY_IDS: dict[str, tuple[int | None, ...]] = {
    "llama": (1, 2, 0, None),
    "t5": (None, 1, 2, None),
    "bert": (101, None, 100, 102),
}


def load_tokenizer(metadata: Mapping[str, object]) -> Tokenizer:
    """The tokenizer in a file's metadata.

    Raises:
        UnsupportedModelError: the file has none, or one that cannot be used.
    """
    return make_tokenizer(read_facts(metadata))


def read_facts(metadata: Mapping[str, object]) -> TokenizerFacts:
    """What a file's metadata says of its tokenizer.

    Raises:
        UnsupportedModelError: the file has none, or one that makes no sense.
    """
    model = read_entry(metadata, "model", str)
    pieces = read_texts(metadata, "tokens")
    if not pieces:
        raise damaged_tokenizer("it has no tokens")
    count = len(pieces)
    customary = _CUSTOMARY_IDS.get(model, (None,) * 4)
    bos_id, eos_id, unknown_id, separator_id = customary
    splitting, notice = _splitting(metadata) if model == "gpt2" else (None, "")
    # Files in GGUF rank the pieces of SentencePiece by scores, folders by merges.
    by_score = model in _SCORED and not (model == "llama" and _is_merged_alone(metadata))
    by_merge = model in _MERGED or (model == "llama" and not by_score)
    ends = (_token_id(metadata, key, count, None) for key in _END_KEYS)
    return TokenizerFacts(
        model=model,
        pieces=pieces,
        kinds=read_numbers(metadata, "token_type", count) if _has(metadata, "token_type") else None,
        scores=read_numbers(metadata, "scores", count) if by_score else None,
        merges=read_texts(metadata, "merges") if by_merge else [],
        splitting=splitting,
        bos_id=_token_id(metadata, "bos_token_id", count, bos_id),
        eos_id=_token_id(metadata, "eos_token_id", count, eos_id),
        unknown_id=_token_id(metadata, "unknown_token_id", count, unknown_id),
        # The specification spells it so.
        separator_id=_token_id(metadata, "seperator_token_id", count, separator_id),
        ends=tuple(index for index in ends if index is not None),
        adds_bos=_flag(metadata, "add_bos_token"),
        adds_eos=_flag(metadata, "add_eos_token"),
        adds_space=_flag(metadata, "add_space_prefix"),
        removes_extra_spaces=_flag(metadata, "remove_extra_whitespaces"),
        charsmap=_charsmap(metadata),
        strips_after=_phi3_strippers(metadata, pieces),
        notice=notice,
    )


def read_entry(metadata: Mapping[str, object], name: str, type_: type[T]) -> T:
    """The value of `tokenizer.ggml.NAME`.

    Raises:
        UnsupportedModelError: it is missing or has another type.
    """
    value = metadata.get(f"tokenizer.ggml.{name}")
    if value is None:
        raise UnsupportedModelError(
            f"This file has no usable tokenizer (its {name!r} is missing), so it can neither read "
            "nor write text. Choose a complete file of the model."
        )
    if not isinstance(value, type_):
        raise damaged_tokenizer(f"its {name!r} is not what it should be")
    return value


def read_texts(metadata: Mapping[str, object], name: str) -> list[str]:
    """The list of texts under `tokenizer.ggml.NAME`.

    Raises:
        UnsupportedModelError: it is missing, or no list of texts.
    """
    texts: list[str] = read_entry(metadata, name, list)
    if texts and not isinstance(texts[0], str):  # an array's elements are all of one type
        raise damaged_tokenizer(f"its {name!r} is not a list of texts")
    return texts


def read_numbers(metadata: Mapping[str, object], name: str, count: int) -> Numbers:
    """The numbers under `tokenizer.ggml.NAME`, one for each token.

    Raises:
        UnsupportedModelError: they are missing, too few or too many, or no numbers.
    """
    numbers = np.asarray(read_entry(metadata, name, object))
    if numbers.shape != (count,) or not np.issubdtype(numbers.dtype, np.number):
        raise damaged_tokenizer(f"its {name!r} is not a list of {count} numbers")
    return numbers


def _has(metadata: Mapping[str, object], name: str) -> bool:
    return f"tokenizer.ggml.{name}" in metadata


def _is_merged_alone(metadata: Mapping[str, object]) -> bool:
    return _has(metadata, "merges") and not _has(metadata, "scores")


def _flag(metadata: Mapping[str, object], name: str) -> bool | None:
    return read_entry(metadata, name, bool) if _has(metadata, name) else None


def _charsmap(metadata: Mapping[str, object]) -> bytes:
    if not _has(metadata, "precompiled_charsmap"):
        return b""
    numbers = np.asarray(read_entry(metadata, "precompiled_charsmap", object))
    if numbers.ndim != 1 or numbers.dtype.itemsize != 1:
        raise damaged_tokenizer("its 'precompiled_charsmap' is not a list of bytes")
    return numbers.tobytes()


def _splitting(metadata: Mapping[str, object]) -> tuple[Splitting, str]:
    """How a byte-level vocabulary splits text, and a sentence where the file's way is unknown."""
    name = read_entry(metadata, "pre", str) if _has(metadata, "pre") else ""
    splitting = SPLITTINGS.get(name)
    if splitting is not None:
        return splitting, ""
    return UNKNOWN, (
        f"This model splits text in a way that is not known here ({reprlib.repr(name)}), so a "
        "common one is used; its answers may be worse than they should be."
    )


def _phi3_strippers(metadata: Mapping[str, object], pieces: list[str]) -> frozenset[int]:
    """Phi-3's own tokenizer.json sets `rstrip` on its special tokens; GGUF has no place for it."""
    if metadata.get("general.architecture") != "phi3" or not _has(metadata, "token_type"):
        return frozenset()
    kinds = read_numbers(metadata, "token_type", len(pieces))
    special = (TokenKind.CONTROL, TokenKind.UNKNOWN, TokenKind.USER_DEFINED)
    plain = {"<unk>", "<s>", "<|endoftext|>"}
    ids: list[int] = np.flatnonzero(np.isin(kinds, special)).tolist()
    return frozenset(index for index in ids if pieces[index] not in plain)


def _token_id(
    metadata: Mapping[str, object], name: str, count: int, default: int | None
) -> int | None:
    stated = metadata.get(f"tokenizer.ggml.{name}")
    index = stated if isinstance(stated, int) else default
    return index if index is not None and 0 <= index < count else None

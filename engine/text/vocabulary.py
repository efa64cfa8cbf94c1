"""The vocabulary that a model's file carries: pieces, their kinds, and the ids with a duty.

Keys and numbers are those of the GGUF specification, section "Tokenizer".
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from engine.base.errors import UnsupportedModelError

T = TypeVar("T")
Kinds: TypeAlias = npt.NDArray[np.uint8]


class TokenKind(IntEnum):
    """What a token is for, numbered as in `tokenizer.ggml.token_type`."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


# Tokens that end a turn or a text, by the names that public models give them. Files often type
# them wrongly, so such a name makes a control token.
_END_NAMES = frozenset(
    {
        "<|im_end|>",
        "<|eot_id|>",
        "<|eom_id|>",
        "<|end|>",
        "<|return|>",
        "<|call|>",
        "<|calls|>",
        "<|flush|>",
        "<end_of_turn>",
        "<turn|>",
        "<|tool_response>",
        "<|endoftext|>",
        "<|end_of_text|>",
        "<end_of_utterance>",
        "<eos>",
        "<EOT>",
        "_<EOT>",
        "[EOT]",
        "[EOS]",
        "[e~[",
        "<｜end▁of▁sentence｜>",
        "</s>",
    }
)
_END_KEYS = ("eos_token_id", "eot_token_id", "eom_token_id")
_BYTE_NAME = re.compile(r"<0x([0-9A-Fa-f]{2})>")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a file says of its tokens; a token's id is its place in `pieces`."""

    model: str  # "gpt2", "llama", …: how words are cut into pieces
    pieces: list[str]
    kinds: bytes  # a `TokenKind` for each id
    text_ids: Mapping[str, int]  # the pieces that plain text may become
    special_ids: Mapping[str, int]  # names that are looked for in the text as it stands
    byte_ids: Mapping[int, int]  # byte → the token that spells it where no piece does
    bos_id: int | None
    eos_id: int | None
    unknown_id: int | None
    end_of_generation: frozenset[int]


def read_vocabulary(metadata: Mapping[str, object]) -> Vocabulary:
    """The vocabulary in a file's metadata.

    Raises:
        UnsupportedModelError: the file has none, or one that cannot be used.
    """
    model = read_entry(metadata, "model", str)
    pieces = read_texts(metadata, "tokens")
    if not pieces:
        raise _damaged_tokenizer("it has no tokens")
    ids = {piece: index for index, piece in enumerate(pieces)}
    kinds = _kinds(metadata, len(pieces))
    ends = _end_ids(metadata, ids, len(pieces))
    kinds[list(ends)] = TokenKind.CONTROL
    # Plain text never becomes one of these, whatever it spells: so a message cannot forge them.
    for index in _ids_of(kinds, TokenKind.CONTROL, TokenKind.UNKNOWN, TokenKind.BYTE):
        ids.pop(pieces[index], None)
    special = _ids_of(kinds, TokenKind.CONTROL, TokenKind.UNKNOWN, TokenKind.USER_DEFINED)
    bos_id, eos_id, unknown_id = (1, 2, 0) if model == "llama" else (None, None, None)
    return Vocabulary(
        model=model,
        pieces=pieces,
        kinds=kinds.tobytes(),
        text_ids=ids,
        special_ids={pieces[index]: index for index in special if pieces[index]},
        byte_ids=_byte_ids(pieces, _ids_of(kinds, TokenKind.BYTE)),
        bos_id=_token_id(metadata, "bos_token_id", len(pieces), bos_id),
        eos_id=_token_id(metadata, "eos_token_id", len(pieces), eos_id),
        unknown_id=_token_id(metadata, "unknown_token_id", len(pieces), unknown_id),
        end_of_generation=frozenset(ends),
    )


def read_entry(
    metadata: Mapping[str, object], name: str, type_: type[T], default: T | None = None
) -> T:
    """The value of `tokenizer.ggml.NAME`.

    Raises:
        UnsupportedModelError: it has another type, or is missing and has no default.
    """
    value = metadata.get(f"tokenizer.ggml.{name}", default)
    if value is None:
        raise UnsupportedModelError(
            f"This file has no usable tokenizer (its {name!r} is missing), so it can neither read "
            "nor write text. Choose a complete file of the model."
        )
    if not isinstance(value, type_):
        raise _damaged_tokenizer(f"its {name!r} is not what it should be")
    return value


def read_texts(metadata: Mapping[str, object], name: str) -> list[str]:
    """The list of texts under `tokenizer.ggml.NAME`.

    Raises:
        UnsupportedModelError: it is missing, or no list of texts.
    """
    texts: list[str] = read_entry(metadata, name, list)
    if texts and not isinstance(texts[0], str):  # an array's elements are all of one type
        raise _damaged_tokenizer(f"its {name!r} is not a list of texts")
    return texts


def read_numbers(
    metadata: Mapping[str, object], name: str, count: int
) -> npt.NDArray[np.number[Any]]:
    """The numbers under `tokenizer.ggml.NAME`, one for each token.

    Raises:
        UnsupportedModelError: they are missing, too few or too many, or no numbers.
    """
    numbers = np.asarray(read_entry(metadata, name, object))
    if numbers.shape != (count,) or not np.issubdtype(numbers.dtype, np.number):
        raise _damaged_tokenizer(f"its {name!r} is not a list of {count} numbers")
    return numbers


def _damaged_tokenizer(cause: str) -> UnsupportedModelError:
    """The error for a tokenizer that is there and makes no sense."""
    return UnsupportedModelError(
        f"The tokenizer in this file is damaged: {cause}. Choose another file of the model."
    )


def _kinds(metadata: Mapping[str, object], count: int) -> Kinds:
    if "tokenizer.ggml.token_type" not in metadata:
        return np.full(count, TokenKind.NORMAL, np.uint8)
    kinds = read_numbers(metadata, "token_type", count)
    return np.where(np.isin(kinds, list(TokenKind)), kinds, TokenKind.NORMAL).astype(np.uint8)


def _end_ids(metadata: Mapping[str, object], ids: Mapping[str, int], count: int) -> set[int]:
    names = _END_NAMES.intersection(ids)
    if "<|tool_response>" in names:
        names -= {"</s>"}  # Gemma 4, where it is HTML's strike-through and no more
    stated = [_token_id(metadata, key, count, None) for key in _END_KEYS]
    return {ids[name] for name in names}.union(index for index in stated if index is not None)


def _ids_of(kinds: Kinds, *wanted: TokenKind) -> list[int]:
    ids: list[int] = np.flatnonzero(np.isin(kinds, wanted)).tolist()
    return ids


def _byte_ids(pieces: list[str], candidates: Iterable[int]) -> dict[int, int]:
    named = ((index, _BYTE_NAME.fullmatch(pieces[index])) for index in candidates)
    return {int(match[1], 16): index for index, match in named if match}


def _token_id(
    metadata: Mapping[str, object], name: str, count: int, default: int | None
) -> int | None:
    stated = metadata.get(f"tokenizer.ggml.{name}")
    index = stated if isinstance(stated, int) else default
    return index if index is not None and 0 <= index < count else None

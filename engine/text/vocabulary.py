"""The vocabulary of a model: pieces, their kinds, and the ids with a duty."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.text.tokenizer_facts import TokenizerFacts, TokenKind

Kinds: TypeAlias = npt.NDArray[np.uint8]


# Tokens that end a turn or a text, by the names that public models give them. Files often type
# them wrongly, so such a name makes a control token.
_END_NAMES = frozenset(
    {
        "<|im_end|>",
        "<|eot_id|>",
        "<|eom_id|>",
        "<|end|>",
        "<|eot|>",
        "<|eom|>",
        "<|eos|>",
        "<|end_of_turn|>",
        "<|END_OF_TURN_TOKEN|>",
        "<|endofturn|>",
        "[|endofturn|]",
        "<|role_end|>",
        "<seed:eos>",
        "<|fim_pad|>",  # what follows would be another file
        "<|fim_repo|>",
        "<|repo_name|>",
        "<|file_sep|>",
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
_BYTE_NAME = re.compile(r"<0x([0-9A-Fa-f]{2})>")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The tokens of a model; a token's id is its place in `pieces`."""

    pieces: list[str]
    kinds: bytes  # a `TokenKind` for each id
    text_ids: Mapping[str, int]  # the pieces that plain text may become
    special_ids: Mapping[str, int]  # names that are looked for in the text as it stands
    byte_ids: Mapping[int, int]  # byte → the token that spells it where no piece does
    bos_id: int | None
    eos_id: int | None
    unknown_id: int | None
    end_of_generation: frozenset[int]


def make_vocabulary(facts: TokenizerFacts) -> Vocabulary:
    """The vocabulary that a model's files describe."""
    pieces = facts.pieces
    if well_formed(whole := "".join(pieces)) is not whole:
        pieces = list(map(well_formed, pieces))
    ids = {piece: index for index, piece in enumerate(pieces)}
    kinds = _kinds(facts)
    ends = _named_ends(ids).union(facts.ends)
    kinds[list(ends)] = TokenKind.CONTROL
    # Plain text never becomes one of these, whatever it spells: so a message cannot forge them.
    for index in _ids_of(kinds, TokenKind.CONTROL, TokenKind.UNKNOWN, TokenKind.BYTE):
        ids.pop(pieces[index], None)
    special = _ids_of(kinds, TokenKind.CONTROL, TokenKind.UNKNOWN, TokenKind.USER_DEFINED)
    return Vocabulary(
        pieces=pieces,
        kinds=kinds.tobytes(),
        text_ids=ids,
        special_ids={pieces[index]: index for index in special if pieces[index]},
        byte_ids=_byte_ids(pieces, _ids_of(kinds, TokenKind.BYTE)),
        bos_id=facts.bos_id,
        eos_id=facts.eos_id,
        unknown_id=facts.unknown_id,
        end_of_generation=frozenset(ends),
    )


def well_formed(text: str) -> str:
    """The text with half surrogate pairs, which UTF-8 cannot spell, as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _kinds(facts: TokenizerFacts) -> Kinds:
    kinds = facts.kinds
    if kinds is None:
        return np.full(len(facts.pieces), TokenKind.NORMAL, np.uint8)
    return np.where(np.isin(kinds, list(TokenKind)), kinds, TokenKind.NORMAL).astype(np.uint8)


def _named_ends(ids: Mapping[str, int]) -> set[int]:
    names = _END_NAMES.intersection(ids)
    if "<|tool_response>" in names:
        names -= {"</s>"}  # Gemma 4, where it is HTML's strike-through and no more
    if {"<|return|>", "<|call|>"} <= names:
        names -= {"<|end|>"}  # gpt-oss, where it ends a message of several in one reply
    return {ids[name] for name in names}


def _ids_of(kinds: Kinds, *wanted: TokenKind) -> list[int]:
    ids: list[int] = np.flatnonzero(np.isin(kinds, wanted)).tolist()
    return ids


def _byte_ids(pieces: list[str], candidates: Iterable[int]) -> dict[int, int]:
    named = ((index, _BYTE_NAME.fullmatch(pieces[index])) for index in candidates)
    return {int(match[1], 16): index for index, match in named if match}

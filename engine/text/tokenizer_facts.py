"""What a model's files say of its tokenizer, whichever form the files have."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.base.errors import UnsupportedModelError
from engine.text.pretokenize import Splitting

Numbers: TypeAlias = npt.NDArray[np.number[Any]]


class TokenKind(IntEnum):
    """What a token is for, numbered as in GGUF's `tokenizer.ggml.token_type`."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


@dataclass(frozen=True, slots=True)
class TokenizerFacts:
    """What `make_tokenizer` needs to know. None: nothing is said, so the model's kind decides.

    Attributes:
        model: how words are cut into pieces: "gpt2" byte-level BPE, "llama" SentencePiece BPE,
            "gemma4" its own mixture of the two, "t5" unigram, "bert" WordPiece.
        pieces: the text of each id, as vocabularies of the kind spell it ("Ġthe", "▁the"); at least
            one.
        kinds: a `TokenKind` for each id; None: all are normal.
        scores: of each id; "t5" needs them, and "llama" where it has no merges.
        merges: "left right", best first; "gpt2" and "gemma4" need them.
        splitting: how text becomes words; "gpt2" needs it.
        ends: ids that end a reply, beside those known by their names.
        adds_space: text is read with a space before it.
        removes_extra_spaces: runs of spaces become one, and those at both ends none.
        charsmap: SentencePiece's precompiled normalisation; empty: there is none.
        strips_after: tokens that swallow the white space behind them.
        notice: a sentence for people where the files ask for something unknown, else empty.
    """

    model: str
    pieces: list[str]
    kinds: Numbers | None = None
    scores: Numbers | None = None
    merges: list[str] = field(default_factory=list)
    splitting: Splitting | None = None
    bos_id: int | None = None
    eos_id: int | None = None
    unknown_id: int | None = None
    separator_id: int | None = None
    ends: tuple[int, ...] = ()
    adds_bos: bool | None = None
    adds_eos: bool | None = None
    adds_space: bool | None = None
    removes_extra_spaces: bool | None = None
    charsmap: bytes = b""
    strips_after: frozenset[int] = frozenset()
    notice: str = ""


def damaged_tokenizer(cause: str) -> UnsupportedModelError:
    """The error for a tokenizer that is there and makes no sense."""
    return UnsupportedModelError(
        f"The tokenizer in this file is damaged: {cause}. Choose another file of the model."
    )

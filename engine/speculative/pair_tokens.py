"""Which token ids mean the same in two files; needs their headers alone.

A draft is checked by id, so an id has to stand for the same text in both models. Wherever it does
not, the draft ends before it: what would never be accepted is not worth proposing.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from operator import ne
from typing import Self

import numpy as np

from engine.gguf.metadata import Metadata
from engine.gguf.model_file import ModelFile
from engine.gguf.summary import summarise
from engine.text.gguf_tokenizer import read_numbers, read_texts
from engine.text.tokenizer_facts import TokenKind

MOST_DIFFERING = 64
"""Ids set apart one by one: fine-tuned models rename a few control tokens, rarely more."""

LEAST_KNOWN = 0.9
"""Share of the target's tokens that a draft must know. Unrelated vocabularies part within their
first few hundred; related ones differ in a handful, or where the draft's ends."""

_HABITS = ("pre", "bos_token_id", "eos_token_id", "add_bos_token")


@dataclass(frozen=True, slots=True)
class TokenTable:
    """What a file says of its tokens.

    Attributes:
        model: how words are cut into pieces ("gpt2", "llama").
        pieces: the text of each id that the model has logits for.
        size: how many there are before the padding.
        habits: how text is cut into words, begins and ends, as far as the file says.
    """

    model: str
    pieces: Sequence[str]
    size: int
    habits: Mapping[str, int | str]

    @classmethod
    def read(cls, file: ModelFile) -> Self:
        """Read and check it.

        Raises:
            UnsupportedModelError: the file has no tokenizer, or one that makes no sense.
            ModelFileError: a value is of the wrong type.
        """
        metadata = file.metadata
        pieces = read_texts(metadata, "tokens")
        rows = min(len(pieces), summarise(file).vocab_size)
        return cls(
            model=metadata.read("tokenizer.ggml.model", str),
            pieces=pieces[:rows],
            size=min(_without_padding(metadata, pieces), rows),
            habits=_habits(metadata),
        )

    def reads_otherwise(self, other: "TokenTable") -> bool:
        """Whether the same text, as far as both say, is put into other ids."""
        stated = self.habits.keys() & other.habits.keys()
        return any(self.habits[key] != other.habits[key] for key in stated)


@dataclass(frozen=True, slots=True)
class SharedTokens:
    """What two vocabularies have in common.

    Attributes:
        known: ids below mean the same in both, but for `differing`.
        differing: the ids below `known` that do not, in ascending order; at most `MOST_DIFFERING`.
        enough: whether `known` covers as much of the target as `LEAST_KNOWN` asks for.
    """

    known: int
    differing: tuple[int, ...]
    enough: bool


def shared_tokens(target: TokenTable, draft: TokenTable) -> SharedTokens:
    """Compare two vocabularies id by id.

    What only one of them pads is given up from the first such id on; padding that both have is as
    good as any token.
    """
    rows = min(len(target.pieces), len(draft.pieces))
    all_differing = compress(range(rows), map(ne, target.pieces, draft.pieces))
    first = tuple(islice(all_differing, MOST_DIFFERING + 1))
    before_padding = bisect_left(first, min(target.size, draft.size))
    apart = min(before_padding, MOST_DIFFERING)
    known = first[apart] if apart < len(first) else rows
    return SharedTokens(
        known=known,
        differing=first[:apart],
        enough=known - apart >= LEAST_KNOWN * target.size > 0,
    )


def _without_padding(metadata: Metadata, pieces: Sequence[str]) -> int:
    """How many tokens there are before those that fill the embedding up to a round number.

    Converters call them `[PAD7]`, by their id, and do not agree on their kind.
    """
    unused = np.zeros(len(pieces), bool)
    if "tokenizer.ggml.token_type" in metadata:
        unused = read_numbers(metadata, "token_type", len(pieces)) == TokenKind.UNUSED
    size = len(pieces)
    while size and (unused[size - 1] or pieces[size - 1] == f"[PAD{size - 1}]"):
        size -= 1
    return size


def _habits(metadata: Metadata) -> dict[str, int | str]:
    stated = {key: metadata.get(f"tokenizer.ggml.{key}") for key in _HABITS}
    return {key: value for key, value in stated.items() if isinstance(value, int | str)}

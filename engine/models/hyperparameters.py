"""The numbers that shape a model, read once from its file and checked there.

Here are those that every architecture has. What only some have, each reads where it is used, with
`Sizes` too.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, overload

import numpy as np

from engine.base.errors import ModelFileError
from engine.gguf.defects import damaged, quoted
from engine.gguf.metadata import Metadata
from engine.memory.spec import KeyValueSpec

LARGEST = 1 << 31
"""No size in a model's header is beyond it; larger ones come from damage or malice."""

MOST_BLOCKS = 1 << 16


@dataclass(frozen=True, slots=True)
class AttentionShape:
    """The heads of a layer's attention; it has none where the layer does something else."""

    heads: int
    kv_heads: int
    head_dim: int
    value_dim: int

    @property
    def key_values(self) -> KeyValueSpec:
        """What the layer keeps."""
        return KeyValueSpec(self.kv_heads, self.head_dim, self.value_dim)


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """What every architecture declares under its own prefix (GGUF specification, `[arch].*`).

    Attributes:
        layers: of the model itself.
        draft_heads: blocks behind them that draft for it.
        attention: the heads of each block.
        feed_forward: the inner width of each block's feed-forward layer; 0 where it has none.
        epsilon: of the norms, be they root-mean-square or layer norms.
        rope_dims: how many dimensions of a head turn.
    """

    architecture: str
    layers: int
    draft_heads: int
    width: int
    context_length: int
    attention: tuple[AttentionShape, ...]
    feed_forward: tuple[int, ...]
    epsilon: float
    rope_dims: int

    @classmethod
    def read(cls, metadata: Metadata) -> Self:
        """Read and check them.

        Raises:
            ModelFileError: one is missing, of the wrong type, or makes no sense.
            UnsupportedModelError: the model is none that goes on from what was said.
        """
        sizes = Sizes(metadata)
        metadata.expect(f"{sizes.architecture}.attention.causal", True)
        blocks, nextn = sizes.whole("block_count", most=MOST_BLOCKS), sizes.draft_heads()
        if nextn >= blocks:
            raise damaged(f"{nextn} of its {blocks} blocks cannot be there only to draft")
        attention = sizes.attention(blocks)
        return cls(
            architecture=sizes.architecture,
            layers=blocks - nextn,
            draft_heads=nextn,
            width=sizes.whole("embedding_length"),
            context_length=sizes.whole("context_length"),
            attention=attention,
            feed_forward=sizes.per_block("feed_forward_length", blocks, [0] * blocks),
            epsilon=sizes.epsilon(),
            rope_dims=sizes.rope_dims(attention[0].head_dim),
        )

    @property
    def heads(self) -> int:
        """The most query heads that a layer has."""
        return max(shape.heads for shape in self.attention)


class Sizes:
    """Reads numbers under an architecture's prefix, and nothing else.

    Attributes:
        architecture: the prefix.
    """

    def __init__(self, metadata: Metadata) -> None:
        self.architecture = metadata.read("general.architecture", str)
        self._metadata = metadata

    def whole(self, key: str, default: int | None = None, *, most: int = LARGEST) -> int:
        """A whole number from 1 to `most`."""
        value = (
            self._metadata.read(self._full(key), int)
            if default is None
            else self._metadata.read(self._full(key), int, default)
        )
        if not 1 <= value <= most:
            raise self._damaged(key, value)
        return value

    @overload
    def optional(self, key: str, default: int) -> int: ...
    @overload
    def optional(self, key: str, default: None = None) -> int | None: ...
    def optional(self, key: str, default: int | None = None) -> int | None:
        """A whole number that many files do not say, or give as 0: `default` stands for both."""
        return self.whole(key) if self._metadata.read(self._full(key), int, 0) else default

    def real(self, key: str, default: float | None = None) -> float:
        """A finite number above zero."""
        value = (
            self._metadata.read(self._full(key), float)
            if default is None
            else self._metadata.read(self._full(key), float, default)
        )
        if not (math.isfinite(value) and value > 0):
            raise self._damaged(key, value)
        return value

    def factor(self, key: str, default: float = 1.0) -> float:
        """A factor that many files do not say, or give as 0: `default` stands for both."""
        return self.real(key) if self._metadata.read(self._full(key), float, 0.0) else default

    def flag(self, key: str, *, default: bool) -> bool:
        """Yes or no."""
        return self._metadata.read(self._full(key), bool, default)

    def text(self, key: str, default: str) -> str:
        """A word."""
        return self._metadata.read(self._full(key), str, default)

    def per_block(self, key: str, blocks: int, default: Sequence[int]) -> tuple[int, ...]:
        """A number of 0 or more for each block: one for all of them, or a list.

        A list may leave out the last blocks, which are there to draft; they are like the one
        before.
        """
        value = self._metadata.get(self._full(key))
        if value is None:
            return tuple(default)
        if isinstance(value, np.ndarray):
            if not blocks - self.draft_heads() <= len(value) <= blocks:
                raise damaged(
                    f"its {quoted(self._full(key))} lists {len(value)} of {blocks} blocks"
                )
            listed = [int(each) for each in value]
        else:
            listed = [self._metadata.read(self._full(key), int)]
        if wrong := [each for each in listed if not 0 <= each <= LARGEST]:
            raise self._damaged(key, wrong[0])
        return tuple(listed + listed[-1:] * (blocks - len(listed)))

    def attention(self, blocks: int) -> tuple[AttentionShape, ...]:
        """The heads of each block."""
        heads = self.per_block("attention.head_count", blocks, [0] * blocks)
        kv_heads = self.per_block("attention.head_count_kv", blocks, heads)
        head_dim = self.whole(
            "attention.key_length", self.whole("embedding_length") // max(1, *heads)
        )
        value_dim = self.whole("attention.value_length", head_dim)
        for query, shared in zip(heads, kv_heads, strict=True):
            if shared and query % shared:
                raise self._damaged("attention.head_count_kv", shared)
        return tuple(
            AttentionShape(query if shared else 0, shared, head_dim, value_dim)
            for query, shared in zip(heads, kv_heads, strict=True)
        )

    def rope_dims(self, head_dim: int) -> int:
        """How many dimensions of a head turn: pairs of them, and no more than there are."""
        value = self.whole("rope.dimension_count", head_dim, most=head_dim)
        if value % 2:
            raise self._damaged("rope.dimension_count", value)
        return value

    def epsilon(self) -> float:
        """That of the norms; a file that has both kinds gives both the same."""
        rms, layer = "attention.layer_norm_rms_epsilon", "attention.layer_norm_epsilon"
        return self.real(rms if self._full(rms) in self._metadata else layer)

    def divisor(self, key: str, of: int) -> int:
        """A number that divides another, which it is if the file does not say."""
        value = self.whole(key, of)
        if of % value:
            raise self._damaged(key, value)
        return value

    def draft_heads(self) -> int:
        """How many blocks, the last ones, predict tokens behind the next; most files have none."""
        return self.optional("nextn_predict_layers", 0)

    def _full(self, key: str) -> str:
        return f"{self.architecture}.{key}"

    def _damaged(self, key: str, value: float) -> ModelFileError:
        return damaged(f"its {quoted(self._full(key))} cannot be {value}")

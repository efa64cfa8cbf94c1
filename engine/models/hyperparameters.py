"""The numbers that shape a model, read once from its file and checked there."""

import math
from dataclasses import dataclass
from typing import Self

from engine.base.errors import ModelFileError, UnsupportedModelError
from engine.gguf.defects import damaged, quoted
from engine.gguf.metadata import Metadata

LARGEST = 1 << 31
"""No size in a model's header is beyond it; larger ones come from damage or malice."""


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """What every architecture declares under its own prefix (GGUF specification, `[arch].*`)."""

    architecture: str
    layers: int  # of the model itself
    draft_heads: int  # blocks behind them that draft for it
    width: int
    context_length: int
    heads: int
    kv_heads: int
    head_dim: int
    value_dim: int
    feed_forward: int
    epsilon: float
    rope_dims: int
    rope_base: float
    rope_position_scale: float

    @classmethod
    def read(cls, metadata: Metadata) -> Self:
        """Read and check them.

        Raises:
            ModelFileError: one is missing, of the wrong type, or makes no sense.
            UnsupportedModelError: the file asks for a variant that is not there yet.
        """
        sizes = Sizes(metadata)
        sizes.expect_plain_variant()
        width, heads = sizes.whole("embedding_length"), sizes.whole("attention.head_count")
        head_dim = sizes.whole("attention.key_length", width // heads)
        blocks, nextn = sizes.whole("block_count", most=1 << 16), sizes.draft_heads()
        if nextn >= blocks:
            raise damaged(f"{nextn} of its {blocks} blocks cannot be there only to draft")
        return cls(
            architecture=sizes.architecture,
            layers=blocks - nextn,
            draft_heads=nextn,
            width=width,
            context_length=sizes.whole("context_length"),
            heads=heads,
            kv_heads=sizes.divisor("attention.head_count_kv", heads),
            head_dim=head_dim,
            value_dim=sizes.whole("attention.value_length", head_dim),
            feed_forward=sizes.whole("feed_forward_length"),
            epsilon=sizes.real("attention.layer_norm_rms_epsilon"),
            rope_dims=sizes.rope_dims(head_dim),
            rope_base=sizes.real("rope.freq_base", 10_000.0),
            rope_position_scale=sizes.position_scale(),
        )


class Sizes:
    """Reads positive numbers under an architecture's prefix, and nothing else.

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

    def divisor(self, key: str, of: int) -> int:
        """A number that divides another, which it is if the file does not say."""
        value = self.whole(key, of)
        if of % value:
            raise self._damaged(key, value)
        return value

    def rope_dims(self, head_dim: int) -> int:
        """How many dimensions of a head turn: pairs of them, and no more than there are."""
        value = self.whole("rope.dimension_count", head_dim, most=head_dim)
        if value % 2:
            raise self._damaged("rope.dimension_count", value)
        return value

    def draft_heads(self) -> int:
        """How many blocks, the last ones, predict tokens behind the next; most files have none."""
        value = self._metadata.read(self._full("nextn_predict_layers"), int, 0)
        return value and self.whole("nextn_predict_layers")

    def position_scale(self) -> float:
        """What positions are multiplied by: the inverse of linear scaling's factor."""
        kind = self._metadata.read(self._full("rope.scaling.type"), str, "none")
        if kind not in ("none", "linear"):
            raise UnsupportedModelError(
                f"This model stretches its context by {quoted(kind)} scaling, which this version "
                "does not have; a version of the model without it will work."
            )
        return 1.0 if kind == "none" else 1.0 / self.real("rope.scaling.factor", 1.0)

    def expect_plain_variant(self) -> None:
        """Refuse what would be computed wrongly: experts, and attention that is not causal."""
        self._metadata.expect(self._full("expert_count"), 0)
        self._metadata.expect(self._full("attention.causal"), True)
        self._metadata.expect(self._full("logit_scale"), 1.0)

    def _full(self, key: str) -> str:
        return f"{self.architecture}.{key}"

    def _damaged(self, key: str, value: float) -> ModelFileError:
        return damaged(f"its {quoted(self._full(key))} cannot be {value}")

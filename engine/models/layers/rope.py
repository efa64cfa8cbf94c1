"""The rotary embedding that a file's keys describe, with every way of stretching it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from engine.base.errors import UnsupportedModelError
from engine.gguf.defects import quoted
from engine.gguf.metadata import Metadata
from engine.kernels.operations.sequences import Rope
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Sizes

if TYPE_CHECKING:
    from engine.weights.quant_tensor import QuantTensor

KINDS = ("none", "linear", "yarn", "longrope")


@dataclass(frozen=True, slots=True)
class RopeScaling:
    """How a model reaches positions beyond those that it was first trained for.

    Attributes:
        kind: one of `KINDS`.
        factor: by how much positions are stretched.
        original_context: positions that it was first trained for.
        magnitude: what queries and keys grow by beside what YaRN computes itself.
        beta_fast, beta_slow: turns over the original context between which YaRN blends.
        log_multiplier: of YaRN's growth, where the score scale takes part of it (DeepSeek).
    """

    kind: str = "none"
    factor: float = 1.0
    original_context: int = 0
    magnitude: float = 1.0
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    log_multiplier: float = 0.0

    @classmethod
    def read(cls, metadata: Metadata) -> Self:
        """Read and check them.

        Raises:
            UnsupportedModelError: the kind is unknown.
            ModelFileError: a number makes no sense.
        """
        sizes = Sizes(metadata)
        kind = sizes.text("rope.scaling.type", "none")
        if kind not in KINDS:
            raise UnsupportedModelError(
                f"This model stretches its context by {quoted(kind)} scaling, which this version "
                "does not have; a version of the model without it will work."
            )
        context = sizes.whole("context_length")
        return cls(
            kind,
            1.0 if kind == "none" else sizes.factor("rope.scaling.factor"),
            sizes.optional("rope.scaling.original_context_length", context),
            sizes.factor("rope.scaling.attn_factor"),
            sizes.factor("rope.scaling.yarn_beta_fast", 32.0),
            sizes.factor("rope.scaling.yarn_beta_slow", 1.0),
            sizes.factor("rope.scaling.yarn_log_multiplier", 0.0),
        )

    def frequencies(self, dims: int, base: float) -> tuple[float, ...]:
        """Radians a position for each pair."""
        plain = Rope.plain(dims, base, interleaved=True).frequencies
        match self.kind:
            case "linear":
                return tuple(each / self.factor for each in plain)
            case "yarn":
                kept = self._kept(dims, base)
                return tuple(
                    each * (share + (1.0 - share) / self.factor)
                    for each, share in zip(plain, kept, strict=True)
                )
            case _:
                return plain

    def growth(self) -> float:
        """What queries and keys are multiplied by as they turn."""
        if self.kind != "yarn":
            return self.magnitude
        share = yarn_growth(self.factor, self.log_multiplier) if self.log_multiplier else 1.0
        return self.magnitude * yarn_growth(self.factor) / share

    def _kept(self, dims: int, base: float) -> list[float]:
        """How far each pair turns as before: fast ones do, slow ones are stretched (YaRN, 2023)."""

        def pair_with(turns: float) -> float:
            reach = self.original_context / (turns * 2.0 * math.pi)
            return dims * math.log(reach) / (2.0 * math.log(base))

        first = max(0.0, math.floor(pair_with(self.beta_fast)))
        last = min(dims - 1.0, math.ceil(pair_with(self.beta_slow)))
        width = max(0.001, last - first)
        return [1.0 - min(1.0, max(0.0, (pair - first) / width)) for pair in range(dims // 2)]


def yarn_growth(factor: float, multiplier: float = 1.0) -> float:
    """YaRN's growth of the scores' root by the factor of stretching."""
    return 1.0 if factor <= 1.0 else 1.0 + 0.1 * multiplier * math.log(factor)


def rope(
    build: ProgramBuilder,
    *,
    interleaved: bool,
    dims: int | None = None,
    base: float | None = None,
    scaling: RopeScaling | None = None,
) -> Rope:
    """A rotary embedding, with the factors that the file has for its pairs.

    Args:
        build: what it is for.
        interleaved: whether files in GGUF have neighbouring dimensions turn; folders may not.
        dims: how many dimensions turn, where it is not what the file says.
        base: of the frequencies, where it is not the one that the file has for all layers.
        scaling: where it is not what the file says.
    """
    split = f"{build.hyper.architecture}.rope.split_halves"
    interleaved &= not build.metadata.read(split, bool, False)
    dims = dims or build.hyper.rope_dims
    base = base or Sizes(build.metadata).real("rope.freq_base", 10_000.0)
    scaling = scaling or RopeScaling.read(build.metadata)
    factors = _factors(build, dims // 2, scaling)
    return Rope(scaling.frequencies(dims, base), interleaved, scaling.growth(), factors)


def _factors(build: ProgramBuilder, pairs: int, scaling: RopeScaling) -> QuantTensor | None:
    """Those of Llama 3, or of LongRoPE, which has others for a context beyond the original."""
    take = build.weights.take_optional
    long, short = (take(f"rope_factors_{kind}.weight", (pairs,)) for kind in ("long", "short"))
    stretched = long if build.context > scaling.original_context else short
    return stretched or take("rope_freqs.weight", (pairs,))

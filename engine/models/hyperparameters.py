"""The numbers that shape a model, read once from its file and checked there."""

from dataclasses import dataclass
from typing import Self

from engine.base.errors import ModelFileError, UnsupportedModelError
from engine.gguf.metadata import Metadata


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """What every architecture declares under its own prefix (GGUF specification, `[arch].*`)."""

    architecture: str
    layers: int
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
        architecture = metadata.read("general.architecture", str)
        prefix = architecture + "."

        def read(key: str, default: int | None = None) -> int:
            value = (
                metadata.read(prefix + key, int)
                if default is None
                else metadata.read(prefix + key, int, default)
            )
            if value <= 0:
                raise ModelFileError(
                    f"The model file says {prefix}{key} is {value}; it is damaged."
                )
            return value

        metadata.expect(prefix + "expert_count", 0)
        width, heads = read("embedding_length"), read("attention.head_count")
        kv_heads = read("attention.head_count_kv", heads)
        if heads % kv_heads:
            raise ModelFileError(
                f"{heads} query heads cannot share {kv_heads} key heads; the model file is damaged."
            )
        head_dim = read("attention.key_length", width // heads)
        return cls(
            architecture=architecture,
            layers=read("block_count"),
            width=width,
            context_length=read("context_length"),
            heads=heads,
            kv_heads=kv_heads,
            head_dim=head_dim,
            value_dim=read("attention.value_length", head_dim),
            feed_forward=read("feed_forward_length"),
            epsilon=metadata.read(prefix + "attention.layer_norm_rms_epsilon", float),
            rope_dims=read("rope.dimension_count", head_dim),
            rope_base=metadata.read(prefix + "rope.freq_base", float, 10_000.0),
            rope_position_scale=_position_scale(metadata, prefix),
        )


def _position_scale(metadata: Metadata, prefix: str) -> float:
    """What positions are multiplied by: the inverse of linear scaling's factor."""
    kind = metadata.read(prefix + "rope.scaling.type", str, "none")
    if kind == "none":
        return 1.0
    if kind != "linear":
        raise UnsupportedModelError(
            f"This model stretches its context by {kind} scaling, which this version does not "
            "have; a version of the model without it will work."
        )
    factor = metadata.read(prefix + "rope.scaling.factor", float, 1.0)
    if factor <= 0:
        raise ModelFileError(f"The model file scales positions by {factor}; it is damaged.")
    return 1.0 / factor

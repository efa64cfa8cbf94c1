"""Multi-head latent attention (DeepSeek-V2, 2024): all heads share one compressed row a position.

What is stored is the latent row, with a few dimensions behind it that carry the position. Each
head's own matrices go to the query before, and to what was attended to after ("absorbed"), so that
keys and values need never be made out of it.
"""

import math
from dataclasses import dataclass, replace
from typing import Self

from engine.gguf.defects import damaged
from engine.gguf.metadata import Metadata
from engine.kernels.operations.rows import Buffer
from engine.memory.spec import KeyValueSpec, StateSpecs
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import AttentionShape, Hyperparameters, Sizes
from engine.models.layers.rope import RopeScaling, rope, yarn_growth


@dataclass(frozen=True, slots=True)
class LatentShape:
    """The sizes of latent attention.

    Attributes:
        rank: dimensions of a latent row.
        query_rank: of the row that queries are made from; 0 where they are not compressed.
        turning: dimensions of a head that carry its position.
        still: those of a query that do not.
        value_dim: of what a head gives.
        absorbed: whether the file has the heads' matrices apart; older ones have keys and values
            made by one, and store them whole.
    """

    heads: int
    rank: int
    query_rank: int
    turning: int
    still: int
    value_dim: int
    absorbed: bool

    @classmethod
    def read(cls, metadata: Metadata) -> Self:
        """Read and check them.

        Raises:
            PacelineError: one is missing or makes no sense.
        """
        sizes, hyper = Sizes(metadata), Hyperparameters.read(metadata)
        plain = hyper.attention[0]
        key_dim = sizes.optional("attention.key_length_mla", 0)
        still = (key_dim or plain.head_dim) - hyper.rope_dims
        if still < 1:
            raise damaged(f"none of its heads' dimensions stand still beside {hyper.rope_dims}")
        return cls(
            heads=plain.heads,
            rank=sizes.whole("attention.kv_lora_rank"),
            query_rank=sizes.optional("attention.q_lora_rank", 0),
            turning=hyper.rope_dims,
            still=still,
            value_dim=sizes.optional("attention.value_length_mla", plain.value_dim),
            absorbed=bool(key_dim),
        )

    @property
    def key_values(self) -> KeyValueSpec:
        """What a layer keeps."""
        if self.absorbed:
            return KeyValueSpec(1, self.rank + self.turning, self.rank, value_is_prefix_of_key=True)
        return KeyValueSpec(self.heads, self.still + self.turning, self.value_dim)


def latent_states(metadata: Metadata) -> StateSpecs:
    """A latent row for each position and layer."""
    hyper = Hyperparameters.read(metadata)
    return StateSpecs((LatentShape.read(metadata).key_values,) * hyper.layers)


class LatentAttention:
    """The attention of all layers of a model."""

    def __init__(self, build: ProgramBuilder) -> None:
        self._shape = LatentShape.read(build.metadata)
        scaling = RopeScaling.read(build.metadata)
        # YaRN's growth is on the scores, which see more dimensions than those that turn.
        stretch = yarn_growth(scaling.factor, 10.0 * scaling.log_multiplier)
        width = self._shape.still + self._shape.turning
        self._scale = stretch**2 / math.sqrt(width)
        flat = replace(scaling, log_multiplier=1.0)
        self._rope = rope(build, interleaved=True, scaling=flat)

    def append(self, build: ProgramBuilder, block: str, source: Buffer) -> Buffer:
        """What the heads of a layer give, `[heads * value_dim]`."""
        shape = self._shape
        still, turned = self._query(build, block, source)
        both = Buffer("latent and position", shape.rank + shape.turning)
        latent, position = Buffer("latent", shape.rank), Buffer("key position", shape.turning)
        build.split(build.linear(source, f"{block}.attn_kv_a_mqa", both), (latent, position))
        build.rotate(position, self._rope, shape.turning)
        latent = build.rms_norm(latent, f"{block}.attn_kv_a_norm")
        if shape.absorbed:
            return self._absorbed(build, block, still, turned, latent, position)
        return self._whole(build, block, still, turned, latent, position)

    def _query(self, build: ProgramBuilder, block: str, source: Buffer) -> tuple[Buffer, Buffer]:
        """The dimensions of each head without a position, and those with one."""
        shape, name = self._shape, f"{block}.attn_q"
        if shape.query_rank:
            low = build.linear(source, f"{block}.attn_q_a", Buffer("low query", shape.query_rank))
            source, name = build.rms_norm(low, f"{block}.attn_q_a_norm"), f"{block}.attn_q_b"
        still = Buffer("still query", shape.heads * shape.still)
        turned = Buffer("turned query", shape.heads * shape.turning)
        query = build.linear(source, name, Buffer("query", still.width + turned.width))
        build.split(query, (still, turned), groups=shape.heads)
        build.rotate(turned, self._rope, shape.turning)
        return still, turned

    def _absorbed(
        self,
        build: ProgramBuilder,
        block: str,
        still: Buffer,
        turned: Buffer,
        latent: Buffer,
        position: Buffer,
    ) -> Buffer:
        shape = self._shape
        within = Buffer("query for latents", shape.heads * shape.rank)
        build.by_head(still, f"{block}.attn_k_b", within, shape.heads)
        query = build.join((within, turned), "latent query", groups=shape.heads)
        layer = build.store(build.join((latent, position), "latent key"), None, shape.key_values)
        one = AttentionShape(shape.heads, 1, shape.rank + shape.turning, shape.rank)
        attended = build.attention(query, layer, one, self._scale)
        out = Buffer("values", shape.heads * shape.value_dim)
        return build.by_head(attended, f"{block}.attn_v_b", out, shape.heads)

    def _whole(
        self,
        build: ProgramBuilder,
        block: str,
        still: Buffer,
        turned: Buffer,
        latent: Buffer,
        position: Buffer,
    ) -> Buffer:
        shape = self._shape
        keys = Buffer("still keys", shape.heads * shape.still)
        values = Buffer("values", shape.heads * shape.value_dim)
        both = Buffer("keys and values", keys.width + values.width)
        build.linear(latent, f"{block}.attn_kv_b", both)
        build.split(both, (keys, values), groups=shape.heads)
        positions = build.join((position,) * shape.heads, "key positions")
        key = build.join((keys, positions), "keys", groups=shape.heads)
        query = build.join((still, turned), "queries", groups=shape.heads)
        layer = build.store(key, values, shape.key_values)
        width = shape.still + shape.turning
        each = AttentionShape(shape.heads, shape.heads, width, shape.value_dim)
        return build.attention(query, layer, each, self._scale)

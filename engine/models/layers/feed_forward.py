"""The gated feed-forward layer."""

from collections.abc import Callable

from engine.kernels.operations.rows import Activation, Buffer
from engine.models.builder import ProgramBuilder

FeedForward = Callable[[ProgramBuilder, int, Buffer, Buffer], None]
"""`feed_forward(build, index, source, residual)`: add what a block's second half makes of rows."""


def dense_feed_forward(build: ProgramBuilder, index: int, source: Buffer, residual: Buffer) -> None:
    """The usual one: every row goes through the same matrices."""
    width = build.hyper.feed_forward[index]
    swiglu_feed_forward(build, f"blk.{index}", source, residual, width)


def swiglu_feed_forward(
    build: ProgramBuilder, block: str, source: Buffer, residual: Buffer, width: int
) -> None:
    """Add `down(silu(gate(source)) * up(source))` to the residual stream."""
    gated = gated_rows(build, block, source, width)
    build.linear(gated, f"{block}.ffn_down", residual, accumulate=True)


def gated_rows(
    build: ProgramBuilder,
    block: str,
    source: Buffer,
    width: int,
    activation: Activation = Activation.SILU,
    *,
    suffix: str = "",
) -> Buffer:
    """What is left to multiply by `down`: `activation(gate(source)) * up(source)`.

    The tensors' names end in `suffix`. Some files have both matrices in one, the gate's first.
    """
    gate, up = Buffer("gate", width), Buffer("up", width)
    if build.weights.has(f"{block}.ffn_gate{suffix}.weight"):
        build.linear(source, f"{block}.ffn_gate{suffix}", gate)
        build.linear(source, f"{block}.ffn_up{suffix}", up)
    else:
        both = Buffer("gate and up", 2 * width)
        build.split(build.linear(source, f"{block}.ffn_up{suffix}", both), (gate, up))
    return build.glu(gate, up, activation)

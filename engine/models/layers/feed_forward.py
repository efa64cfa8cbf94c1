"""The feed-forward layer, with a gate and without one."""

from collections.abc import Callable

from engine.kernels.operations.rows import Activation, Buffer
from engine.models.builder import ProgramBuilder

FeedForward = Callable[[ProgramBuilder, int, Buffer, Buffer], None]
"""`feed_forward(build, index, source, residual)`: add what a block's second half makes of rows."""


def gated_feed_forward(activation: Activation) -> FeedForward:
    """Every row goes through the same three matrices."""

    def feed_forward(build: ProgramBuilder, index: int, source: Buffer, residual: Buffer) -> None:
        block, width = f"blk.{index}", build.hyper.feed_forward[index]
        gated = gated_rows(build, block, source, width, activation)
        build.linear(gated, f"{block}.ffn_down", residual, accumulate=True)

    return feed_forward


dense_feed_forward = gated_feed_forward(Activation.SILU)
"""The usual one: `down(silu(gate(source)) * up(source))`."""


def ungated_feed_forward(activation: Activation) -> FeedForward:
    """Every row goes through the same two matrices."""

    def feed_forward(build: ProgramBuilder, index: int, source: Buffer, residual: Buffer) -> None:
        width = build.hyper.feed_forward[index]
        ask_ungated(build, f"blk.{index}", source, residual, width, activation)

    return feed_forward


def ask_ungated(
    build: ProgramBuilder,
    block: str,
    source: Buffer,
    residual: Buffer,
    width: int,
    activation: Activation,
    *,
    suffix: str = "",
) -> None:
    """Add `down(activation(up(source)))` to the residual stream; the names end in `suffix`."""
    up = build.linear(source, f"{block}.ffn_up{suffix}", Buffer("up", width))
    activated = build.activate(up, activation)
    build.linear(activated, f"{block}.ffn_down{suffix}", residual, accumulate=True)


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

"""The gated feed-forward layer."""

from engine.kernels.program import Activation, Buffer
from engine.models.program import ProgramBuilder


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
) -> Buffer:
    """What is left to multiply by `down`: `activation(gate(source)) * up(source)`."""
    gate = build.linear(source, f"{block}.ffn_gate", Buffer("gate", width))
    up = build.linear(source, f"{block}.ffn_up", Buffer("up", width))
    return build.glu(gate, up, activation)

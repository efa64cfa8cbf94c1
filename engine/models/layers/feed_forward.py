"""The gated feed-forward layer."""

from engine.kernels.program import Buffer
from engine.models.program import ProgramBuilder


def swiglu_feed_forward(
    build: ProgramBuilder, block: str, source: Buffer, residual: Buffer
) -> None:
    """Add `down(silu(gate(source)) * up(source))` to the residual stream."""
    width = build.hyper.feed_forward
    gate = build.linear(source, f"{block}.ffn_gate", Buffer("gate", width))
    up = build.linear(source, f"{block}.ffn_up", Buffer("up", width))
    build.linear(build.swiglu(gate, up), f"{block}.ffn_down", residual, accumulate=True)

"""The gated delta net that stands in for attention in hybrid models."""

from engine.kernels.program import Buffer
from engine.kernels.recurrent_shapes import DeltaShape
from engine.models.program import ProgramBuilder


def gated_delta_net(
    build: ProgramBuilder, block: str, source: Buffer, residual: Buffer, shape: DeltaShape
) -> None:
    """Add the layer's output to the residual stream; its state is constant in size."""
    inner = shape.value_heads * shape.value_dim
    mixed = build.linear(source, f"{block}.attn_qkv", Buffer("mixed", shape.channels))
    gate = build.linear(source, f"{block}.attn_gate", Buffer("delta gate", inner))
    decay = build.linear(source, f"{block}.ssm_alpha", Buffer("decay", shape.value_heads))
    beta = build.linear(source, f"{block}.ssm_beta", Buffer("beta", shape.value_heads))
    recalled = build.delta_rule(mixed, decay, beta, block, shape)
    normed = build.gated_norm(recalled, gate, f"{block}.ssm_norm", shape.value_dim)
    build.linear(normed, f"{block}.ssm_out", residual, accumulate=True)

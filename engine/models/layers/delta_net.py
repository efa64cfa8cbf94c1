"""The gated delta net that stands in for attention in hybrid models."""

import numpy as np

from engine.gguf.defects import damaged
from engine.gguf.metadata import Metadata
from engine.kernels.operations.rows import Buffer
from engine.kernels.recurrent_shapes import DeltaShape
from engine.memory.spec import StateSpecs
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Hyperparameters, Sizes
from engine.models.layers.hybrid import hybrid_states


def gated_delta_net(
    build: ProgramBuilder, block: str, source: Buffer, residual: Buffer, shape: DeltaShape
) -> None:
    """Add the layer's output to the residual stream; its state is constant in size."""
    mixed, gate = _mixed_and_gate(build, block, source, shape)
    decay, beta = _decay_and_beta(build, block, source, shape)
    recalled = build.delta_rule(mixed, decay, beta, block, shape)
    normed = build.gated_norm(recalled, gate, f"{block}.ssm_norm", shape.value_dim)
    build.linear(normed, f"{block}.ssm_out", residual, accumulate=True)


def _mixed_and_gate(
    build: ProgramBuilder, block: str, source: Buffer, shape: DeltaShape
) -> tuple[Buffer, Buffer]:
    """Queries, keys and values side by side, and the gate behind them.

    The first files of Qwen3-Next have one matrix for all, key head by key head; later ones may
    have it beside the two that stand for it.
    """
    mixed = Buffer("mixed", shape.channels)
    gate = Buffer("delta gate", shape.value_heads * shape.value_dim)
    if build.weights.has(f"{block}.attn_qkv.weight"):
        build.weights.leave(f"{block}.ssm_in.")
        build.linear(source, f"{block}.attn_qkv", mixed)
        return mixed, build.linear(source, f"{block}.attn_gate", gate)
    together = Buffer("mixed and gate", mixed.width + gate.width)
    keys = shape.key_heads * shape.key_dim
    parts = Buffer("query", keys), Buffer("key", keys), Buffer("value", gate.width)
    build.linear(source, f"{block}.ssm_in", together)
    build.split(together, (*parts, gate), groups=shape.key_heads)
    return build.join(parts, "mixed"), gate


def _decay_and_beta(
    build: ProgramBuilder, block: str, source: Buffer, shape: DeltaShape
) -> tuple[Buffer, Buffer]:
    """Each value head's; Qwen3-Next has one matrix for both, key head by key head."""
    decay, beta = Buffer("decay", shape.value_heads), Buffer("beta", shape.value_heads)
    if build.weights.has(f"{block}.ssm_ba.weight"):
        both = Buffer("beta and decay", 2 * shape.value_heads)
        build.linear(source, f"{block}.ssm_ba", both)
        build.split(both, (beta, decay), groups=shape.key_heads)
        return decay, beta
    build.linear(source, f"{block}.ssm_alpha", decay)
    return decay, build.linear(source, f"{block}.ssm_beta", beta)


def delta_states(metadata: Metadata, *, adjacent: bool = False) -> StateSpecs:
    """Keys and values of the attention layers, and the states of the others.

    Raises:
        PacelineError: the header does not say them, or contradicts itself.
    """
    hyper = Hyperparameters.read(metadata)
    recurrent = recurrent_layers(metadata, hyper.layers)
    attention = [
        heads for heads, other in zip(hyper.attention, recurrent, strict=False) if not other
    ]
    return hybrid_states(attention, sum(recurrent), delta_shape(metadata, adjacent=adjacent))


def delta_shape(metadata: Metadata, *, adjacent: bool = False) -> DeltaShape:
    """The sizes of the recurrent layers, from the keys that GGUF shares with Mamba.

    Args:
        metadata: of the model.
        adjacent: whether value heads that share a key head lie side by side.

    Raises:
        ModelFileError: they are missing or contradict each other.
    """
    sizes = Sizes(metadata)
    value_heads = sizes.whole("ssm.time_step_rank")
    inner = sizes.whole("ssm.inner_size")
    taps = sizes.whole("ssm.conv_kernel")
    if inner % value_heads or taps < 2:
        raise damaged(f"{value_heads} heads cannot share {inner} values over {taps} rows")
    return DeltaShape(
        key_heads=sizes.divisor("ssm.group_count", value_heads),
        value_heads=value_heads,
        key_dim=sizes.whole("ssm.state_size"),
        value_dim=inner // value_heads,
        taps=taps,
        adjacent=sizes.flag("ssm.adjacent_heads", default=adjacent),
    )


def recurrent_layers(metadata: Metadata, layers: int) -> list[bool]:
    """Which layers are recurrent: as listed, or all but every n-th, the fourth if nothing is said.

    A list may go on over the blocks of drafting heads, which are not.

    Raises:
        ModelFileError: the list has another length.
    """
    sizes = Sizes(metadata)
    key = f"{sizes.architecture}.attention.recurrent_layers"
    listed = metadata.read(key, np.ndarray, None)
    if listed is None:
        interval = sizes.whole("full_attention_interval", 4)
        return [(index + 1) % interval != 0 for index in range(layers)]
    if len(listed) not in (layers, layers + sizes.draft_heads()):
        raise damaged(f"it says of {len(listed)} layers of {layers} whether they are recurrent")
    return [bool(recurrent) for recurrent in listed[:layers]]

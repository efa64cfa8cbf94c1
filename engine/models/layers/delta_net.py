"""The gated delta net that stands in for attention in hybrid models."""

import numpy as np

from engine.gguf.defects import damaged
from engine.gguf.metadata import Metadata
from engine.kernels.program import Buffer
from engine.kernels.recurrent_shapes import DeltaShape
from engine.memory.spec import RecurrentSpec, StateSpecs
from engine.models.hyperparameters import Hyperparameters, Sizes
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


def delta_states(metadata: Metadata) -> StateSpecs:
    """Keys and values of the attention layers, and the states of the others.

    Raises:
        PacelineError: the header does not say them, or contradicts itself.
    """
    hyper = Hyperparameters.read(metadata)
    recurrent = recurrent_layers(metadata, hyper.layers)
    attention = [
        shape.key_values
        for shape, other in zip(hyper.attention, recurrent, strict=False)
        if not other
    ]
    return StateSpecs(tuple(attention), (RecurrentSpec(delta_shape(metadata)),) * sum(recurrent))


def delta_shape(metadata: Metadata) -> DeltaShape:
    """The sizes of the recurrent layers, from the keys that GGUF shares with Mamba.

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
        adjacent=metadata.read(f"{sizes.architecture}.ssm.adjacent_heads", bool, False),
    )


def recurrent_layers(metadata: Metadata, layers: int) -> list[bool]:
    """Which layers are recurrent: as listed, or all but every n-th.

    A list may go on over the blocks of drafting heads, which are not.

    Raises:
        ModelFileError: neither is said, or the list has another length.
    """
    sizes = Sizes(metadata)
    key = f"{sizes.architecture}.attention.recurrent_layers"
    listed = metadata.read(key, np.ndarray, None)
    if listed is None:
        interval = sizes.whole("full_attention_interval")
        return [(index + 1) % interval != 0 for index in range(layers)]
    if len(listed) not in (layers, layers + sizes.draft_heads()):
        raise damaged(f"it says of {len(listed)} layers of {layers} whether they are recurrent")
    return [bool(recurrent) for recurrent in listed[:layers]]

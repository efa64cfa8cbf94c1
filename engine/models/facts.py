"""What a model's layers keep, from its header alone; no torch."""

import numpy as np

from engine.gguf.defects import damaged
from engine.gguf.metadata import Metadata
from engine.kernels.recurrent_shapes import DeltaShape
from engine.memory.spec import HeadSpec, KeyValueSpec, RecurrentSpec, StateSpecs
from engine.models.hyperparameters import Hyperparameters, Sizes

HYBRID = ("qwen35",)
"""Architectures whose layers are recurrent in part."""


def state_specs(metadata: Metadata, *, with_head: bool = False) -> StateSpecs:
    """What the layers of a model keep for a slot, as its program declares it.

    Args:
        metadata: of its file.
        with_head: count in what the file's own drafting head keeps, where it has one.

    Raises:
        PacelineError: the header does not say it, or contradicts itself.
    """
    hyper = Hyperparameters.read(metadata)
    spec = KeyValueSpec(hyper.kv_heads, hyper.head_dim, hyper.value_dim)
    if hyper.architecture not in HYBRID:
        return StateSpecs((spec,) * hyper.layers)
    recurrent = sum(recurrent_layers(metadata, hyper.layers))
    delta = RecurrentSpec(delta_shape(metadata))
    head = HeadSpec(spec, hyper.width) if with_head and hyper.draft_heads else None
    return StateSpecs((spec,) * (hyper.layers - recurrent), (delta,) * recurrent, head)


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

"""What a model's layers keep, from its header alone; no torch."""

import numpy as np

from engine.base.errors import ModelFileError
from engine.gguf.metadata import Metadata
from engine.kernels.state_types import DeltaShape
from engine.memory.spec import KeyValueSpec, RecurrentSpec, StateSpecs
from engine.models.hyperparameters import Hyperparameters

HYBRID = ("qwen35",)
"""Architectures whose layers are recurrent in part."""


def state_specs(metadata: Metadata) -> StateSpecs:
    """What the layers of a model keep for a slot, as its program declares it.

    Raises:
        PacelineError: the header does not say it, or contradicts itself.
    """
    hyper = Hyperparameters.read(metadata)
    spec = KeyValueSpec(hyper.kv_heads, hyper.head_dim, hyper.value_dim)
    if hyper.architecture not in HYBRID:
        return StateSpecs((spec,) * hyper.layers)
    recurrent = sum(recurrent_layers(metadata, hyper.layers))
    delta = RecurrentSpec(delta_shape(metadata))
    return StateSpecs((spec,) * (hyper.layers - recurrent), (delta,) * recurrent)


def delta_shape(metadata: Metadata) -> DeltaShape:
    """The sizes of the recurrent layers, from the keys that GGUF shares with Mamba.

    Raises:
        ModelFileError: they are missing or contradict each other.
    """
    prefix = metadata.read("general.architecture", str) + ".ssm."
    key_heads = metadata.read(prefix + "group_count", int)
    value_heads = metadata.read(prefix + "time_step_rank", int)
    inner = metadata.read(prefix + "inner_size", int)
    key_dim = metadata.read(prefix + "state_size", int)
    taps = metadata.read(prefix + "conv_kernel", int)
    if min(key_heads, value_heads, inner, key_dim) < 1 or taps < 2:
        raise ModelFileError(f"The model's {prefix}* sizes are not positive; the file is damaged.")
    if value_heads % key_heads or inner % value_heads:
        raise ModelFileError(
            f"{value_heads} value heads cannot share {key_heads} key heads and {inner} values; the "
            "model file is damaged."
        )
    return DeltaShape(key_heads, value_heads, key_dim, inner // value_heads, taps)


def recurrent_layers(metadata: Metadata, layers: int) -> list[bool]:
    """Which layers are recurrent: as listed, or all but every n-th.

    Raises:
        ModelFileError: neither is said, or the list has another length.
    """
    prefix = metadata.read("general.architecture", str) + "."
    listed = metadata.read(prefix + "attention.recurrent_layers", np.ndarray, None)
    if listed is None:
        interval = metadata.read(prefix + "full_attention_interval", int)
        if interval < 1:
            raise ModelFileError(
                f"Attention every {interval} layers makes no sense; the file is damaged."
            )
        return [(index + 1) % interval != 0 for index in range(layers)]
    if len(listed) != layers:
        raise ModelFileError(
            f"The model file lists {len(listed)} layers of {layers} as recurrent or not; it is "
            "damaged."
        )
    return [bool(recurrent) for recurrent in listed]

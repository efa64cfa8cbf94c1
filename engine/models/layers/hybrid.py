"""What models keep whose layers are recurrent in part."""

from collections.abc import Iterable

from engine.kernels.recurrent_shapes import RecurrentShape
from engine.memory.spec import RecurrentSpec, StateSpecs
from engine.models.hyperparameters import AttentionShape


def hybrid_states(
    attention: Iterable[AttentionShape], recurrent: int, shape: RecurrentShape
) -> StateSpecs:
    """Keys and values of the attention layers, and the states of so many recurrent ones."""
    key_values = tuple(heads.key_values for heads in attention)
    return StateSpecs(key_values, (RecurrentSpec(shape),) * recurrent)

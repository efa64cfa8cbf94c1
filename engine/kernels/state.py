"""What a backend reads and writes beside the rows of a pass."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.kernels.kv_pages import LayerPages
from engine.kernels.recurrent import RecurrentLayer


@dataclass(frozen=True, slots=True)
class ModelState:
    """The state of all slots, by the layer numbers of a program; each kind counts its own."""

    attention: Sequence[LayerPages]
    recurrent: Sequence[RecurrentLayer]

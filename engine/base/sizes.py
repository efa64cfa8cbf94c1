"""How well a model of a usual size would fit."""

from dataclasses import dataclass

from engine.base.fit import Fit


@dataclass(frozen=True, slots=True)
class SizeFit:
    """A usual size, quantised to some bits, against the memory that is free now.

    Attributes:
        parameters: of the model.
        quantisation: as files are named after: "Q4_K_M".
        file_bytes: about as large is the file.
        needed_bytes: what the memory plan comes to, with one slot of the usual context.
        free_bytes: what can be taken.
        fit: the answer.
    """

    parameters: int
    quantisation: str
    file_bytes: int
    needed_bytes: int
    free_bytes: int
    fit: Fit

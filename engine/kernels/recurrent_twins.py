"""The twin of each kind of recurrent layer."""

from engine.kernels.delta_rule import DeltaTwin
from engine.kernels.operations.sequences import DeltaRule, Recurrent, ShortConvolution, StateSpace
from engine.kernels.recurrence import Floats, Recurrence
from engine.kernels.short_convolution import ShortConvolutionTwin
from engine.kernels.state_space import StateSpaceTwin


def twin_of(operation: Recurrent, floats: Floats) -> Recurrence:
    """What computes an operation, with its small weights as `floats` gives them."""
    match operation:
        case DeltaRule():
            return DeltaTwin.of(operation, floats)
        case StateSpace():
            return StateSpaceTwin.of(operation, floats)
        case ShortConvolution():
            return ShortConvolutionTwin.of(operation, floats)

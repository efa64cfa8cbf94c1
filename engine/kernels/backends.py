"""Which kernels serve a program on a device, and why no better ones do."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import torch

from engine.base.errors import RequestError
from engine.kernels.backend import Backend
from engine.kernels.interpreter import TorchModel
from engine.kernels.native import NativeModel, why_not_native
from engine.kernels.program import Program
from engine.weights.quant_tensor import QuantTensor

SWITCH_INTERVAL_S = 0.0005
"""How long a busy Python thread keeps the engine's waiting when a pass comes back to it. Python's
own 5 ms, some of them for every token, would be a good part of a token's time."""


@dataclass(frozen=True, slots=True)
class KernelChoice:
    """What is going to compute.

    Attributes:
        native: whether the native kernels do; torch does otherwise.
        reason: a sentence for people that says why.
        notice: a sentence for people where the native kernels would be faster and cannot serve.
    """

    native: bool
    reason: str
    notice: str = ""


def choose_kernels(program: Program, device: torch.device, wanted: str) -> KernelChoice:
    """The kernels of that name, of `KERNELS`; `auto` takes the native ones where they can serve.

    Raises:
        RequestError: the native kernels are asked for and cannot serve; says why.
    """
    if wanted == "torch":
        return KernelChoice(False, "The torch kernels were asked for.")
    reason = why_not_native(program, device)
    if not reason:
        return KernelChoice(True, "The program's own kernels serve this model and this processor.")
    if wanted == "native":
        raise RequestError(f"{reason} Ask for the torch kernels instead.")
    if device.type != "cpu":
        return KernelChoice(False, reason)
    return KernelChoice(False, reason, notice=f"{reason} Replies come slower through torch.")


def make_backend(
    choice: KernelChoice,
    program: Program,
    device: torch.device,
    positions: int,
    threads: int,
    on_matrix: Callable[[QuantTensor], None],
) -> Backend:
    """The backend that was chosen; `on_matrix` follows each matrix, and may raise to stop.

    Beside native kernels, which have threads of their own, torch is left one.
    """
    torch.set_num_threads(1 if choice.native else threads)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    if choice.native:
        return NativeModel(program, positions, threads, on_matrix)
    return TorchModel(program, device, positions, on_matrix)

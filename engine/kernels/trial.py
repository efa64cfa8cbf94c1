"""Tries a backend on the samples of operations: how near it comes, and whether rows are alone."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import torch

from engine.base.errors import DeviceError
from engine.base.trial import Trial
from engine.base.types import DEVICES
from engine.kernels.backend import Backend
from engine.kernels.batch import Batch
from engine.kernels.devices import choose_device
from engine.kernels.interpreter import TorchModel
from engine.kernels.native import NativeModel, why_not_native
from engine.kernels.operations.rows import Buffer
from engine.kernels.program import Program
from engine.kernels.samples.catalogue import samples
from engine.kernels.samples.sample import PAGES, TAPE_ROWS, Sample
from engine.kernels.state import ModelState

EXACT_ERROR = 1e-5
"""Relative error that float32 may have in any operation without quantised weights."""

HALF_COPY_ERROR = 1e-3
"""What products with a half-precision copy of quantised weights may have."""

INT8_ROWS_ERROR = 1e-2
"""What they may have where rows are rounded to 8 bits, with one scale for 32 values."""

NOTHING = Program((), (), Buffer("nothing", 1))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to run programs here.

    Attributes:
        device: where its state lies.
        build: makes the backend that runs a program for so many positions.
        product_error: relative error that products with quantised weights may have.
    """

    device: torch.device
    build: Callable[[Program, int], Backend]
    product_error: float


def candidates(device: str) -> list[Candidate]:
    """Every backend that is present on a device, or on all of them for `auto`.

    Raises:
        DeviceError: the device is not there.
    """
    if device != "auto":
        return _on(choose_device(device))
    found = []
    for name in DEVICES[1:]:
        with suppress(DeviceError):
            found += _on(choose_device(name))
    return found


def _on(device: torch.device) -> list[Candidate]:
    """Torch, and native kernels where there are any."""
    threads = torch.get_num_threads()

    def by_torch(program: Program, positions: int) -> Backend:
        return TorchModel(program, device, positions, lambda _: None)

    def natively(program: Program, positions: int) -> Backend:
        return NativeModel(program, positions, threads, lambda _: None)

    found = [Candidate(device, by_torch, HALF_COPY_ERROR)]
    if not why_not_native(NOTHING, device):
        found.append(Candidate(device, natively, INT8_ROWS_ERROR))
    return found


def try_all(device: str) -> list[Trial]:
    """Every operation on every backend of a device, or of all devices for `auto`.

    Raises:
        DeviceError: the device is not there.
    """
    found = candidates(device)
    return [try_sample(candidate, sample) for sample in samples() for candidate in found]


def try_sample(candidate: Candidate, sample: Sample) -> Trial:
    """Run a sample in one pass, in a pass for each row, and behind a draft kept in part."""
    backend, rows = candidate.build(sample.program, sample.rows), sample.rows
    together = _run(backend, sample.new_state(candidate.device), range(rows))
    alone = _one_by_one(backend, sample.new_state(candidate.device), range(rows))
    state, kept = sample.new_state(candidate.device), TAPE_ROWS // 2
    drafted = _run(backend, state, range(TAPE_ROWS), drafted=True)
    backend.fold(state.recurrent, 0, 0, kept)
    behind = _one_by_one(backend, state, range(kept, rows))
    return Trial(
        f"{backend.kernels} on {candidate.device.type}",
        sample.name,
        error=float((together - sample.expected).norm() / sample.expected.norm()),
        allowed=candidate.product_error if sample.quantised else EXACT_ERROR,
        rows_stand_alone=torch.equal(together, alone)
        and torch.equal(drafted, together[:TAPE_ROWS])
        and torch.equal(behind, together[kept:]),
    )


def _one_by_one(backend: Backend, state: ModelState, rows: range) -> torch.Tensor:
    return torch.cat([_run(backend, state, range(row, row + 1)) for row in rows])


def _run(
    backend: Backend, state: ModelState, rows: range, *, drafted: bool = False
) -> torch.Tensor:
    """One pass over rows, each a group of its own."""
    batch = Batch(len(rows), 1, PAGES)
    batch.set_pages(0, range(PAGES))
    if drafted:
        batch.set_recurrent(0, read=0, tape_start=0)
    else:
        batch.set_recurrent(0, read=0, write=0)
    for row in rows:
        batch.add_group(0, row, [row], [True])
    with torch.inference_mode():
        return torch.from_numpy(backend.run(batch, state))

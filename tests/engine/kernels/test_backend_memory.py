"""What planning assumes of a backend is what the backend does."""

from pathlib import Path

import pytest
import torch

from engine.kernels.backend_memory import (
    CPU_NATIVE,
    CPU_TORCH,
    GPU_TORCH,
    BackendMemory,
    likely_backends,
)
from engine.kernels.interpreter import TorchModel
from engine.kernels.native import NativeModel
from engine.kernels.native_library import LIBRARY
from engine.kernels.operations.rows import Buffer
from engine.kernels.program import Program

EMPTY = Program((), (), Buffer("logits", 1))


@pytest.mark.parametrize(("device", "backend"), [("cpu", CPU_TORCH), ("meta", GPU_TORCH)])
def test_as_many_prompt_rows_are_planned_as_run_together(
    device: str, backend: BackendMemory
) -> None:
    model = TorchModel(EMPTY, torch.device(device), 256, lambda _: None)
    assert model.grouping.prompt_rows == backend.prompt_rows


def test_native_kernels_run_as_many_prompt_rows_together_as_planned() -> None:
    if not LIBRARY.exists():
        pytest.skip("needs the native library: `python3 packaging/dev.py test` builds it")
    model = NativeModel(EMPTY, 256, 1, lambda _: None)
    assert model.grouping.prompt_rows == CPU_NATIVE.prompt_rows
    assert likely_backends()["cpu"] is CPU_NATIVE


def test_without_native_kernels_torch_is_planned_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.kernels.backend_memory.LIBRARY", Path("missing"))
    assert likely_backends()["cpu"] is CPU_TORCH

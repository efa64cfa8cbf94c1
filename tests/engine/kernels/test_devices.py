"""Memory that a device can still give to a model."""

import pytest
import torch

from engine.kernels.devices import free_bytes


def test_what_torch_keeps_on_a_gpu_is_free_for_the_next_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (100, 1000))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda: 50)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda: 20)
    assert free_bytes("cuda") == 130


def test_the_cpu_has_some_memory_free() -> None:
    assert free_bytes("cpu") > 1 << 20

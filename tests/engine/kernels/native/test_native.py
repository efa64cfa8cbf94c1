"""What holds for the binding: who can run natively, what a failure says, and what is let go."""

import gc
import weakref
from _ctypes import FUNCFLAG_PYTHONAPI
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from engine.base.errors import DeviceError, LoadCancelledError
from engine.kernels import native_library
from engine.kernels.backends import choose_kernels, make_backend
from engine.kernels.native import NativeModel, why_not_native
from engine.kernels.native_library import NativeHandle
from engine.kernels.operations.rows import Buffer, Linear
from engine.kernels.program import Program
from engine.memory.sequence_state import PassKind
from engine.models.runner import SlotRows
from engine.weights.quant_tensor import QuantTensor
from tests.helpers.native_models import open_native_runner
from tests.helpers.native_products import usable_variants
from tests.helpers.one_operation import (
    CPU,
    all_rows,
    native,
    program_of,
    skip_unless_built,
    weight,
)
from tests.helpers.tiny_model import TinyModel

SOURCE, OUT = Buffer("source", 8), Buffer("out", 3)


def product() -> Program:
    linear = Linear(SOURCE, weight("matrix", torch.randn(3, 8)), None, OUT)
    return program_of({SOURCE: torch.randn(5, 8)}, [linear], OUT)


def test_a_program_of_known_operations_runs_natively_where_the_library_is_built() -> None:
    skip_unless_built()
    assert why_not_native(product(), CPU) == ""


def test_without_the_library_the_reason_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(native_library, "LIBRARY", tmp_path / "paceline_cpu.so")
    reason = why_not_native(product(), CPU)
    assert "not installed" in reason
    assert "C++ compiler" in reason
    choice = choose_kernels(product(), CPU, "auto")
    assert (choice.native, choice.notice) == (False, f"{reason} Replies come slower through torch.")


def test_a_library_that_cannot_be_loaded_is_a_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    damaged = tmp_path / "paceline_cpu.so"
    damaged.write_bytes(b"no library")
    monkeypatch.setattr(native_library, "LIBRARY", damaged)
    assert "cannot be loaded" in why_not_native(product(), CPU)


def test_an_unknown_variant_is_a_reason_that_names_what_there_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    skip_unless_built()
    monkeypatch.setenv("PACELINE_ISA", "avx9000")
    reason = why_not_native(product(), CPU)
    assert "avx9000" in reason
    assert all(isa in reason for isa in usable_variants())
    with pytest.raises(DeviceError, match="avx9000"):
        native(product())


def test_another_device_is_a_reason() -> None:
    assert "cuda" in why_not_native(product(), torch.device("cuda"))


def test_the_environment_chooses_the_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    skip_unless_built()
    monkeypatch.setenv("PACELINE_ISA", "portable")
    assert native(product()).kernels == "native (portable)"


def test_loading_stops_where_it_is_asked_to() -> None:
    skip_unless_built()

    def stop(_: QuantTensor) -> None:
        raise LoadCancelledError("stopped")

    with pytest.raises(LoadCancelledError):
        NativeModel(product(), 16, 1, stop)


def test_rows_whose_logits_nobody_wants_leave_none() -> None:
    model = native(product())
    assert replace(all_rows(5), wanted=()).run(model).shape == (0, OUT.width)
    assert all_rows(0).run(model).shape == (0, OUT.width)


def test_only_wanted_rows_go_through_the_head() -> None:
    body = product()
    matrix = weight("head", torch.randn(4, 3))
    logits = Buffer("logits", 4)
    model = native(Program(body.body, (Linear(OUT, matrix, None, logits),), logits))
    every = all_rows(5)
    some = replace(every, wanted=(1, 2, 4))
    assert torch.equal(some.run(model), every.run(model)[[1, 2, 4]])


def test_a_model_that_is_dropped_is_gone() -> None:
    model = native(product())
    all_rows(5).run(model)
    left = weakref.ref(model)
    del model
    gc.collect()
    assert left() is None


def test_beside_native_kernels_torch_is_left_one_thread() -> None:
    skip_unless_built()
    before = torch.get_num_threads()
    try:
        make_backend(choose_kernels(product(), CPU, "native"), product(), CPU, 16, 3, print)
        assert torch.get_num_threads() == 1
        make_backend(choose_kernels(product(), CPU, "torch"), product(), CPU, 16, 2, print)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_a_pass_is_one_call_and_so_is_the_fold_of_all_layers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    original = NativeHandle.call

    def call(self: NativeHandle, function: str, *arguments: object) -> int:
        calls.append(function)
        return original(self, function, *arguments)

    path = TinyModel("qwen35", layers=6).write(tmp_path / "tiny.gguf")
    with open_native_runner(path) as runner:
        sequence = runner.memory.new_sequence()
        drafted = SlotRows(0, sequence, [[1], [2], [3]], 3, PassKind.DRAFTED)
        runner.forward([drafted])  # points at the state once for all passes
        sequence.commit(1)
        monkeypatch.setattr(NativeHandle, "call", call)
        runner.forward([drafted])
        sequence.commit(2)
    assert [function for function in calls if function != "poison"] == ["run", "fold"]


def test_python_goes_on_while_a_pass_computes() -> None:
    """Its lock is not held meanwhile, or the window would stand still with every token."""
    skip_unless_built()
    library = native_library.load_library(native_library.LIBRARY)
    for function in library.functions.values():
        assert not function._flags_ & FUNCFLAG_PYTHONAPI

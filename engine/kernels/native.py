"""The native CPU backend: a program in the compiled library, one call a pass without the GIL."""

from collections.abc import Callable, Sequence
from ctypes import addressof

import numpy as np
import torch

from engine.base.errors import PacelineError
from engine.kernels import native_library
from engine.kernels.backend import Logits
from engine.kernels.batch import Batch
from engine.kernels.grouping import Grouping
from engine.kernels.kv_pages import LayerPages, PlaneStorage
from engine.kernels.native_library import BATCH_TABLES, BatchFields, NativeHandle, load_library
from engine.kernels.native_program import NativeBuilder
from engine.kernels.operations.rows import Embed
from engine.kernels.program import Program
from engine.kernels.recurrent import RecurrentLayer
from engine.kernels.state import ModelState
from engine.weights.quant_tensor import QuantTensor

_CACHE_TYPES = {"f32": 0, "f16": 1, "q8_0": 2}  # CacheType in csrc/cpu/state.h


def why_not_native(program: Program, device: torch.device) -> str:
    """Why a program cannot run natively, as a sentence; empty where it can."""
    if device.type != "cpu":
        return f"There are no native kernels for the device {device}."
    if any(isinstance(step, Embed) and step.table.scales for step in program.body):
        return "The native kernels do not scale what they look up in an embedding."
    try:
        probe = NativeHandle(load_library(native_library.LIBRARY), threads=1)
        for ggml_type in {matrix.type.ggml_type for matrix in program.matrices()}:
            probe.call("add_matrix", int(ggml_type), 1, 0, 0, None)
    except PacelineError as error:
        return str(error)
    return ""


class NativeModel:
    """A program with its weights in the native library.

    Kernels compute each row by itself, so rows of any groups share a pass. Attributes are those of
    `Backend`.
    """

    def __init__(
        self,
        program: Program,
        positions: int,
        threads: int,
        on_matrix: Callable[[QuantTensor], None],
        *,
        isa: str | None = None,
    ) -> None:
        """Hand the weights over; `on_matrix` follows each matrix, and may raise to stop.

        Quantised matrices are copied into another order; the file's own blocks stay in use for
        plain floats and for the embedding.

        Raises:
            DeviceError: the library or its variant `isa` cannot be used here.
        """
        handle = NativeHandle(load_library(native_library.LIBRARY), threads, isa)
        NativeBuilder(handle, positions).build(program, on_matrix)
        self.kernels = f"native ({handle.isa})"
        self.positions = positions
        self.grouping = Grouping(prompt_rows=128, may_be_cut=True)
        self._handle = handle
        self._program = program  # holds the blocks that the library reads
        self._state: ModelState | None = None
        self._recurrent: Sequence[RecurrentLayer] = ()
        self._batch: Batch | None = None
        self._fields = BatchFields()
        self._fields_address = addressof(self._fields)

    def run(self, batch: Batch, state: ModelState) -> Logits:
        """Run a pass in one call.

        Raises:
            RequestError: a row makes no sense, such as an unknown token; nothing has changed.
        """
        self._describe(batch)
        self._bind(state)
        logits = np.empty((batch.wanted, self._program.logits.width), np.float32)
        self._handle.call("run", self._fields_address, logits.ctypes.data)
        return logits

    def fold(self, layers: Sequence[RecurrentLayer], entry: int, slot: int, rows: int) -> None:
        """Apply tape rows in all layers in one call."""
        self._bind_recurrent(layers)
        self._handle.call("fold", entry, slot, rows)

    def poison(self) -> None:
        """Fill what is not live between passes with NaN, so that a test shows who reads it."""
        self._handle.call("poison")

    def _describe(self, batch: Batch) -> None:
        """Point at a batch's tables, which stay where they are for its life."""
        fields = self._fields
        fields.rows = batch.rows
        if batch is self._batch:
            return
        fields.num_slots, fields.pages_per_slot = batch.page_table.shape
        for name in BATCH_TABLES:
            setattr(fields, name, getattr(batch, name).ctypes.data)
        self._batch = batch

    def _bind(self, state: ModelState) -> None:
        """Point at the state, which stays where it is for its life."""
        if state is self._state:
            return
        for index, layer in enumerate(state.attention):
            self._bind_attention(index, layer)
        self._bind_recurrent(state.recurrent)
        self._state = state

    def _bind_attention(self, index: int, layer: LayerPages) -> None:
        keys, values = layer.keys.storage, layer.values.storage
        pages, heads, _, key_dim = keys.elements.shape
        self._handle.call(
            "bind_key_values",
            index,
            _CACHE_TYPES[keys.kv_type],
            pages,
            heads,
            key_dim,
            layer.values.dim,
            *_addresses(keys),
            *_addresses(values),
        )

    def _bind_recurrent(self, layers: Sequence[RecurrentLayer]) -> None:
        if layers is self._recurrent:
            return
        for index, layer in enumerate(layers):
            state, tape = (
                _address(layer.state[0], torch.float32),
                _address(layer.tape, torch.float32),
            )
            sizes = *layer.state.shape, layer.state.stride(0), *layer.tape.shape
            self._handle.call("bind_recurrent", index, state, tape, *sizes)
        self._recurrent = layers


def _addresses(storage: PlaneStorage) -> tuple[int, int | None]:
    scales = storage.scales
    return (
        _address(storage.elements, storage.elements.dtype),
        None if scales is None else _address(scales, torch.float16),
    )


def _address(tensor: torch.Tensor, dtype: torch.dtype) -> int:
    """Where a tensor lies, which the library takes as it is."""
    if tensor.device.type != "cpu" or not tensor.is_contiguous() or tensor.dtype != dtype:
        raise TypeError(f"native kernels need contiguous {dtype} in memory, not {tensor.dtype}")
    return tensor.data_ptr()

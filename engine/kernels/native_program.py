"""Builds a program in the native library, operation by operation."""

from collections.abc import Callable, Sequence
from ctypes import Array, c_int64

import numpy as np
import torch

from engine.kernels.native_library import NativeHandle
from engine.kernels.operations.experts import ExpertLinear, Route, WeightedSum
from engine.kernels.operations.rows import (
    Activate,
    Add,
    Buffer,
    ClampedGlu,
    Count,
    Embed,
    GatedNorm,
    Glu,
    Join,
    LayerNorm,
    Linear,
    RmsNorm,
    Scale,
    SigmoidGate,
    SoftCap,
    Split,
)
from engine.kernels.operations.sequences import (
    Attention,
    DeltaRule,
    Rope,
    Rotate,
    ShortConvolution,
    StateSpace,
    Store,
)
from engine.kernels.program import Operation, Program
from engine.kernels.torch_weights import rope_turns
from engine.weights.quant_tensor import QuantTensor

_NONE = -1  # an identifier that stands for nothing


class NativeBuilder:
    """Hands weights and operations over; identifiers of the library stand for them there."""

    def __init__(self, handle: NativeHandle, positions: int) -> None:
        self._handle = handle
        self._positions = positions
        self._buffers: dict[Buffer, int] = {}
        self._matrices: dict[str, int] = {}
        self._tables: dict[str, int] = {}
        self._vectors: dict[str, int] = {}
        self._angles: dict[Rope, tuple[int, int]] = {}

    def build(self, program: Program, on_matrix: Callable[[QuantTensor], None]) -> None:
        """Hand over a whole program; `on_matrix` follows each matrix, and may raise to stop."""
        for matrix in program.matrices():
            self._matrices[matrix.name] = self._matrix(matrix)
            on_matrix(matrix)
        for head, operations in enumerate((program.body, program.head)):
            for operation in operations:
                self._add(operation, head)
        self._handle.call("set_logits", self._buffer(program.logits))

    def _add(self, operation: Operation, head: int) -> None:
        call, buffer = self._handle.call, self._buffer
        match operation:
            case Embed(table, out):
                call("add_embed", self._table(table), buffer(out))
            case Rotate(rows, rope, head_dim):
                turns = *self._turned(rope), rope.pairs, rope.interleaved
                call("add_rotate", buffer(rows), *turns, head_dim)
            case Store(key, value, layer):
                call("add_store", buffer(key), buffer(value) if value else _NONE, layer)
            case Attention():
                self._add_attention(operation)
            case DeltaRule():
                self._add_delta_rule(operation)
            case StateSpace():
                self._add_state_space(operation)
            case ShortConvolution():
                self._add_short_convolution(operation)
            case _:
                self._add_rowwise(operation, head)

    def _add_rowwise(self, operation: Operation, head: int) -> None:
        """Add one of those that need nothing but their rows, and so can be in the head."""
        call, buffer, vector = self._handle.call, self._buffer, self._vector_or_none
        match operation:
            case RmsNorm(source, weight, out, epsilon, width):
                rows = buffer(source), vector(weight), buffer(out)
                call("add_rms_norm", head, *rows, epsilon, width)
            case LayerNorm(source, weight, bias, out, epsilon):
                operands = buffer(source), vector(weight), vector(bias), buffer(out)
                call("add_layer_norm", head, *operands, epsilon)
            case GatedNorm(source, gate, weight, out, epsilon):
                operands = buffer(source), buffer(gate), vector(weight), buffer(out)
                call("add_gated_norm", head, *operands, epsilon)
            case Linear(source, weight, bias, out, accumulate):
                matrix = self._matrices[weight.name]
                operands = buffer(source), matrix, vector(bias), buffer(out)
                call("add_linear", head, *operands, accumulate)
            case Split(source, parts, groups):
                call("add_split", head, buffer(source), *self._listed(parts), groups)
            case Join(parts, out, groups):
                call("add_join", head, *self._listed(parts), buffer(out), groups)
            case Count(out):
                call("add_count", head, buffer(out))
            case Route() | ExpertLinear() | WeightedSum():
                self._add_experts(operation, head)
            case _:
                self._add_elementwise(operation, head)

    def _add_elementwise(self, operation: Operation, head: int) -> None:
        call, buffer = self._handle.call, self._buffer
        match operation:
            case Glu(gate, up, out, activation):
                call("add_glu", head, buffer(gate), buffer(up), buffer(out), activation.value)
            case ClampedGlu(gate, up, out, limit, sharpness):
                rows = buffer(gate), buffer(up), buffer(out)
                call("add_clamped_glu", head, *rows, limit, sharpness)
            case Activate(source, out, activation):
                call("add_activate", head, buffer(source), buffer(out), activation.value)
            case Scale(source, out, factor):
                call("add_scale", head, buffer(source), buffer(out), factor)
            case Add(source, out, factor):
                call("add_add", head, buffer(source), buffer(out), factor)
            case SoftCap(source, out, cap):
                call("add_soft_cap", head, buffer(source), buffer(out), cap)
            case SigmoidGate(source, gate, out):
                call("add_sigmoid_gate", head, buffer(source), buffer(gate), buffer(out))
            case _:
                raise TypeError(f"{type(operation).__name__} has no native kernel")

    def _add_experts(self, operation: Route | ExpertLinear | WeightedSum, head: int) -> None:
        call, buffer = self._handle.call, self._buffer
        match operation:
            case Route(logits, bias, chosen, weights, how):
                asked = buffer(logits), self._vector_or_none(bias), buffer(chosen), buffer(weights)
                groups = how.groups, how.groups_used
                call("add_route", head, *asked, how.gating, *groups, how.normalised, how.scale)
            case ExpertLinear(source, chosen, weight, bias, out):
                matrix = self._matrices[weight.name], self._vector_or_none(bias)
                call(
                    "add_expert_linear", head, buffer(source), buffer(chosen), *matrix, buffer(out)
                )
            case WeightedSum(source, weights, out, accumulate):
                rows = buffer(source), buffer(weights), buffer(out)
                call("add_weighted_sum", head, *rows, accumulate)

    def _add_attention(self, op: Attention) -> None:
        rows = self._buffer(op.query), self._buffer(op.out), op.head_dim, op.layer
        scores = op.scale, op.window or 0, op.cap or 0.0, self._vector_or_none(op.sinks)
        self._handle.call("add_attention", *rows, *scores)

    def _add_delta_rule(self, op: DeltaRule) -> None:
        rows = [self._buffer(rows) for rows in (*op.inputs, op.out)]
        vectors = [self._vector(weight) for weight in (op.decay_bias, op.decay_rate)]
        weights = self._convolution(op.convolution), *vectors, op.epsilon
        shape = op.shape
        sizes = shape.key_heads, shape.value_heads, shape.key_dim, shape.value_dim, shape.taps
        self._handle.call("add_delta_rule", *rows, *weights, *sizes, shape.adjacent, op.layer)

    def _add_state_space(self, op: StateSpace) -> None:
        rows = [self._buffer(rows) for rows in (*op.inputs, op.out)]
        bias = self._vector(op.convolution_bias) if op.convolution_bias else _NONE
        vectors = [self._vector(weight) for weight in (op.step_bias, op.decay_rate, op.skip)]
        shape = op.shape
        sizes = shape.groups, shape.heads, shape.head_dim, shape.state_dim, shape.taps
        weights = self._convolution(op.convolution), bias, *vectors
        self._handle.call("add_state_space", *rows, *weights, *sizes, op.layer)

    def _add_short_convolution(self, op: ShortConvolution) -> None:
        source, out = self._buffer(op.source), self._buffer(op.out)
        weight = self._convolution(op.convolution)
        self._handle.call("add_short_convolution", source, out, weight, op.shape.taps, op.layer)

    def _convolution(self, weight: QuantTensor) -> int:
        """Hand over a convolution's weight as `[taps, channels]`."""
        return self._floats(weight.decode().T)

    def _buffer(self, buffer: Buffer) -> int:
        if buffer not in self._buffers:
            self._buffers[buffer] = self._handle.call("add_buffer", buffer.width)
        return self._buffers[buffer]

    def _listed(self, buffers: Sequence[Buffer]) -> tuple[Array[c_int64], int]:
        return (c_int64 * len(buffers))(*map(self._buffer, buffers)), len(buffers)

    def _table(self, table: QuantTensor) -> int:
        if table.name not in self._tables:
            sizes = table.num_rows, table.row_elements
            self._tables[table.name] = self._blocks("add_table", table, *sizes)
        return self._tables[table.name]

    def _matrix(self, matrix: QuantTensor) -> int:
        """A matrix, or those of experts behind each other."""
        experts = matrix.shape[0] if len(matrix.shape) > 2 else 1
        sizes = experts, matrix.num_rows // experts, matrix.row_elements
        identifier = self._blocks("add_matrix", matrix, *sizes)
        if matrix.scales:
            scales = np.resize(np.array(matrix.scales, np.float32), experts)
            self._handle.call("set_scales", identifier, experts, scales.ctypes.data)
        return identifier

    def _vector(self, weight: QuantTensor) -> int:
        if weight.name not in self._vectors:
            self._vectors[weight.name] = self._floats(weight.decode())
        return self._vectors[weight.name]

    def _vector_or_none(self, weight: QuantTensor | None) -> int:
        return _NONE if weight is None else self._vector(weight)

    def _turned(self, rope: Rope) -> tuple[int, int]:
        if rope not in self._angles:
            turns = rope_turns(rope, self._positions)
            cos, sin = (self._floats(torch.from_numpy(turn.astype(np.float32))) for turn in turns)
            self._angles[rope] = cos, sin
        return self._angles[rope]

    def _blocks(self, function: str, weight: QuantTensor, *sizes: int) -> int:
        """Hand over a weight in its blocks; `weight` must live on where the library keeps them."""
        if weight.data.device.type != "cpu" or not weight.data.is_contiguous():
            raise TypeError(f"the blocks of {weight.name} do not lie in memory one by one")
        ggml_type = int(weight.type.ggml_type)
        return self._handle.call(function, ggml_type, *sizes, weight.data.data_ptr())

    def _floats(self, values: torch.Tensor) -> int:
        """Hand over a copy of small weights."""
        values = values.to(torch.float32).contiguous()
        return self._handle.call("add_vector", values.numel(), values.data_ptr())

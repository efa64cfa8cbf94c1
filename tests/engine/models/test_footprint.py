"""What the header tells of a model's memory is what its program then uses."""

from dataclasses import fields
from pathlib import Path

import pytest
from gguf import GGMLQuantizationType as GgmlType

from engine.gguf.reader import open_gguf
from engine.kernels.operations.rows import Buffer
from engine.kernels.program import Program
from engine.memory.model_facts import ModelFacts
from engine.models.footprint import model_facts
from engine.models.program import ModelProgram
from engine.models.registry import ARCHITECTURES, build_model
from engine.weights.source import WeightSource
from tests.helpers.every_architecture import small_model
from tests.helpers.tiny_model import TinyModel

Q8_0 = GgmlType.Q8_0


def read(path: Path) -> tuple[ModelFacts, ModelProgram]:
    with open_gguf(path) as file:
        return model_facts(file), build_model(file, WeightSource(file))


def buffers(program: Program) -> set[Buffer]:
    values = [getattr(op, field.name) for op in program.body for field in fields(op)]
    return {value for value in values if isinstance(value, Buffer)}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_header_tells_what_the_program_keeps(architecture: str, tmp_path: Path) -> None:
    facts, model = read(small_model(architecture, tmp_path))
    assert facts.states == model.states
    assert facts.vocab_size == model.vocab_size
    width = sum(buffer.width for buffer in buffers(model.program))
    assert width <= facts.row_elements <= 3 * width


@pytest.mark.parametrize("tied", [False, True])
def test_matrices_in_blocks_are_those_that_products_read(tied: bool, tmp_path: Path) -> None:
    facts, model = read(TinyModel(quant=Q8_0, tied=tied).write(tmp_path / "m.gguf"))
    matrices = list(model.program.matrices())
    assert facts.weights.native_bytes == sum(matrix.nbytes for matrix in matrices)
    assert facts.weights.block_elements * 34 == facts.weights.native_bytes * 32
    assert facts.weights.table_bytes == TinyModel().vocab * 96 // 32 * 34
    assert facts.weights.float_bytes == 0
    assert facts.weights.vector_elements == 5 * 96  # the norms


def test_matrices_of_plain_floats_are_counted_as_they_lie(tmp_path: Path) -> None:
    facts, model = read(TinyModel(biases=True).write(tmp_path / "m.gguf"))
    assert facts.weights.float_bytes == sum(matrix.nbytes for matrix in model.program.matrices())
    assert facts.weights.native_bytes == 0

"""Taking weights from a real file: shapes, absent ones, and the account of who took what."""

import numpy as np
import pytest
import torch
from gguf.constants import GGMLQuantizationType
from gguf.quants import dequantize, quantize

from engine.base.errors import ModelFileError, UnsupportedModelError
from engine.gguf.reader import open_gguf
from engine.weights.source import WeightSource
from tests.helpers.blocks import random_blocks
from tests.helpers.tiny_gguf import write_gguf

Q8_0 = GGMLQuantizationType.Q8_0
NVFP4 = GGMLQuantizationType.NVFP4
EMBEDDING = quantize(np.random.default_rng(0).standard_normal((6, 64), np.float32), Q8_0)
NORM = np.linspace(0.5, 1.5, 64, dtype=np.float32)
ODD = np.zeros((1, 292), np.uint8)  # a block of Q8_K, of use only in sums


@pytest.fixture
def file(tmp_path):
    path = write_gguf(
        tmp_path / "model.gguf",
        {},
        {
            "token_embd.weight": (EMBEDDING, Q8_0),
            "output_norm.weight": (NORM, None),
            "odd.weight": (ODD, GGMLQuantizationType.Q8_K),
        },
    )
    with open_gguf(path) as file:
        yield file


def test_a_taken_tensor_decodes_to_what_the_file_holds(file):
    tensor = WeightSource(file).take("token_embd.weight", (6, 64))
    assert (tensor.name, tensor.type.name, tensor.shape) == ("token_embd.weight", "Q8_0", (6, 64))
    np.testing.assert_array_equal(tensor.decode().numpy(), dequantize(EMBEDDING, Q8_0))


def test_a_taken_tensor_is_the_mapped_file_not_a_copy(file):
    tensor = WeightSource(file).take("token_embd.weight")
    assert tensor.data.data_ptr() == file.data("token_embd.weight").ctypes.data


def test_a_released_tensor_can_be_read_again(file):
    source = WeightSource(file)
    tensor = source.take("output_norm.weight")
    before = tensor.decode()
    source.release("output_norm.weight")
    assert torch.equal(tensor.decode(), before)


def test_a_tensor_outlives_the_source_and_the_open_file(file):
    tensor = WeightSource(file).take("output_norm.weight")
    file.close()
    np.testing.assert_array_equal(tensor.decode().numpy(), NORM)


def test_a_missing_tensor_is_named(file):
    with pytest.raises(ModelFileError, match=r"output\.weight.*missing"):
        WeightSource(file).take("output.weight")


def test_an_optional_tensor_may_be_missing(file):
    assert WeightSource(file).take_optional("output.bias", (6,)) is None


def test_outer_ones_are_not_in_the_file_and_in_the_tensor_where_they_are_asked_for(file):
    assert WeightSource(file).take("token_embd.weight", (1, 6, 64)).shape == (1, 6, 64)


@pytest.mark.parametrize("take", [WeightSource.take, WeightSource.take_optional])
@pytest.mark.parametrize("shape", [(64, 6), (6, 32), (6,), (2, 6, 64)])
def test_another_shape_is_refused_with_both_shapes(file, take, shape):
    with pytest.raises(ModelFileError) as refusal:
        take(WeightSource(file), "token_embd.weight", shape)
    assert "token_embd.weight" in str(refusal.value)
    assert "[6, 64]" in str(refusal.value)
    assert str(list(shape)) in str(refusal.value)


def test_a_type_that_is_not_read_matters_only_when_its_tensor_is_taken(file):
    source = WeightSource(file)
    source.take("output_norm.weight")
    with pytest.raises(UnsupportedModelError, match="Q8_K"):
        source.take("odd.weight")


def test_what_nobody_took_is_listed_in_the_files_order(file):
    source = WeightSource(file)
    assert source.unconsumed() == ("token_embd.weight", "output_norm.weight", "odd.weight")
    source.take("output_norm.weight")
    source.take("output_norm.weight")
    source.take_optional("not there")
    assert source.unconsumed() == ("token_embd.weight", "odd.weight")
    source.take("token_embd.weight")
    assert source.unconsumed() == ("odd.weight",)


@pytest.mark.parametrize("suffix", [".scale", ".weight.scale"])
def test_a_scale_beside_a_weight_is_taken_with_it(tmp_path, suffix):
    blocks = random_blocks(NVFP4, 4, 64)
    path = write_gguf(
        tmp_path / "model.gguf",
        {},
        {
            "ffn_up.weight": (blocks, NVFP4),
            f"ffn_up{suffix}": (np.array([0.125], np.float32), None),
            "ffn_up.input_scale": (np.array([9.0], np.float32), None),
        },
    )
    with open_gguf(path) as file:
        source = WeightSource(file)
        tensor = source.take("ffn_up.weight")
        assert source.unconsumed() == ()
        np.testing.assert_array_equal(tensor.decode().numpy(), dequantize(blocks, NVFP4) / 8)


def test_scales_that_fit_no_weight_are_refused(tmp_path):
    tensors = {
        "ffn_up.weight": (random_blocks(NVFP4, 4, 64), NVFP4),
        "ffn_up.scale": (np.ones(4, np.float32), None),
    }
    path = write_gguf(tmp_path / "model.gguf", {}, tensors)
    with (
        open_gguf(path) as file,
        pytest.raises(ModelFileError, match=r"ffn_up\.weight.*4 scales"),
    ):
        WeightSource(file).take("ffn_up.weight")

"""Files that are sound: what was written is what is read."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, quants
from gguf.gguf_writer import GGUFValue

from engine.gguf.reader import open_gguf
from tests.helpers.shared import shared_model
from tests.helpers.tiny_gguf import write_gguf

SCALARS = {
    GGUFValueType.UINT8: 200,
    GGUFValueType.INT8: -100,
    GGUFValueType.UINT16: 60_000,
    GGUFValueType.INT16: -30_000,
    GGUFValueType.UINT32: 4_000_000_000,
    GGUFValueType.INT32: -2_000_000_000,
    GGUFValueType.UINT64: 2**64 - 1,
    GGUFValueType.INT64: -(2**63),
    GGUFValueType.FLOAT32: 0.5,
    GGUFValueType.FLOAT64: 0.1,
    GGUFValueType.BOOL: True,
}


@pytest.mark.parametrize("type_", SCALARS)
def test_a_number_of_each_type_comes_back_as_the_plain_python_value(tmp_path, type_):
    path = write_gguf(tmp_path / "a.gguf", {"key": GGUFValue(SCALARS[type_], type_)})
    with open_gguf(path) as file:
        assert file.metadata["key"] == SCALARS[type_]
        assert type(file.metadata["key"]) is type(SCALARS[type_])


@pytest.mark.parametrize("type_", SCALARS)
def test_an_array_of_each_number_type_comes_back_as_a_read_only_numpy_array(tmp_path, type_):
    values = [SCALARS[type_], 0, 1]
    value = GGUFValue(values, GGUFValueType.ARRAY, sub_type=type_)
    with open_gguf(write_gguf(tmp_path / "a.gguf", {"key": value})) as file:
        read = file.metadata.read("key", np.ndarray)
    assert read.tolist() == values
    assert read.dtype == GGUFReader.gguf_scalar_to_np[type_]
    assert not read.flags.writeable


def test_strings_and_nested_arrays_come_back_as_they_were(tmp_path):
    values = {
        "text": "héllo 👋",
        "empty": "",
        "tokens": ["a", "", "▁b", "c\0d"],
        "nested": [["a"], ["b", "c"]],
    }
    with open_gguf(write_gguf(tmp_path / "a.gguf", values)) as file:
        assert {key: file.metadata[key] for key in values} == values


def test_metadata_and_tensors_keep_the_order_of_the_file(tmp_path):
    one = np.zeros(1, np.float32)
    names = ["z", "a", "m"]
    path = write_gguf(
        tmp_path / "a.gguf", dict.fromkeys(names, 1), dict.fromkeys(names, (one, None))
    )
    with open_gguf(path) as file:
        assert list(file.metadata) == ["general.architecture", *names]
        assert list(file.tensors) == names


def test_a_shape_has_its_outermost_dimension_first(tmp_path):
    weights = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    path = write_gguf(tmp_path / "a.gguf", {}, {"w": (weights, None)})
    with open_gguf(path) as file:
        tensor = file.tensors["w"]
        assert (tensor.shape, tensor.elements, tensor.nbytes) == ((2, 3, 4), 24, 96)
        read = file.data("w").view(np.float32).reshape(tensor.shape)
        np.testing.assert_array_equal(read, weights)


@pytest.mark.parametrize("alignment", [8, 32, 64, 4096])
@pytest.mark.parametrize("version", [2, 3])
def test_data_is_found_at_every_alignment_in_both_versions(tmp_path, alignment, version):
    weights = np.linspace(-1, 1, 3 * 64, dtype=np.float32).reshape(3, 64)
    blocks = quants.quantize(weights, GGMLQuantizationType.Q8_0)
    bias = np.array([1, 2, 3], np.float16)
    path = write_gguf(
        tmp_path / "a.gguf",
        {"general.alignment": alignment},
        {"bias": (bias, None), "w": (blocks, GGMLQuantizationType.Q8_0)},
    )
    with path.open("r+b") as raw:  # the writer knows version 3 alone; 2 has the same layout
        raw.seek(4)
        raw.write(bytes([version]))
    with open_gguf(path) as file:
        assert file.version == version
        assert file.file_bytes == path.stat().st_size
        assert file.tensors["w"].type is GGMLQuantizationType.Q8_0
        assert file.tensors["w"].offset % alignment == 0
        assert file.data("bias").tobytes() == bias.tobytes()
        assert file.data("w").tobytes() == blocks.tobytes()


def test_a_file_laid_out_by_hand_is_read(tmp_path):
    path = tmp_path / "a.gguf"
    path.write_bytes(
        bytes.fromhex(
            "47475546 03000000"  # GGUF, version 3
            "0100000000000000 0200000000000000"  # one tensor, two metadata entries
            "0100000000000000 61 08000000 0200000000000000 6869"  # a: string "hi"
            "0100000000000000 62 09000000 05000000 0200000000000000 ffffffff 02000000"  # b: [-1, 2]
            "0100000000000000 77 02000000 0200000000000000 0100000000000000"  # w: 2 by 1 …
            "01000000 0000000000000000"  # … of F16, at the data's start
        ).ljust(128, b"\0")  # to the next multiple of 32
        + bytes.fromhex("003c 00c0")  # 1, -2
    )
    with open_gguf(path) as file:
        assert file.metadata["a"] == "hi"
        assert file.metadata.read("b", np.ndarray).tolist() == [-1, 2]
        assert file.tensors["w"].shape == (1, 2)
        assert file.tensors["w"].offset == 128
        assert file.data("w").view("<f2").tolist() == [1, -2]


@pytest.mark.parametrize(
    "model", ["arch/llama-dense.gguf", "arch/tiny-qwen35.gguf", "real/dreams260K.gguf"]
)
def test_real_files_read_as_the_gguf_package_reads_them(model):
    path = shared_model(model)
    theirs = GGUFReader(path)
    with open_gguf(path) as file:
        fields = {k: v.contents() for k, v in theirs.fields.items() if not k.startswith("GGUF.")}
        assert list(file.metadata) == list(fields)
        for key, value in file.metadata.items():
            assert (value.tolist() if isinstance(value, np.ndarray) else value) == fields[key]
        assert list(file.tensors) == [tensor.name for tensor in theirs.tensors]
        for tensor in theirs.tensors:
            ours = file.tensors[tensor.name]
            assert ours.shape == tuple(reversed(tensor.shape.tolist()))
            assert (ours.type, ours.offset) == (tensor.tensor_type, tensor.data_offset)
            assert file.data(tensor.name).tobytes() == tensor.data.tobytes()


@pytest.mark.parametrize("vocabulary", ["vocab/qwen35.gguf", "vocab/gemma-4.gguf"])
def test_large_vocabularies_are_read_whole(vocabulary):
    with open_gguf(shared_model(vocabulary)) as file:
        tokens = file.metadata.read("tokenizer.ggml.tokens", list[str])
        assert len(tokens) == len(file.metadata.read("tokenizer.ggml.token_type", np.ndarray))
        assert len(set(tokens)) == len(tokens)
        assert "\N{REPLACEMENT CHARACTER}" not in file.metadata.read(
            "tokenizer.ggml.merges", list[str]
        )


def large_file(tmp_path: Path) -> Path:
    rows = np.arange(1 << 20, dtype=np.float32)
    return write_gguf(tmp_path / "large.gguf", {}, {"first": (rows[:9], None), "w": (rows, None)})


def test_the_bytes_of_a_tensor_cannot_be_written(tmp_path):
    with open_gguf(large_file(tmp_path)) as file, pytest.raises(ValueError, match="read-only"):
        file.data("w")[0] = 1


def test_released_bytes_are_read_again_when_looked_at(tmp_path):
    with open_gguf(large_file(tmp_path)) as file:
        view = file.data("w")
        before = view.tobytes()
        file.release("w")
        file.release("first")  # less than a page
        assert view.tobytes() == before


@pytest.mark.skipif(sys.platform != "linux", reason="reads the kernel's account of mappings")
def test_release_gives_the_memory_back(tmp_path):
    path = large_file(tmp_path)

    def resident_kib() -> int:
        lines = Path("/proc/self/smaps").read_text().splitlines()
        start = next(i for i, line in enumerate(lines) if line.endswith(str(path)))
        return next(int(line.split()[1]) for line in lines[start:] if line.startswith("Rss:"))

    with open_gguf(path) as file:
        file.data("w").sum()
        assert resident_kib() > 4000
        file.release("w")
        assert resident_kib() < 100


def test_a_view_outlives_the_closing_of_its_file(tmp_path):
    with open_gguf(large_file(tmp_path)) as file:
        view = file.data("w").view(np.float32)
    assert view[-1] == (1 << 20) - 1


def test_importing_the_reader_does_not_import_torch():
    check = "import sys, engine.gguf.reader, engine.gguf.summary; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True)

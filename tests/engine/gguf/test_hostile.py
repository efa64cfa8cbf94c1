"""Thousands of damaged files: each opens or is refused, soon, and without large allocations."""

import random
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFValueType
from gguf.gguf_writer import GGUFValue
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.base.errors import ModelFileError
from engine.gguf.reader import open_gguf
from engine.gguf.summary import summarise
from tests.helpers.tiny_gguf import write_gguf

pytestmark = pytest.mark.timeout(60)  # a hang, not slowness

LARGE_BYTES = 2 << 20  # a file of 2 kB and the reading buffer of 256 KiB stay far below

HOSTILE = sorted(
    {
        *(1 << bit for bit in (7, 8, 15, 16, 20, 26, 31, 32, 40, 47, 62, 63)),
        *((1 << bit) - 1 for bit in (1, 8, 16, 31, 32, 63, 64)),
        *(2**64 - 8, 2**64 - 32, 2**61, 2**61 + 1, 0, 2, 3, 12, 33),
    }
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> bytes:
    """A small file with every kind of value and three tensors."""
    metadata = {
        "general.name": "hostile",
        "general.alignment": 32,
        "llama.block_count": 2,
        "llama.scale": 0.5,
        "llama.wide": GGUFValue(7, GGUFValueType.UINT64),
        "llama.flag": True,
        "tokenizer.ggml.tokens": ["<s>", "▁a", "b", ""],
        "tokenizer.ggml.scores": [0.0, -1.0, -2.0, -3.0],
        "tokenizer.ggml.flags": [True, False],
        "llama.nested": [[1, 2], [3]],
        "llama.nested_texts": [["a"], ["b", "c"]],
    }
    blocks = np.zeros((2, 34), np.uint8)
    path = write_gguf(
        tmp_path_factory.mktemp("sound") / "a.gguf",
        metadata,
        {
            "token_embd.weight": (np.ones((4, 8), np.float32), None),
            "blk.0.attn_q.weight": (blocks, GGMLQuantizationType.Q8_0),
            "output_norm.weight": (np.ones(8, np.float16), None),
        },
    )
    return path.read_bytes()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("hostile") / "a.gguf"


def opens(path: Path, content: bytes) -> bool:
    """Whether a file of this content opens; all that it then offers must be usable."""
    path.write_bytes(content)
    try:
        with open_gguf(path) as file:
            for name, tensor in file.tensors.items():
                assert file.data(name).nbytes == tensor.nbytes > 0
            summarise(file)
    except ModelFileError:
        return False
    return True


def header_bytes(content: bytes, path: Path) -> int:
    path.write_bytes(content)
    with open_gguf(path) as file:
        return min(tensor.offset for tensor in file.tensors.values())


def test_the_file_that_is_damaged_below_is_sound(sound, scratch):
    assert opens(scratch, sound)


def test_a_file_cut_at_any_byte_is_refused(sound, scratch):
    unpadded = sound.rstrip(b"\0")
    for end in range(len(unpadded)):
        assert not opens(scratch, sound[:end]), end


def test_flipped_bytes_are_survived(sound, scratch):
    chance = random.Random(1)
    size = header_bytes(sound, scratch)
    outcomes = set()
    for _ in range(1500):
        content = bytearray(sound)
        for _ in range(chance.choice((1, 1, 1, 2, 8))):
            content[chance.randrange(4, size)] = chance.randrange(256)
        outcomes.add(opens(scratch, bytes(content)))
    assert outcomes == {True, False}


def test_no_hostile_length_or_count_allocates_or_hangs(sound, scratch):
    size = header_bytes(sound, scratch)
    chance = random.Random(2)
    tracemalloc.start()
    try:
        for offset in range(8, size - 8):
            for value in chance.sample(HOSTILE, 3):
                content = sound[:offset] + struct.pack("<Q", value) + sound[offset + 8 :]
                opens(scratch, content)
        assert tracemalloc.get_traced_memory()[1] < LARGE_BYTES
    finally:
        tracemalloc.stop()


@settings(max_examples=500, deadline=None, database=None)
@given(data=st.data())
def test_spliced_files_are_survived(sound, scratch, data):
    content = bytearray(sound)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(4, len(content)))
        removed = data.draw(st.integers(0, 24))
        inserted = data.draw(
            st.one_of(
                st.sampled_from(HOSTILE).map(lambda value: struct.pack("<Q", value)),
                st.sampled_from(HOSTILE).map(lambda value: struct.pack("<I", value & 0xFFFFFFFF)),
                st.binary(max_size=24),
                st.just(sound[start : start + 100]),
            )
        )
        content[start : start + removed] = inserted
    opens(scratch, bytes(content))


@pytest.mark.parametrize(
    ("type_", "item_bytes"), [(GGUFValueType.UINT8, 1), (GGUFValueType.STRING, 8)]
)
def test_a_large_file_cannot_make_its_header_large(scratch, type_, item_bytes):
    start = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q3s", 3, b"key")
    start += struct.pack("<IIQ", GGUFValueType.ARRAY, type_, (100 << 20) // item_bytes)
    with scratch.open("wb") as file:
        file.write(start)
        file.truncate(200 << 20)  # sparse; the array would fit in the file
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match="more than the 64 MiB that a header can take"):
            open_gguf(scratch)
        assert tracemalloc.get_traced_memory()[1] < LARGE_BYTES
    finally:
        tracemalloc.stop()
        scratch.unlink()

"""Damaged files of a folder: each opens or is refused, soon, and without large allocations."""

import copy
import json
import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.base.errors import PacelineError
from engine.gguf.summary import summarise
from engine.huggingface.families import FAMILIES
from engine.models.footprint import model_facts
from engine.weights.opening import open_model_file
from tests.helpers.folders import write_folder, write_json
from tests.helpers.safetensors_files import write_raw
from tests.helpers.tiny_model import TinyModel

pytestmark = pytest.mark.timeout(120)  # a hang, not slowness

LARGE_BYTES = 4 << 20

HOSTILE = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, -1, 1 << 31, 1 << 63, 1 << 200, 1e308, -1e308, float("inf")]),
    st.text(max_size=3),
    st.lists(st.integers(-1, 1 << 64), max_size=9),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)

EVERY_SETTING = {
    "attention_head_dim": 32,
    "block_ff_dim": 64,
    "conv_L_cache": 3,
    "full_attn_idxs": [0],
    "hybrid_override_pattern": "M*-",
    "kv_lora_rank": 16,
    "mamba_d_head": 8,
    "mamba_d_state": 8,
    "mamba_head_dim": 8,
    "mamba_n_heads": 4,
    "mamba_num_heads": 4,
    "original_max_position_embeddings": 64,
    "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 8,
    "query_pre_attn_scalar": 32,
    "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "high_freq_factor": 4.0},
    "shared_intermediate_size": 64,
    "sliding_window": 32,
    "ssm_state_size": 8,
    "v_head_dim": 8,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_folder(tmp_path_factory.mktemp("hostile") / "m", TinyModel("qwen35", layers=1))


@pytest.fixture(scope="module")
def documents(folder):
    names = ("config.json", "tokenizer.json", "tokenizer_config.json")
    return {name: (folder / name).read_text(encoding="utf-8") for name in names}


@pytest.fixture(scope="module")
def sound(folder):
    return (folder / "model.safetensors").read_bytes()


def opens(folder) -> bool:
    """Whether a folder opens; all that it then offers must be usable."""
    try:
        with open_model_file(folder) as file:
            for name, tensor in file.tensors.items():
                assert file.data(name).nbytes == tensor.nbytes > 0
            dict(file.metadata)
            summarise(file)
            model_facts(file)
    except PacelineError:
        return False
    return True


def test_the_folder_that_is_damaged_below_is_sound(folder):
    assert opens(folder)


@settings(max_examples=150, deadline=None, database=None)
@given(data=st.data())
def test_spliced_weights_are_survived(folder, sound, data):
    header_bytes = 8 + struct.unpack("<Q", sound[:8])[0]
    content = bytearray(sound)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, header_bytes + 8))
        removed = data.draw(st.integers(0, 16))
        content[start : start + removed] = data.draw(
            st.one_of(st.binary(max_size=12), st.sampled_from([b"9" * 9, b"[", b"{}", b"-", b","]))
        )
    path = folder / "model.safetensors"
    path.write_bytes(content)
    opens(folder)
    path.write_bytes(sound)


@settings(max_examples=200, deadline=None, database=None)
@given(data=st.data())
def test_hostile_settings_are_survived(folder, documents, data):
    try:
        for name, text in documents.items():
            document = json.loads(text)
            if name == "config.json":
                document |= copy.deepcopy(EVERY_SETTING)
                document["model_type"] = data.draw(st.sampled_from(sorted(FAMILIES)))
            for _ in range(data.draw(st.integers(0, 2))):
                found = list(places(document))
                place, key = found[data.draw(st.integers(0, len(found) - 1))]
                place[key] = data.draw(HOSTILE)
            write_json(folder / name, document)
        opens(folder)
    finally:
        for name, text in documents.items():
            (folder / name).write_text(text, encoding="utf-8")


def places(document):
    """Every entry of a document, and of the objects and lists within it."""
    entries = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in list(entries)[:40]:
        yield document, key
        if isinstance(value, dict | list) and value:
            yield from places(value)


@pytest.mark.parametrize(
    "header",
    [
        '{"a": {"dtype": "F32", "shape": [4, 4], "data_offsets": [0, 65]}}',
        '{"a": {"dtype": "F32", "shape": [4, 4], "data_offsets": [64, 0]}}',
        '{"a": {"dtype": "F32", "shape": [99, 4], "data_offsets": [0, 1584]}}',
        '{"a": {"dtype": "F32", "shape": [-4, -4], "data_offsets": [0, 64]}}',
        '{"a": {"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 64]}}',
        '{"a": {"dtype": "F32", "shape": [true], "data_offsets": [0, 4]}}',
        '{"a": {"dtype": "Q4", "shape": [4], "data_offsets": [0, 16]}}',
        '{"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},'
        ' "b": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}}',
        '{"a": 7}',
        "[]",
        "[" * 100_000,
        '{"a": ',
    ],
    ids=[
        "size",
        "order",
        "end",
        "sign",
        "huge",
        "bool",
        "type",
        "overlap",
        "a",
        "list",
        "deep",
        "",
    ],
)
def test_a_header_that_makes_no_sense_is_refused(folder, sound, header):
    write_raw(folder / "model.safetensors", header, bytes(64))
    with pytest.raises(PacelineError, match=r'"model\.safetensors" in this model\'s folder'):
        open_model_file(folder)
    (folder / "model.safetensors").write_bytes(sound)


def test_no_length_or_count_allocates(folder, sound):
    path = folder / "model.safetensors"
    tracemalloc.start()
    try:
        for length in (1 << 20, 1 << 25, 1 << 40, (1 << 64) - 1):
            path.write_bytes(struct.pack("<Q", length) + sound[8:])
            assert not opens(folder)
        write_raw(path, "[" + "{}," * 3_000_000 + "0]", b"")
        assert not opens(folder)
        assert tracemalloc.get_traced_memory()[1] < LARGE_BYTES + (32 << 20)
    finally:
        tracemalloc.stop()
        path.write_bytes(sound)


def test_hostile_numbers_of_experts_do_not_allocate(folder, sound):
    header = {
        f"model.layers.0.mlp.experts.{number}.up_proj.weight": {
            "dtype": "F32",
            "shape": [1],
            "data_offsets": [4 * place, 4 * place + 4],
        }
        for place, number in enumerate((0, 99_999_999_999))
    }
    path = folder / "model.safetensors"
    write_raw(path, json.dumps(header), np.ones(2, np.float32).tobytes())
    assert not opens(folder)
    path.write_bytes(sound)

import numpy as np
import pytest
from gguf import GGMLQuantizationType, LlamaFileType

from engine.base.errors import ModelFileError
from engine.gguf.reader import open_gguf
from engine.gguf.summary import QuantShare, quantisation_table, summarise
from tests.helpers.raw_gguf import number, raw_gguf
from tests.helpers.shared import shared_model
from tests.helpers.tiny_gguf import write_gguf

Q8_0 = GGMLQuantizationType.Q8_0

METADATA = {
    "general.architecture": "qwen3",
    "general.name": "Tiny Qwen",
    "general.file_type": int(LlamaFileType.MOSTLY_Q4_K_M),
    "qwen3.context_length": 4096,
    "qwen3.block_count": 2,
    "tokenizer.ggml.tokens": ["a", "b", "c"],
    "tokenizer.chat_template": "{{ messages }}",
}
TENSORS = {
    "token_embd.weight": (np.zeros((5, 2 * 34), np.uint8), Q8_0),  # 5 rows of 2 blocks of 32
    "output_norm.weight": (np.zeros(64, np.float32), None),
}


def summary_of(tmp_path, metadata, tensors=None):
    with open_gguf(write_gguf(tmp_path / "tiny.gguf", metadata, tensors)) as file:
        return summarise(file)


def test_a_summary_says_what_the_file_says(tmp_path):
    summary = summary_of(tmp_path, METADATA, TENSORS)
    assert summary.path == tmp_path / "tiny.gguf"
    assert summary.file_bytes == summary.path.stat().st_size
    assert (summary.name, summary.architecture) == ("Tiny Qwen", "qwen3")
    assert (summary.quantisation, summary.parameters) == ("Q4_K_M", 5 * 64 + 64)
    assert (summary.vocab_size, summary.context_length, summary.layers) == (5, 4096, 2)
    assert summary.has_chat_template


def test_a_file_without_a_name_goes_by_its_file_name(tmp_path):
    assert summary_of(tmp_path, METADATA | {"general.name": ""}).name == "tiny"
    assert summary_of(tmp_path, {}).name == "tiny"


@pytest.mark.parametrize(
    ("file_type", "label"),
    [
        (LlamaFileType.ALL_F32, "F32"),
        (LlamaFileType.MOSTLY_BF16, "BF16"),
        (LlamaFileType.GUESSED, "Q8_0"),
        (9999, "Q8_0"),
    ],
)
def test_a_label_that_is_unknown_gives_way_to_the_type_with_most_bytes(tmp_path, file_type, label):
    metadata = METADATA | {"general.file_type": int(file_type)}
    assert summary_of(tmp_path, metadata, TENSORS).quantisation == label


def test_a_file_without_tensors_takes_its_vocabulary_from_the_metadata(tmp_path):
    assert summary_of(tmp_path, METADATA).vocab_size == 3
    assert summary_of(tmp_path, METADATA | {"qwen3.vocab_size": 7}).vocab_size == 7
    assert summary_of(tmp_path, {}).vocab_size == 0


def test_a_vocabulary_only_file_sums_up():
    with open_gguf(shared_model("vocab/llama-spm.gguf")) as file:
        summary = summarise(file)
        assert quantisation_table(file) == ()
    assert (summary.vocab_size, summary.parameters, summary.layers) == (32000, 0, 32)
    assert not summary.has_chat_template


def test_the_types_are_listed_by_the_bytes_they_hold(tmp_path):
    with open_gguf(write_gguf(tmp_path / "tiny.gguf", METADATA, TENSORS)) as file:
        assert quantisation_table(file) == (QuantShare("Q8_0", 1, 340), QuantShare("F32", 1, 256))


def test_a_file_without_an_architecture_is_refused(tmp_path):
    path = tmp_path / "a.gguf"
    path.write_bytes(raw_gguf([number("general.file_type", 0)]))
    with open_gguf(path) as file, pytest.raises(ModelFileError, match=r"general\.architecture"):
        summarise(file)

"""The folder of each recorded model, read in the terms of the GGUF file that it was made from."""

import re
from dataclasses import replace

import numpy as np
import pytest

from engine.gguf.reader import open_gguf
from engine.huggingface.families import FAMILIES
from engine.models.registry import ARCHITECTURES
from engine.weights.opening import open_model_file
from tests.helpers.alike_models import ALIKE
from tests.helpers.described_model import DESCRIBED, OLDER
from tests.helpers.folders import TURNED, hugging_form, write_folder_of
from tests.helpers.hugging_config import MODEL_TYPES
from tests.helpers.shared import shared_model
from tests.helpers.tiny_recurrent import RECURRENT

RECORDED = (
    "cohere2-dense",
    "deepseek2-moe",
    "gemma2-dense",
    "gemma3-dense",
    "glm4-dense",
    "glm4moe-moe",
    "granitehybrid-dense",
    "lfm2-dense",
    "llama-dense",
    "llama-moe",
    "mamba2-dense",
    "mistral3-dense",
    "nemotron_h-dense",
    "olmo2-dense",
    "phi3-dense",
    "qwen2-dense",
    "qwen2moe-moe",
    "qwen3-dense",
    "qwen35-dense",
    "qwen35moe-moe",
    "qwen3moe-moe",
    "qwen3next-moe",
    "smollm3-dense",
)
# What files of real models do not say, or say in another way with the same meaning.
SAID_OTHERWISE = {
    "attention.head_count",
    "attention.key_length",
    "attention.recurrent_layers",
    "attention.scale",
    "attention.value_length",
    "context_length",
    "feed_forward_length",
    "leading_dense_block_count",
    "rope.dimension_count",
    "rope.dimension_sections",
    "rope.freq_base",
}
NOT_OF_REAL_MODELS = re.compile(
    r"lfm2\.attention\.sliding_window|nemotron_h\.attention\.head_count_kv|"
    r"lfm2moe\.ssm\.|falcon-h1\.shortconv\.|(lfm2moe|falcon-h1)\.attention\.layer_norm_epsilon"
)


MADE = {name: ALIKE[name] for name in ALIKE if MODEL_TYPES.get(name, name) in FAMILIES} | {
    "falcon-h1": RECURRENT["falcon-h1"],
    "gemma4": replace(
        DESCRIBED["gemma4"],
        settings={
            **DESCRIBED["gemma4"].settings,
            "feed_forward_length": [160] * 5 + [320] * 2,
            "rope.freq_base": 1e6,
        },
    ),
    "gemma4 with experts": OLDER["gemma4 with experts"],
    "lfm2moe": RECURRENT["lfm2moe"],
    "qwen3vlmoe": replace(
        ALIKE["qwen3vlmoe"], optional=frozenset({"ffn_gate_up_exps.weight", "output.weight"})
    ),
}
MADE.pop("granitemoe")  # Transformers' model has its matrices joined


@pytest.mark.parametrize("name", RECORDED)
def test_a_folder_holds_what_the_gguf_file_holds(tmp_path, name):
    check_folder(tmp_path, name, shared_model(f"arch/{name}.gguf"))


@pytest.mark.parametrize("name", MADE)
def test_a_folder_holds_what_a_made_up_file_holds(tmp_path, name):
    check_folder(tmp_path, name, MADE[name].write(tmp_path / "m.gguf"))


def check_folder(tmp_path, name, path):
    folder = write_folder_of(tmp_path / name, path)
    with open_gguf(path) as file, open_model_file(folder) as other:
        ours = {key: other.data(key) for key in other.tensors}
        other.complete(lambda: None)
        for key, info in file.tensors.items():
            if is_left_out(name, key):
                continue
            theirs = file.data(key).view(np.float32).reshape(info.shape)
            if file.metadata["general.architecture"] in TURNED and re.search("attn_[qk][.]", key):
                theirs = hugging_form(file.metadata, key, theirs)
            shape = other.tensors[key].shape
            assert shape in (info.shape, (1, *info.shape)), key  # one head needs no dimension
            read = ours[key].view(np.float32).reshape(info.shape)
            np.testing.assert_allclose(read, theirs, rtol=1e-5, atol=1e-6, err_msg=key)
        assert set(other.tensors) <= {*file.tensors}
        check_settings(file.metadata, other.metadata)


def is_left_out(name, key):
    """What Transformers' model of the kind does not have, or has from its configuration."""
    extra = {"granitehybrid-dense": r"ffn_.*bias|rope_", "qwen3next-moe": "ssm_in"}
    return re.search(extra.get(name, "rope_"), key) is not None


def check_settings(theirs, ours):
    for key, value in theirs.items():
        if key.startswith(("general.", "tokenizer.")) or key.partition(".")[2] in SAID_OTHERWISE:
            continue
        if NOT_OF_REAL_MODELS.match(key) or "." not in key:
            continue
        assert key in ours, key
        np.testing.assert_allclose(ours[key], value, rtol=1e-6, err_msg=key)


def test_every_family_runs():
    assert {family.architecture for family in FAMILIES.values()} <= set(ARCHITECTURES)

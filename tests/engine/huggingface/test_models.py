"""A folder and the GGUF file of the same weights are the same model."""

import numpy as np
import pytest

from tests.helpers.folders import write_folder, write_folder_of
from tests.helpers.models import open_runner, prompt
from tests.helpers.shared import shared_model
from tests.helpers.tiny_model import TinyModel

MODELS = {
    "llama": TinyModel("llama", biases=True),
    "llama, tied": TinyModel("llama", tied=True),
    "qwen2": TinyModel("qwen2", biases=True),
    "qwen3": TinyModel("qwen3"),
    "smollm3": TinyModel("smollm3", layers=4),
    "qwen35": TinyModel("qwen35", layers=4),
}


def logits(path, tokens, **options):
    with open_runner(path, **options) as runner:
        return prompt(runner, runner.memory.new_sequence(), tokens).numpy()


def error(ours, theirs):
    return np.mean((ours - theirs) ** 2) / np.mean(theirs**2)


@pytest.mark.parametrize("name", MODELS)
def test_a_folder_gives_the_logits_of_the_gguf_file(tmp_path, name):
    tokens = np.random.default_rng(1).integers(0, 256, 40).tolist()
    file = MODELS[name].write(tmp_path / "m.gguf")
    folder = write_folder(tmp_path / "model", MODELS[name], shards=2)
    theirs = logits(file, tokens)
    assert error(logits(folder, tokens), theirs) <= 1e-6


@pytest.mark.parametrize(
    "name",
    [
        "cohere2-dense",
        "deepseek2-moe",
        "gemma2-dense",
        "gemma3-dense",
        "mamba2-dense",
        "nemotron_h-dense",
        "olmo2-dense",
        "qwen35moe-moe",
        "qwen3moe-moe",
        "qwen3next-moe",
    ],
)
def test_folders_of_recorded_models_give_the_logits_of_their_files(tmp_path, name):
    tokens = np.random.default_rng(1).integers(0, 128, 40).tolist()
    file = shared_model(f"arch/{name}.gguf")
    folder = write_folder_of(tmp_path / "model", file)
    assert error(logits(folder, tokens, context=256), logits(file, tokens, context=256)) <= 1e-6

"""What a folder says and holds, and what is answered where it cannot be used."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from engine.api.fitting import judge_fit
from engine.api.pairs import check_pair, rank_drafts
from engine.base.errors import ModelFileError, PacelineError, UnsupportedModelError
from engine.base.types import LoadOptions
from engine.gguf.summary import summarise
from engine.models.footprint import model_facts
from engine.weights.opening import open_model_file, stamp
from tests.helpers.folders import write_folder, write_json
from tests.helpers.hugging_names import hugging_name
from tests.helpers.safetensors_files import stored, write_safetensors
from tests.helpers.tiny_model import TinyModel

MODEL = TinyModel("llama")


@pytest.fixture
def folder(tmp_path):
    return write_folder(tmp_path / "Tiny-1.5B", MODEL)


def failure(path):
    with pytest.raises(PacelineError) as caught:
        open_model_file(path).close()
    return str(caught.value)


def change(folder, name, **entries):
    document = json.loads((folder / name).read_text())
    write_json(folder / name, {**document, **entries})


def test_a_folder_says_of_itself_what_the_gguf_file_says(tmp_path, folder):
    path = MODEL.write(tmp_path / "m.gguf")
    with open_model_file(path) as file, open_model_file(folder) as other:
        theirs, ours = summarise(file), summarise(other)
        assert model_facts(other) == model_facts(file)
    assert ours == replace(
        theirs, path=folder, name="Tiny-1.5B", quantisation="F32", file_bytes=ours.file_bytes
    )


def test_a_folder_in_a_hub_has_the_name_of_its_repository(tmp_path):
    place = tmp_path / "models--maker--Tiny-1.5B" / "snapshots"
    place.mkdir(parents=True)
    with open_model_file(write_folder(place / "0f1e", MODEL)) as file:
        assert summarise(file).name == "Tiny-1.5B"


@pytest.mark.parametrize("prefix", ["model.language_model.", "language_model.model."])
def test_of_a_model_of_several_senses_the_text_part_is_used(tmp_path, folder, prefix):
    with open_model_file(folder) as file:
        names = set(file.tensors)
    several = tmp_path / "several"
    several.mkdir()
    document = json.loads((folder / "config.json").read_text())
    text = {key: document.pop(key) for key in list(document) if key != "architectures"}
    write_json(several / "config.json", {"model_type": "llava", "text_config": text})
    tensors = {
        hugging_name("llama", name, MODEL.layers).replace("model.", prefix, 1): stored(
            np.asarray(values)
        )
        for name, (values, _) in MODEL.tensors().items()
    }
    tensors["model.visual.blocks.0.attn.qkv.weight"] = stored(np.ones(3))
    write_safetensors(several / "model.safetensors", tensors)
    with open_model_file(several) as file:
        assert set(file.tensors) == names


@pytest.mark.parametrize("dtype", ["BF16", "F16", "F32", "F64"])
def test_floats_of_every_width_are_read(tmp_path, dtype):
    folder = write_folder(tmp_path / "m", MODEL, dtype=dtype)
    with open_model_file(folder) as file:
        info = file.tensors["blk.0.ffn_up.weight"]
        assert info.type.name == ("F32" if dtype == "F64" else dtype)
        raw = file.data("blk.0.ffn_up.weight")
        file.complete(lambda: None)
        theirs = MODEL.tensors()["blk.0.ffn_up.weight"][0]
        values = (
            raw.view(np.float16 if dtype == "F16" else np.float32)
            if dtype != "BF16"
            else (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
        )
        np.testing.assert_allclose(values.reshape(theirs.shape), theirs, rtol=1e-2)


def test_tensors_are_used_where_they_lie_unless_they_lie_askew(tmp_path):
    values = {"model.norm.weight": stored(np.arange(4))}
    for padding, is_copied in ((0, False), (1, True)):
        folder = tmp_path / f"padding {padding}"
        folder.mkdir()
        write_json(folder / "config.json", {"model_type": "llama"})
        write_safetensors(folder / "model.safetensors", values, padding=padding)
        with open_model_file(folder) as file:
            data = file.data("output_norm.weight")
            assert data.flags.writeable == is_copied
            file.complete(lambda: None)
            assert data.view(np.float32).tolist() == [0, 1, 2, 3]
            file.release("output_norm.weight")


def test_large_matrices_are_put_together_only_when_the_model_is_loaded(tmp_path):
    experts = np.arange(4 * 400 * 300, dtype=np.float32).reshape(4, 400, 300)
    name = "model.layers.0.mlp.experts.{}.up_proj.weight"
    tensors = {name.format(number): stored(expert) for number, expert in enumerate(experts)}
    write_safetensors(tmp_path / "model.safetensors", tensors)
    write_json(
        tmp_path / "config.json",
        {"model_type": "qwen3_moe", "num_attention_heads": 1, "hidden_size": 8},
    )
    asked = []
    with open_model_file(tmp_path) as file:
        data = file.data("blk.0.ffn_up_exps.weight")
        with pytest.raises(KeyboardInterrupt):
            file.complete(interrupt)
        file.complete(lambda: asked.append(True))
        np.testing.assert_array_equal(data.view(np.float32).reshape(experts.shape), experts)
        file.complete(lambda: asked.append(True))
    assert asked == [True]


def interrupt():
    raise KeyboardInterrupt


def test_llama_3s_scaling_becomes_factors_of_its_frequencies(folder):
    scaling = {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 1024,
    }
    change(folder, "config.json", rope_scaling=scaling)
    with open_model_file(folder) as file:
        data = file.data("rope_freqs.weight")
        file.complete(lambda: None)
    factors = data.view(np.float32)
    assert factors.shape == (MODEL.head_dim // 2,)
    assert (factors[0], factors[-1]) == (1, 8)
    assert np.all(np.diff(factors) >= 0)


@pytest.mark.parametrize(
    ("spelling", "settings"),
    [
        ({"rope_theta": 5e5}, {"rope.freq_base": 5e5}),
        ({"rope_theta": None, "rope_parameters": {"rope_theta": 5e5}}, {"rope.freq_base": 5e5}),
        (
            {"rope_scaling": {"type": "linear", "factor": 4.0}},
            {"rope.scaling.type": "linear", "rope.scaling.factor": 4.0},
        ),
        (
            {"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "beta_fast": 32}},
            {
                "rope.scaling.type": "yarn",
                "rope.scaling.factor": 4.0,
                "rope.scaling.original_context_length": 512,
                "rope.scaling.yarn_beta_fast": 32,
            },
        ),
    ],
    ids=["old", "new", "linear", "yarn"],
)
def test_rotary_embeddings_are_understood_in_both_spellings(folder, spelling, settings):
    change(folder, "config.json", **spelling)
    with open_model_file(folder) as file:
        for key, value in settings.items():
            assert file.metadata[f"llama.{key}"] == value


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ({"model_type": "whisper"}, 'type "whisper" do not run in this version; it runs '),
        ({"model_type": None}, 'its "model_type" is missing'),
        ({"quantization_config": {"quant_method": "awq"}}, 'quantised as "awq"'),
        ({"rope_scaling": {"type": "linear", "factor": "x"}}, 'its "factor" makes no sense'),
        ({"head_dim": -1}, 'its "head_dim" makes no sense'),
    ],
)
def test_a_configuration_that_cannot_be_used_is_answered_with_a_sentence(folder, entries, sentence):
    change(folder, "config.json", **entries)
    assert sentence in failure(folder)


def test_pickles_are_never_opened_and_the_sentence_says_what_helps(tmp_path):
    write_json(tmp_path / "config.json", {"model_type": "llama"})
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x02cos\nsystem\n")
    assert "pickles" in failure(tmp_path)
    assert "safetensors or GGUF" in failure(tmp_path)


def test_packed_weights_are_refused_by_their_type(tmp_path):
    write_json(tmp_path / "config.json", {"model_type": "llama"})
    packed = ("F8_E4M3", (2, 2), bytes(4))
    write_safetensors(tmp_path / "model.safetensors", {"model.norm.weight": packed})
    assert "holds F8_E4M3 values" in failure(tmp_path)


def test_a_tensor_that_no_table_knows_is_told_when_the_model_is_built(folder):
    known = {"model.layers.0.mlp.odd.weight": stored(np.ones(3))}
    write_safetensors(folder / "z.safetensors", known)
    (folder / "model.safetensors").rename(folder / "y.safetensors")
    with open_model_file(folder) as file:
        assert "model.layers.0.mlp.odd.weight" in file.tensors


@pytest.mark.parametrize(
    ("index", "sentence"),
    [
        ({"weight_map": {"a": "model-9.safetensors"}}, "is missing from this model's folder"),
        ({"weight_map": {"a": "../outside.safetensors"}}, "names no files that could hold"),
        ({"weight_map": {"a": 3}}, "names no files that could hold"),
        ({"weight_map": {}}, "it names no tensors"),
    ],
)
def test_an_index_leads_to_files_of_its_folder_alone(tmp_path, folder, index, sentence):
    write_safetensors(tmp_path / "outside.safetensors", {"a": stored(np.ones(3))})
    write_json(folder / "model.safetensors.index.json", index)
    assert sentence in failure(folder)


def test_experts_that_do_not_match_are_refused(folder):
    experts = {
        f"model.layers.0.mlp.experts.{number}.up_proj.weight": stored(np.ones((2, 4)))
        for number in (0, 2)
    }
    write_safetensors(folder / "model.safetensors", experts)
    assert "do not match" in failure(folder)


def test_folders_are_judged_and_paired_like_files(tmp_path, folder):
    small = write_folder(tmp_path / "small", replace(MODEL, layers=1, seed=2))
    assert judge_fit(folder, LoadOptions(device="cpu"), None).fit.value == "fits"
    assert check_pair(folder, small, None).usable
    ranking = rank_drafts(folder, [tmp_path], None)
    assert [candidate.path for candidate in ranking.candidates] == [small]


def test_a_folder_whose_weights_were_replaced_is_another(folder):
    before = stamp(folder)
    write_safetensors(folder / "model.safetensors", {})
    assert stamp(folder) != before
    assert stamp(folder / "nowhere") == ()


def test_opening_a_folder_does_not_import_torch(folder):
    check = (
        "import sys; from pathlib import Path; from engine.weights.opening import open_model_file\n"
        f"open_model_file(Path({str(folder)!r})); sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", check], check=True)


def test_a_missing_vocabulary_is_told_where_one_is_needed(folder):
    (folder / "tokenizer.json").unlink()
    with open_model_file(folder) as file:
        assert "tokenizer.ggml.tokens" not in file.metadata
        from engine.text.gguf_tokenizer import load_tokenizer

        with pytest.raises(UnsupportedModelError, match="no usable tokenizer"):
            load_tokenizer(file.metadata)


def test_a_shard_that_is_cut_short_is_named(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ModelFileError, match=r'"model\.safetensors".* ends after'):
        open_model_file(folder)

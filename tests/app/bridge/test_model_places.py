"""Where other programs keep models, on made-up computers."""

import json
from pathlib import Path

import pytest

from app.bridge.model_places import (
    FoundModel,
    Surroundings,
    file_name,
    find_models,
    models_in,
)

DIGEST = "sha256:" + "ab" * 32


def never():
    return False


def put(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def found(home, platform="linux", **environment):
    around = Surroundings(home, platform, environment, root=home / "root")
    return find_models(around, never)


@pytest.mark.parametrize(
    ("platform", "place"),
    [
        ("linux", ".lmstudio/models/maker/model-GGUF/a.gguf"),
        ("linux", ".cache/lm-studio/models/maker/model-GGUF/a.gguf"),
        ("linux", ".cache/llama.cpp/maker_model_a.gguf"),
        ("darwin", "Library/Caches/llama.cpp/a.gguf"),
        ("win32", "AppData/Local/llama.cpp/a.GGUF"),
        ("linux", ".cache/huggingface/hub/models--m--n/snapshots/0f/a.gguf"),
        ("linux", ".config/Jan/data/llamacpp/models/maker/a.gguf"),
        ("linux", ".local/share/Jan/data/llamacpp/models/maker/a.gguf"),
        ("darwin", "Library/Application Support/Jan/data/models/a.gguf"),
        ("win32", "AppData/Roaming/Jan/data/llamacpp/models/a/a.gguf"),
        ("linux", "jan/models/a/a.gguf"),
    ],
)
def test_the_usual_folders_are_looked_through(tmp_path, platform, place):
    path = put(tmp_path / place)
    assert found(tmp_path, platform) == [FoundModel(path)]


@pytest.mark.parametrize(
    ("variable", "folder"),
    [
        ("LLAMA_CACHE", ""),
        ("HF_HOME", "hub/models--m--n/snapshots/0f"),
        ("HF_HUB_CACHE", "models--m--n/snapshots/0f"),
        ("XDG_CACHE_HOME", "llama.cpp"),
        ("XDG_CACHE_HOME", "huggingface/hub/models--m--n/snapshots/0f"),
        ("XDG_CONFIG_HOME", "Jan/data/llamacpp/models"),
    ],
)
def test_folders_that_were_moved_by_a_variable_are_followed(tmp_path, variable, folder):
    path = put(tmp_path / "elsewhere" / folder / "a.gguf")
    assert found(tmp_path, **{variable: str(tmp_path / "elsewhere")}) == [FoundModel(path)]


def test_lm_studios_folder_is_followed_where_it_was_moved(tmp_path):
    put(tmp_path / ".lmstudio-home-pointer", f"{tmp_path / 'big disk'}\n")
    path = put(tmp_path / "big disk/models/maker/model/a.gguf")
    assert found(tmp_path) == [FoundModel(path)]


def ollama(store, name, layers, blob="sha256-" + "ab" * 32):
    put(store / "manifests" / name, json.dumps({"layers": layers}))
    return put(store / "blobs" / blob)


MODEL_LAYER = {"mediaType": "application/vnd.ollama.image.model", "digest": DIGEST}


@pytest.mark.parametrize(
    ("manifest", "name"),
    [
        ("registry.ollama.ai/library/llama3.2/3b", "llama3.2:3b"),
        ("registry.ollama.ai/someone/tuned/latest", "someone/tuned:latest"),
        ("hf.co/maker/model-GGUF/Q4_K_M", "hf.co/maker/model-GGUF:Q4_K_M"),
    ],
)
def test_ollamas_manifests_name_the_blobs_that_hold_models(tmp_path, manifest, name):
    other = {"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:" + "cd" * 32}
    blob = ollama(tmp_path / ".ollama/models", manifest, [other, MODEL_LAYER])
    assert found(tmp_path) == [FoundModel(blob, name)]


def test_ollamas_service_on_linux_has_a_store_of_its_own(tmp_path):
    store = tmp_path / "root/usr/share/ollama/.ollama/models"
    blob = ollama(store, "registry.ollama.ai/library/a/b", [MODEL_LAYER])
    assert found(tmp_path) == [FoundModel(blob, "a:b")]
    assert found(tmp_path, "win32") == []


def test_ollamas_store_is_followed_where_it_was_moved(tmp_path):
    blob = ollama(tmp_path / "store", "registry.ollama.ai/library/a/b", [MODEL_LAYER])
    assert found(tmp_path, OLLAMA_MODELS=str(tmp_path / "store")) == [FoundModel(blob, "a:b")]


@pytest.mark.parametrize(
    "manifest",
    [
        "no json",
        "[" * 100_000,
        "[]",
        '{"layers": 3}',
        '{"layers": [{"digest": "x"}]}',
        json.dumps({"layers": [MODEL_LAYER | {"digest": "../../../../secret"}]}),
        json.dumps({"layers": [MODEL_LAYER | {"digest": 7}]}),
        json.dumps({"layers": [MODEL_LAYER | {"digest": "sha256:" + "cd" * 32}]}),
    ],
    ids=["text", "deep", "list", "number", "no type", "climbs out", "no text", "blob gone"],
)
def test_a_manifest_that_makes_no_sense_is_passed_over(tmp_path, manifest):
    store = tmp_path / ".ollama/models"
    put(tmp_path / "secret")
    ollama(store, "registry.ollama.ai/library/good/1", [MODEL_LAYER])
    put(store / "manifests/registry.ollama.ai/library/bad/1", manifest)
    put(store / "manifests/stray", manifest)
    assert [model.name for model in found(tmp_path)] == ["good:1"]


def test_a_file_to_which_several_names_lead_is_told_once(tmp_path):
    hub = tmp_path / ".cache/huggingface/hub/models--m--n"
    blob = put(hub / "blobs/0123")
    for revision in ("0f", "1f"):
        link = hub / "snapshots" / revision / "a.gguf"
        link.parent.mkdir(parents=True)
        link.symlink_to(blob)
    assert found(tmp_path) == [FoundModel(hub / "snapshots/0f/a.gguf")]


def test_only_what_can_be_a_model_is_told(tmp_path):
    for name in (
        "mmproj-a-f16.gguf",
        "b-00002-of-00003.gguf",
        "c.gguf.part",
        "d.safetensors",
        ".hidden/e.gguf",
    ):
        put(tmp_path / name)
    (tmp_path / "folder.gguf").mkdir()
    (tmp_path / "gone.gguf").symlink_to(tmp_path / "nowhere")
    first = put(tmp_path / "b-00001-of-00003.gguf")
    assert models_in(tmp_path, never) == [FoundModel(first)]


def put_folder(folder: Path) -> Path:
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        put(folder / name)
    return folder


def test_folders_of_safetensors_are_models(tmp_path):
    path = put(tmp_path / "maker/a.gguf")
    folder = put_folder(tmp_path / "maker/Qwen3-0.6B")
    put(tmp_path / "maker/weights alone/model.safetensors")
    models = models_in(tmp_path, never)
    assert models == [FoundModel(folder), FoundModel(path)]
    assert file_name(folder) == "Qwen3-0.6B"
    assert models_in(folder, never) == [FoundModel(folder)]


def test_a_folder_in_hugging_faces_cache_has_its_repositorys_name_and_is_told_once(tmp_path):
    repository = tmp_path / ".cache/huggingface/hub/models--maker--Tiny-1.5B"
    blob = put(repository / "blobs/0123")
    for revision in ("0f", "1f"):
        snapshot = repository / "snapshots" / revision
        put(snapshot / "config.json")
        (snapshot / "model.safetensors").symlink_to(blob)
    assert found(tmp_path) == [FoundModel(repository / "snapshots/0f", "Tiny-1.5B")]


def test_a_file_that_jan_calls_model_has_its_folders_name(tmp_path):
    path = put(tmp_path / "jan/models/Qwen3-4B/model.gguf")
    assert found(tmp_path) == [FoundModel(path, "Qwen3-4B")]


def test_there_need_be_nothing_to_find(tmp_path):
    assert found(tmp_path / "nobody") == []
    assert models_in(tmp_path / "nothing", never) == []


def test_a_search_that_is_given_up_ends_early(tmp_path):
    for number in range(9):
        put(tmp_path / str(number) / "a.gguf")
    asked = []

    def soon():
        asked.append(True)
        return len(asked) > 3

    assert len(models_in(tmp_path, soon)) < 9
    assert len(asked) == 4

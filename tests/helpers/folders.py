"""Writes a model as a folder in Hugging Face's layout, from what its GGUF file holds."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.gguf.reader import open_gguf
from tests.helpers.hugging_config import FALCON_FACTORS, configuration
from tests.helpers.hugging_names import hugging_name
from tests.helpers.safetensors_files import Stored, stored, write_safetensors
from tests.helpers.tiny_model import SPECIAL, TEMPLATE, TinyModel, byte_pieces

Array = np.ndarray[Any, Any]
Values = Mapping[str, Any]

TURNED = ("llama", "smollm3", "mistral3", "granite", "granitehybrid", "arcee", "deepseek")
"""Architectures whose rows of queries and keys GGUF has in another order."""

_GROUPED = ("mamba2", "granitehybrid", "nemotron_h", "falcon-h1")
_SHIFTED = ("gemma", "nemotron", "gemma2", "gemma3", "qwen35", "qwen35moe", "qwen3next")


def write_folder(path: Path, model: TinyModel, *, shards: int = 1, dtype: str = "F32") -> Path:
    """Write the folder of a tiny model and return its path; its weights are stored as `dtype`."""
    arrays = {name: np.asarray(values) for name, (values, _) in _plain(model).tensors().items()}
    tensors = hugging_tensors(model.metadata(), arrays)
    _write(path, model.metadata(), tensors, shards, dtype)
    write_json(path / "tokenizer.json", tokenizer())
    write_json(path / "tokenizer_config.json", {"eos_token": "<|im_end|>", "bos_token": None})
    (path / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")
    return path


def write_folder_of(path: Path, gguf: Path) -> Path:
    """Write the folder of a recorded model in float32, which has no usable vocabulary."""
    with open_gguf(gguf) as file:
        metadata = dict(file.metadata)
        arrays = {
            name: file.data(name).view(np.float32).reshape(info.shape).copy()
            for name, info in file.tensors.items()
        }
    _write(path, metadata, hugging_tensors(metadata, arrays), 1, "F32")
    return path


def _plain(model: TinyModel) -> TinyModel:
    return TinyModel(**{**vars(model), "quant": TinyModel.quant})


def _write(
    path: Path, metadata: Values, tensors: Mapping[str, Array], shards: int, dtype: str
) -> None:
    path.mkdir()
    write_shards(path, {name: stored(values, dtype) for name, values in tensors.items()}, shards)
    write_json(path / "config.json", configuration(metadata, tensors))


def write_json(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path


def write_shards(path: Path, tensors: Mapping[str, Stored], shards: int) -> None:
    """The tensors dealt out over files, with an index where there are several."""
    if shards == 1:
        write_safetensors(path / "model.safetensors", tensors)
        return
    places = {}
    for shard in range(shards):
        file = f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        part = {name: tensors[name] for name in sorted(tensors)[shard::shards]}
        write_safetensors(path / file, part)
        places |= dict.fromkeys(part, file)
    write_json(path / "model.safetensors.index.json", {"weight_map": places})


def hugging_tensors(metadata: Values, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The tensors as Transformers' model has them."""
    prefix = metadata["general.architecture"]
    layers = metadata[f"{prefix}.block_count"] - metadata.get(f"{prefix}.nextn_predict_layers", 0)
    kind = f"{prefix}, experts" if prefix == "llama" and _has_experts(arrays) else prefix
    tensors: dict[str, Array] = {}
    for name, values in _joined(metadata, dict(arrays)):
        if name.startswith("rope_f"):
            continue
        form, theirs = hugging_form(metadata, name, values), hugging_name(kind, name, layers)
        if "{}" in theirs:
            tensors |= {theirs.format(expert): each for expert, each in enumerate(form)}
        else:
            tensors[theirs] = form
    return tensors


def _has_experts(arrays: Mapping[str, Array]) -> bool:
    return any("_exps" in name for name in arrays)


def _joined(metadata: Values, arrays: dict[str, Array]) -> Iterator[tuple[str, Array]]:
    """What Transformers' models hold in one tensor and GGUF in several."""
    kind = metadata["general.architecture"]
    for name in list(arrays):
        if kind == "phi3" and ".attn_q." in name:
            parts = [arrays.pop(name.replace("attn_q", f"attn_{each}")) for each in "qkv"]
            arrays[name.replace("attn_q", "attn_qkv")] = np.concatenate(parts)
        elif kind == "granitehybrid" and ".ffn_gate.weight" in name:
            parts = [arrays.pop(name.replace("gate", each)) for each in ("gate", "up")]
            arrays[name.replace("gate", "gate_up")] = np.concatenate(parts)
        elif kind == "granitehybrid" and re.search(r"ffn_.*bias", name):
            arrays.pop(name)  # Transformers' model has none
        elif kind == "deepseek2" and ".attn_k_b." in name:
            keys, values = arrays.pop(name), arrays.pop(name.replace("_k_b", "_v_b"))
            arrays[name.replace("_k_b", "_kv_b")] = np.concatenate([keys.T, values])
        elif kind == "qwen3next" and ".ssm_in." in name:
            arrays.pop(name)  # the tensor of older files, which newer ones have in two
        elif kind == "qwen3next" and ".attn_qkv." in name:
            gates = arrays.pop(name.replace("attn_qkv", "attn_gate"))
            joined = _by_key_head(metadata, arrays.pop(name), gates)
            arrays[name.replace("attn_qkv", "ssm_qkvz")] = joined
    yield from arrays.items()


def _by_key_head(metadata: Values, mixed: Array, gates: Array) -> Array:
    """Queries, keys, values and gates of a key head together."""
    keys = metadata["qwen3next.ssm.group_count"]
    width = keys * metadata["qwen3next.ssm.state_size"]
    parts = [*np.split(mixed, [width, 2 * width]), gates]
    by_head = [part.reshape(keys, -1, part.shape[1]) for part in parts]
    return np.concatenate(by_head, 1).reshape(-1, mixed.shape[1])


def hugging_form(metadata: Values, name: str, values: Array) -> Array:
    """The values of a tensor as that model stores them."""
    kind = metadata["general.architecture"]
    if kind in TURNED and re.search(r"attn_[qk]\.", name):
        head_dim = metadata[f"{kind}.attention.key_length"]
        turned = values.reshape(-1, head_dim // 2, 2, *values.shape[1:])
        return turned.swapaxes(1, 2).reshape(values.shape)
    if kind in ("qwen35", "qwen35moe"):
        values = _value_heads_by_key_head(metadata, name, values)
    if kind == "qwen3vlmoe" and "_exps" in name:
        return values.swapaxes(1, 2)
    if kind == "falcon-h1":
        values = _without_factors(metadata, name, values)
    if name.endswith("ssm_a"):
        return np.log(-values).reshape(-1)
    if name.endswith("ssm_d") or (kind in _GROUPED and "ssm_norm" in name):
        return values.reshape(-1)
    if re.search(r"(ssm_conv1d|shortconv\.conv)\.weight", name):
        return values[:, None, :]
    if "ffn_gate_inp_shexp" in name:
        return values.reshape(1, -1)
    shifts = kind in _SHIFTED and "ssm_norm" not in name
    return values - 1 if shifts and name.endswith("norm.weight") else values


def _without_factors(metadata: Values, name: str, values: Array) -> Array:
    factors: Mapping[str, Any] = FALCON_FACTORS
    inner = factors["attention_in_multiplier"]
    shape = {key: metadata[f"falcon-h1.ssm.{key}"] for key in ("inner_size", "time_step_rank")}
    wide = metadata["falcon-h1.ssm.group_count"] * metadata["falcon-h1.ssm.state_size"]
    sizes = (shape["inner_size"], shape["inner_size"], wide, wide, shape["time_step_rank"])
    rows = np.repeat(factors["ssm_multipliers"], sizes)[:, None] * factors["ssm_in_multiplier"]
    of_matrices = {
        "token_embd": factors["embedding_multiplier"],
        "output": factors["lm_head_multiplier"],
        "attn_q": inner,
        "attn_k": inner * factors["key_multiplier"],
        "attn_v": inner,
        "attn_output": factors["attention_out_multiplier"],
        "ffn_gate": factors["mlp_multipliers"][0],
        "ffn_down": factors["mlp_multipliers"][1],
        "ssm_in": rows,
        "ssm_out": factors["ssm_out_multiplier"],
    }
    stem = re.sub(r"^blk\.\d+\.|\.weight$", "", name)
    return values / of_matrices.get(stem, 1.0)


def _value_heads_by_key_head(metadata: Values, name: str, values: Array) -> Array:
    """Value heads of a key head side by side, where in GGUF they lie `keys` apart."""
    prefix = metadata["general.architecture"] + ".ssm."
    keys, heads = metadata[prefix + "group_count"], metadata[prefix + "time_step_rank"]
    before = 2 * keys * metadata[prefix + "state_size"]

    def by_key_head(rows: Array) -> Array:
        parts = rows.reshape(heads // keys, keys, -1, *rows.shape[1:])
        return parts.swapaxes(0, 1).reshape(rows.shape)

    if "ssm_out" in name:
        return by_key_head(values.T).T
    if re.search(r"attn_qkv|conv1d", name):
        return np.concatenate([values[:before], by_key_head(values[before:])])
    if re.search(r"attn_gate|ssm_(a|dt|alpha|beta)\b", name):
        return by_key_head(values)
    return values


def special_token(index: int, name: str) -> dict[str, object]:
    """An entry of `added_tokens`."""
    habits = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": index, "content": name, "special": True, **habits}


def tokenizer() -> dict[str, Any]:
    """The `tokenizer.json` of the vocabulary that tiny models have."""
    pattern = (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|"
        r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    habits = dict.fromkeys(("add_prefix_space", "trim_offsets", "use_regex"), False)
    byte_level = {"type": "ByteLevel", **habits}
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated"}
    return {
        "version": "1.0",
        "added_tokens": [special_token(256 + place, name) for place, name in enumerate(SPECIAL)],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{**split, "invert": False}, byte_level],
        },
        "post_processor": byte_level,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "vocab": {piece: index for index, piece in enumerate(byte_pieces())},
            "merges": [["Ġ", "t"], ["h", "e"]],
            "byte_fallback": False,
            "ignore_merges": False,
        },
    }

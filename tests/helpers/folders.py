"""Writes a tiny model as a folder in Hugging Face's layout, from what its GGUF file holds.

The names and forms here are those of Transformers' own models, written down apart from the tables
that the engine reads folders by.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType as GgmlType

from tests.helpers.safetensors_files import Stored, stored, write_safetensors
from tests.helpers.tiny_model import SPECIAL, TEMPLATE, TinyModel, byte_pieces

Array = np.ndarray[Any, Any]

_OUTSIDE = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
}
_IN_BLOCK = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "post_attention_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "attn_qkv": "linear_attn.in_proj_qkv",
    "attn_gate": "linear_attn.in_proj_z",
    "ssm_alpha": "linear_attn.in_proj_a",
    "ssm_beta": "linear_attn.in_proj_b",
    "ssm_conv1d": "linear_attn.conv1d",
    "ssm_norm": "linear_attn.norm",
    "ssm_out": "linear_attn.out_proj",
}
_BARE = {"ssm_a": "linear_attn.A_log", "ssm_dt.bias": "linear_attn.dt_bias"}
_DRAFT_HEAD = {
    "eh_proj": "mtp.fc",
    "enorm": "mtp.pre_fc_norm_embedding",
    "hnorm": "mtp.pre_fc_norm_hidden",
    "shared_head_norm": "mtp.norm",
}
_MODEL_TYPES = {"qwen35": "qwen3_5_text", "gemma3": "gemma3_text"}


def write_folder(path: Path, model: TinyModel, *, shards: int = 1, dtype: str = "F32") -> Path:
    """Write the folder of a model whose weights are plain floats, and return its path."""
    path.mkdir()
    tensors = {
        hugging_name(model, name): stored(hugging_form(model, name, np.asarray(values)), dtype)
        for name, (values, _) in replace(model, quant=GgmlType.F32).tensors().items()
        if name != "rope_freqs.weight"
    }
    write_shards(path, tensors, shards)
    write_json(path / "config.json", configuration(model))
    write_json(path / "tokenizer.json", tokenizer())
    write_json(path / "tokenizer_config.json", {"eos_token": "<|im_end|>", "bos_token": None})
    (path / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")
    return path


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


def hugging_name(model: TinyModel, name: str) -> str:
    """The name that Transformers' model has for a tensor."""
    place, _, kind = name.rpartition(".")
    if not name.startswith("blk."):
        return f"{_OUTSIDE[place]}.{kind}"
    number, rest = int(name.split(".")[1]), name.split(".", 2)[2]
    prefix = f"model.layers.{number}."
    if number >= model.layers:
        prefix = f"mtp.layers.{number - model.layers}."
    if rest.startswith("nextn."):
        return f"{_DRAFT_HEAD[rest.split('.')[1]]}.{kind}"
    return prefix + (_BARE.get(rest) or f"{_IN_BLOCK[rest.rpartition('.')[0]]}.{kind}")


def hugging_form(model: TinyModel, name: str, values: Array) -> Array:
    """The values as that model stores them."""
    if model.architecture in ("llama", "smollm3") and re.search(r"attn_[qk]\.", name):
        heads = model.heads if "attn_q" in name else model.kv_heads
        turned = values.reshape(heads, model.head_dim // 2, 2, *values.shape[1:])
        return turned.swapaxes(1, 2).reshape(values.shape)
    if model.architecture == "qwen35":
        values = _value_heads_by_key_head(model, name, values)
        if name.endswith("ssm_a"):
            return np.log(-values)
        if "conv1d" in name:
            return values[:, None, :]
    shifts = model.architecture in ("qwen35", "gemma3") and "ssm_norm" not in name
    return values - 1 if shifts and name.endswith("norm.weight") else values


def _value_heads_by_key_head(model: TinyModel, name: str, values: Array) -> Array:
    """Value heads of a key head side by side, where in GGUF they lie `key_heads` apart."""
    keys, shared = model.key_heads, model.value_heads // model.key_heads
    before = 2 * keys * model.key_dim if re.search("attn_qkv|conv1d", name) else 0

    def by_key_head(rows: Array) -> Array:
        parts = rows.reshape(shared, keys, -1, *rows.shape[1:])
        return parts.swapaxes(0, 1).reshape(rows.shape)

    if "ssm_out" in name:
        return by_key_head(values.T).T
    if re.search(r"attn_qkv|attn_gate|conv1d|ssm_(a|dt|alpha|beta)\b", name):
        return np.concatenate([values[:before], by_key_head(values[before:])])
    return values


def configuration(model: TinyModel) -> dict[str, object]:
    """The `config.json` of Transformers' model."""
    document: dict[str, object] = {
        "architectures": ["Whatever"],
        "model_type": _MODEL_TYPES.get(model.architecture, model.architecture),
        "hidden_size": model.width,
        "num_hidden_layers": model.layers,
        "num_attention_heads": model.heads,
        "num_key_value_heads": model.kv_heads,
        "head_dim": model.head_dim,
        "intermediate_size": model.feed_forward,
        "max_position_embeddings": model.context,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "vocab_size": model.vocab,
        "tie_word_embeddings": model.tied,
        "eos_token_id": 257,
        "torch_dtype": "float32",
        "quantization_config": None,
    }
    if model.architecture == "qwen35":
        document |= {
            "linear_conv_kernel_dim": 4,
            "linear_key_head_dim": model.key_dim,
            "linear_num_key_heads": model.key_heads,
            "linear_num_value_heads": model.value_heads,
            "linear_value_head_dim": model.value_dim,
            "full_attention_interval": model.attention_interval,
            "mtp_num_hidden_layers": model.mtp,
            "partial_rotary_factor": 1.0,
        }
    return document


def special_token(index: int, name: str) -> dict[str, object]:
    """An entry of `added_tokens`."""
    habits = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": index, "content": name, "special": True, **habits}


def tokenizer() -> dict[str, object]:
    """The `tokenizer.json` of the vocabulary that tiny models have."""
    pattern = (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|"
        r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    byte_level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": False,
        "use_regex": True,
    }
    split = {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": "Isolated",
        "invert": False,
    }
    return {
        "version": "1.0",
        "added_tokens": [special_token(256 + place, name) for place, name in enumerate(SPECIAL)],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [split, byte_level | {"use_regex": False}],
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

"""Qwen's hybrid models: gated delta nets between layers of attention."""

import re
from collections.abc import Iterable

import numpy as np

from engine.huggingface.config import MOST_LAYERS, Config, Settings
from engine.huggingface.family import Family, each
from engine.huggingface.mixtures import MIXTURE_KEYS, SHARED_GATE, fused_experts
from engine.huggingface.parts import Array, Part, computed, gathered, squeezed

# The head that drafts, behind the layers: Hugging Face's names → GGUF's.
_DRAFT_HEAD = {
    "mtp.fc.weight": "nextn.eh_proj.weight",
    "mtp.pre_fc_norm_embedding.weight": "nextn.enorm.weight",
    "mtp.pre_fc_norm_hidden.weight": "nextn.hnorm.weight",
    "mtp.norm.weight": "nextn.shared_head_norm.weight",
}


def shifted(part: Part) -> Part:
    """A norm's weights, which are stored as what they are beside 1."""
    return computed(part, lambda values: values + 1)


def decay_rate(part: Part) -> Part:
    """How fast a recurrent head forgets, stored as a logarithm."""
    return computed(part, lambda values: -np.exp(values))


def _rename(config: Config, name: str) -> str | None:
    layers = config.layers()
    if name in _DRAFT_HEAD:
        return f"blk.{layers}.{_DRAFT_HEAD[name]}"
    if match := re.match(r"mtp\.layers\.(\d{1,4})\.", name):
        name = f"model.layers.{layers + int(match[1])}.{name[match.end() :]}"
    return fused_experts(config, name.replace(".dt_bias", ".dt_proj.bias"))


def _next_name(config: Config, name: str) -> str | None:
    return None if name.startswith("mtp.") else _rename(config, name)


def _next_settings(config: Config) -> Settings:
    settings = _settings(config)
    del settings["ssm.adjacent_heads"]
    return settings | {"block_count": config.layers(), "nextn_predict_layers": 0}


def _settings(config: Config) -> Settings:
    layers, heads = config.layers(), config.whole("mtp_num_hidden_layers", 0, most=MOST_LAYERS)
    values, keys = (config.whole(f"linear_num_{kind}_heads") for kind in ("value", "key"))
    head_dim = config.head_dim()
    settings: Settings = {
        "block_count": layers + heads,
        "nextn_predict_layers": heads,
        "attention.key_length": head_dim,
        "attention.value_length": head_dim,
        "ssm.time_step_rank": values,
        "ssm.group_count": keys,
        "ssm.inner_size": values * config.whole("linear_value_head_dim"),
        "ssm.adjacent_heads": values != keys,
        "full_attention_interval": config.whole("full_attention_interval", 4),
    }
    if kinds := config.words("layer_types"):
        recurrent = [kind == "linear_attention" for kind in kinds] + [False] * heads
        settings["attention.recurrent_layers"] = np.array(recurrent)
    return settings


def _by_kind(config: Config, name: str, part: Part) -> Iterable[tuple[str, Part]]:
    """Rows of queries, keys, values and gates, which lie together for each key head: a copy."""
    keys, values = (config.whole(f"linear_num_{kind}_heads") for kind in ("key", "value"))
    key_dim, value_dim = (config.whole(f"linear_{kind}_head_dim") for kind in ("key", "value"))
    shared = values // max(keys, 1) * value_dim
    widths = (key_dim, key_dim, shared, shared)
    if keys * sum(widths) != part.shape[0]:
        raise config.wrong("linear_num_value_heads")

    def of_kinds(*wanted: int) -> Part:
        stops = np.cumsum((0, *widths))
        taken = [slice(stops[kind], stops[kind + 1]) for kind in wanted]
        shape = (keys * sum(widths[kind] for kind in wanted), part.shape[1])

        def gather(rows: Array) -> Array:
            heads = rows.reshape(keys, sum(widths), -1)
            return np.concatenate([heads[:, kind].reshape(-1, heads.shape[2]) for kind in taken])

        return gathered(part, shape, gather)

    block = name.rpartition(".ssm_in")[0]
    return [
        (f"{block}.attn_qkv.weight", of_kinds(0, 1, 2)),
        (f"{block}.attn_gate.weight", of_kinds(3)),
    ]


_KEYS = {"linear_conv_kernel_dim": "ssm.conv_kernel", "linear_key_head_dim": "ssm.state_size"}
_DEFAULTS = {"partial_rotary_factor": 0.25}
_CHANGES = {
    r"blk\.\d+\.ssm_a$": each(decay_rate),
    r"blk\.\d+\.ssm_conv1d": each(squeezed),
    r"blk\.\d+\.ssm_norm": each(lambda part: part),
    SHARED_GATE: each(squeezed),
    r"(.*[._])?(enorm|hnorm|norm)\.weight$": each(shifted),
}

QWEN35 = Family("qwen35", _KEYS, _settings, _DEFAULTS, _rename, _CHANGES)
"""Qwen3.5. Value heads that share a key head lie side by side here, and apart in GGUF files."""

QWEN35_MOE = Family("qwen35moe", _KEYS | MIXTURE_KEYS, _settings, _DEFAULTS, _rename, _CHANGES)
QWEN3_NEXT = Family(
    "qwen3next",
    _KEYS | MIXTURE_KEYS,
    _next_settings,
    _DEFAULTS,
    _next_name,
    {r"blk\.\d+\.ssm_in": _by_kind, **_CHANGES},
)
"""Its value heads lie side by side in GGUF files too; its drafting head is in none of them."""

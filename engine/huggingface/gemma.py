"""Gemma, from the first to the fourth."""

import re

import numpy as np

from engine.huggingface.config import MOST_HEAD_DIM, Config, Settings
from engine.huggingface.dense import gemma_scale, windowed_layers
from engine.huggingface.family import Family, each
from engine.huggingface.qwen import shifted
from engine.huggingface.rope import rope_parameters

_NORMS = {r".*norm\.weight$": each(shifted)}
_SOFT_CAPS = {
    "attn_logit_softcapping": "attn_logit_softcapping",
    "final_logit_softcapping": "final_logit_softcapping",
}


def _gemma2_settings(config: Config) -> Settings:
    return gemma_scale(config) | windowed_layers(config, 2)


def _gemma3_settings(config: Config) -> Settings:
    head_dim = config.whole("head_dim")
    local = rope_parameters(config, "sliding_attention")
    stated = "rope_parameters" in config and "rope_theta" in local
    base = local.real("rope_theta") if stated else config.real("rope_local_base_freq")
    return {
        **gemma_scale(config),
        **windowed_layers(config, 6),
        "attention.key_length": head_dim,
        "attention.value_length": head_dim,
        "rope.freq_base_swa": base,
    }


def _gemma4_settings(config: Config) -> Settings:
    """Heads are wider in layers that see everything, which share keys and values at the end."""
    layers, local = config.layers(), config.head_dim()
    wide = config.whole("global_head_dim", local, most=MOST_HEAD_DIM)
    shared = config.whole("num_kv_shared_layers", 0, most=layers)
    windows = windowed_layers(config, 6)
    settings: Settings = windows | {
        "attention.shared_kv_layers": shared,
        "attention.key_length": wide,
        "attention.value_length": wide,
        "attention.key_length_swa": local,
        "attention.value_length_swa": local,
        "rope.dimension_count": wide,
        "rope.dimension_count_swa": local,
        "rope.freq_base_swa": rope_parameters(config, "sliding_attention").real("rope_theta", 1e4),
        "embedding_length_per_layer_input": config.whole("hidden_size_per_layer_input", 0),
    }
    if "num_global_key_value_heads" in config:
        heads = [config.whole(f"num_{kind}key_value_heads") for kind in ("global_", "")]
        windowed = np.asarray(windows["attention.sliding_window_pattern"], bool)
        settings["attention.head_count_kv"] = np.where(windowed, heads[1], heads[0])
    if config.flag("use_double_wide_mlp", default=False):
        width, doubled = config.whole("intermediate_size"), np.arange(layers) >= layers - shared
        settings["feed_forward_length"] = width * (1 + doubled)
    return settings


def _gemma4_name(config: Config, name: str) -> str | None:
    for theirs, ours in (
        (r"router\.scale", "ffn_gate_inp.scale"),
        (r"router\.per_expert_scale", "ffn_down_exps.scale"),
    ):
        if match := re.fullmatch(rf"model\.layers\.(\d+)\.{theirs}", name):
            return f"blk.{match[1]}.{ours}"
    has_no_ending = name.endswith((".layer_scalar", ".gate_up_proj", ".experts.down_proj"))
    return f"{name}.weight" if has_no_ending else name


GEMMA = Family("gemma", defaults={"tie_word_embeddings": True}, changes=_NORMS)
GEMMA2 = Family(
    "gemma2",
    keys=_SOFT_CAPS,
    settings=_gemma2_settings,
    defaults={"tie_word_embeddings": True},
    changes=_NORMS,
)
GEMMA3 = Family(
    "gemma3",
    keys=_SOFT_CAPS,
    settings=_gemma3_settings,
    defaults={
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "max_position_embeddings": 131_072,
        "rms_norm_eps": 1e-6,
        "rope_theta": 1e6,
        "rope_local_base_freq": 1e4,
        "query_pre_attn_scalar": 256,
        "sliding_window": 4096,
        "tie_word_embeddings": True,
    },
    changes=_NORMS,
)
"""Its configurations leave out what is as in Transformers' `Gemma3TextConfig`."""

GEMMA4 = Family(
    "gemma4",
    keys={
        **_SOFT_CAPS,
        "num_experts": "expert_count",
        "top_k_experts": "expert_used_count",
        "moe_intermediate_size": "expert_feed_forward_length",
        "expert_intermediate_size": "expert_feed_forward_length",
    },
    settings=_gemma4_settings,
    defaults={"tie_word_embeddings": True},
    rename=_gemma4_name,
)
"""Its norms are stored as they are."""

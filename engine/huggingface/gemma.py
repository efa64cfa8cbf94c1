"""Gemma 3."""

import math

import numpy as np

from engine.huggingface.config import Config, Settings
from engine.huggingface.family import Family, each
from engine.huggingface.qwen import shifted
from engine.huggingface.rope import rope_parameters


def _settings(config: Config) -> Settings:
    head_dim = config.whole("head_dim")
    local = rope_parameters(config, "sliding_attention")
    base = local if "rope_parameters" in config and "rope_theta" in local else None
    return {
        "attention.key_length": head_dim,
        "attention.value_length": head_dim,
        "attention.scale": 1 / math.sqrt(max(config.real("query_pre_attn_scalar"), 1e-6)),
        "attention.sliding_window": config.whole("sliding_window"),
        "attention.sliding_window_pattern": np.array(_windowed(config)),
        "rope.freq_base_swa": (
            base.real("rope_theta") if base else config.real("rope_local_base_freq")
        ),
    }


def _windowed(config: Config) -> list[bool]:
    """Which layers see only a window of positions: as listed, or all but every n-th."""
    if kinds := config.words("layer_types"):
        return [kind == "sliding_attention" for kind in kinds]
    layers = min(config.whole("num_hidden_layers"), 1 << 12)
    interval = max(1, config.whole("sliding_window_pattern"))
    return [(layer + 1) % interval != 0 for layer in range(layers)]


GEMMA3 = Family(
    "gemma3",
    keys={"final_logit_softcapping": "final_logit_softcapping"},
    settings=_settings,
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
        "sliding_window_pattern": 6,
        "tie_word_embeddings": True,
    },
    changes={r".*norm\.weight$": each(shifted)},
)
"""Its configurations leave out what is as in Transformers' `Gemma3TextConfig`."""

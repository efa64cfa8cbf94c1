"""Models of one decoder block after the other, each in the same way."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from engine.huggingface.config import Config, Settings
from engine.huggingface.family import Family, each
from engine.huggingface.parts import Part, rows
from engine.huggingface.qwen import shifted
from engine.huggingface.rope import rope_parameters


def windowed_layers(config: Config, interval: int) -> Settings:
    """Which layers see only a window of positions: as listed, or all but every n-th."""
    listed = config.words("layer_types")
    layers = config.layers()
    if listed:
        windowed = [kind == "sliding_attention" for kind in listed]
    else:
        every = max(1, config.whole("sliding_window_pattern", interval))
        windowed = [(layer + 1) % every != 0 for layer in range(layers)]
    return {
        "attention.sliding_window": config.whole("sliding_window"),
        "attention.sliding_window_pattern": np.array(windowed),
    }


def _parted(config: Config, name: str, part: Part) -> Iterable[tuple[str, Part]]:
    """Queries, keys and values lie one below the other."""
    heads, head_dim = config.whole("num_attention_heads"), config.head_dim()
    shared = config.whole("num_key_value_heads", heads)
    parts, start = [], 0
    for kind, count in (("q", heads), ("k", shared), ("v", shared)):
        stop = start + count * head_dim
        parts.append((name.replace("attn_qkv", f"attn_{kind}"), rows(part, start, stop)))
        start = stop
    if start != part.shape[0]:
        raise config.wrong("num_key_value_heads")
    return parts


def _cohere_settings(config: Config) -> Settings:
    dims = int(config.real("rotary_pct", 1.0) * config.head_dim())
    return {**windowed_layers(config, 4), "rope.dimension_count": dims}


def _ministral_settings(config: Config) -> Settings:
    parameters = rope_parameters(config)
    wanted: Mapping[str, str] = {
        "mscale_all_dim": "rope.scaling.yarn_log_multiplier",
        "llama_4_scaling_beta": "attention.temperature_scale",
    }
    return parameters.by_table(wanted)


def _windows_if_any(config: Config) -> Settings:
    return windowed_layers(config, 4) if "sliding_window" in config else {}


def _hunyuan_settings(config: Config) -> Settings:
    """Contexts are stretched by a larger base."""
    parameters, dims = rope_parameters(config), max(config.head_dim(), 4)
    place = parameters if "rope_theta" in parameters else config
    alpha = max(parameters.real("alpha", 1.0), 1.0)
    return {"rope.freq_base": place.real("rope_theta", 1e4) * alpha ** (dims / (dims - 2))}


def gemma_scale(config: Config) -> Settings:
    """What Gemma multiplies queries and keys by."""
    return {"attention.scale": 1 / math.sqrt(max(config.real("query_pre_attn_scalar"), 1e-6))}


_CENTRED = dict.fromkeys(
    ("layer_norm_eps", "norm_epsilon", "norm_eps"), "attention.layer_norm_epsilon"
)
"""What models with layer norms call their epsilon."""

LLAMA = Family("llama", halves_turn=True)
SMOLLM3 = Family("smollm3", halves_turn=True)
MINISTRAL3 = Family("mistral3", settings=_ministral_settings, halves_turn=True)
PHI3 = Family(
    "phi3",
    keys={
        "sliding_window": "attention.sliding_window",
        "original_max_position_embeddings": "rope.scaling.original_context_length",
    },
    changes={r"blk\.\d+\.attn_qkv\.": _parted},
)
GLM4 = Family("glm4", defaults={"partial_rotary_factor": 0.5})
OLMO2 = Family("olmo2", settings=_windows_if_any)
EXAONE4 = Family("exaone4", settings=_windows_if_any)
ARCEE = Family("arcee", halves_turn=True)
HUNYUAN_DENSE = Family("hunyuan-dense", settings=_hunyuan_settings)
GLM = Family("chatglm", defaults={"partial_rotary_factor": 0.5})
STABLELM = Family("stablelm", keys=_CENTRED, defaults={"partial_rotary_factor": 0.25})
PHI2 = Family("phi2", keys=_CENTRED, defaults={"partial_rotary_factor": 0.5})
STARCODER2 = Family("starcoder2", keys=_CENTRED, defaults={"tie_word_embeddings": True})
NEMOTRON = Family(
    "nemotron",
    keys=_CENTRED,
    defaults={"partial_rotary_factor": 0.5},
    changes={r".*norm\.weight$": each(shifted)},
)
COMMAND_R = Family(
    "command-r",
    keys={**_CENTRED, "logit_scale": "logit_scale"},
    defaults={"tie_word_embeddings": True},
)
COHERE2 = Family(
    "cohere2",
    keys={"layer_norm_eps": "attention.layer_norm_epsilon", "logit_scale": "logit_scale"},
    settings=_cohere_settings,
    defaults={"tie_word_embeddings": True},
)

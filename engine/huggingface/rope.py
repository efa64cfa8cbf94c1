"""Rotary embeddings as configurations describe them, in GGUF's settings and tensors.

Two spellings are about: `rope_theta` with `rope_scaling`, and since Transformers 5 both within
`rope_parameters`, there for each kind of layer where they differ.
"""

import math

import numpy as np

from engine.huggingface.config import MOST_HEAD_DIM, Config, Settings
from engine.huggingface.parts import Array, Part, constant

_STANDING_STILL = 1e30  # as llama.cpp's converter has it
_YARN_KEYS = {
    "extrapolation_factor": "rope.scaling.yarn_ext_factor",
    "attention_factor": "rope.scaling.yarn_attn_factor",
    "attn_factor": "rope.scaling.yarn_attn_factor",
    "beta_fast": "rope.scaling.yarn_beta_fast",
    "beta_slow": "rope.scaling.yarn_beta_slow",
    "original_max_position_embeddings": "rope.scaling.original_context_length",
}


def rope_parameters(config: Config, layers: str = "full_attention") -> Config:
    """Base and scaling of the layers of a kind, whichever way they are spelled."""
    for key in ("rope_parameters", "rope_scaling"):
        if key in config:
            stated = config.part(key)
            return stated.part(layers) if layers in stated else stated
    return config.part("rope_parameters")


def rope_settings(config: Config) -> Settings:
    """The base, how far a head turns, and how positions are scaled."""
    parameters = rope_parameters(config)
    settings: Settings = {}
    if "rope_theta" in parameters or "rope_theta" in config:
        place = parameters if "rope_theta" in parameters else config
        settings["rope.freq_base"] = place.real("rope_theta")
    for place in (parameters, config):
        if "partial_rotary_factor" in place:
            share = place.real("partial_rotary_factor")
            settings["rope.dimension_count"] = int(config.head_dim() * share)
            break
    return settings | _scaling(config, parameters)


def rope_tensors(config: Config) -> dict[str, Part]:
    """What Llama 3's and LongRoPE's scaling divide each pair's frequency by."""
    parameters = rope_parameters(config)
    match _kind(parameters):
        case "llama3":
            return {"rope_freqs.weight": constant(_llama3_factors(config, parameters))}
        case "proportional":
            return {"rope_freqs.weight": constant(_proportional_factors(config, parameters))}
        case "longrope" | "su":
            return {
                f"rope_factors_{length}.weight": constant(
                    np.array(parameters.numbers(f"{length}_factor"), np.float32)
                )
                for length in ("long", "short")
            }
    return {}


def _kind(parameters: Config) -> str:
    return parameters.text("rope_type", parameters.text("type", "default"))


def _scaling(config: Config, parameters: Config) -> Settings:
    match _kind(parameters):
        case "linear":
            factor = parameters.real("factor")
            return {"rope.scaling.type": "linear", "rope.scaling.factor": factor}
        case "yarn":
            factor = parameters.real("factor")
            original = int(config.whole("max_position_embeddings") / max(factor, 1.0))
            return {
                "rope.scaling.type": "yarn",
                "rope.scaling.factor": factor,
                "rope.scaling.original_context_length": original,
                **parameters.by_table(_YARN_KEYS),
            }
        case "longrope" | "su":
            return _longrope(config, parameters)
        # dynamic: within the context, nothing
        case "default" | "llama3" | "dynamic" | "mrope" | "proportional":
            return {}
        case unknown:
            return {"rope.scaling.type": unknown}  # refused by its name where it is used


def _longrope(config: Config, parameters: Config) -> Settings:
    longest = config.whole("max_position_embeddings")
    key = "original_max_position_embeddings"
    original = (parameters if key in parameters else config).whole(key, longest)
    stretch = longest / max(original, 1)
    is_stretched = stretch > 1 and original > 1
    factor = math.sqrt(1 + math.log(stretch) / math.log(original)) if is_stretched else 1.0
    stated = {"attention_factor": "rope.scaling.attn_factor"}
    return {
        "rope.scaling.original_context_length": original,
        "rope.scaling.attn_factor": factor,
        **parameters.by_table(stated),
    }


def _proportional_factors(config: Config, parameters: Config) -> Array:
    """The first pairs turn, and the others are so slow that they stand still."""
    pairs = config.whole("global_head_dim", config.head_dim(), most=MOST_HEAD_DIM) // 2
    turning = int(pairs * parameters.real("partial_rotary_factor", 1.0))
    return np.where(np.arange(pairs) < turning, 1.0, _STANDING_STILL)


def _llama3_factors(config: Config, parameters: Config) -> Array:
    """Slow turns are stretched by the factor, fast ones not, and those between them in part."""
    base = (parameters if "rope_theta" in parameters else config).real("rope_theta", 10_000.0)
    dims = config.head_dim()
    turns = base ** -(np.arange(0, dims, 2, dtype=np.float64) / dims)
    factor = parameters.real("factor", 8.0)
    low, high = parameters.real("low_freq_factor", 1.0), parameters.real("high_freq_factor", 4.0)
    original = parameters.real("original_max_position_embeddings", 8192.0)
    if not (base > 0 and factor > 0 and high > low):
        raise config.wrong("rope_scaling")
    rounds = original * turns / (2 * math.pi)  # full turns within the original context
    smooth = np.clip((rounds - low) / (high - low), 0.0, 1.0)
    return 1.0 / ((1.0 - smooth) / factor + smooth)

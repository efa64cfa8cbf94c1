"""Falcon-H1: products are multiplied by factors that GGUF files have in their weights."""

import math
from collections.abc import Iterable

import numpy as np

from engine.huggingface.config import Config, Settings
from engine.huggingface.family import Family
from engine.huggingface.parts import Array, Part, computed
from engine.huggingface.state_space import MAMBA_CHANGES, mamba_name

_FACTORS = {
    "token_embd": ("embedding_multiplier",),
    "output": ("lm_head_multiplier",),
    "attn_q": ("attention_in_multiplier",),
    "attn_k": ("attention_in_multiplier", "key_multiplier"),
    "attn_v": ("attention_in_multiplier",),
    "attn_output": ("attention_out_multiplier",),
    "ssm_out": ("ssm_out_multiplier",),
}
"""What the configuration calls the factors of a matrix."""


def _settings(config: Config) -> Settings:
    return {
        "ssm.conv_kernel": config.whole("mamba_d_conv", 4),
        "ssm.state_size": config.whole("mamba_d_state"),
        "ssm.inner_size": config.whole("mamba_d_ssm"),
        "ssm.time_step_rank": config.whole("mamba_n_heads"),
        "ssm.group_count": config.whole("mamba_n_groups", 1),
    }


def _multiplied(config: Config, name: str, part: Part) -> Iterable[tuple[str, Part]]:
    """A copy in float32, unless nothing changes."""
    matrix = name.removesuffix(".weight").rpartition(".")[2]
    factors: Array | np.float32
    if matrix == "ssm_in":
        factors = _by_row(config, part)
    elif matrix in ("ffn_gate", "ffn_down"):
        gate, down = _numbers(config, "mlp_multipliers", 2)
        factors = np.float32(gate if matrix == "ffn_gate" else down)
    else:
        factors = np.float32(math.prod(config.real(key, 1.0) for key in _FACTORS[matrix]))
    unchanged = bool(np.all(factors == 1.0))
    return [(name, part if unchanged else computed(part, lambda values: values * factors))]


def _by_row(config: Config, part: Part) -> Array:
    """Those of the rows that make gates, inputs, what is written, what is read, and steps."""
    inner, heads = config.whole("mamba_d_ssm"), config.whole("mamba_n_heads")
    wide = config.whole("mamba_n_groups", 1) * config.whole("mamba_d_state")
    sizes = (inner, inner, wide, wide, heads)
    if part.shape[:1] != (sum(sizes),):
        raise config.wrong("mamba_d_ssm")
    factors = np.repeat(_numbers(config, "ssm_multipliers", 5), sizes)
    return (factors[:, None] * config.real("ssm_in_multiplier", 1.0)).astype(np.float32)


def _numbers(config: Config, key: str, count: int) -> list[float]:
    found = config.numbers(key) or [1.0] * count
    if len(found) != count:
        raise config.wrong(key)
    return found


FALCON_H1 = Family(
    "falcon-h1",
    settings=_settings,
    rename=mamba_name,
    changes={
        r"(token_embd|output|blk\.\d+\.(attn_(q|k|v|output)|ffn_(gate|down)|ssm_(in|out)))"
        r"\.weight$": _multiplied,
        **MAMBA_CHANGES,
    },
)

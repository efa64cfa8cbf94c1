"""Qwen's hybrid models: gated delta nets between layers of attention."""

import re

import numpy as np

from engine.huggingface.config import Config, Settings
from engine.huggingface.family import Family, each
from engine.huggingface.parts import Part, computed, squeezed

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
    layers = config.whole("num_hidden_layers")
    if name in _DRAFT_HEAD:
        return f"blk.{layers}.{_DRAFT_HEAD[name]}"
    if match := re.match(r"mtp\.layers\.(\d{1,4})\.", name):
        name = f"model.layers.{layers + int(match[1])}.{name[match.end() :]}"
    return name.replace(".dt_bias", ".dt_proj.bias")


def _settings(config: Config) -> Settings:
    layers, heads = config.whole("num_hidden_layers"), config.whole("mtp_num_hidden_layers", 0)
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


QWEN35 = Family(
    "qwen35",
    keys={"linear_conv_kernel_dim": "ssm.conv_kernel", "linear_key_head_dim": "ssm.state_size"},
    settings=_settings,
    defaults={"partial_rotary_factor": 0.25},
    rename=_rename,
    changes={
        r"blk\.\d+\.ssm_a$": each(decay_rate),
        r"blk\.\d+\.ssm_conv1d": each(squeezed),
        r"blk\.\d+\.ssm_norm": each(lambda part: part),
        r"(.*[._])?(enorm|hnorm|norm)\.weight$": each(shifted),
    },
)
"""Qwen3.5. Value heads that share a key head lie side by side here, and apart in GGUF files."""

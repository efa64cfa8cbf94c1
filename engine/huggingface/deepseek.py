"""DeepSeek 2 and 3: keys and values of all heads are made from a short row that all share."""

import re
from collections.abc import Iterable

from engine.huggingface.config import Config, Settings
from engine.huggingface.family import Family
from engine.huggingface.mixtures import MIXTURE_KEYS, SIGMOID, SOFTMAX, corrected_name
from engine.huggingface.parts import Array, Part, gathered
from engine.huggingface.rope import rope_parameters


def _settings(config: Config) -> Settings:
    short, turning = config.whole("kv_lora_rank"), config.whole("qk_rope_head_dim")
    sigmoid = config.text("scoring_func", "softmax") == "sigmoid"
    settings: Settings = {
        "attention.head_count_kv": 1,
        "attention.key_length": short + turning,
        "attention.value_length": short,
        "attention.key_length_mla": config.whole("qk_nope_head_dim") + turning,
        "attention.value_length_mla": config.whole("v_head_dim"),
        "rope.dimension_count": turning,
        "expert_gating_func": SIGMOID if sigmoid else SOFTMAX,
    }
    parameters = rope_parameters(config)
    if "mscale_all_dim" in parameters:
        stretch = 0.1 * parameters.real("mscale_all_dim")  # the factor is GGUF's
        settings["rope.scaling.yarn_log_multiplier"] = stretch
    return settings


def _rename(config: Config, name: str) -> str | None:
    layer = re.match(r"model\.layers\.(\d{1,6})\.", name)
    if layer and int(layer[1]) >= config.layers():
        return None  # a head that drafts, which GGUF files of these models do not have
    return corrected_name(config, name)


def _parted(config: Config, name: str, part: Part) -> Iterable[tuple[str, Part]]:
    """What keys and what values are made by, head by head; that of keys is transposed: copies."""
    heads, short = config.whole("num_attention_heads"), config.whole("kv_lora_rank")
    keys, values = config.whole("qk_nope_head_dim"), config.whole("v_head_dim")
    if part.shape != (heads * (keys + values), short):
        raise config.wrong("kv_lora_rank")

    def of_keys(rows: Array) -> Array:
        return rows.reshape(heads, keys + values, short)[:, :keys].swapaxes(1, 2)

    def of_values(rows: Array) -> Array:
        return rows.reshape(heads, keys + values, short)[:, keys:]

    return [
        (name.replace("attn_kv_b", "attn_k_b"), gathered(part, (heads, short, keys), of_keys)),
        (name.replace("attn_kv_b", "attn_v_b"), gathered(part, (heads, values, short), of_values)),
    ]


DEEPSEEK2 = Family(
    "deepseek2",
    keys={
        **MIXTURE_KEYS,
        "q_lora_rank": "attention.q_lora_rank",
        "kv_lora_rank": "attention.kv_lora_rank",
    },
    settings=_settings,
    rename=_rename,
    changes={r"blk\.\d+\.attn_kv_b\.": _parted},
)

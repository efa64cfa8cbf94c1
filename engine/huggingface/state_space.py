"""Models with Mamba-2 layers or short convolutions, alone or between layers of attention."""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from engine.huggingface.config import MOST_HEAD_DIM, Config, Settings
from engine.huggingface.family import Change, Family, each
from engine.huggingface.mixtures import MIXTURE_KEYS, SIGMOID
from engine.huggingface.parts import Part, reshaped, rows, squeezed
from engine.huggingface.qwen import decay_rate

_ANY_CONTEXT = 1 << 20  # of a model that is all state, as llama.cpp's converter has it
_LFM_EXPERT = re.compile(r"(model\.layers\.\d+)\.feed_forward\.experts\.(\d+)\.(w[123])\.weight")
_LFM_MATRICES = {"w1": "gate_proj", "w2": "down_proj", "w3": "up_proj"}
_NEMOTRON_KINDS = {"*": "attention", "M": "mamba", "-": "mlp"}


def _column(part: Part) -> Part:
    return reshaped(part, (*part.shape, 1))


def _by_group(config: Config, name: str, part: Part) -> Iterable[tuple[str, Part]]:
    key = "mamba_n_groups" if "mamba_n_groups" in config else "n_groups"
    groups = max(1, config.whole(key, 1))
    if part.shape[0] % groups:
        raise config.wrong(key)
    return [(name, reshaped(part, (groups, part.shape[0] // groups)))]


MAMBA_CHANGES: dict[str, Change] = {
    r"blk\.\d+\.ssm_a$": each(lambda part: _column(decay_rate(part))),
    r"blk\.\d+\.ssm_d$": each(_column),
    r"blk\.\d+\.ssm_conv1d\.weight": each(squeezed),
    r"blk\.\d+\.ssm_norm": _by_group,
}


def mamba_name(config: Config, name: str) -> str | None:
    name = re.sub(r"^model\.(?=backbone\.)", "", name)
    return name.replace(".dt_bias", ".dt_proj.bias")


def _mamba_settings(config: Config) -> Settings:
    inner = config.whole("expand", 2) * config.whole("hidden_size")
    return {
        "context_length": _ANY_CONTEXT,
        "feed_forward_length": 0,
        "attention.head_count": 0,
        "attention.layer_norm_rms_epsilon": config.real("layer_norm_epsilon", 1e-5),
        "ssm.conv_kernel": config.whole("conv_kernel", 4),
        "ssm.state_size": config.whole("state_size", 128),
        "ssm.inner_size": inner,
        "ssm.time_step_rank": inner // max(1, config.whole("head_dim", 64)),
        "ssm.group_count": config.whole("n_groups", 1),
    }


def _key_heads(config: Config, kinds: Sequence[str]) -> Settings:
    """The heads of each layer's keys; none where it does not attend, which says what it is."""
    attends = [kind in ("attention", "full_attention") for kind in kinds]
    heads = config.whole("num_key_value_heads", most=MOST_HEAD_DIM)
    return {"attention.head_count_kv": np.array([heads * each for each in attends], np.int32)}


def _lfm_settings(config: Config) -> Settings:
    inner = config.whole("block_ff_dim" if "block_ff_dim" in config else "intermediate_size")
    if config.flag("block_auto_adjust_ff_dim", default=True):
        inner = int(config.real("block_ffn_dim_multiplier", 1.0) * int(2 * inner / 3))
        step = max(1, config.whole("block_multiple_of", 256))
        inner = -(-inner // step) * step
    kinds = config.words("layer_types")
    if not kinds:  # as the first configurations said it
        attending = config.numbers("full_attn_idxs")
        layers = range(config.layers())
        kinds = ["full_attention" if layer in attending else "conv" for layer in layers]
    return {
        **_key_heads(config, kinds),
        "feed_forward_length": inner,
        "shortconv.l_cache": config.whole("conv_L_cache"),
    }


def _lfm_moe_settings(config: Config) -> Settings:
    return {**_lfm_settings(config), "expert_gating_func": SIGMOID}


def _lfm_name(config: Config, name: str) -> str | None:
    """Experts, and an output matrix, by the names that the table has for those of others."""
    if name == "lm_head.weight":
        return "output.weight"
    name = re.sub(r"\.expert_bias$", ".expert_bias.bias", name)
    if match := _LFM_EXPERT.fullmatch(name):
        return f"{match[1]}.mlp.experts.{match[2]}.{_LFM_MATRICES[match[3]]}.weight"
    return name


def _granite_settings(config: Config) -> Settings:
    heads, head_dim = config.whole("mamba_n_heads"), config.whole("mamba_d_head")
    shared = config.whole("shared_intermediate_size")
    has_experts = config.whole("num_local_experts", 0) > 0
    return {
        **_key_heads(config, config.words("layer_types")),
        "ssm.conv_kernel": config.whole("mamba_d_conv", 4),
        "ssm.state_size": config.whole("mamba_d_state"),
        "ssm.inner_size": heads * head_dim,
        "ssm.time_step_rank": heads,
        "ssm.group_count": config.whole("mamba_n_groups", 1),
        "feed_forward_length": config.whole("intermediate_size") if has_experts else shared,
        **({"expert_shared_feed_forward_length": shared} if has_experts else {}),
        # GGUF has no other key for a model without positions.
        "rope.scaling.finetuned": config.text("position_embedding_type", "nope") == "rope",
    }


def _granite_name(config: Config, name: str) -> str | None:
    shared = "_shexp" if config.whole("num_local_experts", 0) else ""
    for theirs, ours in (
        ("shared_mlp.input_linear", f"ffn_gate_up{shared}"),
        ("shared_mlp.output_linear", f"ffn_down{shared}"),
        ("block_sparse_moe.input_linear", "ffn_gate_up_exps"),
    ):
        if match := re.fullmatch(rf"model\.layers\.(\d+)\.{theirs}\.weight", name):
            return f"blk.{match[1]}.{ours}.weight"
    return mamba_name(config, name)


def _halved(config: Config, name: str, part: Part) -> Iterable[tuple[str, Part]]:
    """The gate's rows lie above those of what it gates."""
    half = part.shape[0] // 2
    return [
        (name.replace("gate_up", kind), rows(part, start, start + half))
        for kind, start in (("gate", 0), ("up", half))
    ]


def _nemotron_settings(config: Config) -> Settings:
    heads, head_dim = config.whole("mamba_num_heads"), config.whole("mamba_head_dim")
    kinds = [_NEMOTRON_KINDS.get(mark, mark) for mark in config.text("hybrid_override_pattern")]
    inner, epsilon = config.whole("intermediate_size"), config.real("layer_norm_epsilon", 1e-5)
    head_width = config.whole(
        "attention_head_dim" if "attention_head_dim" in config else "head_dim"
    )
    return {
        **_key_heads(config, kinds),
        "attention.key_length": head_width,
        "attention.value_length": head_width,
        "attention.layer_norm_rms_epsilon": epsilon,
        "attention.layer_norm_epsilon": epsilon,
        "feed_forward_length": np.array([inner * (kind == "mlp") for kind in kinds], np.int64),
        "ssm.conv_kernel": config.whole("conv_kernel", 4),
        "ssm.state_size": config.whole("ssm_state_size"),
        "ssm.inner_size": heads * head_dim,
        "ssm.time_step_rank": heads,
        "ssm.group_count": config.whole("n_groups", 1),
    }


MAMBA2 = Family("mamba2", settings=_mamba_settings, rename=mamba_name, changes=MAMBA_CHANGES)
_LFM_KEYS = {"norm_eps": "attention.layer_norm_rms_epsilon"}
_LFM_CHANGES = {r"blk\.\d+\.shortconv\.conv": each(squeezed)}
LFM2 = Family(
    "lfm2",
    keys=_LFM_KEYS,
    settings=_lfm_settings,
    defaults={"tie_word_embeddings": True},
    changes=_LFM_CHANGES,
)
LFM2_MOE = Family(
    "lfm2moe",
    keys={**MIXTURE_KEYS, **_LFM_KEYS, "num_dense_layers": "leading_dense_block_count"},
    settings=_lfm_moe_settings,
    defaults={"tie_word_embeddings": True, "block_auto_adjust_ff_dim": False},
    rename=_lfm_name,
    changes=_LFM_CHANGES,
)
_GRANITE_KEYS = {
    **MIXTURE_KEYS,
    "attention_multiplier": "attention.scale",
    "embedding_multiplier": "embedding_scale",
    "residual_multiplier": "residual_scale",
    "logits_scaling": "logit_scale",
}
_GRANITE_CHANGES: dict[str, Change] = {r"blk\.\d+\.ffn_gate_up(_shexp)?\.": _halved}
GRANITE = Family("granite", keys=_GRANITE_KEYS, halves_turn=True)
GRANITE_MOE = Family(
    "granitemoe",
    keys={**_GRANITE_KEYS, "shared_intermediate_size": "expert_shared_feed_forward_length"},
    rename=_granite_name,
    changes=_GRANITE_CHANGES,
    halves_turn=True,
)
GRANITE_HYBRID = Family(
    "granitehybrid",
    keys=_GRANITE_KEYS,
    settings=_granite_settings,
    rename=_granite_name,
    changes={**_GRANITE_CHANGES, **MAMBA_CHANGES},
    halves_turn=True,
)
NEMOTRON_H = Family(
    "nemotron_h", settings=_nemotron_settings, rename=mamba_name, changes=MAMBA_CHANGES
)

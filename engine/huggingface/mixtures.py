"""Mixtures of experts."""

import re
from collections.abc import Iterable

from engine.huggingface.config import Config, Settings
from engine.huggingface.family import Family, each
from engine.huggingface.parts import Part, gathered, squeezed

MIXTURE_KEYS = {
    "num_local_experts": "expert_count",
    "num_experts": "expert_count",
    "n_routed_experts": "expert_count",
    "num_experts_per_tok": "expert_used_count",
    "n_shared_experts": "expert_shared_count",
    "moe_intermediate_size": "expert_feed_forward_length",
    "shared_expert_intermediate_size": "expert_shared_feed_forward_length",
    "first_k_dense_replace": "leading_dense_block_count",
    "routed_scaling_factor": "expert_weights_scale",
    "norm_topk_prob": "expert_weights_norm",
    "n_group": "expert_group_count",
    "topk_group": "expert_group_used_count",
}
"""What mixtures call their experts, and how they route."""

SHARED_GATE = r"blk\.\d+\.ffn_gate_inp_shexp"
SOFTMAX, SIGMOID = 1, 2  # of GGUF's `expert_gating_func`


def fused_experts(config: Config, name: str) -> str | None:
    """Experts that lie in one tensor, which has no `.weight` at its end."""
    if match := re.fullmatch(r"model\.layers\.(\d+)\.mlp\.experts\.(gate_up|down)_proj", name):
        return f"blk.{match[1]}.ffn_{match[2]}_exps.weight"
    return name


def _mixtral_name(config: Config, name: str) -> str | None:
    experts = r"model\.(layers\.\d+)\.block_sparse_moe\.experts\.(\d+)\."
    return re.sub(experts, r"\1.feed_forward.experts.\2.", name)


def _glm_settings(config: Config) -> Settings:
    heads = config.whole("num_nextn_predict_layers", 0)
    return {
        "block_count": config.layers() + heads,
        "nextn_predict_layers": heads,
        "expert_gating_func": SIGMOID,
    }


def corrected_name(config: Config, name: str) -> str | None:
    """What corrects the router's choice has no `.bias` at its end."""
    name = re.sub(r"\.e_score_correction_bias$", ".e_score_correction.bias", name)
    return fused_experts(config, name)


def upright(config: Config, part: Part) -> Part:
    """Rows of experts that are stored as columns: a copy."""
    if len(part.shape) != 3:
        raise config.wrong("hidden_size")
    experts, columns, rows = part.shape
    return gathered(part, (experts, rows, columns), lambda values: values.swapaxes(1, 2))


def _upright_experts(config: Config, name: str, part: Part) -> Iterable[tuple[str, Part]]:
    return [(name, upright(config, part))]


def _sigmoid(config: Config) -> Settings:
    return {"expert_gating_func": SIGMOID}


def _ernie_settings(config: Config) -> Settings:
    shared = config.whole("moe_num_shared_experts", 0) * config.whole("moe_intermediate_size")
    return {"expert_shared_feed_forward_length": shared}


def _ernie_name(config: Config, name: str) -> str | None:
    return None if name.startswith("model.mtp_") else corrected_name(config, name)


MIXTRAL = Family("llama", keys=MIXTURE_KEYS, rename=_mixtral_name, halves_turn=True)
QWEN2_MOE = Family(
    "qwen2moe",
    keys=MIXTURE_KEYS,
    rename=fused_experts,
    changes={SHARED_GATE: each(squeezed)},
)
QWEN3_MOE = Family("qwen3moe", keys=MIXTURE_KEYS, rename=fused_experts)
GLM4_MOE = Family(
    "glm4moe",
    keys=MIXTURE_KEYS,
    settings=_glm_settings,
    defaults={"partial_rotary_factor": 0.5},
    rename=corrected_name,
)
OLMOE = Family("olmoe", keys=MIXTURE_KEYS)
DEEPSEEK = Family("deepseek", keys=MIXTURE_KEYS, halves_turn=True)
DOTS1 = Family("dots1", keys=MIXTURE_KEYS, settings=_sigmoid, rename=corrected_name)
QWEN3_VL_MOE = Family(
    "qwen3vlmoe",
    keys=MIXTURE_KEYS,
    rename=fused_experts,
    changes={r"blk\.\d+\.ffn_(gate_up|down)_exps\.": _upright_experts},
)
ERNIE_MOE = Family(
    "ernie4_5-moe",
    keys={
        "moe_num_experts": "expert_count",
        "moe_k": "expert_used_count",
        "moe_intermediate_size": "expert_feed_forward_length",
        "moe_num_shared_experts": "expert_shared_count",
        "moe_layer_start_index": "leading_dense_block_count",
        "moe_layer_interval": "interleave_moe_layer_step",
    },
    settings=_ernie_settings,
    rename=_ernie_name,
    changes={r"blk\.\d+\.exp_probs_b\.": each(squeezed)},
)

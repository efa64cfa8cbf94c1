"""Mixtures of experts."""

import re

from engine.huggingface.config import Config, Settings
from engine.huggingface.family import Family, each
from engine.huggingface.parts import squeezed

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

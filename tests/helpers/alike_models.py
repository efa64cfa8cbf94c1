"""Tiny models of the architectures that are made of the same operations as others."""

from tests.helpers.described_model import DescribedModel

NARROW = {"attention.key_length": 16, "attention.value_length": 16, "rope.dimension_count": 16}
CENTRED = {**NARROW, "attention.layer_norm_epsilon": 1e-5}
EXPERTS = {
    **NARROW,
    "expert_count": 6,
    "expert_used_count": 2,
    "expert_feed_forward_length": 32,
    "expert_shared_feed_forward_length": 0,
}
WIDE = {**EXPERTS, "expert_feed_forward_length": 0}  # as wide as the file has its other layers
SIGMOID = {
    **EXPERTS,
    "leading_dense_block_count": 1,
    "expert_shared_count": 2,
    "expert_gating_func": 2,
    "expert_weights_norm": True,
    "expert_weights_scale": 2.5,
}
GRANITE = {
    "attention.scale": 0.3,
    "embedding_scale": 3.0,
    "residual_scale": 0.5,
    "logit_scale": 4.0,
}
GATED = frozenset({"ffn_gate.weight"})
PRODUCTS = frozenset({"attn_q.bias", "attn_k.bias", "attn_v.bias"})
NORMS = frozenset({"attn_norm.bias", "ffn_norm.bias", "output_norm.bias"})
OUTPUT = frozenset({"output.weight"})
SHARED = frozenset({"ffn_gate_shexp.weight"})
CORRECTED = frozenset({"exp_probs_b.bias"})
FUSED = frozenset({"attn_qkv.weight", "attn_qkv.bias"})

ALIKE = {
    "arcee": DescribedModel("arcee", settings=NARROW),
    "bailingmoe": DescribedModel(
        "bailingmoe",
        settings={**EXPERTS, "expert_shared_count": 2, "expert_weights_norm": True},
        optional=SHARED | OUTPUT,
    ),
    "bailingmoe2": DescribedModel(
        "bailingmoe2",
        settings={
            **SIGMOID,
            "expert_group_count": 3,
            "expert_group_used_count": 2,
            "rope.dimension_count": 8,
        },
        optional=GATED | SHARED | CORRECTED | OUTPUT | {"attn_qkv.weight"},
    ),
    "chatglm": DescribedModel(
        "chatglm", settings={**NARROW, "rope.dimension_count": 8}, optional=FUSED | OUTPUT
    ),
    "command-r": DescribedModel("command-r", settings={**CENTRED, "logit_scale": 0.25}),
    "deepseek": DescribedModel(
        "deepseek",
        settings={**EXPERTS, "leading_dense_block_count": 1, "expert_shared_count": 2},
        optional=GATED | SHARED | OUTPUT,
    ),
    "dots1": DescribedModel(
        "dots1",
        settings={**SIGMOID, "attention.head_count_kv": 6},
        optional=GATED | SHARED | CORRECTED | OUTPUT,
    ),
    "ernie4_5": DescribedModel("ernie4_5", settings=NARROW),
    "ernie4_5-moe": DescribedModel(
        "ernie4_5-moe",
        layers=3,
        settings={
            **EXPERTS,
            "leading_dense_block_count": 1,
            "interleave_moe_layer_step": 1,
            "expert_shared_count": 2,
            "expert_shared_feed_forward_length": 64,
        },
        optional=GATED | SHARED | CORRECTED,
    ),
    "exaone": DescribedModel("exaone", settings=NARROW, optional=GATED | {"rope_freqs.weight"}),
    "exaone4": DescribedModel("exaone4", settings=NARROW),
    "gemma": DescribedModel("gemma"),
    "granite": DescribedModel("granite", settings={**NARROW, **GRANITE}),
    "granitemoe": DescribedModel(
        "granitemoe",
        settings={
            **WIDE,
            **GRANITE,
            "expert_shared_feed_forward_length": 64,
        },
        optional=SHARED,
    ),
    "hunyuan-dense": DescribedModel("hunyuan-dense", settings=NARROW),
    "hunyuan-moe": DescribedModel(
        "hunyuan-moe",
        settings={**WIDE, "expert_shared_feed_forward_length": 64, "expert_shared_count": 1},
        optional=SHARED,
    ),
    "internlm2": DescribedModel("internlm2", settings=NARROW, optional=GATED | OUTPUT),
    "minimax-m2": DescribedModel(
        "minimax-m2",
        settings={**WIDE, "rope.dimension_count": 8, "expert_gating_func": 2},
        optional=CORRECTED | OUTPUT,
    ),
    "nemotron": DescribedModel(
        "nemotron", settings={**CENTRED, "rope.dimension_count": 8}, optional=NORMS | OUTPUT
    ),
    "olmoe": DescribedModel(
        "olmoe", settings={**WIDE, "attention.head_count_kv": 6}, optional=OUTPUT
    ),
    "phi2": DescribedModel(
        "phi2",
        settings={**CENTRED, "rope.dimension_count": 8},
        optional=frozenset({"bias", "attn_qkv.weight", "output.weight"}),
    ),
    "qwen2vl": DescribedModel(
        "qwen2vl",
        settings={**NARROW, "rope.dimension_sections": [2, 3, 3, 0]},
        optional=GATED | PRODUCTS,
    ),
    "qwen3vl": DescribedModel(
        "qwen3vl", settings={**NARROW, "rope.dimension_sections": [3, 3, 2, 0]}
    ),
    "qwen3vlmoe": DescribedModel(
        "qwen3vlmoe",
        settings={**EXPERTS, "rope.dimension_sections": [3, 3, 2, 0]},
        optional=OUTPUT,
    ),
    "seed_oss": DescribedModel("seed_oss", settings=NARROW, optional=GATED | PRODUCTS),
    "stablelm": DescribedModel(
        "stablelm",
        settings={**CENTRED, "rope.dimension_count": 8},
        optional=GATED | PRODUCTS | NORMS | OUTPUT,
    ),
    "starcoder2": DescribedModel(
        "starcoder2",
        settings=CENTRED,
        optional=PRODUCTS | NORMS | {"attn_output.bias", "ffn_up.bias", "ffn_down.bias"},
    ),
}
"""One of each; what sets them apart is said by their settings and tensors."""

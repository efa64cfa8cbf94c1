"""The `config.json` that Transformers' model has, from what a GGUF file says of the same model."""

from collections.abc import Mapping
from typing import Any

import numpy as np

MODEL_TYPES = {
    "command-r": "cohere",
    "ernie4_5-moe": "ernie4_5_moe",
    "falcon-h1": "falcon_h1",
    "gemma4": "gemma4_text",
    "hunyuan-dense": "hunyuan_v1_dense",
    "lfm2moe": "lfm2_moe",
    "qwen2vl": "qwen2_5_vl_text",
    "qwen3vl": "qwen3_vl_text",
    "qwen3vlmoe": "qwen3_vl_moe_text",
    "deepseek2": "deepseek_v3",
    "gemma3": "gemma3_text",
    "glm4moe": "glm4_moe",
    "granitehybrid": "granitemoehybrid",
    "mistral3": "ministral3",
    "qwen2moe": "qwen2_moe",
    "qwen35": "qwen3_5_text",
    "qwen35moe": "qwen3_5_moe_text",
    "qwen3moe": "qwen3_moe",
    "qwen3next": "qwen3_next",
}
FALCON_FACTORS = {
    "attention_in_multiplier": 0.5,
    "attention_out_multiplier": 2.0,
    "key_multiplier": 3.0,
    "ssm_in_multiplier": 1.5,
    "ssm_out_multiplier": 0.25,
    "embedding_multiplier": 4.0,
    "lm_head_multiplier": 0.125,
    "mlp_multipliers": [2.0, 0.5],
    "ssm_multipliers": [0.5, 2.0, 3.0, 0.25, 1.5],
}
_COMMON = {
    "routed_scaling_factor": "expert_weights_scale",
    "norm_topk_prob": "expert_weights_norm",
    "attention_multiplier": "attention.scale",
    "embedding_multiplier": "embedding_scale",
    "residual_multiplier": "residual_scale",
    "logits_scaling": "logit_scale",
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "head_dim": "attention.key_length",
    "max_position_embeddings": "context_length",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "layer_norm_eps": "attention.layer_norm_epsilon",
    "rope_theta": "rope.freq_base",
    "sliding_window": "attention.sliding_window",
    "num_experts": "expert_count",
    "num_experts_per_tok": "expert_used_count",
    "moe_intermediate_size": "expert_feed_forward_length",
    "shared_expert_intermediate_size": "expert_shared_feed_forward_length",
    "n_shared_experts": "expert_shared_count",
    "first_k_dense_replace": "leading_dense_block_count",
    "logit_scale": "logit_scale",
    "linear_conv_kernel_dim": "ssm.conv_kernel",
    "linear_key_head_dim": "ssm.state_size",
    "linear_num_key_heads": "ssm.group_count",
    "linear_num_value_heads": "ssm.time_step_rank",
    "full_attention_interval": "full_attention_interval",
    "mtp_num_hidden_layers": "nextn_predict_layers",
}


def configuration(metadata: Mapping[str, Any], tensors: Mapping[str, Any]) -> dict[str, object]:
    """The document for a model of these settings and, by Transformers' names, tensors."""
    kind = metadata["general.architecture"]

    def value(key: str, default: Any = None) -> Any:
        found = metadata.get(f"{kind}.{key}", default)
        return max(found.tolist()) if isinstance(found, np.ndarray) else found

    heads = value("nextn_predict_layers", 0)
    document = {
        "architectures": ["Whatever"],
        "model_type": MODEL_TYPES.get(kind, kind),
        "num_hidden_layers": value("block_count") - heads,
        "vocab_size": len(next(each for name, each in tensors.items() if "embed" in name)),
        "tie_word_embeddings": "lm_head.weight" not in tensors,
        "torch_dtype": "float32",
        "quantization_config": None,
        **{theirs: value(ours) for theirs, ours in _COMMON.items()},
    }
    dims = value("rope.dimension_count")
    if dims:
        document["partial_rotary_factor"] = dims / value("attention.key_length")
    if kind == "llama" and value("expert_count"):
        document["model_type"] = "mixtral"
    if scale := value("attention.scale"):
        document["query_pre_attn_scalar"] = scale**-2
    if value("ssm.time_step_rank"):
        document["linear_value_head_dim"] = value("ssm.inner_size") // value("ssm.time_step_rank")
    document |= _layer_types(kind, metadata) | _special(kind, value, metadata)
    document |= _special_of_later_ones(kind, value, metadata)
    return {key: each for key, each in document.items() if each is not None}


def _layer_types(kind: str, metadata: Mapping[str, Any]) -> dict[str, object]:
    windowed = metadata.get(f"{kind}.attention.sliding_window_pattern")
    recurrent = metadata.get(f"{kind}.attention.recurrent_layers")
    if isinstance(recurrent, np.ndarray):
        names = {"lfm2": ("conv", "full_attention"), "granitehybrid": ("mamba", "attention")}
        pair = names.get(kind, ("linear_attention", "full_attention"))
        return {"layer_types": [pair[0] if each else pair[1] for each in recurrent]}
    if windowed is not None:
        pair = ("sliding_attention", "full_attention")
        return {"layer_types": [pair[0] if each else pair[1] for each in windowed]}
    return {}


def _special(kind: str, value: Any, metadata: Mapping[str, Any]) -> dict[str, object]:
    """What only one kind of model has."""
    heads, inner = value("ssm.time_step_rank", 1), value("ssm.inner_size", 1)
    mamba = {
        "conv_kernel": value("ssm.conv_kernel"),
        "n_groups": value("ssm.group_count"),
        "layer_norm_epsilon": value("attention.layer_norm_rms_epsilon"),
    }
    match kind:
        case "gemma3":
            return {"rope_local_base_freq": 10_000.0}
        case "deepseek2":
            turning = value("rope.dimension_count")
            return {
                "kv_lora_rank": value("attention.kv_lora_rank"),
                "q_lora_rank": value("attention.q_lora_rank"),
                "qk_rope_head_dim": turning,
                "qk_nope_head_dim": value("attention.key_length_mla") - turning,
                "v_head_dim": value("attention.value_length_mla"),
                "scoring_func": "sigmoid",
                "partial_rotary_factor": None,
            }
        case "phi3":
            return {
                "original_max_position_embeddings": value("context_length"),
                "rope_scaling": {
                    "type": "longrope",
                    "long_factor": [1.0] * (value("rope.dimension_count") // 2),
                    "short_factor": [1.0] * (value("rope.dimension_count") // 2),
                },
            }
        case "lfm2":
            return {
                "norm_eps": value("attention.layer_norm_rms_epsilon"),
                "conv_L_cache": value("shortconv.l_cache"),
                "block_ff_dim": value("feed_forward_length"),
                "block_auto_adjust_ff_dim": False,
            }
        case "mamba2":
            state = {"state_size": value("ssm.state_size"), "head_dim": inner // heads}
            return {**mamba, **state, "expand": inner // value("embedding_length")}
        case "granitehybrid":
            return {
                "num_local_experts": 0,
                "shared_intermediate_size": value("feed_forward_length"),
                "mamba_d_conv": value("ssm.conv_kernel"),
                "mamba_d_state": value("ssm.state_size"),
                "mamba_n_heads": heads,
                "mamba_d_head": inner // heads,
                "mamba_n_groups": value("ssm.group_count"),
                "residual_multiplier": value("residual_scale"),
                "logits_scaling": value("logit_scale"),
                "position_embedding_type": "rope",
            }
        case "nemotron_h":
            recurrent = metadata["nemotron_h.attention.recurrent_layers"]
            inner_widths = metadata["nemotron_h.feed_forward_length"]
            marks = [
                "M" if each else "-" if width else "*"
                for each, width in zip(recurrent, inner_widths, strict=True)
            ]
            return {
                **mamba,
                "hybrid_override_pattern": "".join(marks),
                "ssm_state_size": value("ssm.state_size"),
                "mamba_num_heads": heads,
                "mamba_head_dim": inner // heads,
                "layer_types": None,
            }
    return {}


def _special_of_later_ones(kind: str, value: Any, metadata: Mapping[str, Any]) -> dict[str, object]:
    """As `_special`."""
    match kind:
        case "gemma4":
            kinds, kv_heads = (
                np.asarray(metadata[f"gemma4.attention.{key}"]).tolist()
                for key in ("sliding_window_pattern", "head_count_kv")
            )
            width = metadata["gemma4.feed_forward_length"]
            return {
                "head_dim": value("attention.key_length_swa"),
                "global_head_dim": value("attention.key_length"),
                "num_key_value_heads": kv_heads[kinds.index(True)],
                "num_global_key_value_heads": kv_heads[kinds.index(False)],
                "num_kv_shared_layers": value("attention.shared_kv_layers"),
                "hidden_size_per_layer_input": value("embedding_length_per_layer_input"),
                "use_double_wide_mlp": isinstance(width, np.ndarray),
                "intermediate_size": int(np.min(width)),
                "final_logit_softcapping": value("final_logit_softcapping"),
                "top_k_experts": value("expert_used_count"),
                "rope_parameters": {
                    "full_attention": {
                        "rope_type": "proportional",
                        "rope_theta": 1e6,
                        "partial_rotary_factor": 0.25,
                    },
                    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
                },
            }
        case "ernie4_5-moe":
            return {
                "moe_num_experts": value("expert_count"),
                "moe_k": value("expert_used_count"),
                "moe_num_shared_experts": value("expert_shared_count"),
                "moe_layer_start_index": value("leading_dense_block_count"),
                "moe_layer_interval": 1,
            }
        case "falcon-h1":
            return {
                **FALCON_FACTORS,
                "mamba_d_conv": value("ssm.conv_kernel"),
                "mamba_d_state": value("ssm.state_size"),
                "mamba_d_ssm": value("ssm.inner_size"),
                "mamba_n_heads": value("ssm.time_step_rank"),
                "mamba_n_groups": value("ssm.group_count"),
            }
        case "lfm2moe":
            kv_heads = metadata["lfm2moe.attention.head_count_kv"]
            return {
                "norm_eps": value("attention.layer_norm_rms_epsilon"),
                "conv_L_cache": value("shortconv.l_cache"),
                "num_dense_layers": value("leading_dense_block_count"),
                "layer_types": ["full_attention" if each else "conv" for each in kv_heads],
            }
    return {}

"""The names that Transformers' models have for their tensors, by those in GGUF files.

Written down from the models' own code, apart from the tables that the engine reads folders by.
"""

_ATTENTION = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_qkv": "self_attn.qkv_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
}
_PLAIN = {
    **_ATTENTION,
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "ffn_gate_inp": "mlp.gate",
    "ffn_gate_exps": "mlp.experts.{}.gate_proj",
    "ffn_up_exps": "mlp.experts.{}.up_proj",
    "ffn_down_exps": "mlp.experts.{}.down_proj",
    "ffn_gate_inp_shexp": "mlp.shared_expert_gate",
    "ffn_gate_shexp": "mlp.shared_expert.gate_proj",
    "ffn_up_shexp": "mlp.shared_expert.up_proj",
    "ffn_down_shexp": "mlp.shared_expert.down_proj",
}
_AFTERWARDS = {
    "post_attention_norm": "post_attention_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}
_GEMMA = {**_AFTERWARDS, "ffn_norm": "pre_feedforward_layernorm"}
_FUSED = {
    "ffn_gate_up_exps.weight": "mlp.experts.gate_up_proj",
    "ffn_down_exps.weight": "mlp.experts.down_proj",
}
_DELTA = {
    "post_attention_norm": "post_attention_layernorm",
    "attn_qkv": "linear_attn.in_proj_qkv",
    "attn_gate": "linear_attn.in_proj_z",
    "ssm_alpha": "linear_attn.in_proj_a",
    "ssm_beta": "linear_attn.in_proj_b",
    "ssm_ba": "linear_attn.in_proj_ba",
    "ssm_qkvz": "linear_attn.in_proj_qkvz",
    "ssm_conv1d": "linear_attn.conv1d",
    "ssm_norm": "linear_attn.norm",
    "ssm_out": "linear_attn.out_proj",
    "ssm_a": "linear_attn.A_log",
    "ssm_dt.bias": "linear_attn.dt_bias",
}


def _mamba(place: str) -> dict[str, str]:
    return {
        "ssm_in": f"{place}.in_proj",
        "ssm_conv1d": f"{place}.conv1d",
        "ssm_a": f"{place}.A_log",
        "ssm_d": f"{place}.D",
        "ssm_dt.bias": f"{place}.dt_bias",
        "ssm_norm": f"{place}.norm",
        "ssm_out": f"{place}.out_proj",
    }


_SHARED = {
    "exp_probs_b.bias": "mlp.gate.e_score_correction_bias",
    "ffn_gate_shexp": "mlp.shared_experts.gate_proj",
    "ffn_up_shexp": "mlp.shared_experts.up_proj",
    "ffn_down_shexp": "mlp.shared_experts.down_proj",
}
_LFM = {
    "attn_norm": "operator_norm",
    "ffn_norm": "ffn_norm",
    "ffn_gate": "feed_forward.w1",
    "ffn_up": "feed_forward.w3",
    "ffn_down": "feed_forward.w2",
    "attn_q_norm": "self_attn.q_layernorm",
    "attn_k_norm": "self_attn.k_layernorm",
    "attn_output": "self_attn.out_proj",
    "shortconv.in_proj": "conv.in_proj",
    "shortconv.conv": "conv.conv",
    "shortconv.out_proj": "conv.out_proj",
}

IN_BLOCK = {
    "gemma2": _GEMMA,
    "gemma3": _GEMMA,
    "olmo2": _AFTERWARDS,
    "phi3": {"ffn_up": "mlp.gate_up_proj"},
    "glm4": {
        "post_attention_norm": "post_self_attn_layernorm",
        "post_ffw_norm": "post_mlp_layernorm",
        "ffn_up": "mlp.gate_up_proj",
    },
    "glm4moe": {
        "post_attention_norm": "post_attention_layernorm",
        **_SHARED,
    },
    "llama, experts": {
        "ffn_gate_inp": "block_sparse_moe.gate",
        "ffn_gate_exps": "block_sparse_moe.experts.{}.w1",
        "ffn_up_exps": "block_sparse_moe.experts.{}.w3",
        "ffn_down_exps": "block_sparse_moe.experts.{}.w2",
    },
    "deepseek2": {
        **_FUSED,
        "attn_q_a": "self_attn.q_a_proj",
        "attn_q_a_norm": "self_attn.q_a_layernorm",
        "attn_q_b": "self_attn.q_b_proj",
        "attn_kv_a_mqa": "self_attn.kv_a_proj_with_mqa",
        "attn_kv_a_norm": "self_attn.kv_a_layernorm",
        "attn_kv_b": "self_attn.kv_b_proj",
        **_SHARED,
    },
    "qwen35": _DELTA,
    "qwen35moe": _DELTA | _FUSED,
    "qwen3next": _DELTA | _FUSED,
    "gemma4": {
        **_GEMMA,
        "layer_output_scale.weight": "layer_scalar",
        "inp_gate": "per_layer_input_gate",
        "proj": "per_layer_projection",
        "post_norm": "post_per_layer_input_norm",
        "pre_ffw_norm_2": "pre_feedforward_layernorm_2",
        "post_ffw_norm_1": "post_feedforward_layernorm_1",
        "post_ffw_norm_2": "post_feedforward_layernorm_2",
        "ffn_gate_inp": "router.proj",
        "ffn_gate_inp.scale": "router.scale",
        "ffn_gate_up_exps.weight": "experts.gate_up_proj",
        "ffn_down_exps.weight": "experts.down_proj",
    },
    "exaone4": _AFTERWARDS,
    "seed_oss": _AFTERWARDS,
    "deepseek": _SHARED,
    "dots1": _SHARED,
    "ernie4_5-moe": {**_SHARED, "exp_probs_b.bias": "mlp.moe_statics.e_score_correction_bias"},
    "hunyuan-dense": {
        "attn_q_norm": "self_attn.query_layernorm",
        "attn_k_norm": "self_attn.key_layernorm",
    },
    "starcoder2": {"ffn_up": "mlp.c_fc", "ffn_down": "mlp.c_proj"},
    "qwen3vlmoe": _FUSED,
    "falcon-h1": {
        **_mamba("mamba"),
        "ffn_norm": "pre_ff_layernorm.weight",
        "ffn_gate": "feed_forward.gate_proj",
        "ffn_up": "feed_forward.up_proj",
        "ffn_down": "feed_forward.down_proj",
    },
    "lfm2moe": {
        **_LFM,
        "ffn_gate_inp": "feed_forward.gate",
        "exp_probs_b.bias": "feed_forward.expert_bias",
        "ffn_gate_exps": "feed_forward.experts.{}.w1",
        "ffn_up_exps": "feed_forward.experts.{}.w3",
        "ffn_down_exps": "feed_forward.experts.{}.w2",
    },
    "lfm2": _LFM,
    "granitehybrid": {
        **_mamba("mamba"),
        "ffn_gate_up": "shared_mlp.input_linear",
        "ffn_down": "shared_mlp.output_linear",
    },
    "mamba2": {**_mamba("mixer"), "attn_norm": "norm"},
    "nemotron_h": {
        **_mamba("mixer"),
        "attn_norm": "norm",
        "attn_q": "mixer.q_proj",
        "attn_k": "mixer.k_proj",
        "attn_v": "mixer.v_proj",
        "attn_output": "mixer.o_proj",
        "ffn_up": "mixer.up_proj",
        "ffn_down": "mixer.down_proj",
    },
}
_OUTSIDE = {
    "token_embd": "model.embed_tokens",
    "token_embd_norm": "model.embedding_norm",
    "output_norm": "model.norm",
    "output": "lm_head",
    "per_layer_token_embd": "model.embed_tokens_per_layer",
    "per_layer_model_proj": "model.per_layer_model_projection",
    "per_layer_proj_norm": "model.per_layer_projection_norm",
}
_BACKBONE = {"token_embd": "backbone.embeddings", "output_norm": "backbone.norm_f"}
_DRAFT_HEAD = {
    "nextn.eh_proj": "mtp.fc",
    "nextn.enorm": "mtp.pre_fc_norm_embedding",
    "nextn.hnorm": "mtp.pre_fc_norm_hidden",
    "nextn.shared_head_norm": "mtp.norm",
}


def hugging_name(kind: str, name: str, layers: int) -> str:
    """The name of a tensor; `{}` in it stands for the number of an expert.

    Args:
        kind: the architecture, "llama, experts" for a mixture of its kind.
        name: in GGUF.
        layers: of the model, without the blocks that draft.
    """
    place, _, end = name.rpartition(".")
    root = "backbone" if kind in ("mamba2", "nemotron_h") else "model"
    if not name.startswith("blk."):
        outside = _OUTSIDE | (_BACKBONE if root == "backbone" else {})
        return f"{outside[place]}.{end}"
    number, rest = int(name.split(".")[1]), name.split(".", 2)[2]
    prefix = f"{root}.layers.{number}."
    if number >= layers:
        prefix = f"mtp.layers.{number - layers}."
    table = _PLAIN | IN_BLOCK.get(kind, {})
    stem = rest.rpartition(".")[0]
    if stem in _DRAFT_HEAD:
        return f"{_DRAFT_HEAD[stem]}.{end}"
    return prefix + (table.get(rest) or f"{table[stem]}.{end}")

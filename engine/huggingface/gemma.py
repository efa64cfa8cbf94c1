"""Gemma 2 and 3."""

from engine.huggingface.config import Config, Settings
from engine.huggingface.dense import gemma_scale, windowed_layers
from engine.huggingface.family import Family, each
from engine.huggingface.qwen import shifted
from engine.huggingface.rope import rope_parameters

_NORMS = {r".*norm\.weight$": each(shifted)}
_SOFT_CAPS = {
    "attn_logit_softcapping": "attn_logit_softcapping",
    "final_logit_softcapping": "final_logit_softcapping",
}


def _gemma2_settings(config: Config) -> Settings:
    return gemma_scale(config) | windowed_layers(config, 2)


def _gemma3_settings(config: Config) -> Settings:
    head_dim = config.whole("head_dim")
    local = rope_parameters(config, "sliding_attention")
    stated = "rope_parameters" in config and "rope_theta" in local
    base = local.real("rope_theta") if stated else config.real("rope_local_base_freq")
    return {
        **gemma_scale(config),
        **windowed_layers(config, 6),
        "attention.key_length": head_dim,
        "attention.value_length": head_dim,
        "rope.freq_base_swa": base,
    }


GEMMA2 = Family(
    "gemma2",
    keys=_SOFT_CAPS,
    settings=_gemma2_settings,
    defaults={"tie_word_embeddings": True},
    changes=_NORMS,
)
GEMMA3 = Family(
    "gemma3",
    keys=_SOFT_CAPS,
    settings=_gemma3_settings,
    defaults={
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "max_position_embeddings": 131_072,
        "rms_norm_eps": 1e-6,
        "rope_theta": 1e6,
        "rope_local_base_freq": 1e4,
        "query_pre_attn_scalar": 256,
        "sliding_window": 4096,
        "tie_word_embeddings": True,
    },
    changes=_NORMS,
)
"""Its configurations leave out what is as in Transformers' `Gemma3TextConfig`."""

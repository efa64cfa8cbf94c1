"""Which models run from folders: `model_type` in their configuration → what their family needs.

What differs between the two forms of a model follows llama.cpp's converter
(https://github.com/ggml-org/llama.cpp/tree/master/conversion), which made the files in GGUF.
"""

from engine.base.errors import UnsupportedModelError
from engine.gguf.defects import quoted
from engine.huggingface import deepseek, dense, gemma, mixtures, qwen, state_space
from engine.huggingface.config import Config
from engine.huggingface.falcon_h1 import FALCON_H1
from engine.huggingface.family import Family
from engine.huggingface.gpt_oss import GPT_OSS

FAMILIES = {
    "arcee": dense.ARCEE,
    "cohere": dense.COMMAND_R,
    "cohere2": dense.COHERE2,
    "deepseek": mixtures.DEEPSEEK,
    "deepseek_v2": deepseek.DEEPSEEK2,
    "deepseek_v3": deepseek.DEEPSEEK2,
    "dots1": mixtures.DOTS1,
    "ernie4_5": Family("ernie4_5"),
    "ernie4_5_moe": mixtures.ERNIE_MOE,
    "exaone4": dense.EXAONE4,
    "falcon_h1": FALCON_H1,
    "gemma": gemma.GEMMA,
    "gemma2": gemma.GEMMA2,
    "gemma3": gemma.GEMMA3,
    "gemma3_text": gemma.GEMMA3,
    "gemma4": gemma.GEMMA4,
    "gemma4_text": gemma.GEMMA4,
    "glm": dense.GLM,
    "glm4": dense.GLM4,
    "glm4_moe": mixtures.GLM4_MOE,
    "gpt_oss": GPT_OSS,
    "granite": state_space.GRANITE,
    "granitemoe": state_space.GRANITE_MOE,
    "granitemoehybrid": state_space.GRANITE_HYBRID,
    "granitemoeshared": state_space.GRANITE_MOE,
    "hunyuan_v1_dense": dense.HUNYUAN_DENSE,
    "lfm2": state_space.LFM2,
    "lfm2_moe": state_space.LFM2_MOE,
    "llama": dense.LLAMA,
    "mamba2": state_space.MAMBA2,
    "ministral3": dense.MINISTRAL3,
    "mistral": dense.LLAMA,
    "mixtral": mixtures.MIXTRAL,
    "nemotron": dense.NEMOTRON,
    "nemotron_h": state_space.NEMOTRON_H,
    "olmo2": dense.OLMO2,
    "olmo3": dense.OLMO2,
    "olmoe": mixtures.OLMOE,
    "phi": dense.PHI2,
    "phi3": dense.PHI3,
    "qwen2": Family("qwen2"),
    "qwen2_5_vl": Family("qwen2vl"),
    "qwen2_5_vl_text": Family("qwen2vl"),
    "qwen2_moe": mixtures.QWEN2_MOE,
    "qwen2_vl": Family("qwen2vl"),
    "qwen2_vl_text": Family("qwen2vl"),
    "qwen3": Family("qwen3"),
    "qwen3_5": qwen.QWEN35,
    "qwen3_5_moe": qwen.QWEN35_MOE,
    "qwen3_5_moe_text": qwen.QWEN35_MOE,
    "qwen3_5_text": qwen.QWEN35,
    "qwen3_moe": mixtures.QWEN3_MOE,
    "qwen3_next": qwen.QWEN3_NEXT,
    "qwen3_vl": Family("qwen3vl"),
    "qwen3_vl_moe": mixtures.QWEN3_VL_MOE,
    "qwen3_vl_moe_text": mixtures.QWEN3_VL_MOE,
    "qwen3_vl_text": Family("qwen3vl"),
    "seed_oss": Family("seed_oss"),
    "smollm3": dense.SMOLLM3,
    "stablelm": dense.STABLELM,
    "starcoder2": dense.STARCODER2,
}
"""By the names that Hugging Face's Transformers have for them."""


def family_of(config: Config) -> Family:
    """The family of a configuration.

    Raises:
        UnsupportedModelError: there is none; names those that there are.
    """
    if config.model_type not in FAMILIES:
        raise UnsupportedModelError(
            f"Folders with a model of the type {quoted(config.model_type)} do not run in this "
            f"version; it runs {', '.join(sorted(FAMILIES))}. A GGUF file of the model may run."
        )
    return FAMILIES[config.model_type]

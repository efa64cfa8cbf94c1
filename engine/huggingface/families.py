"""Which models run from folders: `model_type` in their configuration → what their family needs.

What differs between the two forms of a model follows llama.cpp's converter
(https://github.com/ggml-org/llama.cpp/tree/master/conversion), which made the files in GGUF.
"""

from engine.base.errors import UnsupportedModelError
from engine.gguf.defects import quoted
from engine.huggingface import deepseek, dense, gemma, mixtures, qwen, state_space
from engine.huggingface.config import Config
from engine.huggingface.family import Family
from engine.huggingface.gpt_oss import GPT_OSS

FAMILIES = {
    "cohere2": dense.COHERE2,
    "deepseek_v2": deepseek.DEEPSEEK2,
    "deepseek_v3": deepseek.DEEPSEEK2,
    "gemma2": gemma.GEMMA2,
    "gemma3": gemma.GEMMA3,
    "gemma3_text": gemma.GEMMA3,
    "glm4": dense.GLM4,
    "glm4_moe": mixtures.GLM4_MOE,
    "gpt_oss": GPT_OSS,
    "granitemoehybrid": state_space.GRANITE_HYBRID,
    "lfm2": state_space.LFM2,
    "llama": dense.LLAMA,
    "mamba2": state_space.MAMBA2,
    "ministral3": dense.MINISTRAL3,
    "mistral": dense.LLAMA,
    "mixtral": mixtures.MIXTRAL,
    "nemotron_h": state_space.NEMOTRON_H,
    "olmo2": dense.OLMO2,
    "olmo3": dense.OLMO2,
    "phi3": dense.PHI3,
    "qwen2": Family("qwen2"),
    "qwen2_moe": mixtures.QWEN2_MOE,
    "qwen3": Family("qwen3"),
    "qwen3_5": qwen.QWEN35,
    "qwen3_5_moe": qwen.QWEN35_MOE,
    "qwen3_5_moe_text": qwen.QWEN35_MOE,
    "qwen3_5_text": qwen.QWEN35,
    "qwen3_moe": mixtures.QWEN3_MOE,
    "qwen3_next": qwen.QWEN3_NEXT,
    "smollm3": dense.SMOLLM3,
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

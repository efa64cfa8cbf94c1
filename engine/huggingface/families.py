"""Which models run from folders: `model_type` in their configuration → what their family needs.

What differs between the two forms of a model follows llama.cpp's converter
(https://github.com/ggml-org/llama.cpp/tree/master/conversion), which made the files in GGUF.
"""

from engine.base.errors import UnsupportedModelError
from engine.gguf.defects import quoted
from engine.huggingface import gemma, qwen
from engine.huggingface.config import Config
from engine.huggingface.family import Family

_LLAMA = Family("llama", halves_turn=True)

FAMILIES = {
    "llama": _LLAMA,
    "mistral": _LLAMA,
    "smollm3": Family("smollm3", halves_turn=True),
    "qwen2": Family("qwen2"),
    "qwen3": Family("qwen3"),
    "qwen3_5": qwen.QWEN35,
    "qwen3_5_text": qwen.QWEN35,
    "gemma3": gemma.GEMMA3,
    "gemma3_text": gemma.GEMMA3,
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

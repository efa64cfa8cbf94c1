"""Which architectures there are: one entry each."""

from collections.abc import Callable

from engine.base.errors import UnsupportedModelError
from engine.gguf.defects import quoted
from engine.gguf.model_file import ModelFile
from engine.models.llama import build_llama
from engine.models.program import ModelProgram, ProgramBuilder
from engine.models.qwen2 import build_qwen2
from engine.models.qwen3 import build_qwen3
from engine.models.qwen35 import build_qwen35
from engine.models.smollm3 import build_smollm3
from engine.weights.source import WeightSource

ARCHITECTURES: dict[str, Callable[[ProgramBuilder], ModelProgram]] = {
    "llama": build_llama,
    "qwen2": build_qwen2,
    "qwen3": build_qwen3,
    "qwen35": build_qwen35,
    "smollm3": build_smollm3,
}


def build_model(file: ModelFile, weights: WeightSource, *, with_head: bool = False) -> ModelProgram:
    """Build the program of a file's model.

    Args:
        file: the model's.
        weights: its tensors.
        with_head: build the file's own drafting head too, where it has one.

    Raises:
        UnsupportedModelError: the architecture is unknown, or the file holds tensors that its
            description does not use, so answers would be wrong.
        ModelFileError: a tensor or a setting is missing or wrong.
    """
    architecture = file.metadata.read("general.architecture", str)
    if architecture not in ARCHITECTURES:
        raise UnsupportedModelError(
            f"Models of the architecture {quoted(architecture)} do not run in this version yet; "
            f"it runs {', '.join(ARCHITECTURES)}."
        )
    model = ARCHITECTURES[architecture](ProgramBuilder(file.metadata, weights, with_head=with_head))
    if left := weights.unconsumed():
        raise UnsupportedModelError(
            f"This {architecture} model has {len(left)} tensors that this version does not know, "
            f"such as {quoted(left[0])}; without them its answers would be wrong."
        )
    return model

"""What a model takes of memory, read from its header; no torch."""

from collections.abc import Mapping

from engine.gguf.reader import GgufFile, TensorInfo
from engine.gguf.summary import summarise
from engine.memory.model_facts import ModelFacts, WeightFacts
from engine.models.facts import state_specs
from engine.models.hyperparameters import Hyperparameters


def model_facts(file: GgufFile) -> ModelFacts:
    """The facts that a memory plan is made of.

    Raises:
        PacelineError: the header does not say them, or contradicts itself.
    """
    hyper = Hyperparameters.read(file.metadata)
    return ModelFacts(
        weights=WeightFacts.of(file.tensors),
        states=state_specs(file.metadata),
        vocab_size=summarise(file).vocab_size,
        context_length=hyper.context_length,
        row_elements=_row_elements(file.tensors),
        heads=hyper.heads,
        rope_dims=hyper.rope_dims,
    )


def _row_elements(tensors: Mapping[str, TensorInfo]) -> int:
    """Floats of a row's intermediates: each is what some matrix of a layer reads or writes.

    Layers share theirs, so matrices of the same name in several layers count once.
    """
    widths: dict[str, int] = {}
    for name, tensor in tensors.items():
        if name.startswith("blk.") and len(tensor.shape) > 1:
            in_layer = name.split(".", 2)[2]
            widths[in_layer] = max(widths.get(in_layer, 0), sum(tensor.shape[-2:]))
    return sum(widths.values())

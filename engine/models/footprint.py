"""What a model takes of memory, read from its header; no torch."""

from collections.abc import Mapping

from engine.gguf.model_file import ModelFile
from engine.gguf.summary import summarise
from engine.gguf.tensors import TensorInfo
from engine.memory.model_facts import EMBEDDING, LAYERS_EMBEDDING, OUTPUT, ModelFacts, WeightFacts
from engine.models.hyperparameters import Hyperparameters, Sizes
from engine.models.registry import state_specs


def model_facts(file: ModelFile, *, with_head: bool = False) -> ModelFacts:
    """The facts that a memory plan is made of.

    Args:
        file: of the model.
        with_head: count in the file's own drafting head, where it has one.

    Raises:
        PacelineError: the header does not say them, or contradicts itself.
    """
    hyper = Hyperparameters.read(file.metadata)
    used = hyper.layers + (with_head and hyper.draft_heads > 0)
    tensors = {name: tensor for name, tensor in file.tensors.items() if _block_number(name) < used}
    return ModelFacts(
        weights=WeightFacts.of(tensors),
        states=state_specs(file.metadata, with_head=with_head),
        vocab_size=summarise(file).vocab_size,
        context_length=hyper.context_length,
        row_elements=_row_elements(tensors, Sizes(file.metadata).optional("expert_used_count", 1)),
        heads=hyper.heads,
        rope_dims=hyper.rope_dims,
    )


def _block_number(name: str) -> int:
    """The block that a tensor belongs to; -1 for those outside of blocks."""
    prefix, _, rest = name.partition(".")
    number = rest.partition(".")[0]
    return int(number) if prefix == "blk" and number.isdecimal() else -1


def _row_elements(tensors: Mapping[str, TensorInfo], experts_used: int) -> int:
    """Floats of a row's intermediates: what matrices read and write, and what is made of that.

    Layers share theirs, so matrices of the same name in several layers count once, and those of
    experts for each that a row asks.
    """
    widths: dict[str, int] = {}
    for name, tensor in tensors.items():
        if len(tensor.shape) < 2 or name in (EMBEDDING, OUTPUT):
            continue
        in_layer = name.split(".", 2)[-1] if name.startswith("blk.") else name
        rows, columns = tensor.shape[-2:]
        written = 0 if name == LAYERS_EMBEDDING else 2 * rows
        times = experts_used if in_layer.endswith("_exps.weight") else 1
        widths[in_layer] = max(widths.get(in_layer, 0), times * (columns + written))
    return sum(widths.values())

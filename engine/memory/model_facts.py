"""What planning must know of a model; its header tells all of it (`engine/models/footprint.py`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from gguf.constants import GGML_QUANT_SIZES

from engine.gguf.tensors import TensorInfo
from engine.kernels.native_layouts import repacked_bytes
from engine.memory.spec import StateSpecs

EMBEDDING, OUTPUT = "token_embd.weight", "output.weight"

LAYERS_EMBEDDING = "per_layer_token_embd.weight"
"""An embedding for each layer beside the common one (Gemma 4)."""


@dataclass(frozen=True, slots=True)
class WeightFacts:
    """The weights of a file, by how they are kept.

    Attributes:
        native_bytes, block_elements: matrices that products read and that lie in quantised blocks,
            in the native library's layouts.
        float_bytes: such matrices in plain floats.
        vector_elements: what is no matrix; kept in float32.
        table_bytes: embeddings, whose rows are looked up; a product may read one as well.
    """

    native_bytes: int
    block_elements: int
    float_bytes: int
    vector_elements: int
    table_bytes: int

    @classmethod
    def of(cls, tensors: Mapping[str, TensorInfo]) -> Self:
        """Sum up the tensors of a file."""
        # Without an output matrix of its own, the output multiplies by the embedding.
        in_products = [
            tensor
            for name, tensor in tensors.items()
            if len(tensor.shape) > 1
            and name != LAYERS_EMBEDDING
            and (name != EMBEDDING or OUTPUT not in tensors)
        ]
        tables = [tensors[name] for name in (EMBEDDING, LAYERS_EMBEDDING) if name in tensors]
        blocks = [tensor for tensor in in_products if GGML_QUANT_SIZES[tensor.type][0] > 1]
        return cls(
            native_bytes=sum(repacked_bytes(tensor.type, tensor.elements) for tensor in blocks),
            block_elements=sum(tensor.elements for tensor in blocks),
            float_bytes=sum(
                tensor.nbytes for tensor in in_products if GGML_QUANT_SIZES[tensor.type][0] == 1
            ),
            vector_elements=sum(
                tensor.elements for tensor in tensors.values() if len(tensor.shape) < 2
            ),
            table_bytes=sum(table.nbytes for table in tables),
        )


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Everything about a model that its memory depends on.

    Attributes:
        weights: what its file holds.
        states: what its layers keep.
        vocab_size: columns of its logits.
        context_length: positions it was made for.
        row_elements: floats that a row of a pass keeps at most.
        heads: query heads of a layer.
        rope_dims: dimensions of a head that turn with the position.
    """

    weights: WeightFacts
    states: StateSpecs
    vocab_size: int
    context_length: int
    row_elements: int
    heads: int
    rope_dims: int

"""A model as it was built: its programs, and what drafts for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.kernels.program import Program
from engine.memory.spec import StateSpecs

if TYPE_CHECKING:  # what a model keeps is known without torch
    from engine.kernels.row_table import RowTable
    from engine.weights.quant_tensor import QuantTensor


@dataclass(frozen=True, slots=True)
class RowProgram:
    """A program whose rows come from a table that is written before each pass."""

    rows: RowTable
    program: Program


@dataclass(frozen=True, slots=True)
class DraftHead:
    """What drafts for a model from its own file: a block behind the model's hidden rows.

    A token's embedding and the hidden row before it, each normalised, go side by side through
    `block`, which gives a hidden row of the kind that the model itself does.

    Attributes:
        embedding: of tokens, `[vocab, width]`.
        embedding_norm, hidden_norm: `[width]`.
        epsilon: of both norms.
        block: from rows `[2 width]` to hidden rows.
        output: from hidden rows to logits, for what the block gives.
        model_output: the same for the model's own hidden rows; nearly always it is `output`.
    """

    embedding: QuantTensor
    embedding_norm: QuantTensor
    hidden_norm: QuantTensor
    epsilon: float
    block: RowProgram
    output: RowProgram
    model_output: RowProgram


@dataclass(frozen=True, slots=True)
class ModelProgram:
    """A built model: what to run, and the state that its layers declare.

    With a drafting head, `program` ends at the hidden rows: they are what the head goes on from.
    """

    program: Program
    states: StateSpecs
    vocab_size: int
    head: DraftHead | None = None

    @property
    def programs(self) -> tuple[Program, ...]:
        """All that are to be loaded, each once, the model's own first."""
        if self.head is None:
            return (self.program,)
        parts = (self.head.model_output, self.head.block, self.head.output)
        return tuple(dict.fromkeys((self.program, *(part.program for part in parts))))

    def matrices(self) -> Iterator[QuantTensor]:
        """Each matrix that products read."""
        for program in self.programs:
            yield from program.matrices()

"""What an architecture declares of itself; its file is the only place that knows it."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.gguf.defects import damaged, quoted
from engine.gguf.metadata import Metadata
from engine.memory.spec import StateSpecs
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Hyperparameters
from engine.models.program import ModelProgram


def attention_states(metadata: Metadata) -> StateSpecs:
    """Keys and values of every layer, each of which must have attention heads.

    Raises:
        PacelineError: the header does not say them, or contradicts itself.
    """
    hyper = Hyperparameters.read(metadata)
    layers = hyper.attention[: hyper.layers]
    if not all(shape.heads for shape in layers):
        raise damaged(f"its {quoted(hyper.architecture + '.attention.head_count')} cannot be 0")
    return StateSpecs(tuple(shape.key_values for shape in layers))


USUAL = {
    "expert_count": 0,
    "logit_scale": 1.0,
    "residual_scale": 1.0,
    "embedding_scale": 1.0,
    "attention.temperature_scale": 0.0,
}
"""Settings that change what a model computes, and the values that change nothing."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """A kind of model, by the name that GGUF has for it. Nothing here needs torch.

    Attributes:
        name: as files have it in `general.architecture`.
        build: appends the operations of such a model, and ends with `build.logits`.
        states: what its layers keep, from the header alone; the program keeps exactly that.
        honours: those of the `USUAL` settings that may have any value.
        has_draft_head: whether it builds the drafting head that a file may have behind the layers.
    """

    name: str
    build: Callable[[ProgramBuilder], ModelProgram]
    states: Callable[[Metadata], StateSpecs] = attention_states
    honours: frozenset[str] = frozenset()
    has_draft_head: bool = False

    def check(self, metadata: Metadata) -> None:
        """Refuse settings that it would leave out, for answers would be wrong.

        Raises:
            UnsupportedModelError: the file has one; names it.
        """
        for key, value in USUAL.items():
            if key not in self.honours:
                metadata.expect(f"{self.name}.{key}", value)

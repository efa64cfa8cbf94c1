"""Which sizes of models fit this computer, by the memory plan. Importing this loads no torch."""

from dataclasses import dataclass

from engine.base.sizes import SizeFit
from engine.kernels.backend_memory import BackendMemory
from engine.memory.fit import Room, judge
from engine.memory.model_facts import ModelFacts, WeightFacts
from engine.memory.plan import DEFAULT_CONTEXT, ModelUse, Serving
from engine.memory.spec import KeyValueSpec, StateSpecs

HEAD_DIM = 128
VOCAB = 151_936
MADE_FOR = 32_768  # positions

BITS = {"Q4_K_M": 4.85, "Q8_0": 8.5}
"""Bits that a weight takes on average."""

REPACKED = 1.05
"""What a matrix takes in the native layouts, for each byte of the file; about."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """A model as many are built, after the public configurations of Qwen3 and Llama 3."""

    parameters: int
    layers: int
    width: int
    heads: int
    kv_heads: int
    feed_forward: int

    def facts(self, bits: float) -> ModelFacts:
        """What planning must know of it."""
        key_values = KeyValueSpec(self.kv_heads, HEAD_DIM, HEAD_DIM)
        return ModelFacts(
            WeightFacts(
                native_bytes=round(REPACKED * self.parameters * bits / 8),
                block_elements=self.parameters,
                float_bytes=0,
                vector_elements=2 * self.layers * self.width,
                table_bytes=round(VOCAB * self.width * bits / 8),
            ),
            StateSpecs((key_values,) * self.layers, ()),
            VOCAB,
            MADE_FOR,
            4 * self.width + 2 * self.feed_forward,
            self.heads,
            HEAD_DIM,
        )


SHAPES = (
    _Shape(600_000_000, 28, 1024, 16, 8, 3072),
    _Shape(1_700_000_000, 28, 2048, 16, 8, 6144),
    _Shape(4_000_000_000, 36, 2560, 32, 8, 9728),
    _Shape(8_200_000_000, 36, 4096, 32, 8, 12288),
    _Shape(14_800_000_000, 40, 5120, 40, 8, 17408),
    _Shape(32_800_000_000, 64, 5120, 64, 8, 25600),
    _Shape(70_600_000_000, 80, 8192, 64, 8, 28672),
)


def size_fits(backend: BackendMemory, room: Room) -> tuple[SizeFit, ...]:
    """Usual sizes in usual quantisations, the smallest first."""
    return tuple(
        _judged(shape, name, bits, backend, room) for shape in SHAPES for name, bits in BITS.items()
    )


def _judged(shape: _Shape, name: str, bits: float, backend: BackendMemory, room: Room) -> SizeFit:
    verdict = judge(Serving(ModelUse(shape.facts(bits), backend)), DEFAULT_CONTEXT, room)
    file_bytes = round(shape.parameters * bits / 8)
    needed = verdict.plan.total_bytes
    return SizeFit(shape.parameters, name, file_bytes, needed, room.total_bytes, verdict.fit)

"""Whole models run by the native library, without an engine around them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.gguf.reader import open_gguf
from engine.models.registry import build_model
from engine.models.runner import Runner
from engine.weights.source import WeightSource
from tests.helpers.models import CPU, KeptMemory
from tests.helpers.one_operation import PoisonedModel, skip_unless_built


@contextmanager
def open_native_runner(
    path: Path,
    *,
    slots: int = 2,
    context: int = 1024,
    kv_type: str = "f32",
    threads: int = 2,
    isa: str | None = None,
) -> Iterator[Runner]:
    """As `open_runner`; the library's own memory holds NaN before each pass too."""
    skip_unless_built()
    with open_gguf(path) as file:
        model = build_model(file, WeightSource(file))
        backend = PoisonedModel(model.program, context, threads, lambda _: None, isa=isa)
        memory = KeptMemory(model.states, slots, context, kv_type, CPU, backend.fold, poison=True)
        yield Runner(backend, memory, slots, model.vocab_size)
        memory.check_integrity()

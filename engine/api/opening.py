"""One model's file, from its header to what runs it. Importing this module loads torch."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from engine.base.errors import RequestError
from engine.base.types import ModelSummary
from engine.gguf.model_file import ModelFile
from engine.gguf.summary import summarise
from engine.kernels.backend import Backend
from engine.kernels.backend_memory import CPU_NATIVE, TORCH_BACKENDS
from engine.kernels.backends import KernelChoice, choose_kernels, make_backend
from engine.kernels.devices import choose_device
from engine.memory.model_memory import ModelMemory
from engine.memory.plan import DEFAULT_CONTEXT, ModelUse
from engine.models.footprint import model_facts
from engine.models.headed_runner import HeadedRunner
from engine.models.program import ModelProgram
from engine.models.registry import build_model
from engine.models.runner import Runner
from engine.weights.opening import open_model_file
from engine.weights.quant_tensor import QuantTensor
from engine.weights.source import WeightSource


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a model is run; names as in `LoadOptions`.

    Attributes:
        usual_context: positions where no `context` is asked for, if the model holds so many.
    """

    device: str
    context: int | None
    kv_type: str
    kernels: str
    threads: int
    with_head: bool = False
    usual_context: int = DEFAULT_CONTEXT


@dataclass(frozen=True, slots=True)
class OpenModel:
    """A model whose file is open and whose weights are not loaded yet.

    Attributes:
        file: stays open as long as the model runs.
        context: positions of each slot.
        kernels: what is going to compute it.
    """

    file: ModelFile
    summary: ModelSummary
    program: ModelProgram
    weights: WeightSource
    device: torch.device
    context: int
    kernels: KernelChoice
    options: RunOptions

    @property
    def use(self) -> ModelUse:
        """What the memory plan needs to know."""
        backend = CPU_NATIVE if self.kernels.native else TORCH_BACKENDS[self.device.type]
        kv_type = self.options.kv_type
        facts = model_facts(self.file, with_head=self.program.head is not None)
        return ModelUse(facts, backend.started(), kv_type, self.context)

    @property
    def held_bytes(self) -> dict[str, int]:
        """By device, what unloading it gives back at least: its weights."""
        return {self.device.type: self.use.weights_bytes}

    @property
    def matrix_bytes(self) -> int:
        """Bytes of the matrices, which take nearly all of the time to load."""
        return sum(matrix.nbytes for matrix in self.program.matrices())

    def load(
        self, on_matrix: Callable[[QuantTensor], None], proceed: Callable[[], None]
    ) -> list[Backend]:
        """Load the weights.

        Args:
            on_matrix: follows each matrix, and may raise to stop.
            proceed: called before each tensor that is put together first; may raise to stop.

        Returns:
            What runs each of the model's programs.
        """

        def release_and_tell(matrix: QuantTensor) -> None:
            self.weights.release(matrix.name)
            on_matrix(matrix)

        self.file.complete(proceed)
        threads = self.options.threads
        return [
            make_backend(
                self.kernels, program, self.device, self.context, threads, release_and_tell
            )
            for program in self.program.programs
        ]

    def runner(self, backends: list[Backend], slots: int, *, drafting: bool = False) -> Runner:
        """What runs it over memory of its own; `drafting` as `ModelMemory` has it."""
        backend, head = backends[0], self.program.head
        memory = ModelMemory(
            self.program.states,
            slots,
            self.context,
            self.options.kv_type,
            self.device,
            backend.fold,
            drafting=drafting,
        )
        if head:
            return HeadedRunner(backends, head, memory, slots, self.program.vocab_size)
        return Runner(backend, memory, slots, self.program.vocab_size)


def open_model(path: Path, options: RunOptions) -> OpenModel:
    """Read a model's header and check what is asked for against it.

    Raises:
        PacelineError: the file, the device or the context is not usable; the message says why.
    """
    device = choose_device(options.device)
    file = open_model_file(path)
    try:
        summary = summarise(file)
        context = _context(options, summary)
        weights = WeightSource(file)
        program = build_model(file, weights, with_head=options.with_head, context=context)
        kernels = _kernels(program, device, options.kernels)
        return OpenModel(file, summary, program, weights, device, context, kernels, options)
    except BaseException:
        file.close()
        raise


def _kernels(program: ModelProgram, device: torch.device, wanted: str) -> KernelChoice:
    """What is going to compute all parts of a model; raises as `choose_kernels` does."""
    choices = [choose_kernels(part, device, wanted) for part in program.programs]
    return next((choice for choice in choices if not choice.native), choices[0])


def _context(options: RunOptions, summary: ModelSummary) -> int:
    if options.context and options.context > summary.context_length:
        raise RequestError(
            f"This model holds {summary.context_length} positions, not {options.context}; ask for "
            "a smaller context."
        )
    return options.context or min(options.usual_context, summary.context_length)

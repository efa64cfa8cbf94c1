"""From a file to a model that is ready to run. Importing this module loads torch."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import torch

from engine.api.model import Model
from engine.base.errors import (
    LoadCancelledError,
    NotEnoughMemoryError,
    RequestError,
    TemplateError,
    UnsupportedModelError,
)
from engine.base.types import (
    MOST_SLOTS,
    MOST_THREADS,
    LoadedModel,
    LoadOptions,
    LoadProgress,
    ModelSummary,
)
from engine.gguf.reader import GgufFile, open_gguf
from engine.gguf.summary import summarise
from engine.kernels.devices import choose_device, free_bytes
from engine.kernels.interpreter import TorchModel
from engine.kernels.state_types import ELEMENT_BYTES
from engine.memory.model_memory import ModelMemory
from engine.memory.plan import default_context, plan_memory
from engine.models.program import ModelProgram
from engine.models.registry import build_model
from engine.models.runner import Runner
from engine.text.chat_template import ChatTemplate, load_chat_template
from engine.text.tokenizer import Tokenizer, load_tokenizer
from engine.weights.quant_tensor import QuantTensor
from engine.weights.source import WeightSource

DEFAULT_THREADS = torch.get_num_threads()
"""CPU threads where nothing is asked for: torch's own choice, the physical cores."""

SMALLER_HELPS = "A smaller model, a smaller context or fewer slots usually help."


def load_model(
    path: Path,
    options: LoadOptions,
    report: Callable[[LoadProgress], None],
    cancelled: threading.Event,
) -> Model:
    """Load a model; `report` gets its progress.

    Raises:
        LoadCancelledError: `cancelled` was set.
        PacelineError: the file, the device or the options are not usable; the message says why.
    """
    started = time.perf_counter()
    report(LoadProgress("Reading the file", 0.0))
    _check_options(options)
    device = choose_device(options.device)
    torch.set_num_threads(options.threads or DEFAULT_THREADS)
    with ExitStack() as undo, _memory_errors_in_words(device):
        file = open_gguf(path)
        undo.callback(file.close)
        summary = summarise(file)
        context = _context(options, summary)
        weights = WeightSource(file)
        program = build_model(file, weights)
        _check_room(file, program, options, context, device)
        report(LoadProgress("Reading the vocabulary", 0.02))
        tokenizer, template, problem = _text_formats(file)
        progress = _follow(program, weights, report, cancelled)
        backend = TorchModel(program.program, device, context, progress)
        memory = ModelMemory(
            program.states, options.slots, context, options.kv_type, device, backend.fold
        )
        runner = Runner(backend, memory, options.slots, program.vocab_size)
        load_ms = 1e3 * (time.perf_counter() - started)
        notice = tokenizer.notice if tokenizer else ""
        loaded = LoadedModel(summary, device.type, context, options.slots, load_ms, notice)
        undo.pop_all()
        return Model(loaded, file, runner, tokenizer, template, problem)


def _check_options(options: LoadOptions) -> None:
    for name, value, most in (
        ("slots", options.slots, MOST_SLOTS),
        ("threads", options.threads, MOST_THREADS),
        ("positions", options.context, None),
    ):
        if value is not None and (value < 1 or (most and value > most)):
            limit = f"1 to {most}" if most else "1 or more"
            raise RequestError(f"A model cannot have {value} {name}; ask for {limit}.")
    if options.kv_type not in ELEMENT_BYTES:
        raise RequestError(
            f"There is no cache type {options.kv_type}; choose one of {', '.join(ELEMENT_BYTES)}."
        )


def _context(options: LoadOptions, summary: ModelSummary) -> int:
    if options.context and options.context > summary.context_length:
        raise RequestError(
            f"This model holds {summary.context_length} positions, not {options.context}; ask for "
            "a smaller context."
        )
    return options.context or default_context(summary.context_length)


def _check_room(
    file: GgufFile, program: ModelProgram, options: LoadOptions, context: int, device: torch.device
) -> None:
    plan = plan_memory(file, program.states, options.slots, context, options.kv_type)
    free = free_bytes(device)
    if plan.total_bytes > free:
        raise NotEnoughMemoryError(
            f"This model needs {plan.total_bytes / 1e9:.1f} GB and {free / 1e9:.1f} GB are free on "
            f"the device {device}. {SMALLER_HELPS}"
        )


def _text_formats(file: GgufFile) -> tuple[Tokenizer | None, ChatTemplate | None, str]:
    """Tokenizer and template, or what is wrong with them: token ids alone can still be served."""
    tokenizer = None
    try:
        tokenizer = load_tokenizer(file.metadata)
        return tokenizer, load_chat_template(file.metadata, tokenizer), ""
    except (UnsupportedModelError, TemplateError) as error:
        return tokenizer, None, str(error)


def _follow(
    program: ModelProgram,
    weights: WeightSource,
    report: Callable[[LoadProgress], None],
    cancelled: threading.Event,
) -> Callable[[QuantTensor], None]:
    """What to do after each matrix: let its pages go, tell how far it is, stop if asked to."""
    total = sum(matrix.nbytes for matrix in program.program.matrices())
    done = 0

    def on_matrix(matrix: QuantTensor) -> None:
        nonlocal done
        if cancelled.is_set():
            raise LoadCancelledError("Loading was cancelled.")
        weights.release(matrix.name)
        done += matrix.nbytes
        report(LoadProgress("Loading the weights", 0.1 + 0.9 * done / total))

    return on_matrix


@contextmanager
def _memory_errors_in_words(device: torch.device) -> Iterator[None]:
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        # Allocators of torch other than CUDA's raise a plain RuntimeError, in these words.
        known = isinstance(error, MemoryError | torch.OutOfMemoryError)
        if not known and "allocate memory" not in str(error) and "out of memory" not in str(error):
            raise
        raise NotEnoughMemoryError(
            f"This model does not fit in the memory of the device {device}. {SMALLER_HELPS}",
            details=str(error),
        ) from error

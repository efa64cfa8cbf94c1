"""From a file to a model that is ready to run. Importing this module loads torch."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch

from engine.base.errors import (
    LoadCancelledError,
    NotEnoughMemoryError,
    RequestError,
    TemplateError,
    UnsupportedModelError,
)
from engine.base.types import (
    LoadedModel,
    LoadOptions,
    LoadProgress,
    Message,
    ModelSummary,
    Segment,
)
from engine.gguf.reader import GgufFile, open_gguf
from engine.gguf.summary import summarise
from engine.kernels.devices import choose_device
from engine.kernels.interpreter import TorchModel
from engine.memory.model_memory import ModelMemory
from engine.memory.plan import default_context
from engine.models.registry import build_model
from engine.models.runner import Runner
from engine.text.chat_template import ChatTemplate, load_chat_template
from engine.text.prompt import build_prompt
from engine.text.tokenizer import Tokenizer, load_tokenizer
from engine.weights.quant_tensor import QuantTensor
from engine.weights.source import WeightSource


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model with what turns text into tokens and back.

    Attributes:
        loaded: the facts that callers see.
        file: the mapped file; the runner reads weights from it until `close`.
        tokenizer: None where the file has none that can be used.
        template: None where conversations cannot be put into the model's format.
        problem: why one of them is missing; empty otherwise.
    """

    loaded: LoadedModel
    file: GgufFile
    runner: Runner
    tokenizer: Tokenizer | None
    template: ChatTemplate | None
    problem: str

    def prompt(self, messages: Sequence[Message]) -> tuple[Segment, ...]:
        """A conversation in the model's own chat format.

        Raises:
            UnsupportedModelError: the file has no tokenizer or template that can be used.
            TemplateError: its template refuses the conversation.
        """
        if self.tokenizer is None or self.template is None:
            raise UnsupportedModelError(self.problem)
        return build_prompt(messages, self.template, self.tokenizer)

    def close(self) -> None:
        """Let the file go."""
        self.file.close()


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
    device = choose_device(options.device)
    if options.threads:
        torch.set_num_threads(options.threads)
    with ExitStack() as undo, _memory_errors_in_words(device):
        file = open_gguf(path)
        undo.callback(file.close)
        summary = summarise(file)
        context = _context(options, summary)
        report(LoadProgress("Reading the vocabulary", 0.02))
        tokenizer, template, problem = _text_formats(file)
        runner = _runner(file, options, context, device, report, cancelled)
        load_ms = 1e3 * (time.perf_counter() - started)
        loaded = LoadedModel(summary, device.type, context, options.slots, load_ms)
        undo.pop_all()
        return Model(loaded, file, runner, tokenizer, template, problem)


@contextmanager
def _memory_errors_in_words(device: torch.device) -> Iterator[None]:
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        # Allocators of torch other than CUDA's raise a plain RuntimeError that says so.
        known = isinstance(error, MemoryError | torch.OutOfMemoryError)
        if not known and "memory" not in str(error):
            raise
        raise NotEnoughMemoryError(
            f"This model does not fit in the memory of the device {device}. A smaller model, a "
            "smaller context or fewer slots usually help.",
            details=str(error),
        ) from error


def _context(options: LoadOptions, summary: ModelSummary) -> int:
    if options.context and options.context > summary.context_length:
        raise RequestError(
            f"This model holds {summary.context_length} positions, not {options.context}; ask for "
            "a smaller context."
        )
    return options.context or default_context(summary.context_length)


def _text_formats(file: GgufFile) -> tuple[Tokenizer | None, ChatTemplate | None, str]:
    """Tokenizer and template, or what is wrong with them: token ids alone can still be served."""
    tokenizer = None
    try:
        tokenizer = load_tokenizer(file.metadata)
        return tokenizer, load_chat_template(file.metadata, tokenizer), ""
    except (UnsupportedModelError, TemplateError) as error:
        return tokenizer, None, str(error)


def _runner(
    file: GgufFile,
    options: LoadOptions,
    context: int,
    device: torch.device,
    report: Callable[[LoadProgress], None],
    cancelled: threading.Event,
) -> Runner:
    weights = WeightSource(file)
    model = build_model(file, weights)
    total = sum(matrix.nbytes for matrix in model.program.matrices())
    done = 0

    def on_matrix(matrix: QuantTensor) -> None:
        nonlocal done
        if cancelled.is_set():
            raise LoadCancelledError("Loading was cancelled.")
        weights.release(matrix.name)
        done += matrix.nbytes
        report(LoadProgress("Loading the weights", 0.1 + 0.9 * done / total))

    report(LoadProgress("Loading the weights", 0.1))
    backend = TorchModel(model.program, device, context, on_matrix)
    memory = ModelMemory(
        model.states, options.slots, context, options.kv_type, device, backend.fold
    )
    return Runner(backend, memory, options.slots, model.vocab_size)

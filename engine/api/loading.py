"""From a file to a model that is ready to run. Importing this module loads torch."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from engine.base.errors import LoadCancelledError, NotEnoughMemoryError, UnsupportedModelError
from engine.base.types import LoadedModel, LoadOptions, LoadProgress, Message, Segment
from engine.gguf.reader import GgufFile, open_gguf
from engine.gguf.summary import summarise
from engine.kernels.devices import choose_device
from engine.kernels.interpreter import TorchModel
from engine.memory.model_memory import ModelMemory
from engine.memory.plan import default_context
from engine.models.registry import build_model
from engine.models.runner import Runner
from engine.text.chat_template import ChatTemplate, load_template
from engine.text.prompt import build_prompt
from engine.text.tokenizer import Tokenizer, load_tokenizer
from engine.weights.quant_tensor import QuantTensor
from engine.weights.source import WeightSource

log = logging.getLogger("paceline.engine")


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model with what turns text into tokens and back.

    Attributes:
        loaded: the facts that callers see.
        file: the mapped file; the runner reads weights from it until `close`.
        tokenizer: None where the file has none that can be used; `tokenizer_problem` says why.
        template: the file's chat template, or the usual one.
    """

    loaded: LoadedModel
    file: GgufFile
    runner: Runner
    tokenizer: Tokenizer | None
    tokenizer_problem: str
    template: ChatTemplate

    def prompt(self, messages: Sequence[Message]) -> tuple[Segment, ...]:
        """A conversation in the model's own chat format.

        Raises:
            UnsupportedModelError: the file has no tokenizer that can be used.
            TemplateError: its template refuses the conversation.
        """
        if self.tokenizer is None:
            raise UnsupportedModelError(self.tokenizer_problem)
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
    file = open_gguf(path)
    try:
        report(LoadProgress("Reading the vocabulary", 0.02))
        tokenizer, problem = _tokenizer(file)
        template = load_template(file.metadata, tokenizer)
        context = options.context or default_context(summarise(file).context_length)
        runner = _runner(file, options, context, device, report, cancelled)
    except torch.OutOfMemoryError as error:
        file.close()
        raise NotEnoughMemoryError(
            f"This model does not fit in the memory of the device {device}. A smaller model, a "
            "smaller context or fewer slots usually help.",
            details=str(error),
        ) from error
    except BaseException:
        file.close()
        raise
    load_ms = 1e3 * (time.perf_counter() - started)
    loaded = LoadedModel(summarise(file), device.type, context, options.slots, load_ms)
    return Model(loaded, file, runner, tokenizer, problem, template)


def _tokenizer(file: GgufFile) -> tuple[Tokenizer | None, str]:
    """The file's tokenizer, or why there is none: token ids alone can still be computed with."""
    try:
        return load_tokenizer(file.metadata), ""
    except UnsupportedModelError as error:
        return None, str(error)


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
    memory = ModelMemory(model.states, options.slots, context, options.kv_type, device)
    backend = TorchModel(model.program, device, context, on_matrix)
    return Runner(backend, memory, options.slots, model.vocab_size)

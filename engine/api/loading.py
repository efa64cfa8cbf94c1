"""From files to a model that is ready to answer. Importing this module loads torch."""

import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeAlias

import torch

from engine.api.model import Model, PresentModel
from engine.api.opening import OpenModel, RunOptions, open_model
from engine.base.errors import (
    LoadCancelledError,
    NotEnoughMemoryError,
    RequestError,
    TemplateError,
    UnsupportedModelError,
)
from engine.base.fit import Fit
from engine.base.types import (
    KERNELS,
    LONGEST_DRAFT,
    MOST_SLOTS,
    MOST_THREADS,
    LoadedModel,
    LoadOptions,
    LoadProgress,
)
from engine.gguf.model_file import ModelFile
from engine.kernels.devices import free_bytes
from engine.kernels.state_types import ELEMENT_BYTES
from engine.memory.fit import Room, judge
from engine.memory.plan import Serving
from engine.models.headed_runner import HeadedRunner
from engine.models.runner import Runner
from engine.speculative.draft_model import DraftModel
from engine.speculative.methods import open_methods
from engine.speculative.mtp import MtpHeads
from engine.speculative.pair import check_pair
from engine.speculative.priority import PriorityList
from engine.text.chat_template import ChatTemplate, load_chat_template
from engine.text.gguf_tokenizer import load_tokenizer
from engine.text.tokenizer import Tokenizer
from engine.weights.quant_tensor import QuantTensor

DEFAULT_THREADS = torch.get_num_threads()
"""CPU threads where nothing is asked for: torch's own choice, the physical cores."""

TOKENS = "tokenizer.ggml.tokens"
"""Where a file lists its vocabulary; files for tests and measurement may not."""

SharedTokens: TypeAlias = tuple[int, Collection[int]]
"""Below which id two models mean the same, and the few ids of which that is not so."""

SMALLER_HELPS = "A smaller model, a smaller context or fewer slots usually help."


def load_model(
    path: Path,
    options: LoadOptions,
    report: Callable[[LoadProgress], None],
    cancelled: threading.Event,
    present: PresentModel | None = None,
) -> Model:
    """Load a model, and the one that drafts for it; `report` gets the progress.

    The present model keeps running until then, unless only its going makes room.

    Raises:
        LoadCancelledError: `cancelled` was set.
        PacelineError: the file, the device or the options are not usable; the message says why.
    """
    started = time.perf_counter()
    report(LoadProgress("Reading the file", 0.0))
    _check_options(options)
    with ExitStack() as undo, _memory_errors_in_words():
        models = _open_models(path, options, undo)
        shared = _shared_tokens(*models) if len(models) > 1 else None
        held_bytes = _check_room(models, options.slots, present)
        report(LoadProgress("Reading the vocabulary", 0.02))
        tokenizer, template, problem = _text_formats(models[0].file)
        progress = _Progress(models, report, cancelled)
        backends = [model.load(progress.count) for model in models]
        runners = [
            model.runner(loaded_backends, options.slots, drafting=place > 0)
            for place, (model, loaded_backends) in enumerate(zip(models, backends, strict=True))
        ]
        methods = _methods(models, runners, shared, tokenizer, options)
        target, notices = models[0], [tokenizer.notice] if tokenizer else []
        loaded = LoadedModel(
            target.summary,
            target.device.type,
            target.context,
            options.slots,
            load_ms=1e3 * (time.perf_counter() - started),
            threads=target.options.threads,
            kernels=backends[0][0].kernels,
            notice=" ".join(filter(None, [*notices, target.kernels.notice])),
            draft=models[1].summary if shared else None,
            methods=methods.methods,
            has_thinking=template is not None and template.has_thinking,
            thinks_unasked=template is not None and template.thinks_unasked,
            reasoning_mark=template.reasoning_mark if template else "",
        )
        files = tuple(model.file for model in models)
        undo.pop_all()
        return Model(loaded, files, runners[0], methods, tokenizer, template, problem, held_bytes)


def _check_options(options: LoadOptions) -> None:
    for name, value, most in (
        ("slots", options.slots, MOST_SLOTS),
        ("threads", options.threads, MOST_THREADS),
        ("positions", options.context, None),
    ):
        if value is not None and (value < 1 or (most and value > most)):
            limit = f"1 to {most}" if most else "1 or more"
            raise RequestError(f"A model cannot have {value} {name}; ask for {limit}.")
    for name, chosen, known in (
        ("cache type", options.kv_type, ELEMENT_BYTES),
        ("set of kernels", options.kernels, KERNELS),
    ):
        if chosen not in known:
            raise RequestError(f"There is no {name} {chosen}; choose one of {', '.join(known)}.")


def _open_models(path: Path, options: LoadOptions, undo: ExitStack) -> list[OpenModel]:
    """The target, and behind it the draft model if there is one; `undo` closes their files.

    What is not said of a draft model is as for its target.
    """
    threads = options.threads or DEFAULT_THREADS
    target = open_model(
        path,
        RunOptions(
            options.device,
            options.context,
            options.kv_type,
            options.kernels,
            threads,
            with_head=options.mtp,
        ),
    )
    undo.callback(target.file.close)
    if options.draft is None:
        return [target]
    asked = options.draft
    draft = open_model(
        asked.path,
        RunOptions(
            device=asked.device or target.device.type,
            context=asked.context,
            kv_type=asked.kv_type or options.kv_type,
            kernels=options.kernels,
            threads=asked.threads or threads,
        ),
    )
    undo.callback(draft.file.close)
    return [target, draft]


def _methods(
    models: list[OpenModel],
    runners: list[Runner],
    shared: SharedTokens | None,
    tokenizer: Tokenizer | None,
    options: LoadOptions,
) -> PriorityList:
    """What can draft for the first of the models: itself, the second if there is one, n-grams."""
    ends = tokenizer.end_of_generation if tokenizer else frozenset[int]()
    draft_model = None
    if shared:
        draft_model = DraftModel(runners[1], models[1].context, *shared, ends)
    sizes = options.ngram_n, options.ngram_m
    heads = MtpHeads(runners[0], ends) if isinstance(runners[0], HeadedRunner) else None
    return open_methods(runners[0].vocab_size, ends, draft_model, *sizes, heads=heads)


def _shared_tokens(target: OpenModel, draft: OpenModel) -> SharedTokens:
    """What two models have in common.

    Raises:
        RequestError: the draft model's vocabulary is another one; says where they part.
    """
    if not all(TOKENS in model.file.metadata for model in (target, draft)):
        return min(target.program.vocab_size, draft.program.vocab_size), ()
    verdict = check_pair(target.file, draft.file, None)
    if not verdict.usable:
        raise RequestError(verdict.sentence)
    return verdict.known_tokens, frozenset(verdict.differing)


def _check_room(
    models: list[OpenModel], slots: int, present: PresentModel | None
) -> dict[str, int]:
    """Compare the plan with free memory, and let the present model go where that decides.

    Returns:
        Bytes of weights by device.

    Raises:
        NotEnoughMemoryError: it does not fit; says by how much, and what would.
    """
    held_bytes: dict[str, int] = {}
    for model, serving in _servings(models, slots):
        device = model.device.type
        verdict = judge(serving, model.context, Room(free_bytes(device)))
        if verdict.fit is Fit.TOO_LARGE and present and present.held_bytes.get(device):
            room = Room(free_bytes(device), present.held_bytes[device])
            verdict = judge(serving, model.context, room)
            if verdict.fit is not Fit.TOO_LARGE:
                present.unload()
        if verdict.fit is Fit.TOO_LARGE:
            raise NotEnoughMemoryError(verdict.sentence)
        held_bytes[device] = verdict.plan.weights_bytes + verdict.plan.draft_weights_bytes
    return held_bytes


def _servings(models: list[OpenModel], slots: int) -> list[tuple[OpenModel, Serving]]:
    """What runs together on a device; a draft model on another one is planned by itself."""
    target, *drafts = models
    beside = next((draft.use for draft in drafts if draft.device == target.device), None)
    drafted = bool(drafts) or target.program.head is not None
    servings = [(target, Serving(target.use, slots, beside, LONGEST_DRAFT if drafted else 0))]
    apart = [draft for draft in drafts if draft.device != target.device]
    return servings + [(draft, Serving(draft.use, slots)) for draft in apart]


def _text_formats(file: ModelFile) -> tuple[Tokenizer | None, ChatTemplate | None, str]:
    """Tokenizer and template, or what is wrong with them: token ids alone can still be served."""
    tokenizer = None
    try:
        tokenizer = load_tokenizer(file.metadata)
        return tokenizer, load_chat_template(file.metadata, tokenizer), ""
    except (UnsupportedModelError, TemplateError) as error:
        return tokenizer, None, str(error)


class _Progress:
    """Tells how many of the weights are there, and stops the load where that is asked for."""

    def __init__(
        self,
        models: list[OpenModel],
        report: Callable[[LoadProgress], None],
        cancelled: threading.Event,
    ) -> None:
        self._total = sum(model.matrix_bytes for model in models)
        self._report = report
        self._cancelled = cancelled
        self._done = 0

    def count(self, matrix: QuantTensor) -> None:
        """Follow a matrix that is loaded."""
        if self._cancelled.is_set():
            raise LoadCancelledError("Loading was cancelled.")
        self._done += matrix.nbytes
        self._report(LoadProgress("Loading the weights", 0.1 + 0.9 * self._done / self._total))


@contextmanager
def _memory_errors_in_words() -> Iterator[None]:
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        # Allocators of torch other than CUDA's raise a plain RuntimeError, in these words.
        known = isinstance(error, MemoryError | torch.OutOfMemoryError)
        if not known and "allocate memory" not in str(error) and "out of memory" not in str(error):
            raise
        raise NotEnoughMemoryError(
            f"This model does not fit in the memory of its device. {SMALLER_HELPS}",
            details=str(error),
        ) from error

"""From files to a model that is ready to answer. Importing this module loads torch."""

import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import torch

from engine.api.model import Drafter, Model, PresentModel
from engine.api.opening import OpenModel, RunOptions, open_model
from engine.api.room import make_room, make_room_beside
from engine.base.errors import (
    LoadCancelledError,
    NotEnoughMemoryError,
    RequestError,
    UnsupportedModelError,
)
from engine.base.types import (
    KERNELS,
    MOST_SLOTS,
    MOST_THREADS,
    DraftModelOptions,
    LoadedModel,
    LoadOptions,
    LoadProgress,
)
from engine.gguf.model_file import ModelFile
from engine.kernels.state_types import ELEMENT_BYTES
from engine.models.headed_runner import HeadedRunner
from engine.speculative.draft_model import DraftModel
from engine.speculative.methods import open_methods
from engine.speculative.mtp import MtpHeads
from engine.speculative.ngram_static import load_static_pairs
from engine.speculative.pair import check_pair
from engine.text.chat_template import ChatTemplate, load_chat_template
from engine.text.gguf_tokenizer import load_tokenizer
from engine.text.tokenizer import Tokenizer
from engine.weights.quant_tensor import QuantTensor

DEFAULT_THREADS = torch.get_num_threads()
"""CPU threads where nothing is asked for: torch's own choice, the physical cores."""

TOKENS = "tokenizer.ggml.tokens"
"""Where a file lists its vocabulary; files for tests and measurement may not."""

Report: TypeAlias = Callable[[LoadProgress], None]

SharedTokens: TypeAlias = tuple[int, Collection[int]]
"""Below which id two models mean the same, and the few ids of which that is not so."""

SMALLER_HELPS = "A smaller model, a smaller context or fewer slots usually help."


def load_model(
    path: Path,
    options: LoadOptions,
    report: Report,
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
        target = _open_target(path, options, undo)
        draft = _open_draft(options.draft, target, undo) if options.draft else None
        models = [target, draft.opened] if draft else [target]
        make_room(models, options.slots, present)
        progress = _Progress(models, report, cancelled)
        model = _load_target(target, options, progress)
        if draft:
            model = model.drafted_by(_load_drafter(model, draft, progress))
        undo.pop_all()
        load_ms = 1e3 * (time.perf_counter() - started)
        return replace(model, loaded=replace(model.loaded, load_ms=load_ms))


def load_drafter(
    model: Model,
    options: DraftModelOptions,
    report: Report,
    cancelled: threading.Event,
    present: PresentModel | None,
) -> Drafter:
    """Load another model to draft for one that is loaded and goes on running.

    The present drafter stays until then, unless only its going makes room. Raises as `load_model`
    does.
    """
    report(LoadProgress("Reading the file", 0.0))
    with ExitStack() as undo, _memory_errors_in_words():
        draft = _open_draft(options, model.opened, undo)
        make_room_beside(model.opened, draft.opened, model.loaded.slots, present)
        drafter = _load_drafter(model, draft, _Progress([draft.opened], report, cancelled))
        undo.pop_all()
        return drafter


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


@dataclass(frozen=True, slots=True)
class _OpenDraft:
    """A model that can draft for a certain other, not loaded yet."""

    opened: OpenModel
    shared: SharedTokens


def _open_target(path: Path, options: LoadOptions, undo: ExitStack) -> OpenModel:
    """Open the model that is to answer; `undo` closes its file."""
    target = open_model(
        path,
        RunOptions(
            options.device,
            options.context,
            options.kv_type,
            options.kernels,
            options.threads or DEFAULT_THREADS,
            with_head=options.mtp,
        ),
    )
    undo.callback(target.file.close)
    return target


def _open_draft(options: DraftModelOptions, target: OpenModel, undo: ExitStack) -> _OpenDraft:
    """Open a model that is to draft; what is not said of it is as for its target."""
    draft = open_model(
        options.path,
        RunOptions(
            device=options.device or target.device.type,
            context=options.context and min(options.context, target.context),
            usual_context=target.context,
            kv_type=options.kv_type or target.options.kv_type,
            kernels=target.options.kernels,
            threads=options.threads or target.options.threads,
        ),
    )
    undo.callback(draft.file.close)
    return _OpenDraft(draft, _shared_tokens(target, draft))


def _load_target(target: OpenModel, options: LoadOptions, progress: "_Progress") -> Model:
    """Load the model that is to answer, with what drafts without a second one."""
    progress.tell("Reading the vocabulary", 0.02)
    tokenizer, template, problem = _text_formats(target.file)
    others = options.ngram_static
    static = load_static_pairs(others, target.program.vocab_size) if others else None
    backends = target.load(progress.count, progress.check)
    runner = target.runner(backends, options.slots)
    ends = _ends(tokenizer)
    heads = MtpHeads(runner, ends) if isinstance(runner, HeadedRunner) else None
    sizes = options.ngram_n, options.ngram_m
    methods = open_methods(runner.vocab_size, ends, *sizes, static, heads=heads)
    notices = [texts.notice for texts in (tokenizer, template) if texts]
    notices.append(target.kernels.notice)
    loaded = LoadedModel(
        target.summary,
        target.device.type,
        target.context,
        options.slots,
        load_ms=0.0,
        threads=target.options.threads,
        kernels=backends[0].kernels,
        kernels_reason=target.kernels.reason,
        notice=" ".join(filter(None, notices)),
        methods=methods.methods,
        has_thinking=template is not None and template.has_thinking,
        thinks_unasked=template is not None and template.thinks_unasked,
        reasoning_mark=template.reasoning_mark if template else "",
    )
    texts = tokenizer, template, problem
    return Model(loaded, target, None, runner, methods, *texts, target.held_bytes)


def _load_drafter(model: Model, draft: _OpenDraft, progress: "_Progress") -> Drafter:
    """Load the model that is to draft for one that is loaded."""
    opened = draft.opened
    runner = opened.runner(
        opened.load(progress.count, progress.check), model.loaded.slots, drafting=True
    )
    proposer = DraftModel(runner, opened.context, *draft.shared, _ends(model.tokenizer))
    return Drafter(opened, proposer, opened.held_bytes)


def _ends(tokenizer: Tokenizer | None) -> frozenset[int]:
    return tokenizer.end_of_generation if tokenizer else frozenset()


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


def _text_formats(file: ModelFile) -> tuple[Tokenizer | None, ChatTemplate | None, str]:
    """Tokenizer and template, or what is wrong with them: token ids alone can still be served."""
    try:
        tokenizer = load_tokenizer(file.metadata)
    except UnsupportedModelError as error:
        return None, None, str(error)
    return tokenizer, load_chat_template(file.metadata, tokenizer), ""


class _Progress:
    """Tells how many of the weights are there, and stops the load where that is asked for."""

    def __init__(
        self,
        models: Sequence[OpenModel],
        report: Report,
        cancelled: threading.Event,
    ) -> None:
        self._total = sum(model.matrix_bytes for model in models)
        self._report = report
        self._cancelled = cancelled
        self._done = 0

    def tell(self, stage: str, fraction: float) -> None:
        """Say what comes next."""
        self._report(LoadProgress(stage, fraction))

    def check(self) -> None:
        """Stop the load where that was asked for."""
        if self._cancelled.is_set():
            raise LoadCancelledError("Loading was cancelled.")

    def count(self, matrix: QuantTensor) -> None:
        """Follow a matrix that is loaded."""
        self.check()
        self._done += matrix.nbytes
        self.tell("Loading the weights", 0.1 + 0.9 * self._done / self._total)


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

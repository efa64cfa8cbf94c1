"""What the window asks of an engine. The real one and the tests' doubles both satisfy it."""

import threading
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Protocol

from engine.api import (
    BenchProgress,
    ChatOptions,
    Drafting,
    DraftModelOptions,
    DraftRanking,
    EngineSnapshot,
    Event,
    FitVerdict,
    LoadedModel,
    LoadOptions,
    LoadProgress,
    Message,
    ModelSummary,
    SizeFit,
    Trial,
)


class Generation(Protocol):
    """One reply under way: iterate for its events; the last is `Finished` or `Failed`."""

    def __aiter__(self) -> AsyncIterator[Event]: ...

    @property
    def in_view(self) -> threading.Event:
        """Set while a person looks at this reply, which then goes before others."""

    def cancel(self) -> None:
        """Ask for the end; within one step `Finished` arrives with `StopReason.CANCELLED`."""


class EngineClient(Protocol):
    """An engine as seen from the GUI thread; every callback arrives on that thread's loop."""

    @property
    def loaded(self) -> LoadedModel | None:
        """The model that answers now. A load that failed may have cost it."""

    async def inspect(self, path: Path) -> ModelSummary:
        """Read a file's header, off the GUI thread and without torch.

        Raises:
            PacelineError: the file is not a usable model; the message says why.
        """

    async def rank_drafts(self, target: Path, places: Sequence[Path]) -> DraftRanking:
        """Judge which of the files in `places`, or in its folders, could draft for a model.

        Raises:
            PacelineError: the target is not a usable model; the message says why.
        """

    async def judge_fit(self, path: Path, options: LoadOptions) -> FitVerdict | None:
        """Judge whether a model would fit into free memory, as `load` would, without torch.

        Returns:
            None where only torch could tell, and it is not loaded yet: for a GPU.

        Raises:
            PacelineError: the file is not a usable model, or the device is not there.
        """

    async def load(
        self, path: Path, options: LoadOptions, on_progress: Callable[[LoadProgress], None]
    ) -> LoadedModel:
        """Load a model in place of the present one, which stays until the new one is ready.

        Cancelling the awaiting task cancels the load and leaves the present model as it was.

        Raises:
            PacelineError: the model cannot be loaded; the message says why. The present one has
                gone where only that would have made room.
        """

    async def load_draft(
        self, draft: DraftModelOptions | None, on_progress: Callable[[LoadProgress], None]
    ) -> LoadedModel:
        """Let another model draft for the loaded one, or None; replies under way go on.

        Cancelling the awaiting task cancels the load and leaves the present draft as it was.

        Raises:
            PacelineError: it cannot be loaded or cannot draft; the message says why. The present
                draft has gone where only that would have made room.
        """

    async def count_tokens(self, text: str) -> int:
        """How many tokens a text has for the loaded model, off the GUI thread.

        Raises:
            PacelineError: no model is loaded, or it cannot tell.
        """

    def chat(self, messages: Sequence[Message], options: ChatOptions) -> Generation:
        """Answer a conversation. Errors arrive as the `Failed` event, never as an exception."""

    async def bench(
        self, drafting: Drafting, on_progress: Callable[[BenchProgress], None]
    ) -> BenchProgress:
        """Measure what drafting gains on the ten prompts, while other requests wait.

        Cancelling the awaiting task cancels the measurement.

        Returns:
            The last progress, with all the figures.

        Raises:
            PacelineError: nothing is loaded, something is being answered, or drafts changed a
                reply; the message says which.
        """

    async def snapshot(self) -> EngineSnapshot:
        """What the engine is doing now, seen between two passes."""

    async def selftest(self) -> tuple[Trial, ...]:
        """Try every operation on everything that can compute here, off the GUI thread."""

    async def size_fits(self) -> tuple[SizeFit, ...]:
        """How well models of usual sizes would fit into the memory that is free now."""

    def unload(self) -> None:
        """Let the loaded model go, if there is one; what it answers ends with an error."""

    def forget(self) -> None:
        """Drop what is kept of earlier replies, so that the next one starts cold."""

    async def close(self) -> None:
        """End every request and free everything. Safe to call twice."""

"""The real engine, imported when it is first asked for something."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from app.bridge.engine_client import EngineClient, Generation
from engine.api import (
    ChatOptions,
    LoadedModel,
    LoadOptions,
    LoadProgress,
    Message,
    ModelSummary,
)


class RealEngine:
    """An `EngineClient` that brings the engine in on first use.

    The window paints before numpy and the tokenizers are imported, and their import happens off
    the GUI thread.
    """

    def __init__(self) -> None:
        self._engine: EngineClient | None = None

    async def inspect(self, path: Path) -> ModelSummary:
        return await (await self._brought_in()).inspect(path)

    async def load(
        self, path: Path, options: LoadOptions, on_progress: Callable[[LoadProgress], None]
    ) -> LoadedModel:
        return await (await self._brought_in()).load(path, options, on_progress)

    def chat(self, messages: Sequence[Message], options: ChatOptions) -> Generation:
        if self._engine is None:
            raise RuntimeError("chat() before load()")
        return self._engine.chat(messages, options)

    async def close(self) -> None:
        if self._engine is not None:
            await self._engine.close()

    async def _brought_in(self) -> EngineClient:
        if self._engine is None:
            make = await asyncio.to_thread(_import_engine)
            self._engine = self._engine or make()
        return self._engine


def _import_engine() -> Callable[[], EngineClient]:
    from engine.api import Engine

    return Engine

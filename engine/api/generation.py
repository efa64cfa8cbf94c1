"""One reply under way, as an async iterator of its events."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Self

from engine.base.errors import PacelineError
from engine.base.types import Event, Failed, Finished, GenerationResult


class Generation:
    """Events of one request, in order; the last is `Finished` or `Failed`, and nothing follows it.

    Created on the thread of an event loop and read there; `publish` comes from the engine's thread.

    Attributes:
        cancelled: set by `cancel`, read by the engine.
        in_view: set while a person looks at this reply, which then comes before others; read by
            the engine, may change at any time.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._ended = False
        self.cancelled = threading.Event()
        self.in_view = threading.Event()

    def cancel(self) -> None:
        """Ask for the end; `Finished` follows within one step, with what is there by then."""
        self.cancelled.set()

    def publish(self, event: Event) -> None:
        """Hand over an event from any thread. Never blocks on the reader."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to read
            self._loop.call_soon_threadsafe(self._events.put_nowait, event)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        if self._ended:
            raise StopAsyncIteration
        event = await self._events.get()
        self._ended = isinstance(event, Finished | Failed)
        return event

    async def result(self, on_event: Callable[[Event], None] | None = None) -> GenerationResult:
        """Wait for the end, showing each event on the way.

        Raises:
            PacelineError: the request failed.
        """
        async for event in self:
            if on_event:
                on_event(event)
            if isinstance(event, Finished):
                return event.result
            if isinstance(event, Failed):
                raise PacelineError(event.message, details=event.details)
        raise RuntimeError("the events of this reply have been read already")

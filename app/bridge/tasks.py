"""Background work on the window's event loop: kept alive, ended with the window, never silent."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from app.bridge.problems import problem_from
from app.domain.problem import Problem

T = TypeVar("T")


async def in_thread(work: Callable[[Callable[[], bool]], T]) -> T:
    """Run `work` on another thread; it is given what tells it that nobody waits any more."""
    given_up = threading.Event()
    try:
        return await asyncio.to_thread(work, given_up.is_set)
    finally:
        given_up.set()


class Tasks:
    """Owns every asyncio task of a window. Errors that nobody handled go to `report`."""

    def __init__(self, report: Callable[[Problem], None]) -> None:
        self._report = report
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run `work` until it ends or the window closes."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    async def end(self) -> None:
        """Cancel what still runs and wait until all of it has ended."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._report(problem_from(error))

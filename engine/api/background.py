"""What takes its time runs on other threads, tells how far it is, and can be given up."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from typing import TypeVar

Progress = TypeVar("Progress")
Result = TypeVar("Result")
Work = Callable[[Callable[[Progress], None], threading.Event], Result]
"""Gets what takes its progress, and what is set once it is to end early."""


class Background:
    """Runs work for tasks of one event loop; whoever is cancelled while waiting cancels it."""

    def __init__(self) -> None:
        self._under_way: set[threading.Event] = set()  # set one to cancel its work

    async def run(
        self,
        threads: Executor,
        work: Work[Progress, Result],
        on_progress: Callable[[Progress], None],
        discard: Callable[[Result], None] = lambda _: None,
    ) -> Result:
        """Wait for work on one of the threads.

        Args:
            threads: where it runs.
            work: what is to be done.
            on_progress: is told of progress on the loop, but not once the work was given up.
            discard: lets go of what came of it where that was too late to give it up.
        """
        loop = asyncio.get_running_loop()
        cancelled = threading.Event()

        def report(progress: Progress) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody is left to see
                loop.call_soon_threadsafe(show, progress)

        def show(progress: Progress) -> None:
            if not cancelled.is_set():
                on_progress(progress)

        def discard_late(done: "asyncio.Future[Result]") -> None:
            if not done.cancelled() and not done.exception():
                discard(done.result())

        self._under_way.add(cancelled)
        doing = loop.run_in_executor(threads, work, report, cancelled)
        try:
            return await asyncio.shield(doing)
        except asyncio.CancelledError:
            cancelled.set()
            doing.add_done_callback(discard_late)
            raise
        finally:
            self._under_way.discard(cancelled)

    def cancel(self) -> None:
        """Give up all that is under way."""
        for cancelled in self._under_way:
            cancelled.set()

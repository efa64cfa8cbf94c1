"""The one thread of a process that writes to the store, so that no other waits for the disk."""

import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

from app.storage.connection import connect, transaction

log = logging.getLogger("paceline.storage")
Write = Callable[[sqlite3.Connection], None]
IdleWork = Callable[[sqlite3.Connection], bool]
RETRY_S = 1.0
PASSING = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_NOMEM,
    }
)
"""Errors that lie outside of what is written, and may pass."""


class Writer:
    """Runs writes in the order they were posted; those that wait together share a transaction.

    A write that fails for a reason outside of it (a full disk, another process that does not let
    go) is tried again until it succeeds; one that fails for itself is given up. Both are reported.
    """

    def __init__(
        self, path: Path, idle_work: IdleWork, report: Callable[[Exception], None]
    ) -> None:
        """Start the thread.

        Args:
            path: the store's file, prepared.
            idle_work: called while nothing else is to do, until it returns False, and at the end.
            report: called on the writer's thread with what made a write fail.
        """
        self._connection = connect(path)
        self._idle_work = idle_work
        self._report = report
        self._posted: deque[Write] = deque()
        self._num_posted = 0
        self._num_done = 0
        self._is_closing = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    @property
    def num_waiting(self) -> int:
        """Writes that are not on the disk yet."""
        with self._changed:
            return self._num_posted - self._num_done

    def post(self, write: Write) -> None:
        """Have a write done soon."""
        with self._changed:
            self._posted.append(write)
            self._num_posted += 1
            self._changed.notify_all()

    def wait(self, timeout_s: float) -> bool:
        """Wait until all that was posted is on the disk; False if that takes longer."""
        with self._changed:
            wanted = self._num_posted
            return self._changed.wait_for(lambda: self._num_done >= wanted, timeout_s)

    def close(self) -> None:
        """Do what was posted, then end. Safe to call twice."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        try:
            while batch := self._next_batch():
                while not self._do(batch) and not self._pause():
                    pass
                self._count(batch)
            self._work_idly()
        finally:
            self._connection.close()

    def _next_batch(self) -> list[Write]:
        """All that is posted, when there is something; nothing when the writer is to end."""
        has_idle_work = True
        while True:
            with self._changed:
                if not has_idle_work:
                    self._changed.wait_for(lambda: self._posted or self._is_closing)
                if self._posted or self._is_closing:
                    batch = list(self._posted)
                    self._posted.clear()
                    return batch
            has_idle_work = self._work_idly()

    def _work_idly(self) -> bool:
        try:
            return self._idle_work(self._connection)
        except sqlite3.Error as error:  # nobody waits for it; it is tried after the next write
            log.info("upkeep of the store failed: %s", error)
            return False

    def _do(self, batch: list[Write]) -> bool:
        """Do a batch in one transaction; False if it is to be tried again."""
        try:
            self._commit(batch)
        except Exception as error:
            self._report(error)
            if _may_pass(error):
                return False
            self._do_apart(batch)
        return True

    def _do_apart(self, batch: list[Write]) -> None:
        """Do each write on its own, so that one that cannot be done costs no other."""
        for write in batch:
            try:
                self._commit([write])
            except Exception as error:
                self._report(error)

    def _commit(self, batch: list[Write]) -> None:
        with transaction(self._connection):
            for write in batch:
                write(self._connection)

    def _count(self, batch: list[Write]) -> None:
        with self._changed:
            self._num_done += len(batch)
            self._changed.notify_all()

    def _pause(self) -> bool:
        """Wait before another try; True if there is none because the writer is to end."""
        with self._changed:
            return self._changed.wait_for(lambda: self._is_closing, RETRY_S)


def _may_pass(error: Exception) -> bool:
    code = getattr(error, "sqlite_errorcode", 0)  # there if the error is SQLite's own
    return isinstance(error, sqlite3.OperationalError) and code & 0xFF in PASSING

"""What the store does for itself while nothing is to be written."""

import sqlite3
from time import time

from app.storage.connection import transaction
from app.storage.erasing import compact, leftovers, purge
from app.storage.search import index_some


class Upkeep:
    """Takes out leftovers once, then keeps the search index up to date. Lives on one thread.

    Attributes:
        wants_compacting: everything was erased, and the file still has the room it took.
    """

    def __init__(self, *, has_index: bool) -> None:
        self._has_index = has_index
        self._has_purged = False
        self._indexes_unfinished = True
        self.wants_compacting = False

    def work(self, connection: sqlite3.Connection) -> bool:
        """Do some of it; whether there is more."""
        if self.wants_compacting:
            self.wants_compacting = False
            compact(connection)
        if not self._has_purged:
            self._has_purged = True
            self._purge_leftovers(connection)
        return self._has_index and self._index(connection)

    def _purge_leftovers(self, connection: sqlite3.Connection) -> None:
        chats, messages = leftovers(connection, time())
        if chats or messages:
            with transaction(connection):
                purge(connection, chats, messages, has_index=self._has_index)

    def _index(self, connection: sqlite3.Connection) -> bool:
        """Index some; at first also what was being written when an earlier process ended."""
        has_more = index_some(connection, unfinished=self._indexes_unfinished)
        self._indexes_unfinished = self._indexes_unfinished and has_more
        return has_more

"""Makes the store's file ready, and decides what becomes of one that is no use.

A file that is damaged, newer than this program or not a store is put aside under another name,
with all that belongs to it, and never written to.
"""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from time import monotonic, sleep

from app.storage.connection import BUSY_TIMEOUT_S, connect
from app.storage.migrations import MIGRATIONS, migrate, version_of
from app.storage.schema import APPLICATION_ID

COMPANIONS = ("-wal", "-shm", "-journal")
RETRY_S = 0.02
OWNER_ONLY = 0o600  # of a new file: chats are nobody else's business
MAGIC = b"SQLite format 3\0"
TABLES = frozenset({"chats", "messages", "replies"})


class Defect(Enum):
    """Why a file cannot serve as the store."""

    DAMAGED = auto()
    NEWER = auto()


class UnusableStoreError(Exception):
    """The file is not a store that this version can use."""

    def __init__(self, defect: Defect, details: str) -> None:
        super().__init__(details)
        self.defect = defect


@dataclass(frozen=True, slots=True)
class PutAside:
    """A file that was no use, and where it lies now."""

    path: Path
    defect: Defect
    details: str


def prepare(path: Path) -> PutAside | None:
    """Make the file ready for use: create it, or bring it to the present version.

    Returns:
        What was put aside because it was no use; a fresh store is in its place then.

    Raises:
        OSError, sqlite3.OperationalError: the folder or the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=OWNER_ONLY)  # what SQLite makes beside it takes the same mode
    try:
        _prepare_patiently(path)
    except UnusableStoreError as error:
        kept = _put_aside(path)
        _prepare_patiently(path)
        return PutAside(kept, error.defect, str(error))
    return None


def kept_files(path: Path) -> list[Path]:
    """Every file that was put aside, with what belongs to each."""
    return sorted(path.parent.glob(f"{path.stem}.kept-*{path.suffix}*"))


def _prepare_patiently(path: Path) -> None:
    """Try again while another process is about the same: SQLite does not wait for all of it."""
    deadline = monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            _prepare_file(path)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() > deadline:
                raise
            sleep(RETRY_S)
        else:
            return


def _prepare_file(path: Path) -> None:
    _check_beginning(path)
    try:
        with closing(connect(path)) as connection:
            _check(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            migrate(connection)
    except sqlite3.OperationalError:  # locked, full, not writable: nothing is wrong with the file
        raise
    except sqlite3.DatabaseError as error:
        raise UnusableStoreError(Defect.DAMAGED, str(error)) from error


def _check_beginning(path: Path) -> None:
    """Look without SQLite, which throws away the log of a file that is no database."""
    if not path.exists():
        return
    with path.open("rb") as file:
        beginning = file.read(len(MAGIC))
    if beginning not in (b"", MAGIC):
        raise UnusableStoreError(Defect.DAMAGED, f"the file begins with {beginning!r}")


def _check(connection: sqlite3.Connection) -> None:
    version = version_of(connection)
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
    if application not in (APPLICATION_ID, 0) or (tables and application != APPLICATION_ID):
        raise UnusableStoreError(Defect.DAMAGED, f"application_id is {application:#x}")
    if version > len(MIGRATIONS):
        raise UnusableStoreError(Defect.NEWER, f"user_version is {version}")
    if version and not tables >= TABLES:
        raise UnusableStoreError(Defect.DAMAGED, f"tables are missing: {sorted(TABLES - tables)}")


def _put_aside(path: Path) -> Path:
    """Rename the file. Companions go first: a new file beside an old log would be ruined by it."""
    number = 1
    while (kept := path.with_name(f"{path.stem}.kept-{number}{path.suffix}")).exists():
        number += 1
    for companion in COMPANIONS:
        beside = path.with_name(path.name + companion)
        if beside.exists():
            beside.rename(kept.with_name(kept.name + companion))
    return path.rename(kept)

"""A store over the test's own folder, which nothing may fail to write to."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.storage.schema import FILE_NAME
from app.storage.store import ChatStore

OpenStore = Callable[[], ChatStore]


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    return tmp_path / "data" / FILE_NAME


@pytest.fixture
def open_store(store_path: Path) -> Iterator[OpenStore]:
    """Opens the store as often as asked; the test fails if a write failed."""
    failures: list[Exception] = []
    opened: list[ChatStore] = []

    def open_() -> ChatStore:
        opened.append(ChatStore(store_path, failures.append))
        return opened[-1]

    yield open_
    for store in opened:
        store.close()
    assert not failures


@pytest.fixture
def store(open_store: OpenStore) -> ChatStore:
    return open_store()

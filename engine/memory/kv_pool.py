"""The pages of keys and values that all sequences of a model share, and one sequence's table."""

import weakref
from collections.abc import Callable, Sequence

import torch

from engine.kernels.batch import Batch
from engine.kernels.kv_pages import LayerPages, PrefixPlane, make_plane
from engine.kernels.state_types import PAGE_POSITIONS
from engine.memory.pages import PageAllocator
from engine.memory.sequence_state import PassKind
from engine.memory.spec import KeyValueSpec, pages_for


class KvPool:
    """Keys and values of every attention layer; a page number means the same page in each.

    Attributes:
        layers: the planes of each layer, in the order of the specs.
        beside: those of further layers, which are no part of what the model says.
        allocator: says which pages are free.
    """

    def __init__(
        self,
        specs: Sequence[KeyValueSpec],
        num_pages: int,
        kv_type: str,
        device: torch.device,
        *,
        beside: Sequence[KeyValueSpec] = (),
        poison: bool = False,
    ) -> None:
        """Allocate all pages.

        Args:
            specs: one for each attention layer.
            num_pages: pages of each layer.
            kv_type: a key of `ELEMENT_BYTES`.
            device: where the pages lie.
            beside: one for each further layer, whose pages are the same and go into no digest.
            poison: keep NaN in whatever is not live, so that a test shows who reads it.
        """

        def pages_of(spec: KeyValueSpec) -> LayerPages:
            keys = make_plane(kv_type, num_pages, spec.heads, spec.key_dim, device)
            if spec.value_is_prefix_of_key:
                return LayerPages(keys, PrefixPlane(keys, spec.value_dim))
            values = make_plane(kv_type, num_pages, spec.heads, spec.value_dim, device)
            return LayerPages(keys, values)

        self.layers, self.beside = tuple(map(pages_of, specs)), tuple(map(pages_of, beside))
        self._all = self.layers + self.beside
        self.allocator = PageAllocator(num_pages)
        self._poison = poison
        self._tables: weakref.WeakSet[PagedKeyValues] = weakref.WeakSet()
        for page in range(num_pages):
            self.forget(page, 0)

    def new_table(self, pages: Sequence[int] = ()) -> "PagedKeyValues":
        """A sequence's table, holding the given pages already."""
        table = PagedKeyValues(self, pages)
        self._tables.add(table)
        return table

    def copy_page(self, source: int, target: int) -> None:
        """Copy a page of every layer."""
        for layer in self._all:
            layer.keys.copy_page(source, target)
            layer.values.copy_page(source, target)

    def forget(self, page: int, first: int) -> None:
        """Say that positions of a page from `first` on are not live any more."""
        if self._poison:
            for layer in self._all:
                layer.keys.poison(page, first)
                layer.values.poison(page, first)

    def check_integrity(self) -> None:
        """Compare the allocator's counts with the tables that are alive; raises RuntimeError."""
        self.allocator.check_integrity(page for table in self._tables for page in table.pages)


class PagedKeyValues:
    """One sequence's keys and values: the `StatePart` of all its attention layers.

    Attributes:
        pages: the page that holds positions `256 i …`, for each i; provisional rows included.
    """

    def __init__(self, pool: KvPool, pages: Sequence[int]) -> None:
        self._pool = pool
        self.pages = list(pages)

    def num_missing_pages(self, length: int, rows: int) -> int:
        return pages_for(length + rows) - len(self.pages) + self._writes_shared_page(length)

    def can_begin(self, length: int, rows: int) -> bool:
        return self._pool.allocator.num_free >= self.num_missing_pages(length, rows)

    def begin(self, length: int, rows: int, kind: PassKind) -> None:
        if self._writes_shared_page(length):
            index, within = divmod(length, PAGE_POSITIONS)
            shared, own = self.pages[index], self._take_page()
            self._pool.copy_page(shared, own)
            self._pool.forget(own, within)
            self._pool.allocator.release(shared)
            self.pages[index] = own
        while len(self.pages) < pages_for(length + rows):
            self.pages.append(self._take_page())

    def commit(self, length: int, accepted: int) -> int:
        self.truncate(length + accepted)
        return length + accepted

    def resumable(self, length: int, wanted: int) -> int:
        return min(length, wanted)

    def truncate(self, length: int) -> None:
        kept = pages_for(length)
        for page in self.pages[kept:]:
            if self._pool.allocator.release(page):
                self._pool.forget(page, 0)
        del self.pages[kept:]
        if self.pages and not self._pool.allocator.is_shared(self.pages[-1]):
            self._pool.forget(self.pages[-1], length - (kept - 1) * PAGE_POSITIONS)

    def free(self) -> None:
        self.truncate(0)

    def fork(self, length: int, rows: int) -> "PagedKeyValues":
        pages = self.pages[: pages_for(length + rows)]
        for page in pages:
            self._pool.allocator.share(page)
        return self._pool.new_table(pages)

    def describe(self, batch: Batch, slot: int) -> None:
        batch.set_pages(slot, self.pages)

    def hash_into(self, length: int, update: Callable[[bytes], None]) -> None:
        for layer in self._pool.layers:
            for plane in (layer.keys, layer.values):
                for index in range(pages_for(length)):
                    count = min(PAGE_POSITIONS, length - index * PAGE_POSITIONS)
                    update(plane.stored_bytes(self.pages[index], count))

    def _writes_shared_page(self, length: int) -> bool:
        """Whether the next row goes to a begun page that another sequence holds too."""
        index, within = divmod(length, PAGE_POSITIONS)
        return within > 0 and self._pool.allocator.is_shared(self.pages[index])

    def _take_page(self) -> int:
        page = self._pool.allocator.allocate()
        if page is None:
            raise RuntimeError("pages were counted as free, and are not")
        return page

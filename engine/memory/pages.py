"""Reference-counted page numbers. Who holds a page, and what is in it, is others' business."""

from collections import Counter
from collections.abc import Iterable


class PageAllocator:
    """Hands out the numbers below `num_pages`; a page is free when its last holder lets go."""

    def __init__(self, num_pages: int) -> None:
        self.num_pages = num_pages
        self._free = list(range(num_pages - 1, -1, -1))
        self._holders = [0] * num_pages

    @property
    def num_free(self) -> int:
        """How many pages `allocate` can still give."""
        return len(self._free)

    def allocate(self) -> int | None:
        """A page with one holder, or None where all are taken."""
        if not self._free:
            return None
        page = self._free.pop()
        self._holders[page] = 1
        return page

    def share(self, page: int) -> None:
        """Add a holder to a page in use."""
        self._holders[page] += 1

    def is_shared(self, page: int) -> bool:
        """Whether writing to the page would show to another holder."""
        return self._holders[page] > 1

    def release(self, page: int) -> bool:
        """Take one holder away; True where that freed the page."""
        self._holders[page] -= 1
        if self._holders[page]:
            return False
        self._free.append(page)
        return True

    def check_integrity(self, held: Iterable[int]) -> None:
        """Compare the counts with `held`, every page of every holder; raises where they differ.

        Raises:
            RuntimeError: a page is lost, free while held, or counted wrongly.
        """
        counts = Counter(held)
        wrong = [page for page in range(self.num_pages) if self._holders[page] != counts[page]]
        unheld = {page for page in range(self.num_pages) if not counts[page]}
        if wrong or len(self._free) != len(unheld) or set(self._free) != unheld:
            raise RuntimeError(
                f"page counts are off: pages {wrong} are counted wrongly, "
                f"{len(self._free)} are free where {len(unheld)} should be"
            )

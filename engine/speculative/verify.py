"""Sample, then compare: what the target itself would have said, and nothing else, is emitted."""

from collections.abc import Callable, Iterator, Sequence


def verify(draft: Sequence[int], sample_row: Callable[[int], int]) -> Iterator[int]:
    """The tokens that a round emits: one more than it accepts of the draft.

    Row i of the pass follows the draft's first i tokens, so its sample is the target's own word as
    long as all of them were. Exact for any sampler, whoever drafted.

    Args:
        draft: the tokens proposed, n of them.
        sample_row: gives the target's choice of row 0 … n, asked in this order; by then it knows
            every token yielded before.
    """
    for row, proposed in enumerate(draft):
        token = sample_row(row)
        yield token
        if token != proposed:
            return
    yield sample_row(len(draft))

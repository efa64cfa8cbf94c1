"""Every operation with rows to try it on, and what its twin makes of them in double precision."""

from collections.abc import Iterator

from engine.kernels.samples import experts, rows, sequences
from engine.kernels.samples.sample import Sample


def samples() -> Iterator[Sample]:
    """All samples, the same ones each time."""
    for kind in (rows, sequences, experts):
        yield from kind.samples()

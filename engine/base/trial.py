"""How a backend did where it was tried on one operation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trial:
    """How a backend did on one sample.

    Attributes:
        backend: what computed, and on which device.
        operation: the sample's name.
        error: relative to the norm of what the twin gives; NaN where a number is missing.
        allowed: the largest error that is right.
        rows_stand_alone: whether each row has the same bits together with others, by itself, and
            behind a drafted pass that was kept in part.
    """

    backend: str
    operation: str
    error: float
    allowed: float
    rows_stand_alone: bool

    @property
    def passed(self) -> bool:
        """Whether all is as it should be."""
        return self.error <= self.allowed and self.rows_stand_alone

"""The sizes of recurrent layers, one class for each kind; planning needs them without torch."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

LINE_FLOATS = 16
"""What begins at multiples of so many floats lies the same way to vectors in every sequence."""


class RecurrentShape(ABC):
    """What one layer keeps for a sequence, and what it consumes of a row, in floats.

    Each kind begins with a convolution over a few rows. A sequence keeps the state behind it, then
    the convolution's window: its input in the last rows.

    Attributes:
        taps: rows that the convolution looks at, the present one included.
    """

    __slots__ = ()
    taps: int

    @property
    @abstractmethod
    def channels(self) -> int:
        """Width of what the convolution runs over."""

    @property
    @abstractmethod
    def gates(self) -> int:
        """What the recurrence takes of a row beside that."""

    @property
    @abstractmethod
    def state_floats(self) -> int:
        """Size of the state behind the convolution."""

    @property
    def window_start(self) -> int:
        """Where the window begins within what is kept."""
        return _whole_lines(self.state_floats)

    @property
    def kept_floats(self) -> int:
        """All that one sequence keeps."""
        return self.window_start + _whole_lines((self.taps - 1) * self.channels)

    @property
    def tape_floats(self) -> int:
        """What is taken down of a row: the convolution's input, then the gates."""
        return self.channels + self.gates


@dataclass(frozen=True, slots=True)
class DeltaShape(RecurrentShape):
    """The sizes of a gated delta net layer.

    Attributes:
        adjacent: value heads that share a key head lie side by side; else `key_heads` apart.
    """

    key_heads: int
    value_heads: int
    key_dim: int
    value_dim: int
    taps: int
    adjacent: bool = False

    @property
    def channels(self) -> int:
        """Queries, keys and values."""
        return 2 * self.key_heads * self.key_dim + self.value_heads * self.value_dim

    @property
    def gates(self) -> int:
        """Each head's decay and learning rate."""
        return 2 * self.value_heads

    @property
    def state_floats(self) -> int:
        """A matrix for each value head."""
        return self.value_heads * self.key_dim * self.value_dim


@dataclass(frozen=True, slots=True)
class StateSpaceShape(RecurrentShape):
    """The sizes of a Mamba-2 layer.

    Attributes:
        groups: of heads side by side that share what they write and read by.
    """

    groups: int
    heads: int
    head_dim: int
    state_dim: int
    taps: int

    @property
    def inner(self) -> int:
        """Width of what goes through the state."""
        return self.heads * self.head_dim

    @property
    def channels(self) -> int:
        """The heads' inputs, then what each group writes by, then what it reads by."""
        return self.inner + 2 * self.groups * self.state_dim

    @property
    def gates(self) -> int:
        """Each head's step in time."""
        return self.heads

    @property
    def state_floats(self) -> int:
        """A matrix for each head."""
        return self.heads * self.state_dim * self.head_dim


@dataclass(frozen=True, slots=True)
class ConvolutionShape(RecurrentShape):
    """The sizes of a short convolution, which keeps nothing but its window."""

    width: int
    taps: int

    @property
    def channels(self) -> int:
        """The whole row."""
        return self.width

    @property
    def gates(self) -> int:
        """None."""
        return 0

    @property
    def state_floats(self) -> int:
        """None."""
        return 0


def _whole_lines(floats: int) -> int:
    return -(-floats // LINE_FLOATS) * LINE_FLOATS

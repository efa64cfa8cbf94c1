"""What state each layer keeps for a slot, with its bytes known before anything is allocated."""

from dataclasses import dataclass

from engine.base.types import LONGEST_DRAFT
from engine.kernels.recurrent_shapes import RecurrentShape
from engine.kernels.state_types import ELEMENT_BYTES, FLOAT_BYTES, PAGE_POSITIONS

CHECKPOINT_BYTES = 512 << 20
"""Recurrent state kept for reuse; pages of keys and values are shared and not counted here."""

FEWEST_CHECKPOINTS = 4
"""States kept at least, however large. A chat needs one where its last message begins, to edit
that, one or two where its reply does, to write another or go on without its reasoning, and one
behind it."""

MOST_CHECKPOINTS = 32
"""States kept at most, however small: each new prompt is compared with all of them."""

CHECKPOINT_PAGES = 4
"""Pages beside the slots': each state kept for reuse has a last page of its own as soon as another
goes on from there, and in a chat that nearly fills its context they would push each other out."""

TAPE_ROWS = 1 + LONGEST_DRAFT
"""Rows of the longest drafted pass: the draft, and the token before it."""

HEAD_ROWS = 256
"""Rows that a drafting head's block computes at once at most."""

MOST_WAITING = 16
"""Hidden rows that wait for a drafting head; with more, a pass makes their entries. So many at once
cost a block little more than one does."""


@dataclass(frozen=True, slots=True)
class KeyValueSpec:
    """Keys and values of one attention layer, in pages of `PAGE_POSITIONS` positions.

    Attributes:
        value_is_prefix_of_key: values are the first dimensions of the keys, and take no room of
            their own (multi-head latent attention).
    """

    heads: int
    key_dim: int
    value_dim: int
    value_is_prefix_of_key: bool = False

    def page_bytes(self, kv_type: str) -> int:
        """Bytes that one page of this layer takes."""
        own_values = 0 if self.value_is_prefix_of_key else self.value_dim
        elements = PAGE_POSITIONS * self.heads * (self.key_dim + own_values)
        return int(elements * ELEMENT_BYTES[kv_type])


@dataclass(frozen=True, slots=True)
class RecurrentSpec:
    """State and tape of one recurrent layer, in float32."""

    shape: RecurrentShape

    @property
    def state_bytes(self) -> int:
        """Bytes of one sequence's state, the convolution's window included."""
        return FLOAT_BYTES * self.shape.kept_floats

    @property
    def tape_bytes(self) -> int:
        """Bytes of one row on the tape."""
        return FLOAT_BYTES * self.shape.tape_floats


@dataclass(frozen=True, slots=True)
class HeadSpec:
    """What a file's own drafting head keeps: a layer of pages, and hidden rows that wait for it.

    Attributes:
        key_values: of its block.
        width: floats of a hidden row.
    """

    key_values: KeyValueSpec
    width: int

    @property
    def rows_bytes(self) -> int:
        """Bytes of the hidden rows that one sequence holds at most."""
        return FLOAT_BYTES * self.width * (1 + MOST_WAITING + TAPE_ROWS)


@dataclass(frozen=True, slots=True)
class StateSpecs:
    """What all layers of a model keep; each kind of layer counts its own."""

    key_values: tuple[KeyValueSpec, ...]
    recurrent: tuple[RecurrentSpec, ...] = ()
    head: HeadSpec | None = None


def num_checkpoints(specs: StateSpecs) -> int:
    """How many states are kept for reuse beside those of the slots, within `CHECKPOINT_BYTES`."""
    state = sum(spec.state_bytes for spec in specs.recurrent)
    if not state:
        return MOST_CHECKPOINTS
    return min(MOST_CHECKPOINTS, max(FEWEST_CHECKPOINTS, CHECKPOINT_BYTES // state))


def num_pages(slots: int, context: int) -> int:
    """Pages of keys and values that slots of so many positions need, and what is kept beside."""
    return slots * pages_for(context) + CHECKPOINT_PAGES


def pages_for(positions: int) -> int:
    """How many pages hold that many positions."""
    return -(-positions // PAGE_POSITIONS)

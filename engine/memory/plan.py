"""What running a model takes, from the facts of its header alone; no torch."""

from dataclasses import dataclass, fields, replace

from engine.kernels.backend_memory import BackendMemory
from engine.kernels.state_types import FLOAT_BYTES, PAGE_POSITIONS
from engine.memory.model_facts import ModelFacts
from engine.memory.spec import HEAD_ROWS, TAPE_ROWS, num_checkpoints, num_pages

DEFAULT_CONTEXT = 8192
"""Positions per slot where nothing is asked for: room for long chats, small beside the weights."""

ATTENTION_COPIES = 4
"""Scores of a page, masked, exponentiated and summed, that are there at the same time."""

LOGITS_COPIES = 2
"""The rows of all slots are computed apart, then joined."""


def default_context(context_length: int) -> int:
    """Positions per slot of a model made for `context_length`, where nothing is asked for."""
    return min(DEFAULT_CONTEXT, context_length)


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Bytes on one device by what they are for, with the context they were computed for.

    Attributes:
        context: positions of each slot.
        weights_bytes: the weights of the model.
        draft_weights_bytes: those of the draft model, where it is on this device.
        cache_bytes: pages of keys and values of all slots.
        state_bytes: recurrent states of all slots, and the tapes of their passes.
        checkpoint_bytes: recurrent states kept for reuse, and the logits behind them.
        scratch_bytes: values of a pass, logits, tables of angles, vocabulary, libraries.
        runtime_bytes: torch itself, where it is not loaded yet.
    """

    context: int
    weights_bytes: int
    draft_weights_bytes: int
    cache_bytes: int
    state_bytes: int
    checkpoint_bytes: int
    scratch_bytes: int
    runtime_bytes: int

    @property
    def parts(self) -> dict[str, int]:
        """Bytes by the name of their purpose."""
        names = [field.name for field in fields(self) if field.name.endswith("_bytes")]
        return {name: getattr(self, name) for name in names}

    @property
    def total_bytes(self) -> int:
        """All of them together."""
        return sum(self.parts.values())


@dataclass(frozen=True, slots=True)
class ModelUse:
    """A model and how it is going to run.

    Attributes:
        facts: what its header tells.
        backend: what computes it.
        kv_type: a key of `ELEMENT_BYTES`.
        most_context: positions it gets at most, where that is less than the model holds.
    """

    facts: ModelFacts
    backend: BackendMemory
    kv_type: str = "f16"
    most_context: int | None = None

    def positions(self, context: int) -> int:
        """Positions of each slot where `context` are asked for."""
        holds = self.facts.context_length
        return min(context, holds if self.most_context is None else min(holds, self.most_context))

    def plan(
        self, slots: int, context: int, draft_rows: int = 0, *, drafting: bool = False
    ) -> MemoryPlan:
        """What this model takes by itself.

        Args:
            slots: conversations served at once.
            context: positions of each, as far as the model holds so many.
            draft_rows: tokens of a draft that it verifies at once in each slot.
            drafting: whether it drafts, which takes one more recurrent state for each slot.
        """
        context, states = self.positions(context), self.facts.states
        state = sum(spec.state_bytes for spec in states.recurrent)
        tape = TAPE_ROWS * sum(spec.tape_bytes for spec in states.recurrent)
        page = sum(spec.page_bytes(self.kv_type) for spec in states.key_values)
        logits = FLOAT_BYTES * self.facts.vocab_size
        hidden = 0
        if states.head:
            page += states.head.key_values.page_bytes(self.kv_type)
            hidden = states.head.rows_bytes
        return MemoryPlan(
            context=context,
            weights_bytes=self.weights_bytes,
            draft_weights_bytes=0,
            cache_bytes=num_pages(slots, context) * page,
            state_bytes=slots * ((1 + drafting) * state + tape + hidden),
            checkpoint_bytes=num_checkpoints(states) * (state + logits + hidden),
            scratch_bytes=self._scratch_bytes(slots * (1 + draft_rows), context),
            runtime_bytes=self.backend.runtime_bytes,
        )

    @property
    def weights_bytes(self) -> int:
        """What its weights take."""
        weights, backend = self.facts.weights, self.backend
        copies = (
            backend.copy_per_native_byte * weights.native_bytes
            + backend.copy_per_block_element * weights.block_elements
        )
        table = weights.table_bytes if backend.on_host else 0
        return int(copies) + weights.float_bytes + FLOAT_BYTES * weights.vector_elements + table

    def _scratch_bytes(self, generated_rows: int, context: int) -> int:
        """Beside the values of rows, what grows with the context and what is there in any case."""
        facts, backend = self.facts, self.backend
        rows = backend.prompt_rows + generated_rows + (HEAD_ROWS if facts.states.head else 0)
        values = rows * facts.row_elements
        scores = ATTENTION_COPIES * backend.prompt_rows * facts.heads * PAGE_POSITIONS
        logits = LOGITS_COPIES * generated_rows * facts.vocab_size
        angles = context * facts.rope_dims  # a cosine and a sine for each pair
        return (
            FLOAT_BYTES * (values + scores + logits + angles)
            + backend.vocabulary_entry_bytes * facts.vocab_size
            + backend.library_bytes
        )


@dataclass(frozen=True, slots=True)
class Serving:
    """What is going to run together.

    Attributes:
        target: the model that answers.
        slots: conversations served at once.
        draft: the model that drafts, where it shares the target's device.
        draft_rows: tokens of a draft that are verified at once; 0 without drafting.
        drafting: whether the target itself drafts, for a model on another device.
    """

    target: ModelUse
    slots: int = 1
    draft: ModelUse | None = None
    draft_rows: int = 0
    drafting: bool = False

    def plan(self, context: int) -> MemoryPlan:
        """The plan for a context of so many positions, or for as many as the models hold."""
        target = self.target.plan(self.slots, context, self.draft_rows, drafting=self.drafting)
        if self.draft is None:
            return target
        draft = self.draft.plan(self.slots, context, drafting=True)
        return replace(
            target,
            draft_weights_bytes=draft.weights_bytes,
            cache_bytes=target.cache_bytes + draft.cache_bytes,
            state_bytes=target.state_bytes + draft.state_bytes,
            checkpoint_bytes=target.checkpoint_bytes + draft.checkpoint_bytes,
            scratch_bytes=target.scratch_bytes + draft.scratch_bytes,
            runtime_bytes=max(target.runtime_bytes, draft.runtime_bytes),
        )

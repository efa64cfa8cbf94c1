"""Model files opened and made ready to run, without an engine around them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from engine.kernels.backends import choose_kernels, make_backend
from engine.memory.model_memory import ModelMemory
from engine.memory.sequence_state import PassKind, SequenceState
from engine.models.headed_runner import HeadedRunner
from engine.models.registry import build_model
from engine.models.runner import Runner, SlotRows
from engine.weights.opening import open_model_file
from engine.weights.source import WeightSource

CPU = torch.device("cpu")


class KeptMemory(ModelMemory):
    """Memory that keeps its sequences, so that a page held at the end is not a page lost."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.sequences: list[SequenceState] = []

    def new_sequence(self) -> SequenceState:
        self.sequences.append(super().new_sequence())
        return self.sequences[-1]


@contextmanager
def open_runner(
    path: Path,
    *,
    slots: int = 2,
    context: int = 1024,
    kv_type: str = "f32",
    device: torch.device = CPU,
    kernels: str = "torch",
    drafting: bool = False,
    with_head: bool = False,
) -> Iterator[Runner]:
    """A runner whose memory holds NaN wherever it is not live; its integrity is checked behind."""
    with open_model_file(path) as file:
        model = build_model(file, WeightSource(file), with_head=with_head)
        file.complete(lambda: None)
        choice, threads = choose_kernels(model.program, device, kernels), torch.get_num_threads()
        backends = [
            make_backend(choice, program, device, context, threads, lambda _: None)
            for program in model.programs
        ]
        memory = KeptMemory(
            model.states,
            slots,
            context,
            kv_type,
            device,
            backends[0].fold,
            drafting=drafting,
            poison=True,
        )
        if model.head:
            yield HeadedRunner(backends, model.head, memory, slots, model.vocab_size)
        else:
            yield Runner(backends[0], memory, slots, model.vocab_size)
        memory.check_integrity()


def forward(runner: Runner, work: Sequence[SlotRows]) -> torch.Tensor:
    """Run one pass; its logits."""
    return torch.from_numpy(runner.forward(work))


def prompt(
    runner: Runner, sequence: SequenceState, tokens: Sequence[int], *, slot: int = 0, chunk: int = 0
) -> torch.Tensor:
    """Feed a prompt in chunks of `chunk` rows (0: at once); logits of every row."""
    step = chunk or len(tokens)
    parts = []
    for start in range(0, len(tokens), step):
        group = tokens[start : start + step]
        parts.append(forward(runner, [SlotRows(slot, sequence, [group], len(group))]))
        sequence.commit(len(group))
    return torch.cat(parts)


def rows_of(sequence: SequenceState, tokens: Sequence[int], *, slot: int = 0) -> SlotRows:
    """Rows as a model emits them: each a group of its own, logits for all."""
    groups = [[token] for token in tokens]
    kind = PassKind.DRAFTED if len(tokens) > 1 else PassKind.PLAIN
    return SlotRows(slot, sequence, groups, len(tokens), kind)


def decode(
    runner: Runner, sequence: SequenceState, tokens: Sequence[int], *, slot: int = 0
) -> torch.Tensor:
    """Feed emitted tokens one pass each; logits of every row."""
    parts = []
    for token in tokens:
        parts.append(forward(runner, [rows_of(sequence, [token], slot=slot)]))
        sequence.commit(1)
    return torch.cat(parts)


def stored(sequence: SequenceState) -> bytes:
    """What is stored for the committed positions."""
    parts: list[bytes] = []
    sequence.hash_into(parts.append)
    return b"".join(parts)

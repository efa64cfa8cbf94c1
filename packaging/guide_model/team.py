"""Workers that train one model: each on its share of a batch, with gradients added up."""

import ctypes
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import torch
from torch import distributed
from torch.multiprocessing.spawn import spawn


class Team:
    """What one worker knows of all.

    Attributes:
        rank: its number; worker 0 reports and saves.
        size: how many there are.
    """

    def __init__(self, rank: int, size: int) -> None:
        self.rank = rank
        self.size = size

    @property
    def leads(self) -> bool:
        """Whether this worker reports and saves."""
        return self.rank == 0

    def share_gradients(self, parameters: Iterable[torch.Tensor]) -> None:
        """Give every worker the mean of all gradients."""
        gradients = [p.grad for p in parameters if p.grad is not None]
        if self.size == 1 or not gradients:
            return
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        distributed.all_reduce(flat)
        flat /= self.size
        parts = torch.split(flat, [gradient.numel() for gradient in gradients])
        for gradient, part in zip(gradients, parts, strict=True):
            gradient.copy_(part.view_as(gradient))

    def give_back_memory(self) -> None:
        """Return to the system what freed tensors have left in pieces.

        Conversations differ in length, and so do the tensors of each step: without this a worker
        grew from 3 to 11 GB in a thousand steps (glibc; other allocators do it by themselves).
        """
        if sys.platform == "linux":
            trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
            if trim is not None:
                trim(0)

    def agree(self, number: float) -> float:
        """The leader's number, for all."""
        if self.size == 1:
            return number
        told = torch.tensor([number], dtype=torch.float64)
        distributed.broadcast(told, 0)
        return told.item()


def work_together(size: int, meeting: Path, work: Callable[[Team], None]) -> None:
    """Run `work`, which has to be picklable, in so many processes; they meet at a new file."""
    if size == 1:
        work(Team(0, 1))
        return
    meeting.unlink(missing_ok=True)
    spawn(_join, (size, meeting, work), nprocs=size)  # type: ignore[no-untyped-call]


def _join(rank: int, size: int, meeting: Path, work: Callable[[Team], None]) -> None:
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", f"file://{meeting}", rank=rank, world_size=size)
    work(Team(rank, size))
    distributed.destroy_process_group()

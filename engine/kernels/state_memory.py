"""The memory that the states of sequences lie in."""

import mmap
import sys
from collections.abc import Sequence
from math import prod

import torch

_HUGE_PAGE = 2 << 20


def empty(sizes: Sequence[int], dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """A tensor that nothing has been written to yet.

    A pass reads all that a slot holds. From pages of 4 KiB that takes half as long again as from
    huge ones, which Linux wants to be asked for before memory is touched.
    """
    nbytes = prod(sizes) * dtype.itemsize
    if sys.platform != "linux" or device.type != "cpu" or nbytes < _HUGE_PAGE:
        return torch.empty(*sizes, dtype=dtype, device=device)
    whole = -(-nbytes // _HUGE_PAGE) * _HUGE_PAGE
    memory = mmap.mmap(-1, whole, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_HUGEPAGE)
    return torch.frombuffer(memory, dtype=dtype, count=prod(sizes)).view(*sizes)

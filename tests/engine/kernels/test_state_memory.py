"""The memory of states: small and large, it is there whole and for its tensor alone."""

import pytest
import torch

from engine.kernels.state_memory import empty

CPU = torch.device("cpu")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int8])
@pytest.mark.parametrize("sizes", [(0, 3), (3, 5), (3, 1 << 20), (2, (1 << 20) + 1)])
def test_every_element_can_be_kept(sizes: tuple[int, int], dtype: torch.dtype) -> None:
    one, other = empty(sizes, dtype, CPU), empty(sizes, dtype, CPU)
    assert (one.shape, one.dtype) == (sizes, dtype)
    assert one.is_contiguous()
    one.fill_(1)
    other.fill_(2)
    assert (one == 1).all()
    assert (other == 2).all()

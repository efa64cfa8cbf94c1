"""What every engine test starts from."""

import pytest
import torch


@pytest.fixture(autouse=True)
def _same_random_numbers() -> None:
    torch.manual_seed(0)

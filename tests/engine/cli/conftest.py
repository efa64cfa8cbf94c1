"""What every test of the command line starts from."""

import pytest

from tests.helpers.terminal import Terminal


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)

"""What every test of the command line starts from."""

from pathlib import Path

import numpy as np
import pytest

from tests.helpers.terminal import Terminal
from tests.helpers.tiny_gguf import write_gguf
from tests.helpers.tiny_model import TinyModel


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(TinyModel().write(tmp_path_factory.mktemp("cli") / "tiny.gguf"))


@pytest.fixture
def broken(tmp_path: Path) -> str:
    """A model that computes no number behind token 5."""
    tiny = TinyModel()
    tensors = tiny.tensors()
    embedding, quant = tensors["token_embd.weight"]
    embedding[5] = np.nan
    tensors["token_embd.weight"] = embedding, quant
    return str(write_gguf(tmp_path / "broken.gguf", tiny.metadata(), tensors))

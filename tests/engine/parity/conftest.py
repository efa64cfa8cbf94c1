"""Every kind of layer with every type of cache, through all kernels that are there.

Architectures that are made of the same kinds are tried more briefly, by `test_architectures`.
"""

from itertools import product
from pathlib import Path

import pytest

from engine.kernels.state_types import ELEMENT_BYTES
from tests.helpers.one_operation import skip_unless_built
from tests.helpers.tiny_model import SMALLEST
from tests.helpers.tiny_recurrent import RECURRENT

MODELS = {
    "llama": SMALLEST["llama"],
    "qwen2moe": SMALLEST["qwen2moe"],  # experts
    "qwen35": SMALLEST["qwen35"],  # delta rule
    "nemotron_h": RECURRENT["nemotron_h"],  # Mamba-2
    "lfm2": RECURRENT["lfm2"],  # short convolution
}


@pytest.fixture(scope="session", params=MODELS)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("parity") / f"{request.param}.gguf"
    return MODELS[request.param].write(path)


@pytest.fixture(scope="session", params=ELEMENT_BYTES)
def kv_type(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="session", params=["torch", "native"])
def kernels(request: pytest.FixtureRequest) -> str:
    if request.param == "native":
        skip_unless_built()
    name: str = request.param
    return name


@pytest.fixture(
    scope="session", params=[*product(["native"], ELEMENT_BYTES), ("torch", "f16")], ids="-".join
)
def way(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Kernels and type of cache; torch is slow, and its other types are tried by `test_commit`."""
    kernels, kv_type = request.param
    if kernels == "native":
        skip_unless_built()
    return kernels, kv_type

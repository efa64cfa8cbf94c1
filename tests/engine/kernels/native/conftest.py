"""The variants of the native kernels, as a parameter of tests."""

from functools import cache

import pytest

from tests.helpers.native_products import VARIANTS, usable_variants


@pytest.fixture(params=VARIANTS)
def isa(request: pytest.FixtureRequest) -> str:
    """Each variant that this processor runs; skips the others."""
    if request.param not in _usable():
        pytest.skip(f"this processor does not run {request.param}")
    return str(request.param)


@cache
def _usable() -> list[str]:
    return usable_variants()

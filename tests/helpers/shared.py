"""The recorded models, vocabularies and checks beside the project, or a skip that says why not."""

import os
import sys
from functools import cache
from importlib import util
from pathlib import Path
from types import ModuleType

import pytest

SHARED = Path(
    os.environ.get("PACELINE_SHARED") or Path(__file__).resolve().parents[2].parent / "shared"
)


def shared_path(*parts: str) -> Path:
    """A path below the shared folder; skips the test where there is none."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the shared folder with recorded models, looked for at {SHARED}")
    return SHARED.joinpath(*parts)


def shared_model(relative: str) -> Path:
    """Plain path of a file below `models/`, unpacked into the cache where it is stored as .xz."""
    return Path(shared_tool("unpack").resolve(str(shared_path("models", *relative.split("/")))))


@cache
def shared_tool(name: str) -> ModuleType:
    """A program of `tools/`, imported as a module."""
    folder = shared_path("tools")
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # the tools import each other by plain name
    spec = util.spec_from_file_location(name, folder / f"{name}.py")
    assert spec
    assert spec.loader
    module = util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module

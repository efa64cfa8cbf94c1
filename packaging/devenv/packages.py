"""What the application is made from, and how pip gets it."""

from __future__ import annotations

import hashlib
import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devenv.system import SetupError
from devenv.torch_builds import TORCH

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Download and disk, measured on Linux: the application without PyTorch, and the developers' extra.
SIZE_MB = (120, 400)
DEVELOPMENT_SIZE_MB = (35, 130)

_SOURCES = ("index-url", "extra-index-url", "find-links", "no-index")
_PYPI = "https://pypi.org/simple"


@dataclass(frozen=True)
class Requirements:
    """What `pyproject.toml` asks for, with torch narrowed to the release this project tests."""

    dependencies: tuple[str, ...]
    development: tuple[str, ...]


def read_requirements(pyproject: Path) -> Requirements:
    """The application's dependencies and those of the development group."""
    import tomllib  # of Python 3.11; older ones import this module while they look for it

    tables = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    dependencies = tables["project"]["dependencies"]
    return Requirements(
        tuple(TORCH if text.startswith("torch>") else text for text in dependencies),
        tuple(tables["dependency-groups"]["dev"]),
    )


def digest(requirements: Sequence[str]) -> str:
    """A short text that changes when the requirements do."""
    return hashlib.sha256("\n".join(requirements).encode()).hexdigest()[:16]


def configured_sources(python: Path) -> list[str]:
    """The names of pip's settings on this computer that say where packages come from."""
    command = [str(python), "-m", "pip", "config", "list"]
    listing = subprocess.run(command, capture_output=True, text=True).stdout
    return parse_sources(listing)


def parse_sources(listing: str) -> list[str]:
    """The sources in the output of `pip config list`, such as `global.find-links='/wheels'`.

    PyPI named as the index changes nothing, so it does not count.
    """
    found = set()
    for line in listing.splitlines():
        key, _, value = line.partition("=")
        name = key.rpartition(".")[2]
        if name in _SOURCES and value.strip("'\"").rstrip("/") != _PYPI:
            found.add(name)
    return sorted(found)


def install(python: Path, requirements: Sequence[str], index: str | None = None) -> None:
    """Let pip install requirements, from `index` alone if given, showing its progress.

    Raises:
        SetupError: pip failed; its own lines stand above.
    """
    command = [str(python), "-m", "pip", "install", *requirements]
    command += ["--index-url", index] if index else []
    environ = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    environ["PIP_USER"] = "0"  # a setting that some have, and that fails in an environment
    if subprocess.run(command, env=environ).returncode:
        raise SetupError(
            "pip could not install the packages (its last lines above say why): check the "
            "connection and the room on the disk, then run this command again; what was "
            "downloaded is kept."
        )

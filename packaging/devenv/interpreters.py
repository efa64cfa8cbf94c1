"""Finds a Python that can run Paceline, or says how to get one.

Run as a program (`-m devenv.interpreters`) it answers for the Python that runs it.
"""

from __future__ import annotations

import glob
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from devenv.system import SetupError, install_command, package_manager

if TYPE_CHECKING:
    from collections.abc import Iterator

OLDEST, NEWEST = (3, 11), (3, 14)  # `requires-python` of pyproject.toml
_MINORS = range(NEWEST[1], OLDEST[1] - 1, -1)

GOOD, UNSUITED, NO_VENV = "good", "unsuited", "no venv"
_PACKAGING = Path(__file__).resolve().parents[1]

# Where installers put Python without putting it on the PATH.
_PLACES = (
    "/opt/homebrew/bin/python3.{minor}",
    "/usr/local/bin/python3.{minor}",
    "/Library/Frameworks/Python.framework/Versions/3.{minor}/bin/python3.{minor}",
    "~/.pyenv/versions/3.{minor}.*/bin/python3.{minor}",
    "~/.local/share/uv/python/cpython-3.{minor}.*/bin/python3.{minor}",
    "~/AppData/Local/Programs/Python/Python3{minor}/python.exe",
)

# What each package manager calls a Python that will do.
_PACKAGES = {
    "apt": ["python3.11", "python3.11-venv"],
    "dnf": ["python3.12"],
    "zypper": ["python312"],
    "brew": ["python@3.13"],
    "winget": ["Python.Python.3.13"],
}


def verdict() -> str:
    """Whether the running Python can make the environment and run the application in it."""
    without_gil = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))  # Qt and torch have no builds
    if not OLDEST <= sys.version_info[:2] <= NEWEST or sys.maxsize < 2**32 or without_gil:
        return UNSUITED
    return GOOD if importlib.util.find_spec("ensurepip") else NO_VENV


def executable() -> str:
    """The running Python's path: outside any virtual environment, by its versioned name.

    The versioned name keeps an environment on its Python when the system moves `python3` on.
    """
    base = Path(getattr(sys, "_base_executable", None) or sys.executable)
    versioned = base.with_name(f"python3.{sys.version_info[1]}")
    return str(versioned if versioned.exists() else base)


def find() -> str:
    """The path of another Python on this computer that will do.

    Raises:
        SetupError: there is none; says how to get one on this system.
    """
    answers = [(verdict(), executable())]
    for candidate in _candidates():
        answers.append(_ask(candidate))
        if answers[-1][0] == GOOD:
            return answers[-1][1]
    raise SetupError(_how_to_get(answers))


def _how_to_get(answers: list[tuple[str, str]]) -> str:
    """The sentence for a computer without a Python that will do."""
    manager = package_manager()
    incomplete = [path for answer, path in answers if answer == NO_VENV]
    if incomplete and manager:  # only Debian and its kin ship the module apart
        package = Path(incomplete[0]).name + "-venv"
        line = install_command(manager, [package])
        return f"{incomplete[0]} lacks the module venv: run `{line}`, then this command again."
    packages = _PACKAGES.get(manager or "")
    line = f"with `{install_command(manager, packages)}` or " if manager and packages else ""
    return (
        f"Paceline needs Python 3.{OLDEST[1]} to 3.{NEWEST[1]} and found none here (this is "
        f"{sys.version.split()[0]}): install one {line}from https://www.python.org/downloads/, "
        "then run this command again."
    )


def _candidates() -> Iterator[str]:
    """Paths worth asking, the newest Python of each kind of place first."""
    for minor in _MINORS:
        path = shutil.which(f"python3.{minor}")
        if path:
            yield path
    if os.name == "nt":
        yield from _launcher_paths()
    for place in _PLACES:
        for minor in _MINORS:
            pattern = str(Path(place.format(minor=minor)).expanduser())
            yield from sorted(glob.glob(pattern))  # noqa: PTH207 (Path.glob: relative ones only)


def _launcher_paths() -> list[str]:
    """What the Windows launcher knows; asked for its list, because `py -3.x` may install."""
    launcher = shutil.which("py")
    if not launcher:
        return []
    listing = subprocess.run([launcher, "--list-paths"], capture_output=True, text=True).stdout
    return re.findall(r"[A-Za-z]:\\.*\.exe", listing)


def _ask(candidate: str) -> tuple[str, str]:
    """The verdict of another Python, and the path it goes by; a name may lead nowhere."""
    command = [candidate, "-m", "devenv.interpreters"]
    try:
        answer = subprocess.run(
            command, cwd=_PACKAGING, capture_output=True, text=True, timeout=20, check=True
        )
        its_verdict, path = answer.stdout.splitlines()
    except (OSError, subprocess.SubprocessError, ValueError):
        return UNSUITED, candidate
    return its_verdict, path


if __name__ == "__main__":
    print(verdict())
    print(executable())

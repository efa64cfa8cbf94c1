"""What differs between systems: package managers, and how a program is handed over to another."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class SetupError(Exception):
    """Set-up cannot go on. The text is one sentence with the cause and what would help."""


def package_manager() -> str | None:
    """The package manager that people on this system use, or None where none is known."""
    names = {"darwin": ["brew"], "win32": ["winget"]}.get(sys.platform, ["apt", "dnf", "zypper"])
    return next((name for name in names if shutil.which(name)), None)


def install_command(manager: str, packages: Sequence[str]) -> str:
    """The line that a person types to install packages."""
    root = sys.platform != "linux" or os.geteuid() == 0
    return " ".join([*([] if root else ["sudo"]), manager, "install", *packages])


def hand_over(command: Sequence[str], environ: Mapping[str, str]) -> int:
    """Let another program take this one's place; where systems cannot do that, run it and wait."""
    sys.stdout.flush()
    if os.name == "posix":
        os.execve(command[0], list(command), environ)
    return subprocess.call(command, env=environ)

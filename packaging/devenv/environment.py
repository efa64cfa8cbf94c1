"""The virtual environment of a checkout, and the stamp that says what it holds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from devenv.system import SetupError

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Stamp:
    """What an environment holds. One without `dependencies` is unfinished.

    `python` is the path of the Python it was made with; `dependencies` and `development` are
    digests of the requirements installed; `native` is that of the sources the native kernels were
    built from; `qt_checked` are the choices of Qt platforms whose system libraries were found.
    """

    root: str = ""
    python: str = ""
    torch: str = ""
    dependencies: str = ""
    development: str = ""
    native: str = ""
    qt_checked: Sequence[str] = ()


class Environment:
    """`.venv` in the project's root. Its scripts are never used: a moved folder breaks them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.python = self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        self._stamp_file = self.folder / "paceline.json"
        self._draft = self.folder / "paceline.new"

    def stamp(self) -> Stamp | None:
        """What the environment holds; None where it is missing, unfinished or lost its Python.

        Raises:
            SetupError: the folder was not made by this program.
        """
        try:
            stamp = Stamp(**json.loads(self._stamp_file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            if set(self.folder.glob("*")) - {self._draft}:
                raise SetupError(
                    f"{self.folder} was made by something else: rename or delete it, then run "
                    "this command again."
                ) from None
            return None
        except (ValueError, TypeError):  # damaged, or of another version of this program
            return None
        usable = stamp.dependencies and Path(stamp.python).exists() and self.python.exists()
        return stamp if usable else None

    def write(self, stamp: Stamp) -> None:
        """Replace the stamp in one step, so that it is never read half-written."""
        self.folder.mkdir(exist_ok=True)
        self._draft.write_text(json.dumps(asdict(stamp), indent=1), encoding="utf-8")
        self._draft.replace(self._stamp_file)

    def create(self, python: str) -> Stamp:
        """Make the environment anew with `python`; what a broken one left is removed.

        The empty stamp comes first: whatever happens from here on, the folder is ours to remake.
        """
        self.write(Stamp())
        for entry in self.folder.iterdir():
            if entry == self._stamp_file:
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        self._make(python)
        return Stamp(root=str(self.root), python=python)

    def follow_move(self, stamp: Stamp) -> Stamp:
        """After the folder has moved, rewrite the paths in the activation scripts."""
        self._make(stamp.python, "--without-pip")
        moved = replace(stamp, root=str(self.root))
        self.write(moved)
        return moved

    def _make(self, python: str, *options: str) -> None:
        command = [python, "-m", "venv", *options, str(self.folder)]
        made = subprocess.run(command, capture_output=True, text=True)  # silent when interrupted
        if made.returncode:
            reason = (made.stderr or made.stdout).strip().splitlines()[-1:]
            raise SetupError(
                f"Python could not make a virtual environment in {self.folder} "
                f"({' '.join(reason) or 'no reason given'}): check that the disk has room and the "
                "folder can be written, then run this command again."
            )

"""The system libraries Qt needs on Linux: which are missing, and the line that installs them."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from devenv.system import SetupError, install_command, package_manager

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# Where Debian's package does not follow from the library's name by `debian_package`'s rule.
_DEBIAN_EXCEPTIONS = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libz.so.1": "zlib1g",
}


def platforms(environ: Mapping[str, str]) -> list[str]:
    """The Qt platforms that may show the window; Qt takes the first that works."""
    asked = environ.get("QT_QPA_PLATFORM")
    if asked:  # such as "wayland;xcb" or "vnc:size=640x480"
        return [name.split(":")[0] for name in asked.split(";")]
    return ["wayland", "xcb"] if environ.get("WAYLAND_DISPLAY") else ["xcb"]


def check(environment: Path, names: Sequence[str]) -> None:
    """Make sure that the libraries of one of the platforms are there.

    Raises:
        SetupError: some are missing for each; gives the line that installs those of the last.
    """
    missing = [missing_libraries(environment, name) for name in names]
    if all(missing):
        raise SetupError(advice(missing[-1], package_manager()))


def missing_libraries(environment: Path, platform: str) -> list[str]:
    """Libraries that neither Qt's packages nor the system have, by file name (`libEGL.so.1`)."""
    if not shutil.which("ldd"):
        return []
    found = set()
    for qt in environment.glob("lib/python3*/site-packages/PySide6"):
        plugin = qt / f"Qt/plugins/platforms/libq{platform}.so"
        for binary in [qt / "QtWidgets.abi3.so", plugin]:
            listing = subprocess.run(["ldd", str(binary)], capture_output=True, text=True).stdout
            found.update(re.findall(r"^\s*(\S+) => not found", listing, re.MULTILINE))
    return sorted(found)


def advice(libraries: Sequence[str], manager: str | None) -> str:
    """The sentence that names missing libraries and, where the system is known, the cure."""
    sentence = f"Qt needs libraries that this system lacks ({', '.join(libraries)}): "
    if manager == "apt":
        packages = sorted({debian_package(library) for library in libraries})
    elif manager:  # the managers of RPM find packages by what they hold
        packages = [f"'{library}()(64bit)'" for library in libraries]
    else:
        return sentence + "install them, then run this command again."
    return sentence + f"run `{install_command(manager, packages)}`, then this command again."


def debian_package(library: str) -> str:
    """The package with a library: name and version joined, apart by `-` after a digit.

    The rule is Debian Policy's, section 8.1.
    """
    name, version = library.lower().split(".so.")
    hyphen = "-" if name[-1].isdigit() else ""
    return _DEBIAN_EXCEPTIONS.get(library, f"{name}{hyphen}{version}")

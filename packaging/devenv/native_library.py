"""Builds the native kernels of a checkout with CMake, where their sources have changed."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from devenv import packages
from devenv.system import SetupError, install_command, package_manager

if TYPE_CHECKING:
    from collections.abc import Sequence

    from devenv.environment import Environment, Stamp

# What each package manager calls a C++ compiler; CMake itself finds the one of Visual Studio.
_COMPILERS = {"apt": "g++", "dnf": "gcc-c++", "zypper": "gcc-c++"}


def update(environment: Environment, stamp: Stamp) -> Stamp:
    """Build the library unless it was built from these sources; without it torch computes."""
    wanted = digest(environment.root)
    installed = environment.root / "engine" / "kernels"
    if stamp.native == wanted and any(installed.glob("paceline_cpu.*")):
        return stamp
    try:
        _check_compiler()
        print("Building the native kernels, about a minute ...", flush=True)
        _build(environment)
    except SetupError as error:
        print(f"{error} Until then Paceline computes with PyTorch, which is slower.")
        return stamp
    stamp = replace(stamp, native=wanted)
    environment.write(stamp)
    return stamp


def digest(root: Path) -> str:
    """A short text that changes when the sources do; `csrc/digest.cmake` makes the same."""
    sources = root / "engine" / "kernels" / "csrc"
    files = {path.relative_to(sources).as_posix(): path for path in sources.rglob("*")}
    text = "".join(
        f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n"
        for name, path in sorted(files.items())
        if path.is_file()
    )
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_stale(root: Path) -> bool:
    """Whether the library that lies there was built from other sources; it carries their digest."""
    wanted = digest(root).encode()
    libraries = (root / "engine" / "kernels").glob("paceline_cpu.*")
    return any(wanted not in library.read_bytes() for library in libraries)


def _check_compiler() -> None:
    """Look for a C++ compiler where CMake will.

    Raises:
        SetupError: there is none; gives the line that installs one.
    """
    names = [os.environ.get("CXX") or "c++", "g++", "clang++"]
    if os.name == "nt" or any(shutil.which(name) for name in names):
        return
    manager = package_manager()
    package = _COMPILERS.get(manager or "")
    line = f" with `{install_command(manager, [package])}`" if manager and package else ""
    raise SetupError(f"There is no C++ compiler for the native kernels: install one{line}.")


def _build(environment: Environment) -> None:
    """Configure, compile and put the library into `engine/kernels/`.

    Raises:
        SetupError: a step failed; its output is in the log that the text names.
    """
    root, build = environment.root, environment.root / "build" / "native"
    staged = build / "installed"
    cache = build / "CMakeCache.txt"
    if cache.exists() and f"={root}/" not in cache.read_text(encoding="utf-8", errors="replace"):
        shutil.rmtree(build)  # the folder has moved, and CMake keeps whole paths
    build.mkdir(parents=True, exist_ok=True)
    cmake = _find_tool(environment, "cmake", "CMAKE_BIN_DIR")
    configure = [cmake, "-S", str(root / "engine" / "kernels" / "csrc"), "-B", str(build)]
    if os.name != "nt":
        ninja = _find_tool(environment, "ninja", "BIN_DIR")
        configure += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    with (build / "log.txt").open("w", encoding="utf-8") as log:
        for command in (
            configure,
            [cmake, "--build", str(build), "--config", "Release"],
            [cmake, "--install", str(build), "--config", "Release", "--prefix", str(staged)],
        ):
            if subprocess.run(command, stdout=log, stderr=subprocess.STDOUT).returncode:
                raise SetupError(f"The native kernels could not be built: {log.name} says why.")
    _replace(staged / "engine" / "kernels", root / "engine" / "kernels")


def _replace(built: Path, installed: Path) -> None:
    """Rename the library to where the engine looks: a process that has the old one keeps it whole.

    Raises:
        SetupError: the system does not let go of a library in use.
    """
    for library in built.glob("paceline_cpu.*"):
        try:
            library.replace(installed / library.name)
        except PermissionError as error:
            raise SetupError("The native kernels are in use: close Paceline.") from error


def _find_tool(environment: Environment, name: str, folder: str) -> str:
    """The path of a build tool: the system's, else that of PyPI's package in the environment.

    Args:
        environment: Where the package goes.
        name: Of the tool, of its package and of the package's module.
        folder: The module's constant that says where the program lies.
    """
    found = shutil.which(name)
    if found:
        return found
    packages.install(environment.python, [name])
    ask: Sequence[str] = ["-c", f"import {name}; print({name}.{folder})"]
    answer = subprocess.run([str(environment.python), *ask], capture_output=True, text=True)
    if answer.returncode:
        raise SetupError(f"The package {name} does not work here: install {name} on the system.")
    return str(Path(answer.stdout.strip(), name))

"""Brings the environment to what `pyproject.toml` asks for; does nothing where it is."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

from devenv import packages, torch_builds
from devenv.system import SetupError
from devenv.torch_builds import CUDA, KEEP, TORCH, Build

if TYPE_CHECKING:
    from pathlib import Path

    from devenv.environment import Environment, Stamp
    from devenv.packages import Requirements


def prepare(
    environment: Environment, python: str, *, development: bool, torch: str | None
) -> Stamp:
    """Make, finish, move or update the environment, as its stamp says is needed.

    Args:
        environment: The environment of this checkout.
        python: The Python to make it with.
        development: Whether the packages of the development group are needed too.
        torch: The build asked for on the command line; None keeps what there is.

    Raises:
        SetupError: it cannot be done; the text says why and what would help.
    """
    wanted = packages.read_requirements(environment.root / "pyproject.toml")
    stamp = environment.stamp()
    if stamp is None or torch not in (None, KEEP, stamp.torch):
        print("Making the virtual environment in .venv ...", flush=True)
        stamp = environment.create(python)
    elif stamp.root != str(environment.root):
        stamp = environment.follow_move(stamp)
    if not _holds(stamp, wanted, development):
        stamp = _install(environment, stamp, wanted, development, torch or stamp.torch)
    return stamp


def _holds(stamp: Stamp, wanted: Requirements, development: bool) -> bool:
    return stamp.dependencies == packages.digest(wanted.dependencies) and (
        not development or stamp.development == packages.digest(wanted.development)
    )


def _install(
    environment: Environment, stamp: Stamp, wanted: Requirements, development: bool, torch: str
) -> Stamp:
    """Install PyTorch first, then the rest, which names the same release and so leaves it be."""
    sources = packages.configured_sources(environment.python)
    build = None if sources or torch == KEEP else _choose_build(torch)
    if sources:
        print(f"Packages come from where pip is told to look ({', '.join(sources)}).")
    if stamp.dependencies:
        print("Updating .venv to what pyproject.toml asks for.")
    else:
        _announce(environment.folder, build, development)
    if torch != KEEP:  # a PyTorch of the person's own must not be lost to a remake
        environment.write(replace(stamp, dependencies=""))  # unfinished until pip is done
    requirements = wanted.dependencies + (wanted.development if development else ())
    if torch == KEEP:
        requirements = tuple(text for text in requirements if text != TORCH)
    else:
        print(f"Installing PyTorch ({TORCH}) ...", flush=True)
        packages.install(environment.python, [TORCH], build.index if build else None)
    print("Installing the other packages ...", flush=True)
    packages.install(environment.python, requirements)
    stamp = replace(
        stamp,
        torch=build.kind if build else torch,
        dependencies=packages.digest(wanted.dependencies),
        development=packages.digest(wanted.development) if development else stamp.development,
        qt_checked=[],
    )
    environment.write(stamp)
    return stamp


def _choose_build(torch: str) -> Build:
    gpu = torch_builds.find_gpu()
    build = torch_builds.choose(*torch_builds.this_computer(), gpu, torch or None)
    if gpu and build.kind != CUDA and not torch:
        print(torch_builds.UNFIT_GPU)
    return build


def _announce(folder: Path, build: Build | None, development: bool) -> None:
    """Say how much will be downloaded and kept.

    Raises:
        SetupError: the disk has no room for it.
    """
    download_mb, disk_mb = packages.SIZE_MB
    if development:
        download_mb += packages.DEVELOPMENT_SIZE_MB[0]
        disk_mb += packages.DEVELOPMENT_SIZE_MB[1]
    torch = "PyTorch apart"
    if build:
        download_mb += build.download_mb
        disk_mb += build.disk_mb
        torch = f"with PyTorch for {'NVIDIA cards' if build.kind == CUDA else 'the processor'}"
    print(f"To download: about {download_mb} MB; on disk: about {disk_mb} MB ({torch}).")
    free_mb = shutil.disk_usage(folder).free // 1_000_000
    if free_mb < disk_mb:
        raise SetupError(
            f"The disk of {folder} has only {free_mb} MB free: make room, then run this command "
            "again."
        )

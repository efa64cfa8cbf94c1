"""Which of PyTorch's builds suits a computer: one table, and the rule that reads it."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass

from devenv.system import SetupError

TORCH = "torch==2.13.0"
CPU, CUDA, KEEP = "cpu", "cuda", "KEEP"
UNFIT_GPU = (
    "PyTorch cannot use this NVIDIA card with its present driver: cards since 2018 need driver 580 "
    "or newer; update it, then run this command with `--torch cuda`."
)
_INDEX = "https://download.pytorch.org/whl/"


@dataclass(frozen=True)
class Build:
    """One build of PyTorch, and the computers it is for; sizes are estimates.

    `driver` is the oldest NVIDIA driver, by its major version; `capability` the range of compute
    capabilities that the build holds code for. Both are 0 for builds that need no NVIDIA card.
    """

    system: str
    machine: str
    kind: str
    index: str | None  # None: the build that PyPI has
    download_mb: int
    disk_mb: int
    driver: int = 0
    capability: tuple[float, float] = (0, 0)


# Builds and compute capabilities: the support matrix in PyTorch's RELEASE.md for 2.13. Drivers:
# NVIDIA's CUDA compatibility guide, minor version compatibility. CUDA builds newest first.
BUILDS = (
    Build("Linux", "x86_64", CUDA, _INDEX + "cu130", 2500, 5500, 580, (7.5, 99)),
    Build("Linux", "x86_64", CUDA, _INDEX + "cu126", 3200, 7000, 525, (5.0, 9.0)),
    Build("Linux", "x86_64", CPU, _INDEX + "cpu", 200, 850),
    Build("Linux", "aarch64", CUDA, _INDEX + "cu130", 2500, 5500, 580, (8.0, 99)),
    Build("Linux", "aarch64", CUDA, _INDEX + "cu126", 3200, 7000, 525, (8.0, 9.0)),
    Build("Linux", "aarch64", CPU, _INDEX + "cpu", 150, 600),
    Build("Windows", "AMD64", CUDA, _INDEX + "cu130", 1900, 4500, 580, (7.5, 99)),
    Build("Windows", "AMD64", CUDA, _INDEX + "cu126", 2600, 5500, 528, (5.0, 9.0)),
    Build("Windows", "AMD64", CPU, None, 130, 700),
    Build("Darwin", "arm64", CPU, None, 100, 500),  # uses the Mac's GPU too
)


@dataclass(frozen=True)
class Gpu:
    """An NVIDIA card: its driver's major version and its compute capability; 0 if unknown."""

    driver: int
    capability: float


def find_gpu() -> Gpu | None:
    """The most capable NVIDIA card, or None where the system has no driver for one."""
    program = shutil.which("nvidia-smi") or shutil.which("/usr/lib/wsl/lib/nvidia-smi")
    if not program:
        return None
    query = [program, "--query-gpu=driver_version,compute_cap", "--format=csv,noheader"]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, timeout=30, check=True)
        return max(map(_parse_gpu, answer.stdout.splitlines()), key=lambda gpu: gpu.capability)
    except (OSError, subprocess.SubprocessError, ValueError):
        return Gpu(0, 0)  # the driver is broken, or older than the question


def _parse_gpu(line: str) -> Gpu:
    """One line of the answer, such as `580.65.06, 9.0`."""
    driver, capability = line.split(",")
    return Gpu(int(driver.split(".")[0]), float(capability))


def this_computer() -> tuple[str, str]:
    """System and machine as the table names them, of the Python that runs.

    On Windows the processor may be another than the one Python was built for.
    """
    if platform.system() == "Windows":
        return "Windows", sysconfig.get_platform().replace("win-", "").upper()
    return platform.system(), platform.machine()


def choose(system: str, machine: str, gpu: Gpu | None, asked: str | None) -> Build:
    """The build for a computer: the one asked for, else what its card and driver allow.

    Raises:
        SetupError: there is no such build for this computer.
    """
    builds = [build for build in BUILDS if (build.system, build.machine) == (system, machine)]
    if not builds:
        raise SetupError(
            f"PyTorch has no build for Python on {system} {machine}: Paceline runs on Linux, on "
            "Windows with a 64-bit x86 Python, and on Macs with Apple silicon."
        )
    cpu = next(build for build in builds if build.kind == CPU)
    cuda = [build for build in builds if build.kind == CUDA]
    fitting = next((build for build in cuda if gpu and _fits(build, gpu)), None)
    if asked == CPU:
        return cpu
    if asked != CUDA:
        return fitting or cpu
    if not cuda:
        raise SetupError(f"There is no CUDA on {system} {machine}: leave `--torch cuda` out.")
    if gpu and not fitting:
        raise SetupError(UNFIT_GPU)
    return fitting or cuda[0]  # no card to be seen: somebody prepares for one


def _fits(build: Build, gpu: Gpu) -> bool:
    lowest, highest = build.capability
    return gpu.driver >= build.driver and lowest <= gpu.capability <= highest

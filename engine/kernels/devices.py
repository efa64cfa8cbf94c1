"""Which devices torch can compute on here, and how much memory they have left.

torch is imported only to ask for a GPU: the memory of the CPU is known without it.
"""

import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from engine.base.errors import DeviceError
from engine.base.snapshot import DeviceFacts

if TYPE_CHECKING:
    import torch


def choose_device(name: str) -> "torch.device":
    """The device of that name; `auto` takes a GPU where torch has one.

    Raises:
        DeviceError: it is not there.
    """
    import torch

    present = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    if name == "auto":
        name = next(device for device, there in present.items() if there)
    if not present.get(name):
        usable = ", ".join(device for device, there in present.items() if there)
        raise DeviceError(
            f"torch cannot use the device {name} on this computer; it can use {usable}. "
            "A GPU needs its driver and a torch build for it."
        )
    return torch.device(name)


def free_bytes(device: str) -> int:
    """Memory that a model can still take on a device that is there, in bytes."""
    match device:
        case "cuda":
            import torch

            free, _ = torch.cuda.mem_get_info()
            # torch keeps what models gave back, for the next one.
            return int(free) + torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
        case "mps":
            import torch

            return torch.mps.recommended_max_memory() - torch.mps.current_allocated_memory()
        case _:
            return int(psutil.virtual_memory().available)


def present_devices() -> tuple[DeviceFacts, ...]:
    """The devices that are known here: of GPUs, those of a torch that is loaded already."""
    memory = psutil.virtual_memory()
    found = [DeviceFacts("cpu", _processor(), int(memory.available), int(memory.total))]
    if "torch" in sys.modules:
        found += _gpus()
    return tuple(found)


def _gpus() -> list[DeviceFacts]:
    import torch

    if torch.cuda.is_available():
        _, total = torch.cuda.mem_get_info()
        name = torch.cuda.get_device_name()
        return [DeviceFacts("cuda", name, free_bytes("cuda"), int(total))]
    if torch.backends.mps.is_available():
        total = torch.mps.recommended_max_memory()
        return [DeviceFacts("mps", "Apple GPU", free_bytes("mps"), int(total))]
    return []


def _processor() -> str:
    """What the processor is called, as far as the system tells."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
        names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        if name := next(names, ""):
            return name
    return platform.processor() or platform.machine()

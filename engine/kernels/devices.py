"""Which devices torch can compute on here."""

import psutil
import torch

from engine.base.errors import DeviceError


def choose_device(name: str) -> torch.device:
    """The device of that name; `auto` takes a GPU where torch has one.

    Raises:
        DeviceError: it is not there.
    """
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


def free_bytes(device: torch.device) -> int:
    """Memory that can still be taken on a device, in bytes."""
    match device.type:
        case "cuda":
            free, _ = torch.cuda.mem_get_info(device)
            return int(free)
        case "mps":
            return torch.mps.recommended_max_memory() - torch.mps.current_allocated_memory()
        case _:
            return int(psutil.virtual_memory().available)

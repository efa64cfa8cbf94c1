"""Which devices torch can compute on here."""

import torch

from engine.base.errors import DeviceError

NAMES = ("auto", "cpu", "cuda", "mps")


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

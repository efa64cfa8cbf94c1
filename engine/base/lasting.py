"""What stays as long as the process, kept from the garbage collector."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def kept_from_collector() -> Iterator[None]:
    """Collect nothing meanwhile, and never again what is there at the end.

    Importing torch and reading a vocabulary make a million objects that stay. Collecting among them
    is a fifth of that time, and later a full collection holds every thread for 50 to 130 ms.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()

"""How much memory this process has used at most."""

import sys
from pathlib import Path


def peak_bytes() -> int:
    """Peak resident memory in bytes, mapped pages of files included."""
    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    if sys.platform == "darwin":
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Not `ru_maxrss`: on Linux a program takes that figure over from the one that started it.
    status = Path("/proc/self/status").read_text()
    kibibytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    return 1024 * int(kibibytes)

"""How much memory this process has used at most."""

import sys


def peak_bytes() -> int:
    """Peak resident memory in bytes, mapped pages of files included."""
    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak  # Linux counts in KiB

"""Where the files lie that come with the program."""

from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
"""What holds the packages: a checkout, or the folder they are installed in."""


def resources_dir() -> Path:
    """Inside the window's package when installed, beside the packages in a checkout."""
    installed = _ROOT / "app" / "resources"
    return installed if installed.is_dir() else _ROOT / "resources"

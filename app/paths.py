"""Where things lie: the person's data, and the fonts and icons that come with the program."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def default_data_dir() -> Path:
    """The folder the system keeps for this program's data."""
    from platformdirs import user_data_path

    return user_data_path("Paceline", appauthor=False)


def resources_dir() -> Path:
    """Inside the package when installed, beside it in a checkout."""
    installed = PACKAGE / "resources"
    return installed if installed.is_dir() else PACKAGE.parent / "resources"

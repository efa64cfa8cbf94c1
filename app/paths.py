"""Where things lie: the person's data, and the fonts and icons that come with the program."""

from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parent


class GuideFiles(NamedTuple):
    """The guide, a small model that comes with the program, and what drafts for it."""

    target: Path
    draft: Path


def default_data_dir() -> Path:
    """The folder the system keeps for this program's data."""
    from platformdirs import user_data_path

    return user_data_path("Paceline", appauthor=False)


def resources_dir() -> Path:
    """Inside the package when installed, beside it in a checkout."""
    installed = PACKAGE / "resources"
    return installed if installed.is_dir() else PACKAGE.parent / "resources"


def guide_files() -> GuideFiles:
    """Where the guide lies."""
    models = resources_dir() / "models"
    return GuideFiles(models / "guide.gguf", models / "guide-draft.gguf")

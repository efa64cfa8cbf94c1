"""The guide, a small model that comes with the program, by its name."""

import argparse
from pathlib import Path

from engine.base.errors import RequestError
from engine.base.resources import resources_dir

NAME = Path("guide")
TARGET_FILE, DRAFT_FILE = "guide.gguf", "guide-draft.gguf"


def name_guide(options: argparse.Namespace) -> None:
    """Put the guide's files where its name was given; a file of that name comes first.

    Its draft drafts unless the options name another, or say how to draft without one.

    Raises:
        RequestError: this installation has no guide.
    """
    if getattr(options, "model", None) != NAME or NAME.exists():
        return
    models = resources_dir() / "models"
    options.model = models / TARGET_FILE
    if not options.model.is_file():
        raise RequestError(
            "The built-in guide is missing from this installation; name a model's file instead."
        )
    if "draft" in options and options.draft is None and _wants_draft(options):
        options.draft = models / DRAFT_FILE


def _wants_draft(options: argparse.Namespace) -> bool:
    asked: tuple[str, ...] | None = getattr(options, "spec", None)
    return asked is None or not {"draft", "auto"}.isdisjoint(asked)

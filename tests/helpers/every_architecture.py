"""A small model of any architecture that the engine runs."""

from pathlib import Path

from tests.helpers.alike_models import ALIKE
from tests.helpers.described_model import DESCRIBED
from tests.helpers.shared import shared_model, shared_path
from tests.helpers.tiny_model import SMALLEST
from tests.helpers.tiny_recurrent import RECURRENT


def small_model(architecture: str, folder: Path) -> Path:
    """One that tests write, into `folder`, or else the one whose logits are recorded."""
    if made := (SMALLEST | RECURRENT | DESCRIBED | ALIKE).get(architecture):
        return made.write(folder / f"{architecture}.gguf")
    for kind in ("dense", "moe"):
        name = f"{architecture}-{kind}.gguf"
        if any(shared_path("models", "arch", name + ending).exists() for ending in ("", ".xz")):
            return shared_model(f"arch/{name}")
    raise LookupError(f"there is no small model of the architecture {architecture}")

"""Opens models in every format that is read. Importing this does not load torch."""

from pathlib import Path

from engine.gguf.model_file import ModelFile
from engine.gguf.reader import open_gguf


def open_model_file(path: Path) -> ModelFile:
    """Read and check what a model says of itself, and map its weights.

    Raises:
        PacelineError: there is no model that can be used; the message says why.
    """
    return open_gguf(path)

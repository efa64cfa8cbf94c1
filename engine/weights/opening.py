"""Opens models in every format that is read. Importing this does not load torch."""

from pathlib import Path
from typing import TypeAlias

from engine.gguf.model_file import ModelFile
from engine.gguf.reader import open_gguf
from engine.gguf.split import named_parts
from engine.huggingface.folder import open_folder
from engine.huggingface.layout import is_model_folder

Stamp: TypeAlias = tuple[tuple[str, int, int], ...]


def open_model_file(path: Path) -> ModelFile:
    """Read and check what a model says of itself, and map its weights.

    Args:
        path: a file in GGUF, or a folder in Hugging Face's layout.

    Raises:
        PacelineError: there is no model that can be used; the message says why.
    """
    return open_folder(path) if is_model_folder(path) else open_gguf(path)


def stamp(path: Path) -> Stamp:
    """What tells a model from another that took its place: sizes and times of its files."""
    try:
        files = sorted(path.iterdir()) if path.is_dir() else named_parts(path)
        states = [(file.name, file.stat()) for file in files]
    except OSError:
        return ()
    return tuple((name, state.st_size, state.st_mtime_ns) for name, state in states)

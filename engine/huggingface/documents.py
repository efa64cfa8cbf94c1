"""The JSON documents of a model's folder, read with bounds; their content is a stranger's."""

import json
from pathlib import Path
from typing import BinaryIO, TypeAlias

from engine.base.errors import ModelFileError
from engine.gguf.defects import quoted

Document: TypeAlias = dict[str, object]

MOST_CONFIG_BYTES = 4 << 20
MOST_ITEMS = 1 << 21
"""Values of a document together. The largest tokenizers have 800,000, with both halves of a merge
counted; the bound keeps a file from turning into Python objects without end."""


def broken(path: Path, defect: str) -> ModelFileError:
    """The error for a file of a folder that contradicts itself."""
    return ModelFileError(
        f"{quoted(path.name)} in this model's folder is damaged: {defect}. Download it again."
    )


def unreadable(path: Path, error: OSError) -> ModelFileError:
    """The error for a file of a folder that cannot be read."""
    if isinstance(error, FileNotFoundError):
        sentence = (
            f"{quoted(path.name)} is missing from this model's folder; its download may not be "
            "complete. Download it again."
        )
    else:
        sentence = (
            f"“{path}” cannot be read ({error.strerror}). Check its permissions and the disk."
        )
    return ModelFileError(sentence, details=str(error))


def read_document(path: Path, most_bytes: int = MOST_CONFIG_BYTES) -> Document:
    """The JSON object in a file.

    Raises:
        ModelFileError: it is missing, unreadable, too large, or no JSON object.
    """
    try:
        with path.open("rb") as file:
            return parse_document(path, _limited(path, file, most_bytes))
    except OSError as error:
        raise unreadable(path, error) from error


def read_optional(path: Path) -> Document:
    """As `read_document`, with an empty one where there is no such file."""
    return read_document(path) if path.is_file() else {}


def parse_document(path: Path, raw: bytes) -> Document:
    """The JSON object that a file, or a part of it, holds; raises as `read_document` does."""
    if raw.count(b",") + raw.count(b"[") + raw.count(b"{") > MOST_ITEMS:
        raise broken(path, f"it lists more than {MOST_ITEMS:,} values")
    try:
        document = json.loads(raw, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        raise broken(path, "it is not JSON that can be read") from error
    if not isinstance(document, dict):
        raise broken(path, "it is not a JSON object")
    return document


def _whole(digits: str) -> int:
    """A whole number.

    In Python, so that other threads get their turn between the numbers: a vocabulary has 250,000,
    and the parser alone would hold the interpreter, and the window, for half a second.
    """
    return int(digits)


def _limited(path: Path, file: BinaryIO, most_bytes: int) -> bytes:
    raw = file.read(most_bytes + 1)
    if len(raw) > most_bytes:
        raise broken(path, f"it is larger than the {most_bytes >> 20} MiB that such a file takes")
    return raw

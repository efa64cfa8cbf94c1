"""Sentences for what can be wrong with a model file: the cause, and what would help."""

from engine.base.errors import ModelFileError

_LONGEST_QUOTE = 60


def damaged(defect: str) -> ModelFileError:
    """The error for a file whose content contradicts itself."""
    return ModelFileError(
        f"This file is damaged: {defect}. Download it again or choose another file."
    )


def unknown_type(place: str, type_id: int) -> ModelFileError:
    """The error for a type that the format has no name for, or not yet."""
    return ModelFileError(
        f"In this file {place} is of the unknown type {type_id}. It is damaged, or newer than "
        "this version of Paceline; update, or choose another file."
    )


def cut_short(present_bytes: int, needed_bytes: int) -> ModelFileError:
    """The error for a file whose tensors reach past its end."""
    present, needed = _size(present_bytes), _size(needed_bytes)
    if present == needed:
        present, needed = f"{present_bytes:,}", f"{needed_bytes:,} bytes"
    return ModelFileError(
        f"This file is cut short: {present} of {needed} are there. Download it again."
    )


def cut_short_in_header(present_bytes: int) -> ModelFileError:
    """The error for a file that ends before the table of its tensors does."""
    return ModelFileError(
        f"This file is cut short: it ends inside its header, after {_size(present_bytes)}. "
        "Download it again."
    )


def quoted(text: str) -> str:
    """A name from a file, fit for a sentence: in quotes, printable and not too long."""
    shown = text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"
    return '"' + "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in shown) + '"'


def _size(num_bytes: int) -> str:
    """In decimal units, as download pages and file managers give it."""
    size, units = float(num_bytes), ["bytes", "kB", "MB", "GB", "TB"]
    while size >= 999.95 and len(units) > 1:
        size /= 1000
        del units[0]
    return f"{num_bytes} bytes" if units[0] == "bytes" else f"{size:.1f} {units[0]}"

"""What a file that is no GGUF file most likely is, told from its first bytes."""

import codecs

from engine.base.errors import ModelFileError

SNIFFED_BYTES = 512

_LARGEST_SAFETENSORS_HEADER = 100_000_000  # the safetensors library's own limit

_CHOOSE = "Choose a file in the GGUF format."
_UNPACK = "Unpack it first."
_WEB_PAGE = "a web page, perhaps the answer to a failed download. Download it again."
_OLD_GGML = f"a GGML file, the format before GGUF. {_CHOOSE}"

# First bytes, letters in lower case → the rest of “This file is …”.
_LIKENESSES = {
    b"pk\x03\x04": f"a zip archive, perhaps a PyTorch checkpoint. {_CHOOSE}",
    b"\x80\x02": f"a Python pickle, perhaps an old PyTorch checkpoint. {_CHOOSE}",
    b"version https://git-lfs": (
        "a Git LFS pointer that stands for the real file. "
        "Run “git lfs pull”, or download the file itself."
    ),
    b"<!doctype html": _WEB_PAGE,
    b"<html": _WEB_PAGE,
    b"{": f"JSON text, perhaps a model's settings or a server's answer. {_CHOOSE}",
    b"lmgg": _OLD_GGML,
    b"fmgg": _OLD_GGML,
    b"tjgg": _OLD_GGML,
    b"\x1f\x8b": f"compressed with gzip. {_UNPACK}",
    b"\xfd7zxz\x00": f"compressed with xz. {_UNPACK}",
    b"\x28\xb5\x2f\xfd": f"compressed with zstd. {_UNPACK}",
    b"7z\xbc\xaf\x27\x1c": f"a 7z archive. {_UNPACK}",
}


def not_gguf(start: bytes) -> ModelFileError:
    """The error for a file that does not begin as GGUF does.

    Args:
        start: the file's first `SNIFFED_BYTES` bytes, fewer where it has fewer.
    """
    return ModelFileError(f"This file is {_likeness(start)}")


def _likeness(start: bytes) -> str:
    if _is_safetensors(start):
        return (
            "in the safetensors format. Choose the folder it lies in, with config.json beside it."
        )
    if not start:
        return "empty. Download it again."
    if not any(start):
        return "still being downloaded, or its download stopped: it begins with zeros."
    text = start.removeprefix(codecs.BOM_UTF8).lstrip().lower()
    for signature, likeness in _LIKENESSES.items():
        if text.startswith(signature):
            return likeness
    return f"not a GGUF model. {_CHOOSE}"


def _is_safetensors(start: bytes) -> bool:
    """A uint64 length, and a JSON object of that length."""
    return start[8:9] == b"{" and int.from_bytes(start[:8], "little") <= _LARGEST_SAFETENSORS_HEADER

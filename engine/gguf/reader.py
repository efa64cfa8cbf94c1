"""Opens GGUF files: the header parsed and checked, the tensors' bytes mapped into memory."""

import mmap
import os
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.base.errors import ModelFileError
from engine.gguf.header import Header, read_header
from engine.gguf.model_file import ModelFile
from engine.gguf.split import joined, num_parts, parts_beside
from engine.gguf.tensors import TensorInfo

__all__ = ["GgufFile", "TensorInfo", "open_gguf"]

_BUFFER_BYTES = 1 << 18  # most headers take a few reads of the disk


class GgufFile(ModelFile):
    """An open GGUF file, or the several of a split model, of which `path` is the first.

    `version` of the format is 2 or 3. Tensors are in file order.
    """

    def __init__(self, path: Path, header: Header, mappings: Sequence[mmap.mmap]) -> None:
        self.path = path
        self.version = header.version
        self.metadata = header.metadata
        self.tensors = header.tensors
        self.file_bytes = sum(len(mapping) for mapping in mappings)
        self._mappings = mappings

    def data(self, name: str) -> npt.NDArray[np.uint8]:
        """The bytes of a tensor as a read-only view of the mapping, shape `[nbytes]`."""
        tensor = self.tensors[name]
        mapping = self._mappings[tensor.part]
        return np.frombuffer(mapping, np.uint8, tensor.nbytes, tensor.offset)

    def complete(self, proceed: Callable[[], None]) -> None:
        """Nothing: every tensor lies in the file as it is used."""

    def release(self, name: str) -> None:
        """Give the memory that a tensor's mapping holds back to the system.

        Views stay valid: a page that is looked at again is read from the file again. Only whole
        pages within the tensor go, and none where the system has no such call.
        """
        if sys.platform != "win32":
            tensor = self.tensors[name]
            start = -(-tensor.offset // mmap.PAGESIZE) * mmap.PAGESIZE
            stop = (tensor.offset + tensor.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
            if start < stop:
                mapping = self._mappings[tensor.part]
                mapping.madvise(mmap.MADV_DONTNEED, start, stop - start)

    def close(self) -> None:
        """Unmap the file; while views of its data live, they keep the mapping alive."""
        for mapping in self._mappings:
            with suppress(BufferError):
                mapping.close()


def open_gguf(path: Path) -> GgufFile:
    """Read and check a GGUF file's header, and map the file.

    Of a model that is split into several files any will do; the others are opened with it.

    Raises:
        ModelFileError: the file is missing, unreadable, no GGUF file, cut short or damaged.
    """
    header, mapping = opened = _open_part(path)
    if num_parts(header.metadata) == 1:
        return GgufFile(path, header, [mapping])
    paths = parts_beside(path, header.metadata)
    parts = [opened if part == path else _open_named_part(part) for part in paths]
    return GgufFile(paths[0], joined([header for header, _ in parts]), [part for _, part in parts])


def _open_part(path: Path) -> tuple[Header, mmap.mmap]:
    try:
        _require_regular(path)
        with path.open("rb", buffering=_BUFFER_BYTES) as file:
            file_bytes = os.fstat(file.fileno()).st_size
            header = read_header(file, file_bytes)
            return header, mmap.mmap(file.fileno(), file_bytes, access=mmap.ACCESS_READ)
    except OSError as error:
        raise _unreadable(path, error) from error


def _open_named_part(path: Path) -> tuple[Header, mmap.mmap]:
    """As `_open_part`, with the file's name in what is wrong with it."""
    try:
        return _open_part(path)
    except ModelFileError as error:
        raise ModelFileError(
            f"“{path.name}”, a part of this model, cannot be used. {error}", details=error.details
        ) from error


def _require_regular(path: Path) -> None:
    """Opening a pipe would wait for a writer, so this comes before."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise ModelFileError(
            f"“{path}” is a folder. Choose a GGUF file inside it, or a model's folder with a "
            "config.json and safetensors files."
        )
    if not stat.S_ISREG(mode):
        raise ModelFileError(f"“{path}” is not a regular file. Choose a GGUF file.")


def _unreadable(path: Path, error: OSError) -> ModelFileError:
    match error:
        case FileNotFoundError():
            sentence = f"There is no file “{path}”. It may have been moved or deleted."
        case PermissionError():
            sentence = (
                f"“{path}” may not be read. Check the permissions of the file and its folder."
            )
        case _:
            sentence = f"“{path}” cannot be read ({error.strerror}). Check the disk it lies on."
    return ModelFileError(sentence, details=str(error))

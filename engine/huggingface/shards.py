"""The safetensors files of a folder, mapped into memory."""

import mmap
import os
import sys
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.base.errors import ModelFileError
from engine.huggingface.documents import broken, read_document, unreadable
from engine.huggingface.layout import CONFIG, PICKLE_SUFFIX, WEIGHTS_SUFFIX
from engine.huggingface.safetensors import StoredTensor, read_header

INDEX = "model.safetensors.index.json"
_WHOLE = f"model{WEIGHTS_SUFFIX}"
_OTHER_FORMATS = ("consolidated", "adapter")  # beginnings of files beside the model's own
_MOST_SHARDS = 1 << 12

_TYPES: dict[str, type[np.generic]] = {
    "F64": np.float64,
    "F32": np.float32,
    "F16": np.float16,
    "BF16": np.uint16,  # its bits: numpy has no such type
    "U8": np.uint8,  # no numbers, but blocks of them
}


@dataclass(frozen=True, slots=True)
class Shard:
    """A mapped file and where its tensors lie."""

    path: Path
    mapping: mmap.mmap
    tensors: dict[str, StoredTensor]


@dataclass(frozen=True, slots=True)
class Placed:
    """A tensor in its file."""

    shard: Shard
    stored: StoredTensor

    @property
    def is_float(self) -> bool:
        """Whether it holds plain floats; packed formats and counters are something else."""
        return self.stored.dtype in _TYPES and self.stored.dtype != "U8"

    @property
    def is_aligned(self) -> bool:
        """Whether it can be used where it lies."""
        return self.stored.offset % np.dtype(_TYPES[self.stored.dtype]).itemsize == 0

    def view(self) -> npt.NDArray[np.generic]:
        """Its elements as they lie in the file, not to be written; BF16 as the bits."""
        stored, type_ = self.stored, _TYPES[self.stored.dtype]
        raw = np.frombuffer(self.shard.mapping, np.uint8, stored.nbytes, stored.offset)
        return raw.view(type_).reshape(stored.shape)

    def release(self) -> None:
        """Give the whole pages within it back to the system; they return from the disk."""
        if sys.platform != "win32":
            start = -(-self.stored.offset // mmap.PAGESIZE) * mmap.PAGESIZE
            stop = (self.stored.offset + self.stored.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
            if start < stop:
                self.shard.mapping.madvise(mmap.MADV_DONTNEED, start, stop - start)


class Shards:
    """All tensors of a folder, by their own names.

    Attributes:
        tensors: in the order of the names.
        file_bytes: what the files take together.
    """

    def __init__(self, folder: Path) -> None:
        """Open the files and check their headers.

        Raises:
            ModelFileError: one is missing, unreadable, cut short or damaged.
        """
        with ExitStack() as undo:
            self._shards: list[Shard] = []
            for path in shard_paths(folder):
                self._shards.append(_open(path))
                undo.callback(_close, self._shards[-1])
            placed = {
                name: Placed(shard, stored)
                for shard in self._shards
                for name, stored in shard.tensors.items()
            }
            self.tensors = dict(sorted(placed.items()))
            self.file_bytes = sum(len(shard.mapping) for shard in self._shards)
            undo.pop_all()

    def close(self) -> None:
        """Unmap the files; while views of them live, they keep the mappings alive."""
        for shard in self._shards:
            _close(shard)


def shard_paths(folder: Path) -> list[Path]:
    """The files that hold a model's weights: those of the index, else all that are there.

    Raises:
        ModelFileError: there are none, or the index makes no sense.
    """
    index = folder / INDEX
    if index.is_file():
        return [folder / name for name in _indexed(index)]
    if (folder / _WHOLE).is_file():
        return [folder / _WHOLE]
    try:
        names = sorted(path.name for path in folder.iterdir() if path.suffix == WEIGHTS_SUFFIX)
    except OSError as error:
        raise unreadable(folder, error) from error
    if own := [name for name in names if not name.startswith(_OTHER_FORMATS)]:
        return [folder / name for name in own]
    if any(folder.glob(f"*{PICKLE_SUFFIX}")):
        raise ModelFileError(
            "This folder holds its weights as Python pickles (.bin), which can run code when they "
            "are opened, so they never are. Choose a version of the model in safetensors or GGUF."
        )
    raise ModelFileError(
        f"“{folder}” has a {CONFIG} and no weights beside it. Its download may not be complete."
    )


def _indexed(index: Path) -> list[str]:
    """The names of the files in an index, each once; they lie beside it and nowhere else."""
    weights = read_document(index, 32 << 20).get("weight_map")
    if not isinstance(weights, dict) or not weights:
        raise broken(index, "it names no tensors")
    names = set(weights.values()) if all(isinstance(v, str) for v in weights.values()) else set()
    if not 0 < len(names) <= _MOST_SHARDS or any(not _is_plain(name) for name in names):
        raise broken(index, "it names no files that could hold a model's weights")
    return sorted(names)


def _is_plain(name: str) -> bool:
    return name.endswith(WEIGHTS_SUFFIX) and "\0" not in name and Path(name).name == name


def _open(path: Path) -> Shard:
    try:
        if not path.is_file():
            raise FileNotFoundError(path)  # a pipe would wait for a writer
        with path.open("rb") as file:
            file_bytes = os.fstat(file.fileno()).st_size
            tensors = read_header(path, file, file_bytes)
            mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError):
            raise unreadable(path, error) from error
        raise broken(path, "it is empty") from error
    return Shard(path, mapping, tensors)


def _close(shard: Shard) -> None:
    with suppress(BufferError):
        shard.mapping.close()

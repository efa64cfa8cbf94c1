"""What a model lies in, whatever its format; everything behind reads it in GGUF's terms."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from engine.gguf.metadata import Metadata
from engine.gguf.tensors import TensorInfo


class ModelFile(ABC):
    """An open model. Use it as a context manager, or call `close`.

    Attributes:
        path: the file, or the folder, that it lies in.
        metadata: what it says of itself, under GGUF's keys.
        tensors: by GGUF's names; each is known to lie whole in the file.
        file_bytes: what it takes on the disk.
    """

    path: Path
    metadata: Metadata
    tensors: Mapping[str, TensorInfo]
    file_bytes: int

    @abstractmethod
    def data(self, name: str) -> npt.NDArray[np.uint8]:
        """The bytes of a tensor, shape `[nbytes]`, not to be written."""

    @abstractmethod
    def complete(self, proceed: Callable[[], None]) -> None:
        """Put together the matrices handed out so far that do not lie in the file as they are.

        Until then large ones hold nothing: so a model can be planned for without its memory.

        Args:
            proceed: called before each; may raise to stop.
        """

    @abstractmethod
    def release(self, name: str) -> None:
        """Give the memory that a tensor's mapping holds back to the system; views stay valid."""

    @abstractmethod
    def close(self) -> None:
        """Let the file go; views of its data stay valid."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

"""The weights of a model file, taken by name; what nobody took is known at the end."""

from torch.utils.dlpack import from_dlpack

from engine.gguf.defects import damaged, quoted
from engine.gguf.model_file import ModelFile
from engine.weights.quant_tensor import QuantTensor
from engine.weights.quant_types import quant_type


class WeightSource:
    """Hands out a file's tensors in their blocks, without copying them, and keeps the account.

    A tensor may be taken more than once: a tied output is the embedding again.
    """

    def __init__(self, file: ModelFile) -> None:
        self._file = file
        self._taken: set[str] = set()

    def take(self, name: str, shape: tuple[int, ...] | None = None) -> QuantTensor:
        """The tensor of this name, mapped from the file.

        Args:
            name: as in the file.
            shape: what it must have, outermost first; None accepts any.

        Raises:
            ModelFileError: it is missing, or has another shape.
            UnsupportedModelError: its type is none that this engine reads.
        """
        tensor = self.take_optional(name, shape)
        if tensor is None:
            raise damaged(f"tensor {quoted(name)} is missing")
        return tensor

    def has(self, name: str) -> bool:
        """Whether the file has a tensor of this name."""
        return name in self._file.tensors

    def take_optional(self, name: str, shape: tuple[int, ...] | None = None) -> QuantTensor | None:
        """As `take`, with None where the file has no such tensor."""
        info = self._file.tensors.get(name)
        if info is None:
            return None
        if shape is not None and _spelled_out(info.shape) != _spelled_out(shape):
            raise damaged(
                f"tensor {quoted(name)} has the shape {list(info.shape)}, "
                f"and the model's settings ask for {list(shape)}"
            )
        # The mapping is read-only: DLPack accepts that, `from_numpy` and `frombuffer` warn.
        data = from_dlpack(self._file.data(name))
        scales = self._scales(name, info.shape)
        tensor = QuantTensor(name, data, quant_type(info.type), shape or info.shape, scales)
        self._taken.add(name)
        return tensor

    def _scales(self, name: str, shape: tuple[int, ...]) -> tuple[float, ...]:
        """The factors that a file keeps beside the blocks of a weight, of NVFP4 above all.

        Writers call them `x.scale` or `x.weight.scale` beside `x.weight`. Those called input_scale
        are of use only where activations are in NVFP4 too; one for each column of a matrix are no
        factors of blocks, but the gains of a norm before it.
        """
        stem = name.removesuffix(".weight")
        if stem == name:
            return ()
        self._taken.add(f"{stem}.input_scale")
        for scale in (f"{stem}.scale", f"{name}.scale"):
            found = self._file.tensors.get(scale)
            if found and (len(shape) > 2 or found.shape != shape[-1:]):
                return tuple(self.take(scale).decode().flatten().tolist())
        return ()

    def leave(self, prefix: str) -> None:
        """Count tensors whose names begin so as taken: they are known, and of no use now."""
        self._taken.update(name for name in self._file.tensors if name.startswith(prefix))

    def release(self, name: str) -> None:
        """Let the system drop a tensor's pages from memory; they return from disk on next use."""
        self._file.release(name)

    def unconsumed(self) -> tuple[str, ...]:
        """Names of tensors that nobody took, in the file's order."""
        return tuple(name for name in self._file.tensors if name not in self._taken)


def _spelled_out(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Without outer dimensions of one, which GGUF leaves out."""
    outer = next((index for index, size in enumerate(shape[:-1]) if size > 1), len(shape) - 1)
    return shape[max(0, outer) :]

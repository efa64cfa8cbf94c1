"""How each way of computing uses the memory of its device: one row each; no torch."""

from dataclasses import dataclass, replace
from typing import Self

from engine.kernels.native_library import LIBRARY

MIB = 1 << 20

TORCH_RUNTIME_BYTES = 256 * MIB
"""Resident after the first pass of a tiny model: Python, torch's libraries and the engine's modules
(248 MiB with torch 2.13 on Linux)."""

CUDA_RUNTIME_BYTES = 512 * MIB
"""A CUDA context with torch's kernels; an estimate, to be measured where there is a GPU."""

VOCABULARY_ENTRY_BYTES = 360
"""A token with its merge, in the header and in the tokenizer (280 to 350 for 152k and 248k)."""

LIBRARY_BYTES = 128 * MIB
"""What decoding, matrix libraries and allocators hold beside the values of a pass."""


@dataclass(frozen=True, slots=True)
class BackendMemory:
    """What a backend keeps where it computes.

    Attributes:
        on_host: it computes in the memory of the process: plain floats and the embedding's rows are
            read from the mapped file, and the vocabulary lies beside them.
        copy_per_native_byte, copy_per_block_element: bytes of its copy of a quantised matrix, for
            each byte that the native layout takes and each element of the matrix.
        prompt_rows: how many prompt rows are computed together.
        runtime_bytes: taken once for all models, by torch and the device's libraries.
        vocabulary_entry_bytes: taken for each token of the vocabulary.
        library_bytes: held while a model is loaded and run, whatever its size.
    """

    on_host: bool
    copy_per_native_byte: float
    copy_per_block_element: int
    prompt_rows: int
    runtime_bytes: int
    vocabulary_entry_bytes: int
    library_bytes: int = LIBRARY_BYTES

    def started(self) -> Self:
        """The same where the runtime is loaded already, and takes nothing more."""
        return replace(self, runtime_bytes=0)


CPU_TORCH = BackendMemory(
    on_host=True,
    copy_per_native_byte=0,
    copy_per_block_element=2,  # float16
    prompt_rows=64,
    runtime_bytes=TORCH_RUNTIME_BYTES,
    vocabulary_entry_bytes=VOCABULARY_ENTRY_BYTES,
)

CPU_NATIVE = BackendMemory(
    on_host=True,
    copy_per_native_byte=1.02,  # tiles are padded, and chunks of the arena end unused
    copy_per_block_element=0,
    prompt_rows=128,
    runtime_bytes=TORCH_RUNTIME_BYTES,
    vocabulary_entry_bytes=VOCABULARY_ENTRY_BYTES,
)

GPU_TORCH = BackendMemory(
    on_host=False,
    copy_per_native_byte=0,
    copy_per_block_element=2,  # float16
    prompt_rows=512,
    runtime_bytes=CUDA_RUNTIME_BYTES,
    vocabulary_entry_bytes=0,
)

TORCH_BACKENDS = {"cpu": CPU_TORCH, "cuda": GPU_TORCH, "mps": GPU_TORCH}
"""What serves each device while torch does."""


def likely_backends() -> dict[str, BackendMemory]:
    """What will serve each device, as far as that is known before torch is loaded."""
    return TORCH_BACKENDS | ({"cpu": CPU_NATIVE} if LIBRARY.exists() else {})

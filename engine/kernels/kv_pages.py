"""Pages of keys and values in their element types: how rows are rounded into them and read back.

A pass reads its own new keys back after rounding, as later passes will, so what a row sees does not
depend on the pass that wrote it.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch

from engine.base.errors import RequestError
from engine.kernels.state_memory import empty
from engine.kernels.state_types import ELEMENT_BYTES, PAGE_POSITIONS, Q8_0_BLOCK


@dataclass(frozen=True, slots=True)
class PlaneStorage:
    """Where a plane's elements lie, for backends that read and write them there.

    Attributes:
        kv_type: a key of `ELEMENT_BYTES`.
        elements: `[pages, heads, PAGE_POSITIONS, dim]`, floats or codes.
        scales: of q8_0, `[pages, heads, PAGE_POSITIONS, dim / Q8_0_BLOCK]`.
    """

    kv_type: str
    elements: torch.Tensor
    scales: torch.Tensor | None = None


class Plane(ABC):
    """Keys or values of one layer for all pages: `[pages, heads, PAGE_POSITIONS, dim]`."""

    dim: int

    @property
    @abstractmethod
    def storage(self) -> PlaneStorage:
        """Where the elements lie; the same for the plane's life."""

    @abstractmethod
    def write(self, page: int, first: int, rows: torch.Tensor) -> None:
        """Round `rows` (float32 `[n, heads, dim]`) into a page from its position `first` on."""

    @abstractmethod
    def read(self, page: int, count: int) -> torch.Tensor:
        """The first `count` positions of a page, float32 `[heads, count, dim]`."""

    @abstractmethod
    def copy_page(self, source: int, target: int) -> None:
        """Copy a whole page."""

    @abstractmethod
    def poison(self, page: int, first: int) -> None:
        """Fill positions from `first` on with NaN, so that reading what is not live shows."""

    @abstractmethod
    def stored_bytes(self, page: int, count: int) -> bytes:
        """What is stored for the first `count` positions, position by position."""


class FloatPlane(Plane):
    """Elements kept as f32 or f16."""

    def __init__(
        self, pages: int, heads: int, dim: int, dtype: torch.dtype, device: torch.device
    ) -> None:
        self.dim = dim
        self._data = empty((pages, heads, PAGE_POSITIONS, dim), dtype, device)

    @property
    def storage(self) -> PlaneStorage:
        return PlaneStorage("f32" if self._data.dtype == torch.float32 else "f16", self._data)

    def write(self, page: int, first: int, rows: torch.Tensor) -> None:
        self._data[page, :, first : first + rows.shape[0]] = rows.transpose(0, 1)

    def read(self, page: int, count: int) -> torch.Tensor:
        return self._data[page, :, :count].float()

    def copy_page(self, source: int, target: int) -> None:
        self._data[target] = self._data[source]

    def poison(self, page: int, first: int) -> None:
        self._data[page, :, first:] = torch.nan

    def stored_bytes(self, page: int, count: int) -> bytes:
        return _bytes(self._data[page, :, :count])


class Q8Plane(Plane):
    """Elements kept as q8_0: int8 codes, one half-precision scale for 32 (ggml's block format)."""

    def __init__(self, pages: int, heads: int, dim: int, device: torch.device) -> None:
        self.dim = dim
        shape = (pages, heads, PAGE_POSITIONS, dim // Q8_0_BLOCK)
        self._codes = empty((*shape, Q8_0_BLOCK), torch.int8, device)
        self._scales = empty((*shape, 1), torch.float16, device)

    @property
    def storage(self) -> PlaneStorage:
        return PlaneStorage("q8_0", self._codes.flatten(-2), self._scales.squeeze(-1))

    def write(self, page: int, first: int, rows: torch.Tensor) -> None:
        blocks = rows.view(*rows.shape[:2], -1, Q8_0_BLOCK).transpose(0, 1)
        scale = blocks.abs().amax(-1, keepdim=True) / 127.0
        inverse = torch.where(scale > 0, 1.0 / scale, 0.0)
        kept = slice(first, first + rows.shape[0])
        self._codes[page, :, kept] = torch.round(blocks * inverse).to(torch.int8)
        self._scales[page, :, kept] = scale.half()

    def read(self, page: int, count: int) -> torch.Tensor:
        codes, scales = self._codes[page, :, :count], self._scales[page, :, :count]
        return (codes.float() * scales.float()).flatten(-2)

    def copy_page(self, source: int, target: int) -> None:
        self._codes[target] = self._codes[source]
        self._scales[target] = self._scales[source]

    def poison(self, page: int, first: int) -> None:
        self._scales[page, :, first:] = torch.nan

    def stored_bytes(self, page: int, count: int) -> bytes:
        return _bytes(self._codes[page, :, :count]) + _bytes(self._scales[page, :, :count])


class PrefixPlane(Plane):
    """Values that are the first dimensions of the keys, and are stored with them."""

    def __init__(self, keys: Plane, dim: int) -> None:
        self._keys = keys
        self.dim = dim

    @property
    def storage(self) -> PlaneStorage:
        return self._keys.storage

    def write(self, page: int, first: int, rows: torch.Tensor) -> None:
        """Nothing: the keys are written."""

    def read(self, page: int, count: int) -> torch.Tensor:
        return self._keys.read(page, count)[..., : self.dim]

    def copy_page(self, source: int, target: int) -> None:
        """Nothing: the keys are copied."""

    def poison(self, page: int, first: int) -> None:
        """Nothing: the keys are poisoned."""

    def stored_bytes(self, page: int, count: int) -> bytes:
        return b""


def _bytes(stored: torch.Tensor) -> bytes:
    """Bytes of `[heads, count, …]` in the order position, head, element."""
    return stored.transpose(0, 1).contiguous().cpu().view(torch.uint8).numpy().tobytes()


@dataclass(frozen=True, slots=True)
class LayerPages:
    """The keys and the values of one layer."""

    keys: Plane
    values: Plane


def make_plane(kv_type: str, pages: int, heads: int, dim: int, device: torch.device) -> Plane:
    """A plane of `pages` pages in one of the types of `ELEMENT_BYTES`.

    Raises:
        RequestError: the type is unknown, or q8_0 does not divide this model's heads.
    """
    match kv_type:
        case "f32":
            return FloatPlane(pages, heads, dim, torch.float32, device)
        case "f16":
            return FloatPlane(pages, heads, dim, torch.float16, device)
        case "q8_0" if dim % Q8_0_BLOCK == 0:
            return Q8Plane(pages, heads, dim, device)
        case "q8_0":
            raise RequestError(
                f"A q8_0 cache needs heads that are a multiple of {Q8_0_BLOCK} wide, and this "
                f"model's are {dim}. Choose f16."
            )
        case _:
            raise RequestError(
                f"There is no cache type {kv_type}. Choose one of {', '.join(ELEMENT_BYTES)}."
            )

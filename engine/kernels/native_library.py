"""The compiled library of CPU kernels, found and declared; `csrc/cpu/api.h` documents it."""

import ctypes
import sys
from ctypes import c_char_p, c_float, c_int32, c_int64, c_void_p
from functools import cache
from pathlib import Path
from weakref import finalize

from engine.base.errors import DeviceError, RequestError
from engine.kernels.native_grids import native_grids

_SUFFIXES = {"win32": ".dll", "darwin": ".dylib"}

LIBRARY = Path(__file__).with_name("paceline_cpu" + _SUFFIXES.get(sys.platform, ".so"))
"""Where the build puts it; it may be missing."""

_FAILURES: dict[int, type[Exception]] = {-1: RequestError, -2: MemoryError}
"""What `paceline_failure` in api.h means; anything else is a RuntimeError."""

BATCH_TABLES = (
    "tokens",
    "slots",
    "positions",
    "wants_logits",
    "page_table",
    "state_entry",
    "write_entry",
    "tape_start",
)
"""The tables of a `Batch` that the library reads, in the order of its struct."""


class BatchFields(ctypes.Structure):
    """`struct Batch` in `csrc/cpu/batch.h`."""

    _fields_ = (
        ("rows", c_int64),
        ("num_slots", c_int64),
        ("pages_per_slot", c_int64),
        *((name, c_void_p) for name in BATCH_TABLES),
    )


_MODEL_FUNCTIONS = {
    "add_matrix": (c_int32, c_int64, c_int64, c_int64, c_void_p),
    "set_scales": (c_int64, c_int64, c_void_p),
    "add_table": (c_int32, c_int64, c_int64, c_void_p),
    "add_vector": (c_int64, c_void_p),
    "add_buffer": (c_int64,),
    "add_embed": (c_int64, c_int64),
    "add_rms_norm": (c_int32, c_int64, c_int64, c_int64, c_float, c_int64),
    "add_layer_norm": (c_int32, *[c_int64] * 4, c_float),
    "add_gated_norm": (c_int32, *[c_int64] * 4, c_float),
    "add_linear": (c_int32, *[c_int64] * 4, c_int32),
    "add_glu": (c_int32, *[c_int64] * 3, c_int32),
    "add_activate": (c_int32, c_int64, c_int64, c_int32),
    "add_scale": (c_int32, c_int64, c_int64, c_float),
    "add_add": (c_int32, c_int64, c_int64, c_float),
    "add_soft_cap": (c_int32, c_int64, c_int64, c_float),
    "add_sigmoid_gate": (c_int32, *[c_int64] * 3),
    "add_split": (c_int32, c_int64, c_void_p, c_int64, c_int64),
    "add_clamped_glu": (c_int32, *[c_int64] * 3, c_float, c_float),
    "add_join": (c_int32, c_void_p, *[c_int64] * 3),
    "add_count": (c_int32, c_int64),
    "add_rotate": (*[c_int64] * 4, c_int32, c_int64),
    "add_store": (c_int64, c_int64, c_int64),
    "add_attention": (*[c_int64] * 4, c_float, c_int64, c_float, c_int64),
    "add_route": (c_int32, *[c_int64] * 4, c_int32, c_int64, c_int64, c_int32, c_float),
    "add_expert_linear": (c_int32, *[c_int64] * 5),
    "add_weighted_sum": (c_int32, *[c_int64] * 3, c_int32),
    "add_delta_rule": (*[c_int64] * 7, c_float, *[c_int64] * 5, c_int32, c_int64),
    "add_state_space": (*[c_int64] * 14,),
    "add_short_convolution": (*[c_int64] * 5,),
    "set_logits": (c_int64,),
    "bind_key_values": (c_int64, c_int32, *[c_int64] * 4, *[c_void_p] * 4),
    "bind_recurrent": (c_int64, *[c_void_p] * 2, *[c_int64] * 6),
    "run": (c_void_p, c_void_p),
    "fold": (c_int64, c_int64, c_int64),
    "poison": (),
}
"""Functions that take a model and return an identifier or zero, or a failure; their arguments."""


class NativeLibrary:
    """The functions of the library, with their failures as exceptions. Calls release the GIL."""

    def __init__(self, path: Path) -> None:
        """Load it.

        Raises:
            OSError: it is not there, or is for another system.
            AttributeError: it is of another version.
        """
        library = ctypes.CDLL(str(path))
        self.functions = {
            name: _declared(library, f"paceline_{name}", c_int64, c_void_p, *arguments)
            for name, arguments in _MODEL_FUNCTIONS.items()
        }
        self.error = _declared(library, "paceline_error", c_char_p)
        self.model_new = _declared(library, "paceline_model_new", c_void_p, c_int32, c_char_p)
        self.model_free = _declared(library, "paceline_model_free", None, c_void_p)
        self.isa = _declared(library, "paceline_isa", c_char_p, c_void_p)
        arguments = c_int32, c_void_p, c_int64, c_void_p
        set_grid = _declared(library, "paceline_set_grid", c_int64, *arguments)
        for grid in native_grids():
            points = grid.points
            set_grid(grid.ggml_type, grid.values.ctypes.data, len(points), points.ctypes.data)

    def last_error(self) -> str:
        """Why the last call of this thread failed."""
        return bytes(self.error()).decode()


class NativeHandle:
    """A model in the library, freed with this object.

    Attributes:
        isa: the variant of the kernels that it runs: "avx512".
    """

    def __init__(self, library: NativeLibrary, threads: int, isa: str | None = None) -> None:
        """Start its threads; `isa` names a variant, None takes the best or what PACELINE_ISA says.

        Raises:
            DeviceError: this processor cannot run that variant.
        """
        address = library.model_new(threads, isa.encode() if isa else None)
        if not address:
            raise DeviceError(library.last_error())
        self._library = library
        self._address = int(address)
        self.isa = bytes(library.isa(self._address)).decode()
        finalize(self, library.model_free, self._address)

    def call(self, function: str, *arguments: object) -> int:
        """Call one of the model's functions.

        Raises:
            RequestError: what was asked for does not make sense; the message says why.
            MemoryError: there is not enough.
            RuntimeError: anything else.
        """
        result = int(self._library.functions[function](self._address, *arguments))
        if result >= 0:
            return result
        failure = _FAILURES.get(result, RuntimeError)
        raise failure(self._library.last_error())


@cache
def load_library(path: Path) -> NativeLibrary:
    """The library at a path, once for each process.

    Raises:
        DeviceError: it cannot be used; the message says why.
    """
    if not path.exists():
        raise DeviceError(
            "The native kernels are not installed: building them takes a C++ compiler, with which "
            "Paceline has to be set up again."
        )
    try:
        return NativeLibrary(path)
    except (OSError, AttributeError) as error:
        raise DeviceError(
            "The native kernels cannot be loaded. Setting Paceline up again builds them anew.",
            details=str(error),
        ) from error


def native_isa() -> str:
    """The variant of the native kernels that this processor runs.

    Raises:
        DeviceError: there are none; the message says why.
    """
    return NativeHandle(load_library(LIBRARY), threads=1).isa


def _declared(
    library: ctypes.CDLL, name: str, result: type | None, *arguments: type
) -> "ctypes._NamedFuncPointer":
    function = library[name]
    function.restype, function.argtypes = result, arguments
    return function

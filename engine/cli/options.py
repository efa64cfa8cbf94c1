"""Options and checks that several verbs share."""

import argparse
import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from engine.base.errors import RequestError
from engine.base.lasting import kept_from_collector
from engine.base.types import DEVICES, KERNELS, MOST_THREADS, LoadOptions, LoadProgress
from engine.kernels.state_types import ELEMENT_BYTES

if TYPE_CHECKING:
    import numpy as np

    from engine.api.model import Model

Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""What a verb adds its parser to; argparse has no public name for it."""

CACHE_TYPES = tuple(ELEMENT_BYTES)


def add_verb(
    verbs: Verbs,
    name: str,
    run: Callable[[argparse.Namespace], None],
    help_text: str,
    *,
    takes_model: bool = True,
) -> argparse.ArgumentParser:
    """A verb with its model, where it needs one, and the options that every verb takes."""
    parser = verbs.add_parser(name, help=help_text, description=help_text)
    if takes_model:
        parser.add_argument(
            "model",
            type=Path,
            help="a GGUF file, a safetensors folder, or guide: the model that is built in",
        )
    parser.add_argument("--device", choices=DEVICES, default="auto")
    parser.add_argument(
        "--threads", type=within(1, MOST_THREADS), metavar="N", help="CPU threads (default: all)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)
    return parser


def add_kernels_option(parser: argparse.ArgumentParser) -> None:
    """Let a verb choose what computes."""
    parser.add_argument("--kernels", choices=KERNELS, default="auto", help="what computes")


def within(lowest: int, highest: int) -> Callable[[str], int]:
    """What reads an option that is a whole number from `lowest` to `highest`, for argparse."""

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = lowest - 1
        if not lowest <= value <= highest:
            raise argparse.ArgumentTypeError(
                f"{text} is not a whole number from {lowest} to {highest}"
            )
        return value

    return number


positive = within(1, 2**31 - 1)


def load(options: argparse.Namespace, load_options: LoadOptions) -> "Model":
    """Load the model that the options name, which the process keeps, with progress on stderr."""
    with kept_from_collector():
        from engine.api.loading import load_model

        return load_model(options.model, load_options, show_progress, threading.Event())


def show_progress(progress: LoadProgress) -> None:
    """Keep one line on stderr up to date, where a person may be looking."""
    if sys.stderr.isatty():
        end = "\n" if progress.fraction >= 1 else ""
        print(f"\r{progress.stage} {progress.fraction:4.0%}", end=end, file=sys.stderr, flush=True)


def show_line(*words: str) -> None:
    """Keep one line on stderr up to date, where a person may be looking; no words clear it."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{', '.join(words)}", end="", file=sys.stderr, flush=True)


def read_tokens(path: Path) -> "np.ndarray":
    """Token ids, integers `[n]` or `[s, n]`, from a .npy file.

    Raises:
        RequestError: the file is not there or holds something else.
    """
    import numpy as np

    try:
        # Mapped, so that a header which claims more than the file holds allocates nothing.
        with np.errstate(over="raise"):
            tokens = np.array(np.lib.format.open_memmap(path, mode="r"))
    except (OSError, ValueError, TypeError, ArithmeticError) as error:
        raise RequestError(
            f"{path} cannot be read as a .npy file of token ids.", details=str(error)
        ) from error
    if not np.issubdtype(tokens.dtype, np.integer) or tokens.ndim not in (1, 2) or not tokens.size:
        raise RequestError(
            f"{path} holds {tokens.dtype} values of shape {list(tokens.shape)}; token ids are "
            "integers of shape [n] or [s, n]."
        )
    return tokens


def read_text(path: Path) -> str:
    """A text file.

    Raises:
        RequestError: it is not there, or is no text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"{path} cannot be read as text.", details=str(error)) from error


def read_json(path: Path) -> object:
    """The document in a JSON file; raises as `read_text` and `parse_json` do."""
    return parse_json(read_text(path), str(path))


def parse_json(text: str, where: str) -> object:
    """The document that a text holds.

    Raises:
        RequestError: it is not JSON; `where` says which.
    """
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{where} is not JSON that can be read: {error}.") from error
    return document


def one_line(text: str) -> str:
    """Text that may come from a file, with nothing in it that moves a terminal's cursor."""
    return "".join(char if char.isprintable() else " " for char in text)


def print_json(document: object) -> None:
    """The answer of a verb, alone on stdout."""
    print(json.dumps(document, ensure_ascii=False))

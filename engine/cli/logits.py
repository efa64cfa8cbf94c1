"""`logits`: the raw output of a model for given tokens, for comparing engines."""

import argparse
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from engine.base.errors import RequestError
from engine.base.types import LoadOptions
from engine.cli.options import (
    Verbs,
    add_kernels_option,
    add_verb,
    load,
    positive,
    print_json,
    read_tokens,
)

if TYPE_CHECKING:
    import numpy as np

    from engine.models.runner import Runner


def add_parser(verbs: Verbs) -> None:
    """Declare the verb."""
    parser = add_verb(verbs, "logits", run, "Write the logits of every position of given tokens.")
    parser.add_argument("--tokens-file", type=Path, required=True, metavar="T.npy")
    parser.add_argument("--out", type=Path, required=True, metavar="L.npy")
    parser.add_argument("--chunk", type=positive, metavar="K", help="feed K tokens at a time")
    add_kernels_option(parser)


def run(options: argparse.Namespace) -> None:
    """Compute the sequences one after another, each from an empty state."""
    import numpy as np

    tokens = read_tokens(options.tokens_file)
    sequences = np.atleast_2d(tokens)
    length = sequences.shape[1]
    load_options = LoadOptions(
        options.device, options.threads, length, kv_type="f32", kernels=options.kernels
    )
    with closing(load(options, load_options)) as model:
        vocab = model.runner.vocab_size
        if tokens.min() < 0 or tokens.max() >= vocab:
            raise RequestError(
                f"{options.tokens_file} holds ids outside the {vocab} of this model."
            )
        chunk = options.chunk or length
        with _open_output(options.out) as out:  # before the work, which may take long
            rows = [_logits(model.runner, sequence.tolist(), chunk) for sequence in sequences]
            logits = np.stack(rows) if tokens.ndim == 2 else rows[0]
            np.save(out, logits)  # into the open file: by name, it would append an ending
    if options.json:
        print_json({"out": str(options.out), "shape": logits.shape})
    else:
        print(f"{options.out} holds the logits, float32 {list(logits.shape)}")


def _open_output(path: Path) -> BinaryIO:
    try:
        return path.open("wb")
    except OSError as error:
        raise RequestError(f"{path} cannot be written: {error.strerror}.") from error


def _logits(runner: "Runner", tokens: list[int], chunk: int) -> "np.ndarray":
    """Logits of every token of one sequence, float32 `[n, vocab]`."""
    import numpy as np

    from engine.models.runner import SlotRows

    sequence = runner.memory.new_sequence()
    parts = []
    for start in range(0, len(tokens), chunk):
        group = tokens[start : start + chunk]
        parts.append(runner.forward([SlotRows(0, sequence, [group], len(group))]))
        sequence.commit(len(group))
    sequence.free()
    return np.concatenate(parts)

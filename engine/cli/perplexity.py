"""`perplexity`: how well a model expects a text."""

import argparse
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from math import exp, isfinite, sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from engine.base.errors import ModelOutputError, RequestError
from engine.base.types import LoadOptions
from engine.cli.options import (
    Verbs,
    add_kernels_option,
    add_verb,
    load,
    print_json,
    read_text,
    show_line,
    within,
)
from engine.gguf.summary import summarise
from engine.text.gguf_tokenizer import load_tokenizer
from engine.weights.opening import open_model_file

if TYPE_CHECKING:
    from engine.gguf.model_file import ModelFile
    from engine.models.runner import Runner

WINDOW = 512
"""Tokens that are read from nothing at a time. The first half is there to be read only, so that
each token that counts has some text before it; llama.cpp measures the same way."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The answer of the verb.

    Attributes:
        tokens: that count.
        mean_nll: mean of their negative log-likelihoods, natural logarithm.
        mean_nll_error: the standard error of that.
        perplexity: e to the power of the mean.
        perplexity_error: what the error of the mean makes of it.
        window: tokens that were read at a time.
    """

    tokens: int
    mean_nll: float
    mean_nll_error: float
    perplexity: float
    perplexity_error: float
    window: int

    @classmethod
    def of(cls, losses: list[float], window: int) -> "Figures":
        """Sum up the negative log-likelihoods of tokens, one or more."""
        mean = fmean(losses)
        error = stdev(losses) / sqrt(len(losses)) if len(losses) > 1 else 0.0
        return cls(len(losses), mean, error, exp(mean), exp(mean) * error, window)


def add_parser(verbs: Verbs) -> None:
    """Declare the verb."""
    parser = add_verb(verbs, "perplexity", run, "Measure how well a model expects a text.")
    parser.add_argument("--file", type=Path, required=True, metavar="TEXT", help="a text file")
    parser.add_argument(
        "--context",
        type=within(2, 2**31 - 1),
        metavar="N",
        help=f"tokens read at a time, default {WINDOW}; the second half of them counts",
    )
    add_kernels_option(parser)


def run(options: argparse.Namespace) -> None:
    """Read the text window by window, each from an empty state.

    Raises:
        RequestError: the text is too short to measure anything.
        PacelineError: the model cannot be used, or computes what is no number.
    """
    text = read_text(options.file)
    with open_model_file(options.model) as file:
        window = options.context or min(WINDOW, summarise(file).context_length)
        windows = _windows(text, file, window)
    if len(windows[0]) < 2:
        raise RequestError(f"{options.file} holds no two tokens. Give a text of a page or more.")
    window = len(windows[0])
    load_options = LoadOptions(options.device, options.threads, window, kernels=options.kernels)
    losses: list[float] = []
    with closing(load(options, load_options)) as model:
        for number, tokens in enumerate(windows, 1):
            losses += _losses(model.runner, tokens)
            figures = Figures.of(losses, window)
            show_line(f"{number} of {len(windows)}", f"perplexity {figures.perplexity:.4f}")
    show_line()
    if options.json:
        print_json(asdict(figures))
    else:
        print(
            f"perplexity {figures.perplexity:.4f} ± {figures.perplexity_error:.4f}, mean negative "
            f"log-likelihood {figures.mean_nll:.5f} ± {figures.mean_nll_error:.5f} over "
            f"{figures.tokens:,} tokens"
        )


def _windows(text: str, file: "ModelFile", window: int) -> list[list[int]]:
    """The text in whole windows, or in one that is shorter where there is no more text."""
    tokenizer = load_tokenizer(file.metadata)
    tokens = tokenizer.encode(text, add_special=False, parse_special=False)
    begin = [] if tokenizer.bos_id is None or not tokenizer.adds_bos else [tokenizer.bos_id]
    step = window - len(begin)
    count = max(1, len(tokens) // step)
    return [begin + tokens[step * index : step * (index + 1)] for index in range(count)]


def _losses(runner: "Runner", tokens: list[int]) -> Iterator[float]:
    """Negative log-likelihood of each token in the second half of a window.

    Raises:
        ModelOutputError: one is no number.
    """
    from engine.models.runner import SlotRows
    from engine.sampling.sampler import logprobs

    first = (len(tokens) + 1) // 2  # of those that count; the row before it tells of it
    step = runner.grouping.prompt_rows
    sequence = runner.memory.new_sequence()
    for start in range(0, len(tokens) - 1, step):
        group = tokens[start : min(start + step, len(tokens) - 1)]  # the last one is never fed
        wanted = min(len(group), start + len(group) - first + 1)
        logits = runner.forward([SlotRows(0, sequence, [group], max(0, wanted))])
        sequence.commit(len(group))
        following = tokens[start + len(group) + 1 - len(logits) : start + len(group) + 1]
        for row, token in zip(logits, following, strict=True):
            loss = -logprobs(row, token, 0).logprob
            if not isfinite(loss):
                raise ModelOutputError(
                    "The model computed something that is not a finite number. Its file may be "
                    "damaged; try another one, or --kernels torch."
                )
            yield loss
    sequence.free()

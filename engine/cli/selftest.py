"""`selftest`: whether every operation computes what it should, and every way says the same."""

import argparse
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from engine.base.errors import PacelineError
from engine.base.trial import Trial
from engine.base.types import LoadOptions
from engine.cli.options import Verbs, add_verb, load, print_json
from engine.cli.repeat import CONTEXT, SLOTS, Repetition, repetitions
from engine.gguf.summary import summarise
from engine.weights.opening import open_model_file


def add_parser(verbs: Verbs) -> None:
    """Declare the verb."""
    parser = add_verb(
        verbs, "selftest", run, "Test every operation on this computer.", takes_model=False
    )
    parser.add_argument(
        "--repeat",
        dest="model",
        type=Path,
        metavar="MODEL",
        help="instead, serve the same prompts in every way and compare what this model says",
    )


def run(options: argparse.Namespace) -> None:
    """Test the operations, or a model.

    Raises:
        PacelineError: something is not as it should be; the table says what.
    """
    if options.model:
        _repeat(options)
    else:
        _try_operations(options)


def _try_operations(options: argparse.Namespace) -> None:
    import torch

    from engine.kernels.trial import try_all

    if options.threads:
        torch.set_num_threads(options.threads)
    trials = try_all(options.device)
    if options.json:
        documents = [asdict(trial) | {"passed": trial.passed} for trial in trials]
        print_json({"operations": documents})
    else:
        print(_operations_table(trials))
    if wrong := [f"{trial.operation} ({trial.backend})" for trial in trials if not trial.passed]:
        raise PacelineError(
            f"{len(wrong)} of {len(trials)} operations do not compute what they should: "
            f"{', '.join(wrong)}. Another --device may serve meanwhile; please report this."
        )


def _repeat(options: argparse.Namespace) -> None:
    with open_model_file(options.model) as file:
        context = min(CONTEXT, summarise(file).context_length)
    load_options = LoadOptions(options.device, options.threads, context, SLOTS)
    with closing(load(options, load_options)) as model:
        found = list(repetitions(model))
    if options.json:
        documents = [asdict(repetition) | {"passed": repetition.passed} for repetition in found]
        print_json({"repeat": documents})
    else:
        print(_repeat_table(found))
    if wrong := [repetition.way for repetition in found if not repetition.passed]:
        raise PacelineError(
            f"This model does not say the same in {len(wrong)} of {len(found)} ways: "
            f"{', '.join(wrong)}. Please report this."
        )


def _operations_table(trials: Sequence[Trial]) -> str:
    lines = [f"{'operation':32}{'backend':24}{'error':>9}{'allowed':>9}  rows alone"]
    for trial in trials:
        alone = "same" if trial.rows_stand_alone else "DIFFER"
        line = f"{trial.operation:32}{trial.backend:24}{trial.error:9.1e}{trial.allowed:9.0e}"
        lines.append(f"{line}  {alone:10}  {'passed' if trial.passed else 'FAILED'}")
    return "\n".join(lines)


def _repeat_table(found: Sequence[Repetition]) -> str:
    lines = [f"{'':26}{'tokens':8}{'logits':8}{'state':8}accepted  reused"]
    for repetition in found:
        parts = (repetition.tokens, repetition.logits, repetition.state)
        same = "".join(f"{'same' if part else 'DIFFER':8}" for part in parts)
        accepted = f"{repetition.draft_n_accepted}/{repetition.draft_n}"
        verdict = "passed" if repetition.passed else "FAILED"
        counts = f"{accepted:10}{repetition.cache_n:6}"
        lines.append(f"{repetition.way:26}{same}{counts}  {verdict}")
    return "\n".join(lines)

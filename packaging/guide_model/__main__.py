"""Makes the built-in guide and its draft. Run it from the repository's root:

    PYTHONPATH=packaging python -m guide_model train --minutes 50 --work /tmp/guide
    PYTHONPATH=packaging python -m guide_model export --work /tmp/guide
    PYTHONPATH=packaging python -m guide_model evaluate

`train` learns the vocabulary, then both models side by side: the draft learns from the same texts
and from what the target thinks of them. It keeps both models every 100 steps, and `--resume` goes
on from the last checkpoint. `--steps` instead of `--minutes` makes a run repeatable. `export`
writes the two files of `resources/models/`; `--draft-step` picks an earlier draft, as one that
agrees with the target in everything (more than 90 %) shows nobody what drafting does. `evaluate`
puts the questions that training never saw to the files, through the engine that people use.

Training wants two cores for itself. A step of 96 conversations takes each of the two workers 1.2 s
of its core (AVX-512 with bf16; three times that without), so that 50 minutes make some 2,000 steps.
On a machine that others share, where each worker got a fifth of a core, 50 minutes made 380 smaller
steps, and that is not enough.

What to look for in the log, from runs that were cut short:

- Answers are learnt first and fast: without `words`, `target` fell from 8 to 1.1 in 240 steps of 32
  conversations. The model then gave one answer to every question. It knew how answers go on, but
  their first tokens were still a guess (4 nats): `topic` tells, which begins at ln(417) = 6.
- Through the layers, words are hard to learn: 7,700 questions took `topic` from 6.1 to 5.1. A bag
  of words learns them in ten seconds, and then names 96 % of the held-out questions. Therefore a
  run begins with `words`. No whole run has begun so yet: `topic` should be below 1 within a few
  hundred steps. If it is not, look there before spending an hour.
- `draft` and `further` begin at 40 % of a run; before, they are null.
"""

import argparse
from functools import partial
from pathlib import Path

from guide_model.shape import DRAFT_FILE, MODELS, TARGET_FILE


def main() -> None:
    """Run the verb that was asked for."""
    parser = argparse.ArgumentParser(
        prog="guide_model",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(required=True)
    train = verbs.add_parser("train", help="learn vocabulary, target and draft")
    train.add_argument("--steps", type=int, default=4000, help="at most, with --minutes")
    train.add_argument("--minutes", type=float, help="end by the clock, if steps do not")
    train.add_argument("--keep-every", type=int, default=100, help="steps between checkpoints")
    train.add_argument("--seed", type=int, default=1)
    train.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    train.add_argument("--workers", type=int, default=2, help="processes, one core each")
    train.set_defaults(run=_train)
    export = verbs.add_parser("export", help="write the files of a run")
    export.add_argument("--target-step", type=int, help="default: the last")
    export.add_argument("--draft-step", type=int, help="default: the last")
    export.set_defaults(run=_export)
    evaluate = verbs.add_parser("evaluate", help="ask what training never saw")
    evaluate.set_defaults(run=_evaluate)
    for verb in (train, export):
        verb.add_argument("--work", type=Path, required=True, help="folder of the run")
    for verb in (export, evaluate):
        verb.add_argument("--models", type=Path, default=MODELS, help="folder of the files")
    options = parser.parse_args()
    options.run(options)


def _train(options: argparse.Namespace) -> None:
    from guide_model.team import work_together
    from guide_model.train import Budget, prepare, train

    prepare(options.work)
    budget = Budget(options.steps, options.minutes, options.keep_every)
    work = partial(
        train, work=options.work, seed=options.seed, budget=budget, resume=options.resume
    )
    work_together(options.workers, options.work.resolve() / "meeting", work)


def _export(options: argparse.Namespace) -> None:
    from guide_model.export import export_run

    steps = {"target": options.target_step, "draft": options.draft_step}
    for path in export_run(options.work, options.models, steps):
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


def _evaluate(options: argparse.Namespace) -> None:
    from guide_model.evaluate import evaluate, report

    print(report(evaluate(options.models / TARGET_FILE, options.models / DRAFT_FILE)))


if __name__ == "__main__":
    main()

"""Makes the built-in guide and its draft. Run it from the repository's root:

    PYTHONPATH=packaging python -m guide_model train --minutes 60 --work /tmp/guide
    PYTHONPATH=packaging python -m guide_model export --work /tmp/guide
    PYTHONPATH=packaging python -m guide_model evaluate

`train` learns the vocabulary, then both models side by side: the draft learns from the same texts
and from what the target thinks of them. It keeps both models every 100 steps, and `--resume` goes
on from the last checkpoint. `--steps` instead of `--minutes` makes a run repeatable. `export`
writes the two files of `resources/models/`; `--draft-step` picks an earlier draft, as one that
agrees with the target in everything (more than 90 %) shows nobody what drafting does. `evaluate`
puts the questions that training never saw to the files, through the engine that people use.

Training wants two cores for itself and up to 6 GB for each of its two workers. With them busy
otherwise to a tenth, a step of 96 conversations took 1.9 s (AVX-512 with bf16; three times that
without), and 3 to 4 s once draft and prediction head learn too. The shipped pair had 1,402 steps
in 72 minutes beside other work; `--steps 1400` on a quiet machine should take less than an hour.

What to look for in the log of that run:

| step | `target` | `topic` | `further` | `draft` | |
|---|---|---|---|---|---|
| 40 | 4.6 | 2.7 | | | `words` has taught the embedding: it begins at ln(417) = 6 |
| 140 | 1.6 | 0.7 | | | |
| 460 | 0.55 | 0.45 | | | |
| 720 | 0.41 | 0.27 | 1.9 | 4.3 | draft and prediction head began at 40 % of the run |
| 1,040 | 0.32 | 0.13 | 0.03 | 0.55 | |
| 1,400 | 0.31 | 0.11 to 0.17 | 0.01 | 0.32 | smoothing leaves about 0.26 of `target` |

Answers are learnt first and fast. Which of them a question asks for is what takes long: if `topic`
is not below 1 within 200 steps, look there before spending an hour. More steps help little there;
more phrasings do: from 1,232 steps on, with 167 phrasings more, the right answers rose from 89.6 to
92.4 %.
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

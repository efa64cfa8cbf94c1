"""The command line; `guide_model` itself says how it is used."""

import argparse
from functools import partial
from pathlib import Path

import guide_model
from guide_model.shape import DRAFT_FILE, MODELS, TARGET_FILE


def main() -> None:
    """Run the verb that was asked for."""
    parser = argparse.ArgumentParser(
        prog="guide_model",
        description=guide_model.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(required=True)
    train = verbs.add_parser("train", help="learn vocabulary, target and draft")
    train.add_argument("--steps", type=int, default=2000)
    train.add_argument("--minutes", type=float, help="end by the clock, if steps do not")
    train.add_argument("--keep-every", type=int, default=100, help="steps between checkpoints")
    train.add_argument("--seed", type=int, default=1)
    train.add_argument("--resume", action="store_true")
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

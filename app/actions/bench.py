"""What a person can do with the bench, one function each."""

from pathlib import Path

from PySide6.QtCore import QCoreApplication

from app.actions.chats import MARKDOWN_SUFFIX
from app.actions.compare import way_of, why_not_quiet
from app.actions.files import write_text
from app.actions.session import Session
from app.bridge.types import LoadedModel
from app.domain.bench_run import BenchRun
from app.domain.draft import DraftKind, DraftWay
from app.domain.problem import Problem
from app.storage.measurement_export import bench_text


def start(session: Session) -> None:
    """Measure what drafts now on the ten prompts, or say why that cannot be."""
    model, kind = session.model.loaded, session.drafts.choice.kind
    translate = QCoreApplication.translate
    if model is None:
        refusal = translate("Bench", "Load a main model first, then choose a draft to measure.")
    elif kind is DraftKind.NONE:
        refusal = translate("Bench", "Choose a draft first: beside the main model, at the top.")
    else:
        refusal = why_not_quiet(session)
    if refusal:
        session.notices.raised.emit(Problem(refusal))
    elif model:
        session.notices.settled.emit()
        session.benching.start(model, way_of(session, DraftWay(kind)), machine_text(model))


def machine_text(model: LoadedModel) -> str:
    """What computes for a model, for people."""
    translate = QCoreApplication.translate
    if model.device != "cpu":
        return f"{model.kernels}, {model.device}"
    threads = translate("Bench", "%n threads", "", model.threads)
    return f"{model.kernels}, {threads if model.threads > 1 else translate('Bench', '1 thread')}"


def delete(session: Session, run: BenchRun) -> None:
    """Take a run out for good; the newest of the others is shown in its place."""
    session.measurements.delete(run.id)
    left = session.measurements.bench_runs
    session.benching.show(left[-1] if left else None)


def export(session: Session, run: BenchRun, path: Path) -> None:
    """Write a run to a file: JSON, or Markdown to read, by the suffix."""
    is_markdown = path.suffix.lower() == MARKDOWN_SUFFIX
    write_text(session, path, bench_text(run, is_markdown=is_markdown))

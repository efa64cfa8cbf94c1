"""What a person can do in Compare, one function each."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from app.actions.chats import MARKDOWN_SUFFIX
from app.actions.files import write_text
from app.actions.presets import sampling_in_view
from app.actions.session import Session
from app.bridge.comparing import NOTHING_COMPARED, Way
from app.bridge.making import options_for, thinking_for
from app.domain.comparison import ComparisonRecord
from app.domain.draft import DraftKind, DraftWay
from app.domain.problem import Problem
from app.storage.measurement_export import comparison_text

MOST_TOKENS = 512
"""Of each reply, where the chat sets no limit: enough to measure, and it comes to an end."""

translate = QCoreApplication.translate


def start(session: Session, prompt: str, ways: Sequence[DraftWay], *, together: bool) -> bool:
    """Answer a prompt in two ways, made otherwise as in the chat in view.

    Args:
        session: the session.
        prompt: what is asked.
        ways: how to draft for the left reply and for the right one.
        together: whether both are written at once.

    Returns:
        Whether it was started; if not, a notice says why.
    """
    if not prompt.strip() or session.comparing.is_running:
        return False
    if refusal := _refusal(session, ways):
        session.notices.raised.emit(Problem(refusal))
        return False
    if model := session.model.loaded:
        thinking = thinking_for(model, session.chats.current.details.thinking)
        options = options_for(sampling_in_view(session), thinking)
        options = replace(options, max_tokens=options.max_tokens or MOST_TOKENS)
        left, right = (way_of(session, way) for way in ways)
        session.comparing.start(prompt, model, options, (left, right), together=together)
    return True


def way_of(session: Session, way: DraftWay) -> Way:
    """How replies are drafted for, in a way that the main model was loaded with."""
    drafting = session.drafts.drafting_in(way)
    name = draft_name(session, way.kind)
    most = translate("Compare", "up to {count} ahead").format(count=drafting.n_max)
    return Way(drafting, name, most if name else "")


def draft_name(session: Session, kind: DraftKind) -> str:
    """What drafts in that way now, for people; empty where nothing does."""
    loaded = session.model.loaded
    match kind:
        case DraftKind.TEXT:
            return translate("Compare", "from the text itself")
        case DraftKind.HEADS:
            return translate("Compare", "by its own heads")
        case DraftKind.MODEL if loaded and loaded.draft:
            return loaded.draft.name
    return ""


def show(session: Session, record: ComparisonRecord) -> None:
    """Look at an earlier comparison again."""
    session.comparing.show(record)


def begin_anew(session: Session) -> None:
    """Show none; what was measured is in the history."""
    session.comparing.show(NOTHING_COMPARED)


def delete(session: Session, record: ComparisonRecord) -> None:
    """Take a comparison out of the history for good, and out of sight."""
    session.measurements.delete(record.id)
    if session.comparing.record.id == record.id:
        begin_anew(session)


def export(session: Session, record: ComparisonRecord, path: Path) -> None:
    """Write a comparison to a file: all of it as JSON, or Markdown to read, by the suffix."""
    is_markdown = path.suffix.lower() == MARKDOWN_SUFFIX
    write_text(session, path, comparison_text(record, is_markdown=is_markdown))


def why_not_quiet(session: Session) -> str:
    """What would disturb a measurement now; empty where nothing does."""
    if session.model.loading:
        return translate(
            "Compare",
            "A model is being loaded; it would disturb the measurement. Wait for it or cancel it.",
        )
    if session.chats.pending:
        return translate(
            "Compare",
            "A reply is being written; it would disturb the measurement. Wait for it or stop it.",
        )
    if session.comparing.is_running or session.benching.is_running:
        return translate("Compare", "Something is being measured already. Wait for it or stop it.")
    return ""


def _refusal(session: Session, ways: Sequence[DraftWay]) -> str:
    """Why nothing can be compared now; empty where something can."""
    if session.model.loaded is None:
        return translate("Compare", "Load a main model first, then choose a draft to compare.")
    if all(way.kind is DraftKind.NONE for way in ways):
        return translate("Compare", "Choose a draft first: beside the main model, at the top.")
    return why_not_quiet(session)

"""What a person can do in Compare, one function each."""

from dataclasses import replace

from PySide6.QtCore import QCoreApplication

from app.actions.presets import sampling_in_view
from app.actions.session import Session
from app.bridge.making import options_for, thinking_for
from app.domain.draft import DraftKind
from app.domain.problem import Problem

MOST_TOKENS = 512
"""Of each reply, where the chat sets no limit: enough to measure, and it comes to an end."""

translate = QCoreApplication.translate


def start(session: Session, prompt: str, *, together: bool) -> bool:
    """Answer a prompt without drafts and with what drafts now, made as in the chat in view.

    Returns:
        Whether it was started; if not, a notice says why.
    """
    if not prompt.strip() or session.comparing.is_running:
        return False
    if refusal := _refusal(session):
        session.notices.raised.emit(Problem(refusal))
        return False
    if model := session.model.loaded:
        session.comparing.together = together
        thinking = thinking_for(model, session.chats.current.details.thinking)
        options = options_for(sampling_in_view(session), thinking)
        options = replace(options, max_tokens=options.max_tokens or MOST_TOKENS)
        session.comparing.start(prompt, model, options, session.drafts.drafting)
    return True


def draft_name(session: Session) -> str:
    """What drafts now, for people; empty where nothing does."""
    loaded = session.model.loaded
    match session.drafts.choice.kind:
        case DraftKind.TEXT:
            return translate("Compare", "from the text itself")
        case DraftKind.HEADS:
            return translate("Compare", "by its own heads")
        case DraftKind.MODEL if loaded and loaded.draft:
            return loaded.draft.name
    return ""


def _refusal(session: Session) -> str:
    """Why nothing can be compared now; empty where something can."""
    if session.model.loaded is None:
        return translate("Compare", "Load a main model first, then choose a draft to compare.")
    if session.drafts.choice.kind is DraftKind.NONE:
        return translate("Compare", "Choose a draft first: beside the main model, at the top.")
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
    return ""

"""What a person can do with drafts, one function each."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtWidgets import QWidget

from app.actions.drops import Refuse, judge
from app.actions.files import choose_model_file
from app.actions.session import Session
from app.bridge.drafts import is_there
from app.bridge.main_model import Loading
from app.bridge.types import LoadedModel
from app.domain.draft import DraftChoice, DraftKind, DraftSettings
from app.domain.problem import Problem
from app.paths import guide_files
from app.settings.schema import CHATS_AT_ONCE, DRAFT_SETTINGS, DRAFTS

Announced = Callable[[], Awaitable[None]]


def use_draft(session: Session, choice: DraftChoice, announced: Announced) -> None:
    """Let something else draft for the main model, and remember that for the model.

    A draft model is loaded first; until it is there, replies are drafted as before. The main model
    is loaded anew only for heads of its own file that were left out.
    """
    loaded = session.model.loaded
    if loaded is None:
        say_main_model_first(session)
        return
    if _is_being_replaced(session, loaded):
        return
    _remember(session, loaded.summary.path, choice)
    if is_there(choice, loaded):
        _give_up_other_draft(session)
        session.drafts.use(choice)
        if choice.path is None:
            session.comparing.stop()
            session.benching.cancel()
            session.model.let_draft_go()
    elif choice.path:
        session.model.load_draft(choice.path, announced)
    else:
        slots = session.settings.get(CHATS_AT_ONCE)
        session.model.load(loaded.summary.path, slots, announced, choice)


def set_up_drafts(session: Session, settings: DraftSettings, announced: Announced) -> None:
    """Make drafts in this way for the main model, from the next reply on.

    A draft model is loaded anew where it is to run otherwise.
    """
    loaded, before = session.model.loaded, session.drafts.settings
    if loaded is None or _is_being_replaced(session, loaded):
        return
    _keep_settings(session, loaded.summary.path, settings)
    runs_otherwise = (settings.device, settings.context) != (before.device, before.context)
    if runs_otherwise and session.drafts.choice.path:
        session.model.load_draft(session.drafts.choice.path, announced)


def draft_in_chat(session: Session, wanted: bool) -> None:
    """Draft for the replies of the chat in view, or not."""
    session.chats.set_details(replace(session.chats.current.details, drafting=wanted))


def draft_once(session: Session, wanted: bool) -> None:
    """Draft for the next reply of the chat in view, or not; later ones are as the chat says."""
    chat = session.chats.current
    chat.drafting_once = None if wanted == chat.details.drafting else wanted


def say_main_model_first(session: Session) -> None:
    """Say why no draft can be chosen: there is nothing to draft for."""
    text = QCoreApplication.translate(
        "Drafts", "A draft works for a main model: choose that one first, then its draft."
    )
    session.notices.raised.emit(Problem(text))


def use_dropped(session: Session, urls: Sequence[QUrl], announced: Announced) -> None:
    """Draft with what was dropped on the window, or say why not."""
    verdict = judge(urls)
    if isinstance(verdict, Refuse):
        session.notices.raised.emit(Problem(verdict.reason))
    else:
        use_draft(session, DraftChoice.model(verdict.path), announced)


def browse(session: Session, window: QWidget, announced: Announced) -> None:
    """Let the person choose the file of a model that is to draft."""
    title = QCoreApplication.translate("Drafts", "Choose a draft")
    choose_model_file(
        session,
        window,
        title,
        lambda path: use_draft(session, DraftChoice.model(path), announced),
    )


def swap_roles(session: Session, announced: Announced) -> None:
    """Let the draft model answer and the main model draft."""
    loaded = session.model.loaded
    if loaded and loaded.draft and not _is_being_replaced(session, loaded):
        main, draft = loaded.draft.path, DraftChoice.model(loaded.summary.path)
        _remember(session, main, draft)
        session.model.load(main, session.settings.get(CHATS_AT_ONCE), announced, draft)


def follow_main_model(session: Session, loaded: LoadedModel) -> None:
    """Draft for a model that is ready as was chosen for it, and look for files that could."""
    choice = chosen_for(session, loaded.summary.path)
    if choice is None:
        choice = DraftChoice(DraftKind.HEADS)
    session.drafts.use(choice if is_there(choice, loaded) else DraftChoice())
    session.drafts.look_in(session.library.folders)


def forget_failed(session: Session, loading: Loading) -> None:
    """Choose no more the draft of a load that failed: it could keep its model from ever loading.

    A model that goes on keeps what drafts for it now. Where the draft was to run is forgotten, too.
    """
    if loading.draft is None or loading.draft.path is None:
        return
    settings = session.settings.get(DRAFT_SETTINGS).get(str(loading.path), DraftSettings())
    _keep_settings(session, loading.path, replace(settings, device=None, context=None))
    loaded = session.model.loaded
    if loaded and loaded.summary.path == loading.path:
        _remember(session, loading.path, session.drafts.choice)
    else:
        chosen = session.settings.get(DRAFTS)
        others = {path: choice for path, choice in chosen.items() if path != str(loading.path)}
        session.settings.set(DRAFTS, others)


def chosen_for(session: Session, path: Path) -> DraftChoice | None:
    """What is to draft for the main model at `path`; None where nobody has chosen.

    The guide has a draft of its own.
    """
    guide = guide_files()
    unasked = DraftChoice.model(guide.draft) if path == guide.target else None
    return session.settings.get(DRAFTS).get(str(path), unasked)


def draft_to_load(session: Session, path: Path) -> DraftChoice | None:
    """What to load beside the main model at `path`; a draft whose file has gone is none."""
    choice = chosen_for(session, path)
    return DraftChoice() if choice and choice.path and not choice.path.exists() else choice


def _keep_settings(session: Session, path: Path, settings: DraftSettings) -> None:
    others = session.settings.get(DRAFT_SETTINGS)
    if others.get(str(path), DraftSettings()) != settings:
        session.settings.set(DRAFT_SETTINGS, {**others, str(path): settings})


def _remember(session: Session, path: Path, choice: DraftChoice) -> None:
    chosen = session.settings.get(DRAFTS)
    session.settings.set(DRAFTS, {**chosen, str(path): choice})


def _give_up_other_draft(session: Session) -> None:
    """End a load that only brings a draft, which is no longer wanted."""
    coming = session.model.loading.draft if session.model.loading else None
    if coming and coming.path and coming != session.drafts.choice:
        session.model.cancel()


def _is_being_replaced(session: Session, loaded: LoadedModel) -> bool:
    """Whether another main model is on its way; if so, a notice says what would help."""
    loading = session.model.loading
    if loading is None or loading.path == loaded.summary.path:
        return False
    text = QCoreApplication.translate(
        "Drafts", "{name} is being loaded: wait for it or cancel it, then choose a draft."
    )
    session.notices.raised.emit(Problem(text.format(name=loading.name)))
    return True

"""What a person can do with models, one function each."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtWidgets import QFileDialog, QWidget

from app.actions import chat as chat_actions
from app.actions.drafts import draft_to_load
from app.actions.drops import AddFolder, Refuse, judge
from app.actions.files import choose_model_file
from app.actions.session import Session
from app.bridge.model_places import model_at
from app.domain.load_choice import LoadChoice
from app.domain.message import MessageState
from app.domain.problem import Problem
from app.paths import guide_files
from app.settings.schema import CHATS_AT_ONCE, LAST_MODEL, LOAD_CHOICES

Announced = Callable[[], Awaitable[None]]


def use_as_main_model(session: Session, path: Path, announced: Announced) -> None:
    """Load the file where it lies; the present model answers until the new one is ready.

    Any part of a model in several files stands for the whole. Choosing the model in use keeps it,
    and gives up a load that was to replace it.
    """
    path, model = model_at(path), session.model
    if model.loading and model.loading.path == path:
        return
    if model.loaded and model.loaded.summary.path == path:
        cancel_loading(session)
        return
    slots = session.settings.get(CHATS_AT_ONCE)
    model.load(path, slots, announced, draft_to_load(session, path))


def load_with(session: Session, path: Path, choice: LoadChoice, announced: Announced) -> None:
    """Load a model in this way, the one in use anew, and in the same way from now on."""
    before = session.settings.get(LOAD_CHOICES)
    choices = {place: chosen for place, chosen in before.items() if place != str(path)}
    if choice != LoadChoice():
        choices[str(path)] = choice
    session.settings.set(LOAD_CHOICES, choices)
    slots = session.settings.get(CHATS_AT_ONCE)
    session.model.load(path, slots, announced, draft_to_load(session, path))


def use_more_context(session: Session, context: int, announced: Announced) -> None:
    """Load the model in use anew, with a context of so many tokens."""
    if loaded := session.model.loaded:
        path = loaded.summary.path
        load_with(session, path, replace(choice_for(session, path), context=context), announced)


def choice_for(session: Session, path: Path) -> LoadChoice:
    """How a model is loaded."""
    choices = session.settings.get(LOAD_CHOICES)
    return choices.get(str(path), LoadChoice())


def eject(session: Session) -> None:
    """Let the model in use go, and its memory with it; replies that it writes end."""
    for chat in session.chats.pending:
        chat_actions.end_reply(session, chat.id)
    session.comparing.stop()
    session.benching.cancel()
    session.model.eject()


def use_dropped(session: Session, urls: Sequence[QUrl], announced: Announced) -> None:
    """Use what was dropped on the window, or say why not."""
    verdict = judge(urls)
    if isinstance(verdict, Refuse):
        session.notices.raised.emit(Problem(verdict.reason))
    elif isinstance(verdict, AddFolder):
        add_folder(session, verdict.path)
    else:
        use_as_main_model(session, verdict.path, announced)


def browse(session: Session, window: QWidget, announced: Announced) -> None:
    """Let the person choose a main model, beginning where the last one lies."""
    title = QCoreApplication.translate("Models", "Choose a model")
    use = partial(use_as_main_model, session, announced=announced)
    choose_model_file(session, window, title, use)


def load_last(session: Session, announced: Announced) -> None:
    """Load the model that was used last, if it is still where it was."""
    last = session.settings.get(LAST_MODEL)
    if not last:
        return
    path = Path(last)
    if path.exists():
        use_as_main_model(session, path, announced)
        return
    text = QCoreApplication.translate(
        "Models", "{name}, the model used last, is no longer in {folder}. Drop it here again."
    )
    session.notices.raised.emit(Problem(text.format(name=path.name, folder=path.parent)))


def cancel_loading(session: Session) -> None:
    """Give up the load under way; the present model stays."""
    session.model.cancel()
    if session.model.loaded is None:
        chat_actions.end_queued(session, MessageState.STOPPED)


def remember_main_model(session: Session) -> None:
    """Keep the path of the model that has just been loaded for the next start.

    The guide is no model of the person's own: it is offered while there is none, and not kept.
    """
    loaded = session.model.loaded
    if loaded and loaded.summary.path not in guide_files():
        session.settings.set(LAST_MODEL, str(loaded.summary.path))
        session.library.put_first(loaded.summary)


def remove_from_list(session: Session, path: Path) -> None:
    """List a model no more; its file stays where it is, and a model in use goes on."""
    session.library.remove(path)


def add_folder(session: Session, folder: Path) -> None:
    """List the models of a folder where they lie, and those that come later too."""
    session.finder.take_folder(folder)


def choose_folder(session: Session, window: QWidget, chosen: Callable[[Path], None]) -> None:
    """Let the person choose a folder of models, beginning where the last one lies."""
    dialog = QFileDialog(window, QCoreApplication.translate("Models", "Choose a folder of models"))
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    if last := session.settings.get(LAST_MODEL):
        dialog.setDirectory(str(Path(last).parent.parent))
    dialog.fileSelected.connect(lambda name: chosen(Path(name)))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def unwatch_folder(session: Session, folder: Path) -> None:
    """Add nothing more from a folder; what is listed stays."""
    session.library.unwatch(folder)

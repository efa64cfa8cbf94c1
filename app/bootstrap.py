"""Builds every long-lived object in order and passes it in. Alone in seeing all of the window."""

import asyncio
import os
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale, QObject, QTimer
from PySide6.QtWidgets import QApplication

from app.actions import chat as chat_actions
from app.actions import drafts as draft_actions
from app.actions import models as model_actions
from app.actions.session import Notices, Session
from app.bridge.benching import Benching
from app.bridge.comparing import Comparing
from app.bridge.drafts import Drafts
from app.bridge.engine_watch import EngineWatch
from app.bridge.library import Library
from app.bridge.main_model import Loading, MainModel
from app.bridge.model_finder import ModelFinder
from app.bridge.replies import Replies
from app.bridge.size_fits import SizeFits
from app.bridge.tasks import Tasks
from app.bridge.types import Engine, EngineClient, LoadedModel
from app.collector import GuiThreadCollector
from app.domain.message import MessageState
from app.domain.problem import Problem
from app.network import NetworkWatch
from app.paths import resources_dir
from app.settings.schema import LAST_CHAT, THEME
from app.settings.store import Settings
from app.storage.chats import Chats
from app.storage.measurements import Measurements
from app.storage.store import open_store
from app.storage.troubles import StoreTrouble
from app.theme.fonts import Size, interface_font, load_fonts
from app.theme.theme import Theme
from app.widgets.main_window import MainWindow

SETTINGS_FILE = "settings.json"


class Application(QObject):
    """A window and what lives as long as it does, this object included."""

    def __init__(
        self, window: MainWindow, session: Session, tasks: Tasks, engine: EngineClient
    ) -> None:
        super().__init__(window)
        self.window = window
        self.session = session
        self._tasks = tasks
        self._engine = engine
        self._collector = GuiThreadCollector(lambda: session.model.loading is not None, self)
        self._ending: asyncio.Task[None] | None = None
        window.closed.connect(self.end)

    def end(self) -> asyncio.Task[None]:
        """End background work, then the engine. The same task is returned every time."""
        if self._ending is None:
            self._ending = asyncio.get_running_loop().create_task(self._end())
        return self._ending

    async def _end(self) -> None:
        await self._tasks.end()
        self.session.chats.close()
        await self._engine.close()
        self._collector.stop()


def build_window(data_dir: Path, engine: EngineClient | None = None) -> MainWindow:
    """Make the whole window over a data folder.

    Needs a `QApplication` and, as soon as the window is used, a running event loop that serves
    both Qt and asyncio. When the window is closed its background work and the engine end too.

    Args:
        data_dir: where settings and chats lie; made if it is not there.
        engine: the engine to talk to; None for the real one.
    """
    return build_application(data_dir, engine).window


def build_application(data_dir: Path, engine: EngineClient | None = None) -> Application:
    """As `build_window`, for callers that need more of it than the window."""
    _prepare_qt()
    _prepare_torch()
    engine = engine or Engine()
    settings = Settings(data_dir / SETTINGS_FILE)
    theme = Theme(settings.get(THEME), resources_dir() / "icons")
    notices = Notices()
    tasks = Tasks(notices.raised.emit)
    model = MainModel(engine, tasks, settings)
    replies = Replies(engine, tasks)
    chats = _open_chats(data_dir, notices)
    drafts = Drafts(engine, model, settings, tasks)
    library = Library(settings, model, tasks)
    finder = ModelFinder(library, model, tasks)
    comparing, benching = Comparing(engine, tasks), Benching(engine, tasks)
    measurements = Measurements(chats.store)
    measuring = (comparing, benching, measurements)
    session = Session(chats, model, drafts, library, finder, replies, *measuring, settings, notices)
    _show_last_chat(session)
    _connect(session)
    network = NetworkWatch()
    watched = (EngineWatch(engine, tasks), SizeFits(engine, tasks))
    watched[0].failed.connect(notices.raised)
    window = MainWindow(theme, session, tasks, network, watched)
    state = (model, drafts, library, finder, replies, *measuring, session.chats)
    parts = (settings, theme, notices, *state, network, *watched)
    for part in parts:
        part.setParent(window)
    return Application(window, session, tasks, engine)


def _prepare_torch() -> None:
    """Let torch's threads sleep while they wait for each other; read when torch is imported.

    Where they spin, as they do by default, a busy window takes two cores from 15 tokens/s to 3.4;
    sleeping gives 9 either way.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def _prepare_qt() -> None:
    QApplication.setStyle("Fusion")
    load_fonts(resources_dir() / "fonts")
    QApplication.setFont(interface_font(Size.CONTROL))  # of menus and dialogs
    if QLocale.system().language() is QLocale.Language.C:
        QLocale.setDefault(QLocale(QLocale.Language.English))


def _open_chats(data_dir: Path, notices: Notices) -> Chats:
    """The chats of a data folder; what is wrong with them is told once the window is there."""
    trouble = StoreTrouble()
    trouble.raised.connect(notices.raised)
    store, problem = open_store(data_dir, trouble.report)
    chats = Chats(store)
    trouble.setParent(chats)
    if problem:
        QTimer.singleShot(0, notices, lambda: notices.raised.emit(problem))
    return chats


def _show_last_chat(session: Session) -> None:
    last = session.settings.get(LAST_CHAT)
    if last in session.chats.ids:
        session.chats.show(last)


def _remember_chat(session: Session) -> None:
    current = session.chats.current
    session.settings.set(LAST_CHAT, current.id if current.messages else "")


def _connect(session: Session) -> None:
    """What follows from events of the engine; what follows from the person, widgets connect."""
    session.replies.flushed.connect(session.chats.reply_grew)
    session.replies.state_changed.connect(session.chats.reply_state_changed)
    session.replies.ended.connect(partial(_reply_ended, session))
    session.chats.current_changed.connect(partial(_remember_chat, session))
    session.chats.listed.connect(lambda _: _remember_chat(session))
    for measuring in (session.comparing, session.benching):
        measuring.failed.connect(session.notices.raised)
        measuring.failed.connect(lambda _: session.model.look_again())
    session.comparing.finished.connect(session.measurements.add_comparison)
    session.benching.finished.connect(session.measurements.add_bench_run)
    session.model.changed.connect(partial(_measure_nothing_while_loading, session))
    session.model.ready.connect(lambda _: model_actions.remember_main_model(session))
    session.model.ready.connect(partial(draft_actions.follow_main_model, session))
    session.model.ready.connect(partial(chat_actions.answer_queued, session))
    session.model.ready.connect(partial(_tell_notice, session))
    session.model.draft_ready.connect(partial(draft_actions.follow_main_model, session))
    session.model.failed.connect(partial(_load_failed, session))


def _reply_ended(session: Session, conversation_id: str, problem: Problem | None) -> None:
    session.chats.reply_ended(conversation_id)
    if problem:
        session.model.look_again()
    if problem and problem.is_too_long:
        chat_actions.take_back(session, conversation_id)
    if problem and not _is_read_in_chat(session, conversation_id, problem):
        session.notices.raised.emit(problem)


def _is_read_in_chat(session: Session, conversation_id: str, problem: Problem) -> bool:
    """Whether the line under the reply, in the chat in view, says all that there is to say."""
    last = session.chats.current.messages[-1:]
    is_in_view = conversation_id == session.chats.current.id
    is_under_reply = any(message.failure == problem.sentence for message in last)
    return is_in_view and is_under_reply


def _measure_nothing_while_loading(session: Session) -> None:
    if session.model.loading:
        session.comparing.stop()
        session.benching.cancel()


def _tell_notice(session: Session, model: LoadedModel) -> None:
    if model.notice:
        session.notices.raised.emit(Problem(model.notice))


def _load_failed(session: Session, problem: Problem, loading: Loading) -> None:
    draft_actions.forget_failed(session, loading)
    session.notices.raised.emit(problem)
    if session.model.loaded is None:
        chat_actions.end_queued(session, MessageState.FAILED, problem.sentence)

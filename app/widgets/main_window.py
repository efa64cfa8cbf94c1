"""The window: sidebar, top row, chat; keys and drops for all of them."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRect, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import QMainWindow

from app.actions import chat as chat_actions
from app.actions import chats as chats_actions
from app.actions import drafts as draft_actions
from app.actions import guide as guide_actions
from app.actions import models as model_actions
from app.actions.session import Session
from app.bridge.engine_watch import EngineWatch
from app.bridge.size_fits import SizeFits
from app.bridge.tasks import Tasks
from app.itemmodels.chat_list import ChatListModel
from app.itemmodels.draft_list import DraftListModel
from app.network import NetworkWatch
from app.settings.schema import FOLDED_FOLDERS, WINDOW_GEOMETRY, Geometry
from app.shortcuts import Shortcut
from app.storage.search import Hit
from app.theme.theme import Theme
from app.widgets.app_menu import AppMenu
from app.widgets.chat.chat_pane import ChatPane
from app.widgets.chat.workshop import Workshop
from app.widgets.chat_menu import ChatMenu, FolderMenu, ask_folder_name, ask_title
from app.widgets.common.painting import painted
from app.widgets.draft_fields import DraftFields
from app.widgets.draft_popup import DraftPopup
from app.widgets.drop_overlay import DropOverlay
from app.widgets.file_drops import FileDrops
from app.widgets.models.model_chooser import ModelChooser
from app.widgets.notice_area import NoticeArea
from app.widgets.pages.pages import Pages
from app.widgets.panel.chat_panel import ChatPanel
from app.widgets.sidebar import Sidebar
from app.widgets.sides import Sides
from app.widgets.top_row import TopRow

DEFAULT_SIZE = (1280, 820)
MINIMUM_SIZE = (560, 420)


class MainWindow(QMainWindow):
    """Everything a person sees.

    Signals:
        closed: the window was closed; what lies behind it may end.
    """

    closed = Signal()

    def __init__(
        self,
        theme: Theme,
        session: Session,
        tasks: Tasks,
        network: NetworkWatch,
        watched: tuple[EngineWatch, SizeFits],
    ) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setWindowTitle("Paceline")
        self.setAcceptDrops(True)
        self.setMinimumSize(*MINIMUM_SIZE)
        self._theme = theme
        self._session = session
        self._tasks = tasks
        folded = session.settings.get(FOLDED_FOLDERS)
        self._chat_rows = ChatListModel(session.chats, folded, self)
        self._sidebar = Sidebar(theme, self._chat_rows, network)
        self._top_row = TopRow(theme, session.model, session.drafts)
        self._notices = NoticeArea(theme, session)
        self._workshop = Workshop(self)
        self._pane = ChatPane(theme, session, self._workshop)
        self._pages = Pages(theme, session, self._workshop, self._pane, watched)
        self._panel = ChatPanel(theme, session)
        self._models = ModelChooser(
            theme, session, tasks, self._top_row.picker, self.announced, self
        )
        drafts = DraftListModel(session.drafts, self)
        self._draft_fields = DraftFields(theme, session.drafts)
        self._draft_popup = DraftPopup(theme, drafts, self._draft_fields, self)
        middle = self._notices, self._pages
        self._sides = Sides(session.settings, self._sidebar, self._top_row, middle, self._panel)
        self.setCentralWidget(self._sides)
        self._drops = FileDrops(
            DropOverlay(theme, self), session.model, session.drafts, tasks, self
        )
        self._connect()
        self._bind_keys()
        self._wear_theme()
        self._restore_place()
        self._pane.composer.edit.setFocus()

    async def announced(self) -> None:
        """Wait until the strip that says what is loading is on the screen."""
        await painted(self._notices.load_strip)

    def _connect(self) -> None:
        session, top_row = self._session, self._top_row
        self._theme.changed.connect(self._wear_theme)
        self.closed.connect(self._pane.keep_unsent)
        self.closed.connect(self._workshop.end)
        session.chats.removed.connect(self._sidebar.undo_strip.offer)
        session.chats.removed.connect(self._sidebar.search_again)
        session.chats.current_changed.connect(self._mark_current_chat)
        session.chats.listed.connect(self._mark_current_chat)
        session.chats.current_changed.connect(self._show_chat)
        top_row.compare_toggled.connect(self._pages.show_compare)
        self._connect_sidebar()
        self._connect_models()
        self._connect_drops()

    def _connect_sidebar(self) -> None:
        session, sidebar, chats = self._session, self._sidebar, self._sidebar.chat_list
        sidebar.new_chat_asked.connect(self._new_chat)
        sidebar.chat_chosen.connect(lambda id_: chat_actions.show_chat(session, id_))
        sidebar.chat_chosen.connect(self._show_chat)
        sidebar.menu_asked.connect(self._open_chat_menu)
        sidebar.app_menu_asked.connect(self._open_app_menu)
        sidebar.search_asked.connect(lambda text: self._tasks.start(self._search(text)))
        sidebar.hit_chosen.connect(self._show_hit)
        sidebar.undo_asked.connect(lambda: chats_actions.undo_delete(session))
        chats.folder_menu_asked.connect(
            lambda folder, place: FolderMenu(session, folder, self).popup(place)
        )
        chats.rename_asked.connect(lambda id_: ask_title(session, id_, self))
        chats.folder_rename_asked.connect(lambda folder: ask_folder_name(session, folder, self))
        chats.delete_asked.connect(lambda id_: chats_actions.delete(session, id_))
        self._chat_rows.folded.connect(lambda names: session.settings.set(FOLDED_FOLDERS, names))
        self._chat_rows.dropped.connect(
            lambda id_, folder: chats_actions.move_to_folder(session, id_, folder)
        )

    def _connect_models(self) -> None:
        session, pane, drafts = self._session, self._pane, self._draft_popup
        self._top_row.picker.opened.connect(self._models.open)
        self._top_row.draft_picker.opened.connect(self._open_draft_picker)
        drafts.chosen.connect(
            lambda choice: draft_actions.use_draft(session, choice, self.announced)
        )
        self._draft_fields.changed.connect(
            lambda settings: draft_actions.set_up_drafts(session, settings, self.announced)
        )
        drafts.browse_asked.connect(self._browse_for_draft)
        drafts.swap_asked.connect(lambda: draft_actions.swap_roles(session, self.announced))
        pane.empty_state.browse_asked.connect(self._models.browse)
        pane.empty_state.find_asked.connect(self._models.find)
        pane.empty_state.where_asked.connect(self._pages.show_where_models)
        self._models.popup.where_asked.connect(self._pages.show_where_models)
        self._pages.browse_asked.connect(self._models.browse)
        self._pages.find_asked.connect(self._models.find)
        pane.model_asked.connect(self._models.use)
        pane.more_context_asked.connect(
            lambda context: model_actions.use_more_context(session, context, self.announced)
        )
        pane.guide_needed.connect(lambda: guide_actions.load_guide(session, self.announced))
        self._notices.load_strip.cancel_asked.connect(lambda: model_actions.cancel_loading(session))

    def _connect_drops(self) -> None:
        session, drops = self._session, self._drops
        drops.attached.connect(self._show_chat)
        drops.attached.connect(self._pane.attach)
        drops.folder_dropped.connect(self._models.add_folder)
        drops.imported.connect(lambda paths: chats_actions.import_chats(session, paths))
        drops.dropped.connect(lambda urls: model_actions.use_dropped(session, urls, self.announced))
        drops.dropped_as_draft.connect(
            lambda urls: draft_actions.use_dropped(session, urls, self.announced)
        )

    def _bind_keys(self) -> None:
        session, in_hand = self._session, self._pane.message_in_hand
        in_window: dict[Shortcut, Callable[[], object]] = {
            Shortcut.NEW_CHAT: self._new_chat,
            Shortcut.OPEN_MODEL: self._models.browse,
            Shortcut.MODEL_PICKER: self._models.open,
            Shortcut.DRAFT_PICKER: self._open_draft_picker,
            Shortcut.COMPARE: self._top_row.compare_button.toggle,
            Shortcut.FOCUS_COMPOSER: self._pages.focus,
            Shortcut.STOP: self._stop_or_dismiss,
            Shortcut.NEXT_CHAT: lambda: self._show_chat_beside(+1),
            Shortcut.PREVIOUS_CHAT: lambda: self._show_chat_beside(-1),
            Shortcut.SEARCH_CHATS: self._start_search,
            Shortcut.TOGGLE_SIDEBAR: self._sides.toggle_sidebar,
            Shortcut.TOGGLE_PANEL: self._sides.toggle_panel,
            Shortcut.QUIT: self.close,
        }
        in_chat: dict[Shortcut, Callable[[], object]] = {
            Shortcut.SHOW_ACCEPTED: self._pane.transcript.toggle_accepted,
            Shortcut.REGENERATE: lambda: chat_actions.regenerate(session, in_hand()),
            Shortcut.CONTINUE_REPLY: lambda: chat_actions.continue_reply(session, in_hand()),
            Shortcut.EDIT_MESSAGE: self._pane.edit_message,
            Shortcut.PREVIOUS_VERSION: lambda: chat_actions.show_version(session, in_hand(), -1),
            Shortcut.NEXT_VERSION: lambda: chat_actions.show_version(session, in_hand(), +1),
            Shortcut.COPY_REPLY: lambda: chat_actions.copy_reply(session, in_hand()),
            Shortcut.DELETE_CHAT: self._delete_chat,
            Shortcut.FIND: self._pane.transcript.open_find,
            Shortcut.FIND_NEXT: lambda: self._pane.transcript.step_match(+1),
            Shortcut.FIND_PREVIOUS: lambda: self._pane.transcript.step_match(-1),
            Shortcut.NEXT_MESSAGE: lambda: self._pane.transcript.go_beside(+1),
            Shortcut.PREVIOUS_MESSAGE: lambda: self._pane.transcript.go_beside(-1),
            Shortcut.ATTACH: self._pane.choose_attachments,
        }
        for shortcut, action in in_window.items():
            QShortcut(shortcut.sequence, self).activated.connect(action)
        for shortcut, action in in_chat.items():  # nothing is done to a chat that is not seen
            key = QShortcut(shortcut.sequence, self)
            key.activated.connect(self._show_chat)
            key.activated.connect(action)

    def _show_chat(self) -> None:
        """Leave Compare and every other page."""
        self._top_row.leave_compare()
        self._pages.go_back()

    @property
    def _is_comparing(self) -> bool:
        """Whether Compare is shown in place of the chat."""
        return self._top_row.compare_button.isChecked()

    def _new_chat(self) -> None:
        self._show_chat()
        chat_actions.new_chat(self._session)

    def _browse_for_draft(self) -> None:
        draft_actions.browse(self._session, self, self.announced)

    def _open_draft_picker(self) -> None:
        loaded = self._session.model.loaded
        if loaded is None:
            draft_actions.say_main_model_first(self._session)
        else:
            self._session.drafts.look_in(self._session.library.folders)
            self._draft_popup.offer_swap(loaded.draft is not None)
            self._draft_popup.open_below(self._top_row.draft_picker)

    def _stop_or_dismiss(self) -> None:
        if self._pages.shows_side_page:
            self._pages.go_back()
        elif self._is_comparing and self._session.comparing.is_running:
            self._session.comparing.stop()
        elif self._session.chats.current.pending_reply:
            chat_actions.stop(self._session)
        else:
            self._session.notices.settled.emit()

    def _open_chat_menu(self, conversation_id: str, place: QPoint) -> None:
        ChatMenu(self._session, conversation_id, self).popup(place)

    def _open_app_menu(self, place: QPoint) -> None:
        menu = AppMenu(self._session, self._pages, self)
        menu.popup(place - QPoint(menu.sizeHint().width(), menu.sizeHint().height()))

    def _start_search(self) -> None:
        self._sides.show_sidebar(True)
        self._sidebar.search_line.setFocus()
        self._sidebar.search_line.selectAll()

    async def _search(self, question: str) -> None:
        self._sidebar.show_hits(question, await chats_actions.search(self._session, question))

    def _show_hit(self, hit: Hit) -> None:
        self._show_chat()
        chats_actions.show_hit(self._session, hit)
        start, end = hit.snippet.found
        self._pane.transcript.show_message(hit.message_id, hit.snippet.text[start:end])

    def _delete_chat(self) -> None:
        if self._session.chats.current.messages:
            chats_actions.delete(self._session, self._session.chats.current.id)

    def _show_chat_beside(self, offset: int) -> None:
        if conversation_id := self._sidebar.chat_beside(offset):
            chat_actions.show_chat(self._session, conversation_id)

    def _mark_current_chat(self) -> None:
        self._sidebar.show_current(self._session.chats.current.id)

    def _wear_theme(self) -> None:
        self.setStyleSheet(self._theme.style_sheet)

    def _restore_place(self) -> None:
        self.resize(*DEFAULT_SIZE)
        place = self._session.settings.get(WINDOW_GEOMETRY)
        if place is None:
            return
        area = QRect(place.x, place.y, place.width, place.height)
        screens = QGuiApplication.screens()
        if any(screen.availableGeometry().contains(area.center()) for screen in screens):
            self.setGeometry(area)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._sides.fit(self.width())

    def closeEvent(self, event: QCloseEvent) -> None:
        area = self.normalGeometry() if self.isMaximized() else self.geometry()
        place = Geometry(area.x(), area.y(), area.width(), area.height())
        try:
            self._session.settings.set(WINDOW_GEOMETRY, place)
        finally:  # whatever fails here, the process must end
            event.accept()
            self.closed.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self._drops.enter(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._drops.move(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._drops.leave()

    def dropEvent(self, event: QDropEvent) -> None:
        self._drops.drop(event)

"""Everything that opens below the main model's picker, and what follows from it."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from app.actions import models as actions
from app.actions.session import Session
from app.bridge.load_plan import LoadPlan
from app.bridge.tasks import Tasks
from app.itemmodels.model_list import ModelListModel
from app.theme.theme import Theme
from app.widgets.model_popup import ModelPopup
from app.widgets.models.load_panel import LoadPanel
from app.widgets.models.model_menu import ModelMenu


class ModelChooser:
    """The list of models, a row's menu, and the panel of its options."""

    def __init__(
        self,
        theme: Theme,
        session: Session,
        tasks: Tasks,
        anchor: QWidget,
        announced: Callable[[], Awaitable[None]],
        window: QWidget,
    ) -> None:
        """`anchor`: what it opens below; `announced` as `MainModel.load` takes it."""
        self._session = session
        self._anchor = anchor
        self._announced = announced
        self._window = window
        models = ModelListModel(session.library, session.model, window)
        self.popup = ModelPopup(theme, models, session.finder, window)
        self._panel = LoadPanel(theme, LoadPlan(session.model, tasks, window), window)
        popup = self.popup
        popup.chosen.connect(self.use)
        popup.browse_asked.connect(self.browse)
        popup.folder_asked.connect(lambda: actions.choose_folder(session, window, self.add_folder))
        popup.removal_asked.connect(lambda path: actions.remove_from_list(session, path))
        popup.menu_asked.connect(self._open_menu)
        popup.options_asked.connect(self._choose_options)
        popup.eject_asked.connect(lambda: actions.eject(session))
        self._panel.load_asked.connect(
            lambda path, choice: actions.load_with(session, path, choice, announced)
        )

    def open(self) -> None:
        """Open the list, and see what has changed about the models since."""
        self._session.library.look()
        self.popup.offer_eject(self._session.model.loaded is not None)
        self.popup.open_below(self._anchor)

    def use(self, path: Path) -> None:
        """Make a file the main model."""
        actions.use_as_main_model(self._session, path, self._announced)

    def browse(self) -> None:
        """Let the person choose a file."""
        actions.browse(self._session, self._window, self._announced)

    def find(self) -> None:
        """Look for models on this computer, with the list open."""
        self._session.finder.find()
        self.open()

    def add_folder(self, folder: Path) -> None:
        """List the models of a folder, with the list open."""
        actions.add_folder(self._session, folder)
        self.open()

    def _open_menu(self, path: Path, place: QPoint) -> None:
        menu = ModelMenu(self._session, path, self.popup, lambda: self._choose_options(path))
        menu.popup(place)

    def _choose_options(self, path: Path) -> None:
        known = self._session.library.known(path)
        self.popup.hide()
        if known and known.summary:
            choice = actions.choice_for(self._session, path)
            self._panel.open_for(known.summary, choice, self._anchor)
        else:  # loading says what is wrong with the file
            self.use(path)

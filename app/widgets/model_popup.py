"""The list that opens below the main model's picker."""

from pathlib import Path

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QHideEvent, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.bridge.model_finder import Findings, ModelFinder
from app.itemmodels.model_list import PATH_ROLE, ModelListModel
from app.shortcuts import Shortcut
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.choice_popup import ChoicePopup
from app.widgets.common.labels import shorten_words, text_label
from app.widgets.models.model_row import ModelDelegate, menu_area

WIDTH_PX = 520


class ModelPopup(ChoicePopup):
    """Offers the models known so far, and the ways to more of them.

    Signals:
        chosen: path of the model the person picked.
        browse_asked: the person wants to pick a file.
        folder_asked: the person wants to pick a folder of models.
        removal_asked: path of the model that is not to be listed any more.
        menu_asked: path of the model whose menu is wanted, and where on the screen.
        options_asked: path of the model that is to be loaded with options.
        eject_asked: the model in use is to go.
        where_asked: the person wants to know where models come from.
    """

    chosen = Signal(object)
    browse_asked = Signal()
    folder_asked = Signal()
    removal_asked = Signal(object)
    menu_asked = Signal(object, QPoint)
    options_asked = Signal(object)
    eject_asked = Signal()
    where_asked = Signal()

    def __init__(
        self, theme: Theme, models: ModelListModel, finder: ModelFinder, parent: QWidget
    ) -> None:
        browse = ThemedButton(theme, "mainModelBrowse", text=self.tr("Browse…"))
        browse.describe(self.tr("Browse for a model file"), Shortcut.OPEN_MODEL.label)
        folder = ThemedButton(theme, "addModelFolder", text=self.tr("Add a folder…"))
        folder.describe(self.tr("List the models of a folder, and new ones as they come"))
        title = self.tr("Main models")
        super().__init__("mainModelPopup", title, WIDTH_PX, [browse, folder], parent)
        self._models = models
        self._finder = finder
        self._find = ThemedButton(theme, "findModels")
        self._find.clicked.connect(self._find_or_stop)
        self.buttons.insertWidget(1, self._find)
        self._status = text_label(interface_font(Size.CONTROL), look="dim", wraps=True)
        self._status.setObjectName("findStatus")
        self._status.setContentsMargins(12, 4, 12, 4)
        self.column.insertWidget(1, self._status)
        self.offer(models, ModelDelegate(theme, self))
        view = self.list_view
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._ask_for_menu)
        view.viewport().installEventFilter(self)
        view.removal_asked.connect(lambda index: self.removal_asked.emit(_path(index)))
        browse.clicked.connect(self.browse_asked)
        folder.clicked.connect(self.folder_asked)
        self._add_model_buttons(theme)
        where = ThemedButton(
            theme, "whereModelsLink", look="plain", text=self.tr("Where models come from")
        )
        where.setAccessibleName(where.text())
        where.setContentsMargins(12, 0, 12, 0)
        where.clicked.connect(self.hide)
        where.clicked.connect(self.where_asked)
        self.column.addWidget(where, 0, Qt.AlignmentFlag.AlignLeft)
        finder.changed.connect(self._follow_search)
        self.picked.connect(lambda index: self.chosen.emit(_path(index)))
        self._follow_search()

    def open_below(self, anchor: QWidget) -> None:
        self._show_status()
        super().open_below(anchor)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A click on a row's dots opens its menu, and picks nothing."""
        if not isinstance(event, QMouseEvent) or event.button() is not Qt.MouseButton.LeftButton:
            return super().eventFilter(watched, event)
        place = event.position().toPoint()
        index = self.list_view.indexAt(place)
        on_dots = index.isValid() and menu_area(self.list_view.visualRect(index)).contains(place)
        if on_dots and event.type() is QEvent.Type.MouseButtonRelease:
            self._ask_for_menu(place)
        return on_dots or super().eventFilter(watched, event)

    def offer_eject(self, offered: bool) -> None:
        """Offer to let a model go, where there is one."""
        self._eject.setVisible(offered)

    def hideEvent(self, event: QHideEvent) -> None:
        self._finder.dismiss()

    def fit(self) -> None:
        self._show_status()
        self._options.setVisible(bool(self._models.rowCount()))
        super().fit()

    def _add_model_buttons(self, theme: Theme) -> None:
        """What can be done with the marked model and the one in use, above the ways to more."""
        self._options = ThemedButton(theme, "loadOptions", text=self.tr("Load with options…"))
        self._options.describe(self.tr("Choose context, device and more for the marked model"))
        self._eject = ThemedButton(theme, "ejectModel", text=self.tr("Eject"))
        self._eject.describe(self.tr("Let the model in use go, and free its memory"))
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in (self._options, self._eject):
            row.addWidget(button)
            button.clicked.connect(self.hide)
        self.column.insertLayout(self.column.count() - 1, row)
        self._options.clicked.connect(
            lambda: self.options_asked.emit(_path(self.list_view.currentIndex()))
        )
        self._eject.clicked.connect(self.eject_asked)

    def _find_or_stop(self) -> None:
        if self._finder.is_looking:
            self._finder.stop()
        else:
            self._finder.find()

    def _follow_search(self) -> None:
        looking = self._finder.is_looking
        text = self.tr("Stop looking") if looking else self.tr("Find on this computer")
        self._find.setText(text)
        self._find.describe(
            self.tr("End the search; what was found stays listed")
            if looking
            else self.tr("Look where LM Studio, Ollama, llama.cpp and others keep models")
        )
        self._show_status()
        self.adjustSize()
        if self.isVisible():
            QAccessible.updateAccessibility(QAccessibleEvent(self._status, QAccessible.Event.Alert))

    def _show_status(self) -> None:
        text = self._status_text()
        self._status.setText(shorten_words(text))
        self._status.setAccessibleName(text)
        self._status.setVisible(bool(text))

    def _status_text(self) -> str:
        if self._finder.is_looking:
            return self.tr("Looking for models; files are used where they lie…")
        if self._finder.findings:
            return self._told(self._finder.findings)
        if not self._models.rowCount():
            return self.tr("Drop a .gguf file or a folder anywhere on the window, or browse.")
        return ""

    def _told(self, findings: Findings) -> str:
        if findings.folder:
            place = self.tr("in {folder}").format(folder=findings.folder.name)
        else:
            place = self.tr("in the folders of LM Studio, Ollama, llama.cpp, Hugging Face and Jan")
        count = findings.models
        if not count:
            return self.tr("No models {place}.").format(place=place)
        models = self.tr("%n models", "", count) if count > 1 else self.tr("one model")
        if findings.new == count:
            text = self.tr("Found {models} {place}.")
        elif findings.new:
            text = self.tr("Found {models} {place}, {new} of them new.")
        else:
            text = self.tr("Found {models} {place}, listed already.")
        return text.format(models=models, place=place, new=findings.new)

    def _ask_for_menu(self, place: QPoint) -> None:
        index = self.list_view.indexAt(place)
        if index.isValid():
            self.menu_asked.emit(_path(index), self.list_view.viewport().mapToGlobal(place))


def _path(index: QModelIndex) -> Path:
    return Path(str(index.data(PATH_ROLE)))

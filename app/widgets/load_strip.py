"""A model on its way: its name, the stage, how far, and the way out."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar

from app.bridge.main_model import STARTING, MainModel
from app.bridge.types import LoadProgress
from app.theme.fonts import Size, figure_font, interface_font
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import NameLabel, text_label

BAR_STEPS = 1000
BAR_MIN_WIDTH_PX = 120


class LoadStrip(QFrame):
    """Visible while a model loads; the chat below stays usable.

    Signals:
        cancel_asked: the load is to be given up.
    """

    cancel_asked = Signal()

    def __init__(self, theme: Theme, model: MainModel) -> None:
        super().__init__()
        self.setProperty("look", "strip")
        self._model = model
        self._name = NameLabel(interface_font(Size.CONTROL, QFont.Weight.DemiBold))
        self._stage = text_label(interface_font(Size.CONTROL), look="dim")
        self._stage.setObjectName("loadStage")
        self._percent = text_label(figure_font(Size.CONTROL), look="dim")
        self._bar = QProgressBar()
        self._bar.setObjectName("loadProgress")
        self._bar.setRange(0, BAR_STEPS)
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(6)
        self._bar.setMinimumWidth(BAR_MIN_WIDTH_PX)
        self._cancel = ThemedButton(theme, "loadCancel", look="quiet", text=self.tr("Cancel"))
        self._cancel.describe(self.tr("Cancel loading"))
        self._cancel.clicked.connect(self.cancel_asked)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 8, 8)
        row.setSpacing(12)
        row.addWidget(self._name)
        row.addWidget(self._stage)
        row.addWidget(self._bar, 1)
        row.addWidget(self._percent)
        row.addWidget(self._cancel)
        model.changed.connect(self._follow_model)
        model.progressed.connect(self._show_progress)
        self.hide()

    def _follow_model(self) -> None:
        loading = self._model.loading
        if loading:
            self._name.setText(loading.name)
            if not self.isVisible():
                self._show_progress(STARTING)
        self.setVisible(loading is not None)

    def _show_progress(self, progress: LoadProgress) -> None:
        stage = self._in_words(progress.stage)
        self._stage.setText(stage)
        self._bar.setValue(round(progress.fraction * BAR_STEPS))
        self._bar.setAccessibleName(stage)
        percent = self.tr("{percent} %").format(percent=round(progress.fraction * 100))
        self._percent.setText(percent if progress.fraction else "")

    def _in_words(self, stage: str) -> str:
        """The engine's stage in the window's language; one not known here as it is."""
        match stage.removesuffix("…"):
            case "Starting the engine":
                return self.tr("Starting the engine…")
            case "Reading the file":
                return self.tr("Reading the file…")
            case "Reading the vocabulary":
                return self.tr("Reading the vocabulary…")
            case "Loading the weights":
                return self.tr("Loading the weights…")
        return stage

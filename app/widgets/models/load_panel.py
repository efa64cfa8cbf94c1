"""Where a person says how a model is to be loaded, and sees what that takes."""

import os
import sys
from pathlib import Path

from PySide6.QtCore import QLocale, QPoint, Qt, Signal
from PySide6.QtGui import QFont, QHideEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QSlider, QVBoxLayout, QWidget

from app.bridge.load_plan import LoadPlan
from app.bridge.types import Fit, ModelSummary
from app.domain.context_steps import context_steps, default_context
from app.domain.load_choice import LoadChoice
from app.itemmodels.model_facts import FIT_TOKENS, fit_text, size_text
from app.settings.schema import MOST_CHATS_AT_ONCE
from app.theme.fonts import Size, figure_font, interface_font
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import NameLabel, text_label
from app.widgets.models.choice_row import ChoiceRow
from app.widgets.panel.number_field import WholeField

WIDTH_PX = 520
FIELD_WIDTH_PX = 112


class LoadPanel(QWidget):
    """Opens for one model.

    Signals:
        load_asked: path of the model, and the `LoadChoice` made for it.
    """

    load_asked = Signal(object, object)

    def __init__(self, theme: Theme, plan: LoadPlan, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("loadPanel")
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAccessibleName(self.tr("Load with options"))
        self.setFixedWidth(WIDTH_PX)
        self._plan = plan
        self._path = Path()
        self._steps = [1]
        self._make_fields(theme)
        self._lay_out()
        self._connect()

    def open_for(self, model: ModelSummary, choice: LoadChoice, anchor: QWidget) -> None:
        """Show what was chosen for a model."""
        self._path = model.path
        self._longest = max(1, model.context_length)
        self._name.setText(model.name)
        self._show(choice)
        self._tell()
        self.adjustSize()
        self.move(anchor.mapToGlobal(QPoint(0, anchor.height() + 4)))
        self.show()
        self._context.setFocus()

    @property
    def choice(self) -> LoadChoice:
        """What is chosen now."""
        context = self._steps[self._context.value()]
        return LoadChoice(
            context=None if context == default_context(self._longest) else context,
            slots=self._slots.value() or None,
            device=self._device.key,
            threads=self._threads.value() or None,
            kv_type=self._cache.key,
        )

    def _make_fields(self, theme: Theme) -> None:
        self._name = NameLabel(interface_font(Size.CONTROL, QFont.Weight.DemiBold))
        self._context = QSlider(Qt.Orientation.Horizontal)
        self._context.setObjectName("loadContext")
        self._context.setAccessibleName(self.tr("Context"))
        self._context.setFixedHeight(24)
        self._tokens = text_label(figure_font(Size.CONTROL))
        self._slots = WholeField(MOST_CHATS_AT_ONCE, 1, self.tr("as set"))
        self._slots.setObjectName("loadSlots")
        self._slots.setAccessibleName(self.tr("Chats at once"))
        self._threads = WholeField(os.cpu_count() or 1, 1, self.tr("automatic"))
        self._threads.setObjectName("loadThreads")
        self._threads.setAccessibleName(self.tr("Threads"))
        for field in (self._slots, self._threads):
            field.setFont(figure_font(Size.CONTROL))
            field.setFixedWidth(FIELD_WIDTH_PX)
        gpu = {"mps": self.tr("GPU")} if sys.platform == "darwin" else {"cuda": self.tr("GPU")}
        devices = {"auto": self.tr("Automatic"), "cpu": self.tr("Processor")} | gpu
        self._device = ChoiceRow(theme, "loadDevice", self.tr("Device"), devices)
        types = {"f16": self.tr("f16"), "q8_0": self.tr("q8_0, half the memory")}
        self._cache = ChoiceRow(theme, "loadCacheType", self.tr("Cache type"), types)
        self._fit = text_label(interface_font(Size.CONTROL), wraps=True)
        self._fit.setObjectName("loadFit")
        self._reset = ThemedButton(theme, "loadDefaults", text=self.tr("Defaults"))
        self._reset.describe(self.tr("Take the engine's own choices again"))
        self._load = ThemedButton(theme, "loadNow", look="main", text=self.tr("Load"))
        self._load.describe(self.tr("Load the model in this way, now and from now on"))

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(12)
        grid.setColumnStretch(1, 1)
        rows = (
            (self.tr("Context"), self._context),
            ("", self._tokens),
            (self.tr("Chats at once"), self._slots),
            (self.tr("Device"), self._device),
            (self.tr("Threads"), self._threads),
            (self.tr("Cache type"), self._cache),
        )
        for number, (text, widget) in enumerate(rows):
            label = text_label(interface_font(Size.CONTROL), text, "dim")
            label.setBuddy(widget)
            grid.addWidget(label, number, 0)
            side = Qt.AlignmentFlag.AlignLeft if widget in (self._slots, self._threads) else None
            grid.addWidget(widget, number, 1, side or Qt.AlignmentFlag(0))
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self._reset)
        buttons.addStretch()
        buttons.addWidget(self._load)
        frame = QFrame()
        frame.setProperty("look", "popup")
        column = QVBoxLayout(frame)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(16)
        column.addWidget(self._name)
        column.addLayout(grid)
        column.addWidget(self._fit)
        column.addLayout(buttons)
        shell = QVBoxLayout(self)
        shell.setContentsMargins(0, 0, 0, 0)
        shell.addWidget(frame)

    def _connect(self) -> None:
        self._context.valueChanged.connect(self._ask)
        self._slots.valueChanged.connect(self._ask)
        self._threads.valueChanged.connect(self._ask)
        self._device.chosen.connect(self._ask)
        self._cache.chosen.connect(self._ask)
        self._plan.changed.connect(self._tell)
        self._reset.clicked.connect(lambda: self._show(LoadChoice()))
        self._load.clicked.connect(self._finish)

    def _show(self, choice: LoadChoice) -> None:
        self._steps = context_steps(self._longest, choice.context)
        wanted = choice.context or default_context(self._longest)
        at_most = [step for step in self._steps if step <= wanted]
        self._context.setRange(0, len(self._steps) - 1)
        self._context.setValue(max(0, len(at_most) - 1))
        self._slots.setValue(choice.slots or 0)
        self._threads.setValue(choice.threads or 0)
        self._device.choose(choice.device)
        self._cache.choose(choice.kv_type)
        self._ask()

    def _ask(self) -> None:
        self._plan.ask(self._path, self.choice)

    def _tell(self) -> None:
        context, verdict = self._steps[self._context.value()], self._plan.verdict
        tokens = self.tr("{count} tokens").format(count=QLocale().toString(context))
        if verdict and verdict.context == context:
            tokens += " · " + size_text(verdict.cache_bytes)
        self._tokens.setText(tokens)
        self._context.setAccessibleDescription(tokens)
        text, look = self._answer()
        self._fit.setText(text)
        self._fit.setProperty("look", look)
        self._fit.style().polish(self._fit)
        self._load.setEnabled(look != "bad")
        self.adjustSize()

    def _answer(self) -> tuple[str, str]:
        """What loading in this way would take, and the look of that."""
        verdict, trouble = self._plan.verdict, self._plan.trouble
        if trouble:
            return trouble, "bad"
        if verdict is None and self._plan.is_asking:
            return self.tr("Reading the file…"), "dim"
        if verdict is None:
            return self.tr("What this needs is known once a model has been loaded."), "dim"
        if verdict.fit is Fit.TOO_LARGE:
            return verdict.sentence, "bad"
        count = verdict.slots
        chats = self.tr("%n chats at once", "", count) if count > 1 else self.tr("one chat at once")
        return f"{fit_text(verdict)} · {chats}", FIT_TOKENS[verdict.fit]

    def _finish(self) -> None:
        choice = self.choice
        self.hide()
        self.load_asked.emit(self._path, choice)

    def hideEvent(self, event: QHideEvent) -> None:
        self._plan.drop()

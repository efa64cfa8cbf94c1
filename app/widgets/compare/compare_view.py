"""Compare: one prompt answered in two ways, as a rule without drafts and with them."""

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.actions import compare as compare_actions
from app.actions.session import Session
from app.bridge.comparing import Comparing
from app.bridge.throttle import Throttle
from app.domain.comparison import Half
from app.domain.draft import DraftWay
from app.shortcuts import Shortcut
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.chat.composer import ComposerEdit
from app.widgets.chat.gauges import UPDATE_INTERVAL_MS
from app.widgets.chat.workshop import Workshop
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.check_box import CheckBox
from app.widgets.common.labels import hairline, shorten_words, text_label
from app.widgets.compare.compare_menus import ComparisonMenu, HistoryPopup, WayMenu
from app.widgets.compare.half_view import HalfView, tokens_per_second
from app.widgets.compare.result_strip import ResultStrip

MOST_SHOWN = 240  # characters of the prompt, so that the replies keep their room


class CompareView(QWidget):
    """The two replies, what came of them, and where the prompt is written.

    Signals:
        bench_asked: the person wants to measure on the ten prompts.
    """

    bench_asked = Signal()

    def __init__(self, theme: Theme, session: Session, workshop: Workshop) -> None:
        super().__init__()
        self.setObjectName("compareView")
        self._session = session
        self._comparing: Comparing = session.comparing
        self._picked: list[DraftWay | None] = [None, None]  # for the next run; None: unasked
        self._figures_due = Throttle(UPDATE_INTERVAL_MS, self)
        self._result = ResultStrip(theme)
        self._prompt = text_label(interface_font(Size.BODY), look="dim", wraps=True)
        left, right = self.tr("Left side"), self.tr("Right side")
        self._left = HalfView(theme, workshop, "compareOff", left)
        self._right = HalfView(theme, workshop, "compareOn", right)
        self.edit = ComposerEdit(takes_files=False)
        self.edit.setObjectName("comparePrompt")
        self.edit.setAccessibleName(self.tr("One prompt for both sides"))
        self.edit.setPlaceholderText(self.tr("One prompt for both sides"))
        self._make_buttons(theme)
        self._history_popup = HistoryPopup(theme, session, self)
        self._lay_out()
        self._connect()
        self._offer_stop(False)
        self._refresh()

    def _make_buttons(self, theme: Theme) -> None:
        self._together = CheckBox(theme, "compareTogether", self.tr("Both at once, for the show"))
        self._history = ThemedButton(theme, "compareHistory", look="quiet", text=self.tr("History"))
        self._history.describe(self.tr("Earlier comparisons"))
        self._bench = ThemedButton(theme, "benchOpen", look="quiet", text=self.tr("Bench"))
        self._bench.describe(self.tr("Measure the draft on ten prompts"))
        self._run = ThemedButton(
            theme, "compareRun", look="round", icon="arrow-up", token="button_text"
        )
        self._run.describe(self.tr("Compare"), Shortcut.SEND.label)
        self._stop = ThemedButton(
            theme, "compareStop", look="round", icon="square", token="button_text", filled=True
        )
        self._stop.describe(self.tr("Stop"), Shortcut.STOP.label)

    def _lay_out(self) -> None:
        halves = QHBoxLayout()
        halves.setSpacing(24)
        halves.addWidget(self._left, 1)
        halves.addWidget(hairline(Qt.Orientation.Vertical))
        halves.addWidget(self._right, 1)
        frame = QFrame()
        frame.setObjectName("compareFrame")
        frame.setProperty("look", "composer")
        foot = QHBoxLayout()
        foot.addWidget(self._together)
        foot.addStretch()
        for button in (self._history, self._bench, self._run, self._stop):
            foot.addWidget(button)
        writing = QVBoxLayout(frame)
        writing.setContentsMargins(16, 12, 12, 8)
        writing.addWidget(self.edit)
        writing.addLayout(foot)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 0, 24, 24)
        column.setSpacing(16)
        column.addWidget(self._result)
        column.addWidget(self._prompt)
        column.addLayout(halves, 1)
        column.addWidget(frame)

    def _connect(self) -> None:
        session = self._session
        self._comparing.changed.connect(self._refresh)
        self._comparing.written.connect(self._show_growth)
        self._figures_due.fired.connect(self._show_figures)
        session.drafts.changed.connect(self._name_sides)
        session.model.changed.connect(self._name_sides)
        session.measurements.changed.connect(self._offer_history)
        self._left.choice_asked.connect(lambda place: self._choose_way(0, place))
        self._right.choice_asked.connect(lambda place: self._choose_way(1, place))
        self._result.menu_asked.connect(
            lambda place: ComparisonMenu(session, self._comparing.record, self).popup(place)
        )
        self._history.clicked.connect(lambda: self._history_popup.open_beside(self._history))
        self._bench.clicked.connect(self.bench_asked)
        self._run.clicked.connect(self._start)
        self.edit.submitted.connect(self._start)
        self.edit.textChanged.connect(self._enable_run)
        self._stop.clicked.connect(self._comparing.stop)
        self._enable_run()
        self._offer_history()

    def _enable_run(self) -> None:
        self._run.setEnabled(bool(self.edit.toPlainText().strip()))

    def _offer_history(self) -> None:
        self._history.setEnabled(bool(self._session.measurements.comparisons))

    def _start(self) -> None:
        together, prompt = self._together.isChecked(), self.edit.toPlainText()
        if compare_actions.start(self._session, prompt, self._ways, together=together):
            self.edit.clear()
            self._session.notices.settled.emit()

    @property
    def _ways(self) -> list[DraftWay]:
        """How to draft on each side: as was picked, as far as the model still can."""
        drafts = self._session.drafts
        unasked = (DraftWay(), DraftWay(drafts.choice.kind))
        return [
            picked if picked and picked.kind in drafts.kinds else way
            for picked, way in zip(self._picked, unasked, strict=True)
        ]

    def _choose_way(self, side: int, place: QPoint) -> None:
        def choose(way: DraftWay) -> None:
            self._picked[side] = way
            compare_actions.begin_anew(self._session)

        WayMenu(self._session, self._ways[side], choose, self).popup(place)

    def _name_sides(self) -> None:
        """Say who answers: until there are replies, what would."""
        record, views = self._comparing.record, (self._left, self._right)
        if record.prompt:
            names = [(half.draft, half.details) for half in (record.left, record.right)]
            alone = record.model
        else:
            ways = [compare_actions.way_of(self._session, way) for way in self._ways]
            names = [(way.draft, way.details) for way in ways]
            loaded = self._session.model.loaded
            alone = loaded.summary.name if loaded else ""
        for view, (draft, details) in zip(views, names, strict=True):
            model_alone = self.tr("{name} alone").format(name=alone) if alone else ""
            about = f"{draft}, {details}" if draft and details else draft or model_alone
            view.say_who(about, is_drafted=bool(draft))

    def _refresh(self) -> None:
        comparing, record = self._comparing, self._comparing.record
        for view, half in self._halves:
            view.show_reply(half.reply)
            view.let_choose(not comparing.is_running)
        self._figures_due.flush()
        self._name_sides()
        self._prompt.setText(f"“{_shortened(record.prompt)}”")
        self._prompt.setAccessibleName(record.prompt)
        self._prompt.setVisible(bool(record.prompt))
        self._result.show_record(record, comparing.result)
        if comparing.is_running is self._stop.isHidden():
            self._offer_stop(comparing.is_running)

    @property
    def _halves(self) -> tuple[tuple[HalfView, Half], tuple[HalfView, Half]]:
        record = self._comparing.record
        return (self._left, record.left), (self._right, record.right)

    def _show_growth(self, grown: Half) -> None:
        """Show what was added to a reply; its figures follow at their own pace."""
        for view, half in self._halves:
            if half is grown:
                view.show_reply(half.reply)
        self._figures_due.request()

    def _show_figures(self) -> None:
        shown = [(view, half, self._comparing.figures(half)) for view, half in self._halves]
        speeds = [tokens_per_second(half, figures) for _, half, figures in shown]
        fastest = max((speed for speed in speeds if speed == speed), default=0.0)
        for view, half, figures in shown:
            view.show_figures(half, figures, fastest)

    def _offer_stop(self, offered: bool) -> None:
        """Put *Stop* where *Compare* was, or back."""
        had_focus = self._run.hasFocus() or self._stop.hasFocus()
        self._run.setVisible(not offered)
        self._stop.setVisible(offered)
        if had_focus:
            self.edit.setFocus()


def _shortened(prompt: str) -> str:
    """The beginning of a prompt, in one paragraph."""
    text = shorten_words(" ".join(prompt.split()))
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN].rstrip() + "…"

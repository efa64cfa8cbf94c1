"""The bench: ten prompts without the draft and with it, as bars beside their figures."""

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.actions import bench as actions
from app.actions.session import Session
from app.domain.bench_run import BenchRun
from app.itemmodels.bench_facts import prompt_name
from app.itemmodels.measured_list import RECORD_ROLE, MeasuredListModel, bench_rows
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.bench.bench_chart import BenchChart
from app.widgets.bench.bench_strip import BenchStrip
from app.widgets.chat_menu import ActionMenu
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.choice_popup import ChoicePopup
from app.widgets.common.export_dialog import ask_export
from app.widgets.common.labels import text_label
from app.widgets.common.page_head import PageHead
from app.widgets.common.page_scroll import MARGIN_PX, PageScroll
from app.widgets.common.picker_button import PickerButton
from app.widgets.compare.measured_row import MeasuredDelegate

POPUP_WIDTH_PX = 480
BESIDE_WIDTHS_PX = (160, 280)


class BenchView(QWidget):
    """Starts the bench, shows how far it is and what came of it.

    Signals:
        left: the person goes back to Compare.
    """

    left = Signal()

    def __init__(self, theme: Theme, session: Session) -> None:
        super().__init__()
        self.setObjectName("benchView")
        self._session = session
        self._beside: BenchRun | None = None
        runs = session.measurements.bench_runs
        if session.benching.run is None and runs:
            session.benching.show(runs[-1])
        self._make_parts(theme)
        self._lay_out()
        self._connect()
        self._refresh()

    def _make_parts(self, theme: Theme) -> None:
        self._head = PageHead(theme, "benchBack", self.tr("Bench"), self.tr("Back to Compare"))
        self._picker = PickerButton(theme, "benchBeside", self.tr("Beside"), BESIDE_WIDTHS_PX)
        self._picker.setToolTip(self.tr("Lay an earlier run beside this one"))
        self._more = ThemedButton(theme, "benchMore", look="quiet", icon="ellipsis", token="dim")
        self._more.describe(self.tr("Export or delete this run"))
        self._run = ThemedButton(theme, "benchRun", look="main", text=self.tr("Run the bench"))
        self._cancel = ThemedButton(theme, "benchCancel", text=self.tr("Cancel"))
        self._strip = BenchStrip()
        self._chart = BenchChart(theme)
        self._notes = text_label(interface_font(Size.CONTROL), look="dim", wraps=True)
        self._empty = text_label(
            interface_font(Size.BODY),
            self.tr(
                "The bench asks ten prompts of different kinds, each without the draft and with "
                "it, cold, and checks that both say the same. Other chats wait meanwhile."
            ),
            "dim",
            wraps=True,
        )
        measurements = self._session.measurements
        self._rows = MeasuredListModel(
            measurements, lambda: bench_rows(measurements, self._session.benching.run), self
        )
        title = self.tr("Earlier runs")
        self._popup = ChoicePopup("benchBesidePopup", title, POPUP_WIDTH_PX, (), self)
        self._popup.offer(self._rows, MeasuredDelegate(theme, self))

    def _lay_out(self) -> None:
        for control in (self._picker, self._more, self._run, self._cancel):
            self._head.add(control)
        scroll = PageScroll()
        scroll.setObjectName("benchScroll")
        scroll.column.setSpacing(16)
        for widget in (self._empty, self._chart, self._notes):
            scroll.column.addWidget(widget)
        scroll.column.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN_PX, 12, 0, MARGIN_PX)
        column.setSpacing(16)
        for part in (self._head, self._strip):
            row = QHBoxLayout()
            row.setContentsMargins(0, 0, MARGIN_PX, 0)
            row.addWidget(part)
            column.addLayout(row)
        column.addWidget(scroll, 1)

    def _connect(self) -> None:
        session = self._session
        self._head.left.connect(self.left)
        self._run.clicked.connect(lambda: actions.start(session))
        self._cancel.clicked.connect(session.benching.cancel)
        self._picker.opened.connect(self._open_runs)
        self._popup.picked.connect(lambda index: self._lay_beside(index.data(RECORD_ROLE)))
        self._more.clicked.connect(self._open_menu)
        session.benching.changed.connect(self._refresh)
        session.measurements.changed.connect(self._refresh)

    def focus(self) -> None:
        """Take the keyboard."""
        (self._cancel if self._session.benching.is_running else self._run).setFocus()

    def _lay_beside(self, run: BenchRun | None) -> None:
        self._beside = run
        self._refresh()

    def _open_runs(self) -> None:
        self._rows.refresh()
        self._popup.open_below(self._picker)

    def _open_menu(self) -> None:
        run = self._session.benching.run
        if run:
            place = self._more.mapToGlobal(QPoint(0, self._more.height() + 4))
            _RunMenu(self._session, run, self).popup(place)

    def _refresh(self) -> None:
        benching, kept = self._session.benching, self._session.measurements.bench_runs
        run, is_running = benching.run, benching.is_running
        if self._beside not in kept or self._beside == run:
            self._beside = None
        others = [one for one in kept if one != run]
        had_focus = self._run.hasFocus() or self._cancel.hasFocus()
        self._run.setVisible(not is_running)
        self._cancel.setVisible(is_running)
        if had_focus:
            self.focus()
        self._more.setVisible(run is not None and not is_running)
        self._picker.setVisible(bool(others))
        name = self._beside.draft if self._beside else self.tr("no other run")
        self._picker.show_choice(name, is_chosen=self._beside is not None)
        self._strip.show_run(run, benching.progress)
        self._chart.show_runs(run, self._beside)
        self._chart.setVisible(run is not None and bool(run.rows))
        self._empty.setVisible(run is None or not run.rows)
        self._notes.setText("\n".join(self._remarks(run)) if run else "")
        self._notes.setVisible(bool(self._notes.text()))

    def _remarks(self, run: BenchRun) -> list[str]:
        """What has to be known of the figures."""
        remarks = []
        if self._beside:
            text = self.tr("Below each bar: {draft} on {model}.")
            remarks.append(text.format(draft=self._beside.draft, model=self._beside.model))
        if loops := [prompt_name(row.prompt) for row in run.rows if row.loops]:
            text = self.tr("Not counted, as the reply repeats itself: {names}.")
            remarks.append(text.format(names=", ".join(loops)))
        if run.left_out:
            names = [prompt_name(name) for name in run.left_out]
            text = self.tr("Left out, as they do not fit the context: {names}.")
            remarks.append(text.format(names=", ".join(names)))
        return remarks


class _RunMenu(ActionMenu):
    """What can be done with a run."""

    def __init__(self, session: Session, run: BenchRun, window: QWidget) -> None:
        super().__init__("benchMenu", window)
        title = self.tr("Export the bench")
        self.add(
            "exportBench",
            self.tr("Export…"),
            lambda: ask_export(
                window,
                title,
                f"bench {run.model} {run.draft}",
                lambda path: actions.export(session, run, path),
            ),
        )
        self.addSeparator()
        self.add("deleteBench", self.tr("Delete"), lambda: actions.delete(session, run))

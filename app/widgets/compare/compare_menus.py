"""What opens in Compare: earlier comparisons, ways to draft, and what can be done with a result."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QWidget

from app.actions import compare as actions
from app.actions.session import Session
from app.domain.comparison import ComparisonRecord
from app.domain.draft import DraftKind, DraftWay
from app.itemmodels.measured_list import RECORD_ROLE, MeasuredListModel, comparison_rows
from app.theme.theme import Theme
from app.widgets.chat_menu import ActionMenu
from app.widgets.common.choice_popup import ChoicePopup
from app.widgets.common.export_dialog import ask_export
from app.widgets.compare.measured_row import MeasuredDelegate

WIDTH_PX = 480
LENGTHS = (2, 4, 8, 16, 32)  # tokens of a draft at most


class HistoryPopup(ChoicePopup):
    """Lists earlier comparisons; picking one shows it, Delete takes it out."""

    def __init__(self, theme: Theme, session: Session, parent: QWidget) -> None:
        title = self.tr("Earlier comparisons")
        super().__init__("compareHistoryPopup", title, WIDTH_PX, (), parent)
        measurements = session.measurements
        self._rows = MeasuredListModel(measurements, lambda: comparison_rows(measurements), self)
        self.offer(self._rows, MeasuredDelegate(theme, self))
        self.picked.connect(lambda index: actions.show(session, index.data(RECORD_ROLE)))
        self.list_view.removal_asked.connect(
            lambda index: actions.delete(session, index.data(RECORD_ROLE))
        )

    def open_beside(self, anchor: QWidget) -> None:
        """Open with what there is now."""
        self._rows.refresh()
        self.open_below(anchor)


class WayMenu(ActionMenu):
    """Every way to draft that the main model was loaded with, and how far, for one side."""

    def __init__(
        self,
        session: Session,
        present: DraftWay,
        choose: Callable[[DraftWay], None],
        window: QWidget,
    ) -> None:
        super().__init__("compareWays", window)
        for kind in session.drafts.kinds:
            name = actions.draft_name(session, kind) or self.tr("no draft")
            way = replace(present, kind=kind)
            self._offer(f"way-{kind}", name, way, present, choose)
        if present.kind is not DraftKind.NONE:
            self.addSeparator()
            for longest in (None, *LENGTHS):
                text = self.tr("Up to {count} ahead").format(count=longest)
                text = text if longest else self.tr("As far ahead as is set")
                way = replace(present, longest=longest)
                self._offer(f"ahead-{longest or 'set'}", text, way, present, choose)

    def _offer(
        self,
        name: str,
        text: str,
        way: DraftWay,
        present: DraftWay,
        choose: Callable[[DraftWay], None],
    ) -> None:
        self.add(name, text, partial(choose, way))
        action = self.actions()[-1]
        action.setCheckable(True)
        action.setChecked(way == present)


class ComparisonMenu(ActionMenu):
    """What can be done with a comparison."""

    def __init__(self, session: Session, record: ComparisonRecord, window: QWidget) -> None:
        super().__init__("comparisonMenu", window)
        title = self.tr("Export comparison")
        self.add(
            "exportComparison",
            self.tr("Export…"),
            lambda: ask_export(
                window, title, record.prompt, lambda path: actions.export(session, record, path)
            ),
        )
        self.addSeparator()
        self.add("deleteComparison", self.tr("Delete"), lambda: actions.delete(session, record))

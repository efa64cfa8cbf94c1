"""The speed-up of each prompt as a bar, beside the figures; a second run may lie below each."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.domain.bench_run import BenchRow, BenchRun
from app.itemmodels.bench_facts import (
    accepted_text,
    bench_row_text,
    prompt_name,
    speeds_text,
)
from app.itemmodels.speed_facts import speed_look, times_text
from app.theme.fonts import Size, figure_font, interface_font
from app.theme.theme import Theme
from app.widgets.common.text_painting import RIGHT, paint_line

HEAD_PX, ROW_PX, PAIR_PX = 32, 32, 52  # heights; `PAIR_PX` of a row with a second run in it
LINE_PX = 20
BAR_PX, OTHER_BAR_PX = 12, 6
GAP_PX = 16
NAME_PX, TIMES_PX, SPEEDS_PX, ACCEPTED_PX = 152, 56, 112, 128  # widths of the columns
LEAST_BAR_PX = 160
LEAST_SCALE = 2.0  # times; bars of small gains stay short


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where each column begins and ends; empty where there is no room for it."""

    name: QRect
    bar: QRect
    times: QRect
    speeds: QRect
    accepted: QRect


class BenchChart(QWidget):
    """Paints a run, and another beside it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("benchChart")
        self._theme = theme
        self._rows: list[tuple[BenchRow, BenchRow | None]] = []
        self._scale = LEAST_SCALE
        self._has_total = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_runs(self, run: BenchRun | None, beside: BenchRun | None) -> None:
        """Show a run; `beside`: another that it is compared with."""
        rows = _rows_of(run)
        others = {row.prompt: row for row in _rows_of(beside)}
        self._rows = [(row, others.get(row.prompt)) for row in rows]
        self._has_total = run is not None and run.total is not None
        shown = [row.speedup for pair in self._rows for row in pair if row]
        self._scale = max(LEAST_SCALE, *shown, LEAST_SCALE)
        self.setAccessibleName("; ".join(bench_row_text(row) for row in rows))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        height = sum(_height(other) for _, other in self._rows)
        return QSize(480, HEAD_PX + height + (GAP_PX if self._has_total else 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._rows:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_head(painter)
        top = HEAD_PX
        for row, other in self._rows:
            if not row.prompt:
                painter.fillRect(0, top + GAP_PX // 2, self.width(), 1, self._colour("hairline"))
                top += GAP_PX
            self._paint_row(painter, top, row, other)
            top += _height(other)

    def _colour(self, token: str) -> QColor:
        return self._theme.colour(token)

    def _paint_head(self, painter: QPainter) -> None:
        columns, font, dim = self._columns(0), figure_font(Size.SMALL), self._colour("dim")
        one = QRect(0, 0, 40, LINE_PX)
        one.moveCenter(columns.bar.center())
        one.moveLeft(columns.bar.left() + round(columns.bar.width() / self._scale) - 20)
        painter.setFont(font)
        painter.setPen(dim)
        painter.drawText(one, Qt.AlignmentFlag.AlignCenter, "1×")
        paint_line(painter, columns.name, font, dim, self.tr("Prompt"))
        paint_line(painter, columns.speeds, font, dim, self.tr("tok/s off → on"), side=RIGHT)
        paint_line(painter, columns.accepted, font, dim, self.tr("Accepted"), side=RIGHT)

    def _paint_row(
        self, painter: QPainter, top: int, row: BenchRow, other: BenchRow | None
    ) -> None:
        columns = self._columns(top + (ROW_PX - LINE_PX) // 2)
        weight = QFont.Weight.Normal if row.prompt else QFont.Weight.DemiBold
        names, figures = interface_font(Size.CONTROL, weight), figure_font(Size.CONTROL, weight)
        text = self._colour("dim" if row.loops else "text")
        paint_line(painter, columns.name, names, text, prompt_name(row.prompt))
        self._paint_bar(painter, columns.bar, BAR_PX, row, "faint" if row.loops else "")
        self._paint_figures(painter, columns, figures, row)
        if other:
            below = self._columns(top + (ROW_PX - LINE_PX) // 2 + LINE_PX)
            self._paint_bar(painter, below.bar, OTHER_BAR_PX, other, "faint")
            self._paint_figures(painter, below, figure_font(Size.CONTROL), other, quiet=True)
        line = columns.bar.left() + round(columns.bar.width() / self._scale)
        height = _height(other)
        painter.fillRect(line, top, 1, height, self._colour("control_border"))

    def _paint_bar(
        self, painter: QPainter, area: QRect, height: int, row: BenchRow, token: str
    ) -> None:
        token = token or speed_look(row.speedup)
        width = max(2.0, area.width() * row.speedup / self._scale)
        bar = QRectF(area.left(), area.center().y() - height / 2 + 0.5, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._colour("control_border" if token in ("dim", "faint") else token))
        painter.drawRoundedRect(bar, 3, 3)

    def _paint_figures(
        self,
        painter: QPainter,
        columns: _Columns,
        font: QFont,
        row: BenchRow,
        *,
        quiet: bool = False,
    ) -> None:
        look = "dim" if quiet or row.loops else speed_look(row.speedup)
        dim = self._colour("dim")
        times = f"{times_text(row.speedup)}×"
        paint_line(painter, columns.times, font, self._colour(look), times, side=RIGHT)
        paint_line(painter, columns.speeds, font, dim, speeds_text(row), side=RIGHT)
        paint_line(painter, columns.accepted, font, dim, accepted_text(row), side=RIGHT)

    def _columns(self, top: int) -> _Columns:
        """The columns of a line; those on the right go first where room is short."""
        widths = [TIMES_PX, SPEEDS_PX, ACCEPTED_PX]
        while len(widths) > 1 and self.width() < _needed(widths):
            widths.pop()
        right = self.width()
        areas: list[QRect] = []
        for width in reversed(widths):
            areas.insert(0, QRect(right - width, top, width, LINE_PX))
            right -= width + GAP_PX
        bar_left = NAME_PX + GAP_PX
        bar = QRect(bar_left, top, max(24, right - bar_left), LINE_PX)
        areas += [QRect()] * (3 - len(areas))
        return _Columns(QRect(0, top, NAME_PX, LINE_PX), bar, *areas)


def _rows_of(run: BenchRun | None) -> list[BenchRow]:
    if run is None:
        return []
    return [*run.rows, run.total] if run.total else list(run.rows)


def _height(other: BenchRow | None) -> int:
    return PAIR_PX if other else ROW_PX


def _needed(widths: Sequence[int]) -> int:
    return NAME_PX + LEAST_BAR_PX + sum(widths) + GAP_PX * (1 + len(widths))

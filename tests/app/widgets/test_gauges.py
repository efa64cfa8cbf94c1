"""Figures that change several times a second."""

from math import nan

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.domain.message import ContextUse
from app.settings.schema import ThemeChoice
from app.theme.fonts import Size, figure_font
from app.theme.theme import Theme
from app.widgets.chat.gauges import ContextGauge, SpeedGauge
from app.widgets.common.figure_label import FigureLabel
from tests.helpers.transcripts import look


@pytest.fixture
def theme(tmp_path):
    return Theme(ThemeChoice.LIGHT, tmp_path)


class LayoutWatch(QObject):
    """Counts how often a widget is laid out anew."""

    count = 0

    def eventFilter(self, watched, event):  # noqa: N802
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


def test_a_figure_that_changes_lays_nothing_out_anew(qtbot):
    row, label = QWidget(), FigureLabel(figure_font(Size.BODY))
    qtbot.addWidget(row)
    QHBoxLayout(row).addWidget(label)
    label.show_text("11.1")
    with qtbot.waitExposed(row):
        row.show()
    watch = LayoutWatch()
    row.installEventFilter(watch)
    for text in ("44.4", "9.9", "88.8"):
        label.show_text(text)
        qtbot.wait(1)
        assert label.width() >= label.fontMetrics().horizontalAdvance(text)
    assert watch.count == 0
    label.show_text("Drafting rests on this text")
    assert label.width() >= label.fontMetrics().horizontalAdvance(label.text())
    label.show_text("1")
    assert label.width() < 40


def test_the_speed_has_a_short_history_that_begins_anew_with_a_reply(theme, qtbot):
    first, second = SpeedGauge(theme), SpeedGauge(theme)
    for gauge, rates in ((first, (40.0, 10.0, 30.0)), (second, (10.0, 40.0, 30.0))):
        qtbot.addWidget(gauge)
        for rate in rates:
            gauge.show_speed(rate)
    assert look(first) != look(second)
    for gauge in (first, second):
        for rate in (nan, 20.0, 30.0):
            gauge.show_speed(rate)
    assert look(first) == look(second)


def test_the_ring_fills_with_the_context(theme, qtbot):
    gauges = [ContextGauge(theme) for _ in range(2)]
    for gauge, used in zip(gauges, (1_000, 9_000), strict=True):
        qtbot.addWidget(gauge)
        gauge.show_use(ContextUse(used, 10_000))
    few, many = (look(gauge.findChild(QWidget)) for gauge in gauges)
    assert few != many

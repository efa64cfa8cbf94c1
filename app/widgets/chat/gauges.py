"""Live figures above the composer while a reply is generated."""

from collections import deque
from math import isnan, nan

from PySide6.QtCore import Property, QLocale, QPointF, QRectF, QSize
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.bridge.reply import LiveFigures
from app.bridge.throttle import Throttle
from app.domain.message import ContextUse
from app.theme.fonts import Size, figure_font, interface_font
from app.theme.theme import Theme
from app.widgets.chat.draft_gauge import AcceptanceGauge, GainEstimate
from app.widgets.chat.stats import context_text
from app.widgets.common.figure_label import FigureLabel
from app.widgets.common.labels import text_label
from app.widgets.common.marks import paint_ring

UPDATE_INTERVAL_MS = 200
HEIGHT_PX = 32
RING_PX = 16
RING_STEPS = 100  # that can be told apart at this size
HISTORY_POINTS = 40
HISTORY_SIZE = QSize(48, 16)


class GaugeRow(QWidget):
    """Speed and draft at the left, context at the right; while a prompt is read, how far it is."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("gaugeRow")
        self.setAccessibleName(self.tr("Live figures"))
        self.setFixedHeight(HEIGHT_PX)
        self._prompt = FigureLabel(figure_font(Size.CONTROL), "dim")
        self._prompt.setObjectName("promptProgress")
        self._speed = SpeedGauge(theme)
        self._acceptance = AcceptanceGauge(theme)
        self._context = ContextGauge(theme)
        self._gain = GainEstimate()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._prompt)
        row.addWidget(self._speed)
        row.addSpacing(12)  # and the gauge's own margin
        row.addWidget(self._acceptance)
        row.addStretch()
        row.addWidget(self._context)
        self._gain.setContentsMargins(8, 0, 0, 0)  # gone with it, unlike a gap of the row
        row.addWidget(self._gain)
        self._figures: LiveFigures | None = None
        self._throttle = Throttle(UPDATE_INTERVAL_MS, self)
        self._throttle.fired.connect(self._refresh)
        self._refresh()

    def show_figures(self, figures: LiveFigures | None) -> None:
        """Show figures, at most five times a second; None clears the row at once."""
        appears = (figures is None) != (self._figures is None)
        self._figures = figures
        if appears:
            self._throttle.flush()
        else:
            self._throttle.request()

    def _refresh(self) -> None:
        figures = self._figures or LiveFigures()
        self.setVisible(self._figures is not None)
        self._prompt.setVisible(not figures.is_writing)
        self._speed.setVisible(figures.is_writing)
        if figures.prompt:
            locale = QLocale()
            self._prompt.show_text(
                self.tr("Reading the prompt: {done} of {total}").format(
                    done=locale.toString(figures.prompt.done),
                    total=locale.toString(figures.prompt.total),
                )
            )
        else:
            self._prompt.show_text(self.tr("Reading the prompt…"))
        self._speed.show_speed(figures.tokens_per_second)
        self._acceptance.show_progress(figures.drafting)
        self._context.show_use(figures.context)
        self._gain.show_progress(figures.drafting)


class SpeedGauge(QWidget):
    """Tokens per second over the last two seconds."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("speedGauge")
        self._value = nan
        self._history = _History(theme)
        self._figure = FigureLabel(figure_font(Size.BODY, QFont.Weight.DemiBold))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self._history)
        row.addSpacing(4)
        row.addWidget(self._figure)
        row.addWidget(text_label(interface_font(Size.CONTROL), self.tr("tok/s"), "dim"))

    def show_speed(self, tokens_per_second: float) -> None:
        """Show a rate; NaN when there is none."""
        self._value = tokens_per_second
        self._history.add(tokens_per_second)
        if isnan(tokens_per_second):
            self._figure.show_text("–")
            self.setAccessibleName(self.tr("Tokens per second: not known yet"))
        else:
            speed = QLocale().toString(tokens_per_second, "f", 1)
            self._figure.show_text(speed)
            self.setAccessibleName(self.tr("{speed} tokens per second").format(speed=speed))

    @Property(float)
    def value(self) -> float:
        return self._value


class _History(QWidget):
    """A line over the last few seconds of a rate; begun anew where there is none."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rates: deque[float] = deque(maxlen=HISTORY_POINTS)
        self._line = QPolygonF()  # the rates, each a step to the right of the one before
        self._next = 0
        self.setFixedSize(HISTORY_SIZE)

    def add(self, rate: float) -> None:
        if isnan(rate):
            self._rates.clear()
            self._line.clear()
        else:
            if len(self._rates) == HISTORY_POINTS:
                self._line.removeFirst()
            self._rates.append(rate)
            self._line.append(QPointF(self._next, -rate))
            self._next += 1
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if len(self._rates) < 2:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(self._theme.colour("dim"), 1.5)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.translate(self.width() - 1, self.height() - 1)  # the newest stands at the right
        step = (self.width() - 2) / (HISTORY_POINTS - 1)
        painter.scale(step, (self.height() - 2) / (max(self._rates) or 1.0))
        painter.translate(1 - self._next, 0)
        painter.drawPolyline(self._line)


class ContextGauge(QWidget):
    """How much of the context the conversation holds: a ring and both numbers."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("contextGauge")
        self._ring = _Ring(theme)
        self._text = FigureLabel(figure_font(Size.CONTROL), "dim")
        self._use: ContextUse | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._ring)
        row.addWidget(self._text)

    def show_use(self, use: ContextUse | None) -> None:
        """Show a conversation's context use; None when it is not known."""
        self._use = use
        self.setVisible(use is not None)
        text = context_text(use) if use else ""
        self._text.show_text(text)
        self._ring.show_share(use.used / use.size if use else 0.0)
        self.setAccessibleName(self.tr("Context used: {use}").format(use=text))

    @Property(float)
    def value(self) -> float:
        return float(self._use.used) if self._use else nan


class _Ring(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._share = 0.0
        self.setFixedSize(QSize(RING_PX, RING_PX))

    def show_share(self, share: float) -> None:
        """Fill it; what nobody would see is not painted."""
        before, self._share = self._share, min(1.0, share)
        if round(before * RING_STEPS) != round(self._share * RING_STEPS):
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        track, colour = self._theme.colour("control_border"), self._theme.colour("text")
        area = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        paint_ring(painter, area, track, colour, start=90, span=-360 * self._share)

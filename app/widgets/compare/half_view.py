"""One side of a comparison: its figures, which stay in sight, and its reply below them."""

from math import isnan

from PySide6.QtCore import QLocale, QPoint, Qt, Signal
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QProgressBar,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.bridge.reply import LiveFigures
from app.domain.comparison import Half
from app.domain.generation import Timings
from app.domain.message import Message, ReplyStats
from app.theme.fonts import Size, figure_font, interface_font
from app.theme.theme import Theme
from app.widgets.chat.stats import tokens_text
from app.widgets.chat.workshop import Workshop
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.figure_label import FigureLabel
from app.widgets.common.labels import NameLabel, keep_place, text_label
from app.widgets.common.positions import Positions
from app.widgets.compare.reply_text import ReplyText

BAR_STEPS = 1000
NARROW_PX, LOW_PX = 330, 400  # below which figures stand under each other, or without the bars
SHARES_LINES, DETAILS_LINES = 4, 2


class HalfView(QWidget):
    """Shows one of the two replies, and lets somebody choose what drafts for it.

    Signals:
        choice_asked: where on the screen the choice of what drafts is to open.
    """

    choice_asked = Signal(QPoint)

    def __init__(self, theme: Theme, workshop: Workshop, name: str, side: str) -> None:
        """`side`: which of the two it is, for those who do not see it."""
        super().__init__()
        self.setObjectName(name)
        # Both sides are as wide as each other, whatever is in them.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._side = side
        self._title = ThemedButton(theme, f"{name}Draft", look="heading", icon="chevron-down")
        self._title.setFont(interface_font(Size.BODY, QFont.Weight.DemiBold))
        self._title.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the icon behind the text
        self._title.clicked.connect(self._ask_for_choice)
        self._about = NameLabel(interface_font(Size.CONTROL))
        self._about.setProperty("look", "dim")
        self._speed = FigureLabel(figure_font(Size.DISPLAY, QFont.Weight.DemiBold))
        self._details = text_label(figure_font(Size.CONTROL), look="dim", wraps=True)
        self._bar = QProgressBar()
        self._bar.setRange(0, BAR_STEPS)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Speed, beside the faster side"))
        self._bar.setFixedHeight(6)
        self._drafts = QWidget()
        keep_place(self._drafts)  # both replies begin at the same height
        self._positions = Positions(theme)
        self._shares = text_label(figure_font(Size.CONTROL), look="dim")
        self._shares.setMinimumHeight(SHARES_LINES * self._shares.fontMetrics().lineSpacing())
        self._text = ReplyText(theme, workshop)
        self._lay_out()

    def say_who(self, about: str, *, is_drafted: bool) -> None:
        """Name what answers here."""
        title = self.tr("Draft on") if is_drafted else self.tr("Draft off")
        self.setAccessibleName(f"{self._side}: {title}")
        self._title.setText(title)
        self._title.describe(
            self.tr("{side}: {title}. Choose what drafts here").format(side=self._side, title=title)
        )
        self._about.setText(about)
        look = "accent" if is_drafted else "plain"
        if self._bar.property("look") != look:
            self._bar.setProperty("look", look)
            self._bar.style().polish(self._bar)

    def let_choose(self, may_choose: bool) -> None:
        """Offer the choice of what drafts, or not while replies are written."""
        self._title.setEnabled(may_choose)

    def show_reply(self, reply: Message) -> None:
        """Show a reply as it is now."""
        self._text.show_reply(reply)

    def show_figures(self, half: Half, figures: LiveFigures | None, fastest: float) -> None:
        """Show a reply's figures; its bar is full at `fastest` tokens per second."""
        speed = tokens_per_second(half, figures)
        self._speed.show_text("–" if isnan(speed) else QLocale().toString(speed, "f", 1))
        share = 0.0 if isnan(speed) or fastest <= 0 else speed / fastest
        self._bar.setValue(round(BAR_STEPS * min(1.0, share)))
        stats = half.reply.stats
        self._details.setText(_details(self, stats) if stats else "")
        timings = stats.timings if stats else None
        has_drafts = timings is not None and timings.draft_rounds > 0
        self._drafts.setVisible(has_drafts)
        if timings and has_drafts:
            self._positions.show_counts(timings.draft_by_position)
            self._shares.setText(_shares(self, timings))

    def _ask_for_choice(self) -> None:
        self.choice_asked.emit(self._title.mapToGlobal(QPoint(0, self._title.height() + 4)))

    def _lay_out(self) -> None:
        head, speed = QHBoxLayout(), QHBoxLayout()
        head.addWidget(self._title)
        head.addSpacing(8)
        head.addWidget(self._about, 1)
        speed.addWidget(self._speed)
        speed.addWidget(text_label(interface_font(Size.BODY), self.tr("tok/s"), "dim"))
        speed.addStretch()
        self._figures = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._figures.setSpacing(8)
        self._figures.addLayout(speed)
        self._figures.addWidget(self._details, 1)
        self._drafts_row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self._drafts)
        self._drafts_row.setContentsMargins(0, 8, 0, 0)
        self._drafts_row.setSpacing(16)
        self._drafts_row.addWidget(self._positions)
        self._drafts_row.addWidget(self._shares, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for row in (head, self._figures):
            column.addLayout(row)
        column.addWidget(self._bar)
        column.addWidget(self._drafts)
        column.addSpacing(8)
        column.addWidget(self._text, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Both sides are of one size, so both set their figures alike."""
        super().resizeEvent(event)
        is_narrow = self.width() < NARROW_PX
        directions = QBoxLayout.Direction
        direction = directions.TopToBottom if is_narrow else directions.LeftToRight
        for row in (self._figures, self._drafts_row):
            row.setDirection(direction)
        side = Qt.AlignmentFlag.AlignLeft if is_narrow else Qt.AlignmentFlag.AlignRight
        self._details.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        line_px = self._details.fontMetrics().lineSpacing()
        self._details.setMinimumHeight(DETAILS_LINES * line_px if is_narrow else 0)
        self._positions.setVisible(self.height() >= LOW_PX)
        self._drafts.updateGeometry()  # also where it is hidden, and keeps its room


def tokens_per_second(half: Half, figures: LiveFigures | None) -> float:
    """Of a finished reply, or live; NaN where there is none yet."""
    if half.reply.stats:
        return half.reply.stats.tokens_per_second
    return figures.tokens_per_second if figures else float("nan")


def _details(view: QWidget, stats: ReplyStats) -> str:
    locale = QLocale()
    timings = stats.timings or Timings()
    seconds = (timings.prompt_ms + timings.predicted_ms) / 1e3
    text = view.tr("{tokens} in {seconds} s · {first} s to first token")
    return text.format(
        tokens=tokens_text(stats.num_tokens),
        seconds=locale.toString(seconds, "f", 1),
        first=locale.toString(timings.prompt_ms / 1e3, "f", 2),
    )


def _shares(view: QWidget, timings: Timings) -> str:
    """What the rounds brought, and what their parts took of the reply's time."""
    locale = QLocale()
    total = max(timings.predicted_ms, 1e-9)
    emitted = timings.draft_n_accepted + timings.draft_rounds
    text = view.tr(
        "Accepted {accepted} of {tested} ({share} %)\n"
        "{tokens} tokens a round\n"
        "draft {draft} % · verify {verify} %\n"
        "rollback {rollback} % of the time"
    )
    return text.format(
        accepted=locale.toString(timings.draft_n_accepted),
        tested=locale.toString(timings.draft_n),
        share=round(100 * timings.draft_n_accepted / max(1, timings.draft_n)),
        tokens=locale.toString(emitted / timings.draft_rounds, "f", 1),
        draft=locale.toString(100 * timings.draft_ms / total, "f", 1),
        verify=locale.toString(100 * timings.verify_ms / total, "f", 1),
        rollback=locale.toString(100 * timings.rollback_ms / total, "f", 1),
    )

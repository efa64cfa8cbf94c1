"""Slow drawing in another thread, kept once done: formulas and the colours of code."""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from PySide6.QtCore import QByteArray, QObject, QRectF, QSizeF, Qt, QThreadPool, Signal
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from app.text.blocks import Formula
from app.text.highlight import CodeSpan, highlight

MAX_KEPT = 2_000  # of drawings and of coloured blocks each; more begin anew
# Drawings reach a little beyond the size they state.
SPILL_X_PX = 1
SPILL_Y_PX = 2


@dataclass(frozen=True, slots=True)
class FormulaKey:
    """A formula as it is to look; `colour` is `#RRGGBB`."""

    formula: Formula
    size_px: int
    colour: str


@dataclass(frozen=True, slots=True)
class FormulaImage:
    """A drawn formula; sizes in logical pixels, `descent` below the line of the text."""

    svg: bytes
    width: float
    height: float
    descent: float


@dataclass(frozen=True, slots=True)
class CodeKey:
    """Code to colour."""

    language: str
    code: str


Work = FormulaKey | CodeKey
Result = FormulaImage | tuple[CodeSpan, ...] | None


class Workshop(QObject):
    """Does work once and remembers it.

    Signals:
        done: the work whose result is there now; on this object's thread.
    """

    done = Signal(object)
    _finished = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._results: dict[Work, Result] = {}
        self._asked: set[Work] = set()
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._finished.connect(self._keep, Qt.ConnectionType.QueuedConnection)

    @property
    def is_idle(self) -> bool:
        """Whether all that was asked for is there."""
        return not self._asked

    def formula(self, key: FormulaKey) -> FormulaImage | None:
        """The drawing of a formula; None while there is none, or if it cannot be drawn."""
        result = self._result(key)
        return result if isinstance(result, FormulaImage) else None

    def code_spans(self, key: CodeKey) -> tuple[CodeSpan, ...]:
        """The coloured spans of code; none while they are not known."""
        result = self._result(key)
        return result if isinstance(result, tuple) else ()

    def end(self) -> None:
        """Do nothing more, and wait for what is under way."""
        self._pool.clear()
        self._pool.waitForDone()

    def _result(self, work: Work) -> Result:
        if work not in self._results and work not in self._asked:
            self._asked.add(work)
            self._pool.start(lambda: self._finished.emit(work, _perform(work)))
        return self._results.get(work)

    def _keep(self, work: Work, result: Result) -> None:
        if len(self._results) >= MAX_KEPT:
            self._results.clear()
        self._asked.discard(work)
        self._results[work] = result
        self.done.emit(work)


def _perform(work: Work) -> Result:
    if isinstance(work, CodeKey):
        return highlight(work.language, work.code)
    from app.text.formulas import FormulaRequest, draw  # loads fonts: not where the window waits

    drawing = draw(FormulaRequest(work.formula, work.size_px, work.colour))
    if drawing is None:
        return None
    return FormulaImage(
        drawing.svg,
        drawing.width + 2 * SPILL_X_PX,
        drawing.height + 2 * SPILL_Y_PX,
        drawing.descent + SPILL_Y_PX,
    )


@lru_cache(maxsize=MAX_KEPT)
def formula_picture(image: FormulaImage, below: float) -> QImage:
    """The drawing with empty room underneath, so that it reaches `below` pixels down."""
    scale = QGuiApplication.primaryScreen().devicePixelRatio()
    size = QSizeF(image.width, image.height + below - image.descent) * scale
    picture = QImage(
        ceil(size.width()), ceil(size.height()), QImage.Format.Format_ARGB32_Premultiplied
    )
    picture.fill(Qt.GlobalColor.transparent)
    renderer = QSvgRenderer(QByteArray(image.svg))
    view = renderer.viewBoxF()
    renderer.setViewBox(view.adjusted(-SPILL_X_PX, -SPILL_Y_PX, SPILL_X_PX, SPILL_Y_PX))
    painter = QPainter(picture)
    painter.scale(scale, scale)
    renderer.render(painter, QRectF(0, 0, image.width, image.height))
    painter.end()
    picture.setDevicePixelRatio(scale)
    return picture

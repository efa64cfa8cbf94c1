"""Runs into Qt's text documents: styled text, links, drawn formulas."""

from collections.abc import Iterable
from math import ceil

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextImageFormat,
)

from app.text.blocks import Run
from app.text.offsets import utf16_length
from app.theme.fonts import Size, interface_font
from app.theme.text_formats import run_format, text_size
from app.theme.theme import Theme
from app.widgets.chat.workshop import FormulaImage, FormulaKey, Workshop, formula_picture

LINE_SEPARATOR = "\u2028"


class RunWriter:
    """Writes runs in the look of a theme."""

    def __init__(self, theme: Theme, workshop: Workshop) -> None:
        self._theme = theme
        self._workshop = workshop

    def insert(self, cursor: QTextCursor, runs: Iterable[Run], level: int = 0) -> None:
        """Insert runs; `level` is that of a heading, otherwise 0."""
        for run in runs:
            image = self.drawing(run, level)
            if image:
                _insert_image(cursor, image, self.format(run, level))
            else:
                cursor.insertText(run.text.replace("\n", LINE_SEPARATOR), self.format(run, level))

    def format(self, run: Run, level: int = 0) -> QTextCharFormat:
        """How a run looks."""
        made = run_format(
            self._theme.tokens, run.style, heading_level=level, is_link=bool(run.href)
        )
        if run.href:
            made = QTextCharFormat(made)
            made.setAnchor(True)
            made.setAnchorHref(run.href)
        return made

    def drawing(self, run: Run, level: int) -> FormulaImage | None:
        """The drawing that stands for a run's text, if there is one by now."""
        key = self.formula_key(run, level)
        return self._workshop.formula(key) if key else None

    def formula_key(self, run: Run, level: int) -> FormulaKey | None:
        """What to draw in place of a run's text."""
        if run.formula is None:
            return None
        return FormulaKey(run.formula, text_size(level), self._theme.tokens.text)

    def length(self, run: Run, level: int) -> int:
        """How many positions of a document a run takes."""
        return 1 if self.drawing(run, level) else utf16_length(run.text)


def _insert_image(cursor: QTextCursor, image: FormulaImage, look: QTextCharFormat) -> None:
    # Qt sets the bottom of an image as far below the line as its font reaches.
    font = _font_reaching(image.descent)
    below = QFontMetricsF(font).descent()
    picture = formula_picture(image, below)
    name = f"formula:{picture.cacheKey()}"
    cursor.document().addResource(
        QTextDocument.ResourceType.ImageResource.value, QUrl(name), picture
    )
    made = QTextImageFormat()
    if look.isAnchor():
        made.setAnchor(True)
        made.setAnchorHref(look.anchorHref())
    made.setName(name)
    size = picture.deviceIndependentSize()
    made.setWidth(size.width())
    made.setHeight(size.height())
    made.setFont(font)
    made.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignBaseline)
    cursor.insertImage(made)


def _font_reaching(descent: float) -> QFont:
    font = interface_font(Size.BODY)
    reach = QFontMetricsF(font).descent()
    if descent > reach:
        font.setPixelSize(ceil(Size.BODY * descent / reach) + 1)
    return font

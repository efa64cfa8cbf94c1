"""How the text of messages is set: fonts and colours of its runs, spacing of its lines."""

from functools import cache

from PySide6.QtGui import QBrush, QColor, QFont, QTextBlockFormat, QTextCharFormat

from app.text.blocks import Style
from app.text.highlight import CodeKind
from app.theme.fonts import Size, code_font, interface_font
from app.theme.tokens import Tokens

LINE_PX = 25  # at least; formulas need more
HEADING_LINE_PX = 30
CODE_LINE_PX = 22
_HEADING_SIZES = {1: Size.TITLE, 2: Size.HEADING}


def text_size(heading_level: int) -> Size:
    """The size of a heading's text, or of prose where the level is 0."""
    return _HEADING_SIZES.get(heading_level, Size.BODY)


@cache
def run_format(
    tokens: Tokens, style: Style, *, heading_level: int = 0, is_link: bool = False
) -> QTextCharFormat:
    """The format of a run in prose."""
    size = text_size(heading_level)
    bold = heading_level or Style.BOLD in style
    weight = QFont.Weight.DemiBold if bold else QFont.Weight.Normal
    is_code = Style.CODE in style
    font = code_font(Size(size)) if is_code else interface_font(size, weight)
    if is_code:
        font.setPixelSize(size - 1)  # its letters are taller than those of prose
        font.setWeight(weight)
    font.setItalic(Style.ITALIC in style or Style.IMAGE in style)
    font.setStrikeOut(Style.STRUCK in style)
    font.setUnderline(is_link)
    made = QTextCharFormat()
    made.setFont(font)
    made.setForeground(_brush(tokens.dim if Style.IMAGE in style else tokens.text))
    if is_code:
        made.setBackground(_brush(tokens.tint))
    return made


@cache
def code_format(tokens: Tokens) -> QTextCharFormat:
    """The format of code in a block of its own."""
    made = QTextCharFormat()
    made.setFont(code_font(Size.CONTROL))
    made.setForeground(_brush(tokens.text))
    return made


@cache
def code_kind_format(tokens: Tokens, kind: CodeKind) -> QTextCharFormat:
    """What a kind of code adds to `code_format`."""
    made = QTextCharFormat()
    made.setForeground(_brush(str(getattr(tokens, f"code_{kind.value}"))))
    return made


@cache
def mark_format(tokens: Tokens, kind: str) -> QTextCharFormat:
    """What a mark changes of the text under it; `kind` is a value of `MarkKind`."""
    made = QTextCharFormat()
    if kind.startswith("accepted"):
        made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
        made.setUnderlineColor(QColor(tokens.good))
        if kind == "accepted_on_ground":
            made.setBackground(_brush(tokens.good_ground))
        return made
    ground, text = {
        "found": (tokens.found, tokens.text),
        "current": (tokens.warn, tokens.ground),
        "selected": (tokens.selection, tokens.text),
    }[kind]
    made.setBackground(_brush(ground))
    made.setForeground(_brush(text))
    return made


def line_format(line_px: int, *, above: int = 0, left: int = 0, hang: int = 0) -> QTextBlockFormat:
    """The format of a paragraph; its first line begins `hang` pixels left of the others."""
    made = QTextBlockFormat()
    made.setLineHeight(line_px, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
    made.setTopMargin(above)
    made.setLeftMargin(left)
    made.setTextIndent(-hang)
    return made


def _brush(colour: str) -> QBrush:
    return QBrush(QColor(colour))

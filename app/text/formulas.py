"""Formulas to drawings, by ziamath. Slow: for a worker; equal requests give equal drawings."""

import re
from dataclasses import dataclass
from itertools import accumulate
from threading import Lock
from xml.etree import ElementTree

from ziamath.config import config
from ziamath.zmath import Latex

from app.text.blocks import Formula

# ziamath's time grows with the square of the length and doubles with each level: 0.7 s at most.
MAX_CHARACTERS = 500
MAX_DEPTH = 6
_LEVELS = re.compile(r"(?P<open>\\left\b|\\begin\b|(?<!\\)\{)|\\right\b|\\end\b|(?<!\\)\}")

config.svg2 = False  # QtSvg draws SVG 1.1 only
_one_at_a_time = Lock()  # ziamath's fonts have one reading position, which threads would move


@dataclass(frozen=True, slots=True)
class FormulaRequest:
    """A formula to draw, which is also the key of its drawing.

    Attributes:
        size_px: font size of the text around it.
        colour: as `#RRGGBB`.
    """

    formula: Formula
    size_px: float
    colour: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawn formula; sizes in pixels.

    Attributes:
        descent: how far it reaches below the line of the text.
    """

    svg: bytes
    width: float
    height: float
    descent: float


def draw(request: FormulaRequest) -> Drawing | None:
    """Draw a formula; None if it is too long or not understood, so that its source is shown."""
    formula = request.formula
    if len(formula.tex) > MAX_CHARACTERS or _depth(formula.tex) > MAX_DEPTH:
        return None
    try:
        with _one_at_a_time:
            drawn = Latex(
                formula.tex,
                size=request.size_px,
                color=request.colour,
                inline=not formula.is_display,
            )
            svg = drawn.svgxml()
    except Exception:  # what a model writes may trip the libraries anywhere
        return None
    _, top, width, height = (float(value) for value in svg.attrib["viewBox"].split())
    return Drawing(ElementTree.tostring(svg), width, height, descent=top + height)


def _depth(tex: str) -> int:
    """How deep groups, brackets and environments are nested."""
    steps = (1 if match["open"] else -1 for match in _LEVELS.finditer(tex))
    return max(accumulate(steps), default=0)

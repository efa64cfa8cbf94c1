from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError
from xml.etree import ElementTree

import pytest

from app.text.blocks import Formula, FormulaBlock
from app.text.formulas import MAX_CHARACTERS, FormulaRequest, draw
from app.text.stream import parse
from tests.helpers.runs import runs_of


def formulas_in(text):
    return [run.formula.tex for run in runs_of(parse(text).blocks) if run.formula]


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("so $x^2$ and \\(y_1\\), or \\[z\\]", ["x^2", "y_1", "z"]),
        ("the $n$th and 设$x$为", ["n", "x"]),
        ("**bold $a*b$ c*d**", ["a*b"]),
        ("| a | $b$ |\n|---|---|", ["b"]),
        ("$$\nx = 1\n- y\n$$", ["x = 1\n- y"]),
        ("1. thus\n   \\[\n   a < b\n   \\]", ["a < b"]),
        ("> $$\n> q\n> $$", ["q"]),
        ("costs $5 and $6", []),
        ("between $5 and 6$ or US$7 and $8", []),
        ("a $5 bill and 5$ more", []),
        ("set $HOME/bin:$PATH", []),
        ("`$x$` and `\\(y\\)`", []),
        ("cost $5 `a$b`", []),
        ("```\n$x$\n```", []),
        ("escaped \\$x\\$", []),
        ("\\( never closed", []),
    ],
)
def test_formulas_are_told_from_other_dollars_and_brackets(text, formulas):
    assert formulas_in(text) == formulas


def test_a_formula_under_way_shows_its_source():
    (block,) = parse("$$\nx = 1").blocks

    assert isinstance(block, FormulaBlock)
    assert [(run.text, run.formula) for run in block.runs] == [("$$\nx = 1", None)]


def test_a_formula_is_drawn_around_the_line_of_the_text():
    drawing = draw(FormulaRequest(Formula(r"\frac{a}{b}", is_display=True), 15, "#1C1B19"))

    assert drawing is not None
    assert 0 < drawing.descent < drawing.height
    root = ElementTree.fromstring(drawing.svg)
    assert root.tag.endswith("svg")
    assert b"<symbol" not in drawing.svg  # which QtSvg would leave out
    assert b"#1C1B19" in drawing.svg


@pytest.mark.parametrize(
    "tex",
    [
        r"\frac{",
        "a & b",
        r"\left( x",
        "^",
        "}{",
        r"\begin{foo}",
        "x" * (MAX_CHARACTERS + 1),
        r"\frac{1}{" * 30 + "x" + "}" * 30,
    ],
    ids=range(8),
)
def test_what_cannot_be_drawn_is_left_as_source(tex):
    assert draw(FormulaRequest(Formula(tex, is_display=False), 15, "#1C1B19")) is None


def test_panes_draw_in_turn(monkeypatch):
    # ziamath's drawings at once in two threads move each other's place in its font.
    meeting = Barrier(2)
    met = []

    def latex(*_, **__):
        with suppress(BrokenBarrierError):
            met.append(meeting.wait(timeout=0.2))
        raise ValueError

    monkeypatch.setattr("app.text.formulas.Latex", latex)
    request = FormulaRequest(Formula("x", is_display=False), 15, "#000000")
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(draw, [request] * 2))

    assert met == []

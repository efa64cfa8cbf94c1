"""Every run says where it stands in the source."""

import html
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.text.blocks import Style
from app.text.stream import parse
from tests.helpers.awkward_markdown import LINES, long_texts, texts
from tests.helpers.runs import runs_of

THOROUGH = settings(max_examples=150, deadline=None)


def blanks_as_spaces(text):
    return re.sub(r"\s", " ", text.replace("\0", "\ufffd"))


def decoded(source):
    """What Markdown makes of the source of a run that stands for it as a whole."""
    if source.startswith("\\"):
        return source[1:]
    if source.startswith("&"):
        return html.unescape(source)
    return source.replace("\r\n", "\n")


@THOROUGH
@given(st.one_of(texts(), long_texts()))
def test_the_source_of_a_run_gives_its_text(text):
    for run in runs_of(parse(text).blocks):
        source = text[run.start : run.end]
        if run.formula or Style.IMAGE in run.style:
            assert source[0] in "$\\!"
        elif run.is_exact:
            assert blanks_as_spaces(run.text) == blanks_as_spaces(source)
        elif source == "\t":
            assert run.text.strip(" ") == ""
        else:
            assert blanks_as_spaces(run.text) == blanks_as_spaces(decoded(source))


@THOROUGH
@given(st.one_of(texts(), long_texts()))
def test_runs_ascend_and_do_not_overlap(text):
    end = 0
    for run in runs_of(parse(text).blocks):
        assert end <= run.start < run.end <= len(text)
        end = run.end


@THOROUGH
@given(st.text("abc *_`()!&;#-+>|~$\\\n\t\r1.:=", max_size=120))
def test_every_letter_of_the_source_is_shown(text):
    assume("```" not in text and "~~~" not in text)  # the word after a fence is not shown
    shown = {place for run in runs_of(parse(text).blocks) for place in range(run.start, run.end)}

    assert [place for place, letter in enumerate(text) if letter.isalpha()] == sorted(
        place for place in shown if text[place].isalpha()
    )


# Formulas, refused links, images and cells beyond the header's are our own.
OURS = re.compile(r"\$|\\\[|\]\(|extra")
COMMON = [line for line in LINES if not OURS.search(line)]


@pytest.mark.parametrize("line", COMMON, ids=range(len(COMMON)))
def test_prose_reads_as_markdown_it_reads_it(line):
    """The chunks and stamps of our own must not change what the library makes of a text."""
    library = MarkdownIt("js-default", {"tasklists": True})
    expected = []
    for token in library.parse(line):
        expected += [child.content or "\n" for child in token.children or () if not child.nesting]
        if token.type in ("fence", "code_block"):
            expected.append(token.content.removesuffix("\n"))
    text = "".join(run.text for run in runs_of(parse(line).blocks))

    assert blanks_as_spaces(text).split() == blanks_as_spaces("".join(expected)).split()

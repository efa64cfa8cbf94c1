import pytest

from app.text.plain import PlainText
from app.text.stream import parse

SOURCE = """# Title

Some **bold *and* more** text &amp; `code`.

1. one
2. two

| a | b |
|---|---|
| c | *d* |

```py
x = 1
y = 2
```
"""


def plain(text):
    return PlainText(parse(text).blocks)


def test_blocks_read_as_a_person_would_copy_them():
    assert plain(SOURCE).text == (
        "Title\n\nSome bold and more text & code.\n\n1. one\n2. two\n\na\tb\nc\td\n\nx = 1\ny = 2"
    )


def test_what_is_shown_is_found_across_markers():
    (span,) = plain(SOURCE).find("BOLD AND more")

    assert SOURCE[span.start : span.end] == "bold *and* more"


def test_what_is_not_shown_is_not_found():
    assert plain(SOURCE).find("**") == []
    assert plain(SOURCE).find("amp") == []
    assert plain(SOURCE).find("") == []


def test_a_find_may_reach_over_a_line_break_of_code():
    (span,) = plain(SOURCE).find("1\ny")

    assert SOURCE[span.start : span.end] == "1\ny"


def test_a_selection_is_copied_as_text():
    start, end = SOURCE.index("more"), SOURCE.index("wo\n")

    assert plain(SOURCE).between(start, end) == "more text & code.\n\n1. one\n2. t"


def test_nothing_is_copied_of_markup_alone():
    assert plain(SOURCE).between(0, 1) == ""


def test_tasks_show_their_marks():
    assert plain("- [x] done\n- [ ] open").text == "[x] done\n[ ] open"


def test_an_item_copied_from_its_beginning_has_its_marker():
    assert plain(SOURCE).between(SOURCE.index("1. "), SOURCE.index("two")) == "1. one"
    assert plain(SOURCE).between(SOURCE.index("one"), SOURCE.index("two")) == "one"


@pytest.mark.parametrize(
    ("at", "word"),
    [("old", "bold"), ("and*", "and"), (" more", " "), ("amp", "&amp;"), ("wo", "two")],
)
def test_the_word_at_a_place_is_what_a_double_click_takes(at, word):
    span = plain(SOURCE).word_at(SOURCE.index(at))
    assert SOURCE[span.start : span.end] == word


def test_a_word_may_reach_over_marks():
    source = "un**believ**able it's"
    assert [plain(source).word_at(place).end for place in (0, 6, 13)] == [
        len("un**believ**able")
    ] * 3
    assert plain(source).word_at(source.index("it")).end == len(source)


@pytest.mark.parametrize(
    ("at", "paragraph"),
    [
        ("more", "Some bold and more text & code."),
        ("ne", "one"),
        ("d*", "d"),
        ("y =", "x = 1\ny = 2"),
    ],
)
def test_the_paragraph_at_a_place_is_what_a_triple_click_takes(at, paragraph):
    text = plain(SOURCE)
    span = text.paragraph_at(SOURCE.rindex(at))
    assert text.between(span.start, span.end) == paragraph

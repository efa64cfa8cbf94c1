"""Parts of a message as Markdown: whole blocks as they were written, cuts with what they need."""

import pytest

from app.text.excerpt import markdown_between
from app.text.stream import parse
from engine.api import ReplyReader

SOURCE = """# Title

Some **bold *and* more** text with `code` and $x^2$.

1. one
2. two

| a | b |
|---|---|
| c | *d* |
| e | f |

```py
x = 1
y = 2
```

The [close](https://example.org/).
"""


def excerpt(first, last, source=SOURCE):
    """From the beginning of `first` to the end of `last`, the next one after it."""
    start = source.index(first)
    end = source.index(last, start) + len(last)
    return markdown_between(source, parse(source, ReplyReader()).blocks, start, end)


def test_all_of_a_message_is_its_source():
    assert excerpt("Title", "close") == SOURCE[: SOURCE.index("](")] + "](https://example.org/)"
    whole = markdown_between(SOURCE, parse(SOURCE).blocks, 0, len(SOURCE))
    assert whole == SOURCE.rstrip()


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("Title", "Title", "# Title"),
        ("Title", "Some", "# Title\n\nSome"),
        ("ome ", "bo", "ome **bo**"),
        ("ol", "ol", "**ol**"),
        ("old", "and", "**old *and***"),
        ("od", "x^2$", "`ode` and $x^2$"),
        ("two", "two", "2. two"),
        ("ne", "two", "ne\n2. two"),
        ("x = 1", "y = 2", "```py\nx = 1\ny = 2\n```"),
        ("= 1", "y", "= 1\ny"),
        ("y = 2", "The", "```py\ny = 2\n```\n\nThe"),
        ("f |", "x = 1", "| a | b |\n|---|---|\n| e | f |\n\n```py\nx = 1\n```"),
        ("c |", "e", "| a | b |\n|---|---|\n| c | *d* |\n| e | f |"),
        ("b |", "b", "b"),
        ("two", "a", "2. two\n\n| a | b |\n|---|---|"),
        ("los", "los", "[los](https://example.org/)"),
    ],
)
def test_a_part_has_what_it_needs_to_be_read_alike(first, last, expected):
    assert excerpt(first, last) == expected


def test_reasoning_is_copied_without_its_marks():
    source = "<think>\nWell, *yes*.\n</think>\n\nYes."
    assert excerpt("Well", "Yes.", source) == "Well, *yes*.\n\nYes."
    answer = [block for block in parse(source, ReplyReader()).blocks if block.start > 20]
    assert markdown_between(source, answer, 0, len(source)) == "Yes."


def test_a_call_of_a_tool_is_copied_as_code_without_its_marks():
    source = 'So:\n<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'
    blocks = parse(source, ReplyReader()).blocks
    assert markdown_between(source, blocks, 0, len(source)) == 'So:\n\n```json\n{\n  "a": 1\n}\n```'
    assert markdown_between(source, blocks, 0, 3) == "So:"


def test_nothing_is_copied_of_markup_alone():
    assert markdown_between(SOURCE, parse(SOURCE).blocks, 0, 1) == ""

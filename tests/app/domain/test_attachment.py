"""Files go along with a message as text, and are found again in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.attachment import Attachment, joined, separated

NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20)
FILES = st.lists(st.builds(Attachment, NAMES, st.text(max_size=60)), max_size=3)


def test_a_message_with_files_reads_well():
    files = [Attachment("a.py", "print(1)"), Attachment("notes", "one\ntwo")]
    assert joined("Compare these.", files) == (
        "Compare these.\n\nFile: a.py\n```py\nprint(1)\n```\n\nFile: notes\n```\none\ntwo\n```"
    )


@given(st.text(max_size=40).filter(lambda text: "File: " not in text), FILES)
def test_what_was_joined_is_separated_again(text, files):
    written = text.strip() if files else text
    assert separated(joined(text, files)) == (written, tuple(files))


def test_fences_in_a_file_end_nothing():
    file = Attachment("README.md", "```\nFile: x\n```\n\nFile: y\n```\n````")
    assert separated(joined("", [file])) == ("", (file,))


@pytest.mark.parametrize(
    "text",
    ["File: a.py", "File: a.py\n```\nprint", "File: a.py\n```\nx\n```\nand more", "no\nFile: x"],
)
def test_text_that_only_looks_like_a_file_stays_text(text):
    assert separated(text) == (text, ())

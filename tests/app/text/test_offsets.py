import random

from hypothesis import given
from hypothesis import strategies as st

from app.text.offsets import Span, character_spans, covered, utf16_length
from app.text.stream import parse
from tests.helpers.runs import runs_of


def accepted_text(source, *byte_spans):
    """What is underlined of a message whose bytes in `byte_spans` were accepted."""
    spans = character_spans(source, [Span(*span) for span in byte_spans])
    return "|".join(
        run.text[part.start : part.end]
        for run in runs_of(parse(source).blocks)
        for part in covered(run, spans)
    )


def test_accepted_bytes_reach_across_emphasis():
    assert accepted_text("a **bold** word", (1, 11)) == " |bold| "


def test_an_entity_is_accepted_as_a_whole_or_not_at_all():
    assert accepted_text("x &amp; y", (0, 7)) == "x |&"
    assert accepted_text("x &amp; y", (0, 5)) == "x "


def test_a_character_split_between_tokens_is_accepted_with_its_last_byte():
    emoji = "\N{THUMBS UP SIGN}"

    assert accepted_text(f"a{emoji}b", (1, 3)) == ""
    assert accepted_text(f"a{emoji}b", (1, 3), (3, 5)) == emoji


def test_code_in_a_fence_is_accepted_by_line():
    assert accepted_text("```\nab\ncd\n```", (5, 8)) == "b\n|c"


@given(st.text(), st.randoms(use_true_random=False))
def test_spans_of_whole_characters_come_back_as_they_were(text, chance: random.Random):
    start = chance.randint(0, len(text))
    end = chance.randint(start, len(text))
    first, last = len(text[:start].encode()), len(text[:end].encode())

    expected = [Span(start, end)] if start < end else []
    assert character_spans(text, [Span(first, last)]) == expected


def test_qt_counts_characters_beyond_the_first_plane_twice():
    assert utf16_length("aé\N{THUMBS UP SIGN}") == 4

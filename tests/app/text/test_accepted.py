"""What was accepted of a text that grows."""

import random

from hypothesis import given
from hypothesis import strategies as st

from app.text.accepted import AcceptedText
from app.text.offsets import Span, character_spans


@given(st.text(min_size=1), st.randoms(use_true_random=False))
def test_a_text_that_comes_in_pieces_ends_as_one_that_came_at_once(text, chance: random.Random):
    data = text.encode()
    ends = sorted(chance.sample(range(len(data) + 1), chance.randint(0, len(data) + 1)))
    runs = tuple(zip(ends[::2], ends[1::2], strict=False))
    accepted = AcceptedText()
    for place in sorted(chance.choices(range(len(data) + 1), k=5)):
        shown = data[:place].decode(errors="ignore")
        size = len(shown.encode())
        accepted.update(shown, tuple(run for run in runs if run[1] <= size))
    whole = tuple(character_spans(text, (Span(*run) for run in runs)))
    assert accepted.update(text, runs) == whole


def test_another_text_is_read_from_its_beginning():
    accepted = AcceptedText()
    accepted.update("one two", ((0, 3), (4, 7)))
    assert accepted.update("three", ((1, 2),)) == (Span(1, 2),)

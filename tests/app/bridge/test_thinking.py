import pytest

from app.bridge.thinking import ThinkingClock


class Clock:
    now_s = 100.0

    def __call__(self):
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


def read(clock, *pieces):
    """Let a second pass between pieces; returns how long the reasoning took."""
    thinking, text = ThinkingClock(clock), ""
    for piece in pieces:
        text += piece
        thinking.read(text)
        clock.now_s += 1.0
    return thinking.thought_s


def test_reasoning_is_timed_from_its_mark_to_its_end(clock):
    assert read(clock, "<think>\n", "hm ", "so", "</think>", " Yes.", " Indeed.") == 3.0


def test_a_mark_in_pieces_begins_with_its_last_one(clock):
    assert read(clock, "<thi", "nk>", "hm</thi", "nk>", "Yes") == 2.0


def test_a_reply_without_reasoning_has_no_time(clock):
    assert read(clock, "Yes, ", "<think> is a mark", "</think>") is None


def test_reasoning_that_does_not_end_has_no_time(clock):
    assert read(clock, "<think>", "hm", "hm") is None

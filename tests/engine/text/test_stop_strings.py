import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import RequestError
from engine.text.stop_strings import StopMatcher

STOPS = st.lists(st.text("ab", min_size=1, max_size=4), max_size=3)
PARTS = st.lists(st.text("abc", max_size=5), max_size=8)


def before_first_stop(text, stops):
    """The text before the stop string that is complete first, found by looking at every prefix."""
    for end in range(len(text) + 1):
        ending = [stop for stop in stops if text[:end].endswith(stop)]
        if ending:
            return text[: end - max(map(len, ending))], True
    return text, False


@given(STOPS, PARTS)
def test_text_ends_exactly_before_the_first_stop_string_however_it_arrives(stops, parts):
    matcher = StopMatcher(stops)
    shown, stopped = "", False
    for part in parts:
        safe, stopped = matcher.add(part)
        shown += safe
        if stopped:
            break
    assert (shown + matcher.flush(), stopped) == before_first_stop("".join(parts), stops)


@given(STOPS, st.text("abc", max_size=20))
def test_no_more_text_is_withheld_than_may_yet_become_a_stop_string(stops, text):
    matcher = StopMatcher(stops)
    shown, stopped = matcher.add(text)
    if not stopped:
        withheld = text[len(shown) :]
        assert not withheld or any(stop.startswith(withheld) for stop in stops)


def test_a_stop_string_across_parts_shows_nothing_of_itself():
    matcher = StopMatcher(["\nUser:"])
    assert matcher.add("Hello\nUs") == ("Hello", False)
    assert matcher.add("er: hi") == ("", True)


def test_withheld_text_appears_when_it_turns_out_harmless():
    matcher = StopMatcher(["</end>"])
    assert matcher.add("a </") == ("a ", False)
    assert matcher.add("b>") == ("</b>", False)


def test_withheld_text_appears_at_the_end_of_the_reply():
    matcher = StopMatcher(["STOP"])
    assert matcher.add("a STO") == ("a ", False)
    assert matcher.flush() == "STO"
    assert matcher.flush() == ""


def test_without_stop_strings_all_text_passes():
    matcher = StopMatcher([])
    assert matcher.add("anything") == ("anything", False)


def test_an_empty_stop_string_is_refused():
    with pytest.raises(RequestError, match="empty"):
        StopMatcher(["ok", ""])

"""The line of figures under a reply that comes from a file."""

from app.domain.generation import Timings
from app.domain.message import ReplyStats
from app.widgets.chat.stats import stats_text


def test_a_stop_reason_that_is_not_known_here_is_left_out():
    assert stats_text(ReplyStats(3, 38.2, None, "telepathy")) == "38.2 tok/s · 3 tokens"


def test_what_was_accepted_is_told_with_its_share():
    timings = Timings(draft_n=377, draft_n_accepted=301)
    text = stats_text(ReplyStats(412, 38.2, 0.31, "eos", timings))
    assert text == (
        "38.2 tok/s · 412 tokens · 0.31 s to first token · Stop reason: end of text · "
        "Accepted 301/377 draft tokens (80 %)"
    )


def test_without_drafts_nothing_is_said_of_them():
    assert "draft" not in stats_text(ReplyStats(412, 38.2, 0.31, "eos", Timings()))

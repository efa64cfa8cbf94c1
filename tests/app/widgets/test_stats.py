"""The line of figures under a reply that comes from a file."""

from app.domain.message import ReplyStats
from app.widgets.chat.stats import stats_text


def test_a_stop_reason_that_is_not_known_here_is_left_out():
    assert stats_text(ReplyStats(3, 38.2, None, "telepathy")) == "38.2 tok/s · 3 tokens"

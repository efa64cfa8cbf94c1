import pytest

from app.bridge.throttle import Throttle


@pytest.fixture
def fired(qtbot):
    throttle = Throttle(200)
    count = []
    throttle.fired.connect(lambda: count.append(1))
    throttle.count = count
    return throttle


def test_the_first_request_passes_at_once(fired):
    fired.request()
    assert len(fired.count) == 1


def test_requests_within_the_interval_become_one_more_update(fired, qtbot):
    for _ in range(50):
        fired.request()
    assert len(fired.count) == 1
    qtbot.waitUntil(lambda: len(fired.count) == 2)
    qtbot.wait(250)
    assert len(fired.count) == 2


def test_a_stopped_throttle_forgets_what_was_asked(fired, qtbot):
    fired.request()
    fired.request()
    fired.stop()
    qtbot.wait(250)
    assert len(fired.count) == 1

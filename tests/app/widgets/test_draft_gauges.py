"""What is shown of the draft while a reply is written."""

from math import isnan

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QLabel

from app.bridge.types import DraftProgress


def words(person):
    labels = person.find("acceptanceGauge").findChildren(QLabel)
    return " ".join(label.text() for label in labels if label.isVisible())


def say(person, engine, *progress):
    person.say("hello")
    for one in progress:
        engine.generations[0].say("word ", one)
    return engine.generations[0]


def test_acceptance_and_tokens_a_round_are_shown_while_drafts_are_tested(
    ready_person, engine, qtbot
):
    progress = DraftProgress(rounds=10, tested=30, accepted=24, speedup=1.68, rest_cost=None)
    generation = say(ready_person, engine, progress)
    qtbot.waitUntil(lambda: ready_person.sees("acceptanceGauge"))
    assert ready_person.find("acceptanceGauge").property("value") == 0.8
    assert words(ready_person) == "80 % accepted · 3.4 tokens a round"
    assert ready_person.find("gainEstimate", QLabel).text() == "≈ 1.7× (estimate)"
    generation.finish()
    qtbot.waitUntil(lambda: not ready_person.sees("gaugeRow"))


BY_POSITION = ((10, 9), (9, 6), (11, 9))
PLACES = "Accepted by position: 1: 90 %, 2: 67 %, 3: 82 %"


@pytest.fixture
def gauge(ready_person, engine, qtbot):
    """The gauge of a reply whose drafts had three places."""
    progress = DraftProgress(10, 30, 24, speedup=1.68, rest_cost=None, by_position=BY_POSITION)
    generation = say(ready_person, engine, progress)
    qtbot.waitUntil(lambda: ready_person.sees("acceptanceGauge"))
    yield ready_person.find("acceptanceGauge")
    generation.finish()
    qtbot.waitUntil(lambda: not ready_person.sees("acceptanceByPosition"))


def test_acceptance_by_position_is_shown_where_the_gauge_is_pointed_at(gauge, ready_person):
    assert not ready_person.sees("acceptanceByPosition")
    place = QPointF(4, 4)
    QCoreApplication.sendEvent(gauge, QEnterEvent(place, place, place))
    assert ready_person.sees("acceptanceByPosition")
    assert ready_person.find("acceptanceByPosition").accessibleName() == PLACES
    QCoreApplication.sendEvent(gauge, QEvent(QEvent.Type.Leave))
    assert not ready_person.sees("acceptanceByPosition")


def test_acceptance_by_position_is_reached_by_keyboard_and_told(gauge, ready_person):
    assert gauge.accessibleDescription() == PLACES
    gauge.setFocus(Qt.FocusReason.TabFocusReason)
    assert gauge.hasFocus()
    assert ready_person.sees("acceptanceByPosition")
    ready_person.find("composer").setFocus()
    assert not ready_person.sees("acceptanceByPosition")


def test_that_drafting_rests_is_told_with_what_it_would_have_cost(ready_person, engine, qtbot):
    progress = DraftProgress(rounds=4, tested=8, accepted=0, speedup=0.99, rest_cost=0.09)
    generation = say(ready_person, engine, progress)
    qtbot.waitUntil(lambda: ready_person.sees("acceptanceGauge"))
    assert words(ready_person) == "Drafting rests on this text: it would have cost 9 %."
    assert not ready_person.sees("gainEstimate")
    generation.finish()


def test_without_drafts_nothing_is_shown_of_them(ready_person, engine, qtbot):
    generation = say(ready_person, engine, None)
    qtbot.waitUntil(lambda: ready_person.sees("speedGauge"))
    assert not ready_person.sees("acceptanceGauge")
    assert not ready_person.sees("gainEstimate")
    assert isnan(ready_person.find("acceptanceGauge").property("value"))
    generation.finish()


def test_before_the_first_draft_was_tested_there_is_no_share(ready_person, engine, qtbot):
    generation = say(ready_person, engine, DraftProgress(0, 0, 0, None, None))
    qtbot.waitUntil(lambda: ready_person.sees("speedGauge"))
    assert not ready_person.sees("acceptanceGauge")
    generation.finish()

"""What the strip says while a model loads."""

import pytest

from tests.app.conftest import MODEL


@pytest.mark.parametrize(
    ("reported", "shown"),
    [
        ("Starting the engine", "Starting the engine…"),
        ("Reading the file", "Reading the file…"),
        ("Reading the vocabulary", "Reading the vocabulary…"),
        ("Loading the weights", "Loading the weights…"),
        ("Warming up", "Warming up"),
    ],
)
def test_the_engines_stages_read_alike(person, engine, qtbot, reported, shown):
    person.drop_files([MODEL])
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    stage = person.find("loadStage")
    assert stage.text() == "Starting the engine…"
    engine.loads[0].progress(reported, 0.5)
    qtbot.waitUntil(lambda: person.find("loadProgress").value() == 500)
    assert stage.text() == shown

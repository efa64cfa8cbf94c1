from app.shortcuts import Shortcut


def test_every_key_is_one_that_qt_knows_and_is_used_once():
    sequences = [shortcut.sequence.toString() for shortcut in Shortcut]
    assert all(sequences)
    assert len(set(sequences)) == len(sequences)

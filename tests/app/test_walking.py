from PySide6.QtWidgets import QWidget


def test_window_shows(window, qtbot):
    assert window.findChild(QWidget, "composer")

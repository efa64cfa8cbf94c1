"""Looks for what a person would see at once: cut texts, things on top of each other, faint text.

Run as a module it brings the window into its main states, in both themes and two sizes, and prints
one line for each fault. The scale of the screen is a process's own (`QT_SCALE_FACTOR`).
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QWidget,
)
from qasync import QEventLoop

from app.bootstrap import build_window
from app.settings.schema import ThemeChoice
from app.theme.tokens import contrast
from app.widgets.chat.message_actions import QuietAction
from app.widgets.common.labels import NameLabel
from app.widgets.common.picker_button import PickerButton
from tests.helpers import window_states as states
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.stage import MODEL, OTHER, Stage

SIZES = ((1600, 1000), (900, 600))
THEMES = (ThemeChoice.LIGHT, ThemeChoice.DARK)
CHECKED = (
    states.empty,
    states.loading,
    states.reading,
    states.generating,
    states.versions,
    states.search,
    states.find,
    states.attachments,
    states.panel,
    states.compare,
    states.bench,
    states.bench_running,
    states.engine_page,
    states.where_models,
    states.other_model,
    states.context_full,
    states.error,
    states.failed_reply,
)
BUSY_S = 1.0
LEAST_CONTRAST = 4.5
READ = (QLabel, QPushButton, QLineEdit, QPlainTextEdit, QTextEdit)
FLOATING = ("dropOverlay", "jumpToEnd", "findBar", "hitBar")
"""Lie over others on purpose."""


def faults(window: QWidget) -> Iterator[str]:
    """What is wrong with a window as it is shown now."""
    picture = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    for widget in (window, *window.findChildren(QWidget)):
        if not widget.isVisible() or widget.window() is not window or _is_floating(widget):
            continue
        yield from _cut(widget)
        yield from _overlaps(widget)
        if isinstance(widget, READ) and widget.isEnabled() and not _is_quiet(widget):
            yield from _faint(widget, window, picture)


def _cut(widget: QWidget) -> Iterator[str]:
    """Texts that do not fit, except names that are shortened with an ellipsis."""
    if isinstance(widget, QLineEdit):
        text = widget.text() or widget.placeholderText()
        if widget.width() < widget.fontMetrics().horizontalAdvance(text):
            yield f"{_name(widget.parentWidget())} cuts {text!r}"
        return
    if not isinstance(widget, QLabel | QPushButton) or not widget.text():
        return
    if isinstance(widget, NameLabel | PickerButton):
        return
    hint = widget.sizeHint()
    if isinstance(widget, QLabel) and widget.wordWrap():
        wanted = widget.heightForWidth(widget.width())
        if widget.height() < wanted:
            yield f"{_name(widget)} is {widget.height()} px high and needs {wanted}"
    elif widget.width() < hint.width() or widget.height() < hint.height():
        yield f"{_name(widget)} is {widget.size().toTuple()} and needs {hint.toTuple()}"
    parent = widget.parentWidget()
    scrolls = parent is None or isinstance(parent.parentWidget(), QAbstractScrollArea)
    if parent and not scrolls and not parent.rect().contains(widget.geometry()):
        yield f"{_name(widget)} reaches out of {_name(parent)}"


def _overlaps(parent: QWidget) -> Iterator[str]:
    """Children of one widget that lie on each other."""
    if isinstance(parent, QAbstractScrollArea | QAbstractSpinBox | QLineEdit):
        return  # their parts are Qt's own
    children = [
        child
        for child in parent.children()
        if isinstance(child, QWidget) and child.isVisible() and not child.isWindow()
    ]
    children = [child for child in children if not _is_floating(child)]
    for place, one in enumerate(children):
        for other in children[place + 1 :]:
            both = one.geometry().intersected(other.geometry())
            if both.isValid() and not both.isEmpty():
                yield f"{_name(one)} and {_name(other)} overlap by {both.size().toTuple()}"


def _faint(widget: QWidget, window: QWidget, picture: QImage) -> Iterator[str]:
    """Texts whose strongest pixel stands out too little from what is around them."""
    area = _visible_area(widget, window)
    if not _has_text(widget) or area.width() < 8 or area.height() < 8:
        return
    scale = picture.devicePixelRatio()
    cut = picture.copy(
        round(area.x() * scale),
        round(area.y() * scale),
        round(area.width() * scale),
        round(area.height() * scale),
    )
    found = _strongest_contrast(cut)
    if found < LEAST_CONTRAST:
        yield f"{_name(widget)} has a contrast of {found:.2f}"


def _strongest_contrast(picture: QImage) -> float:
    pixels = np.frombuffer(picture.constBits(), np.uint32) & 0xFFFFFF
    colours, counts = np.unique(pixels, return_counts=True)
    ground = f"#{colours[counts.argmax()]:06x}"
    return max(contrast(f"#{colour:06x}", ground) for colour in colours)


def _visible_area(widget: QWidget, window: QWidget) -> QRect:
    area = widget.visibleRegion().boundingRect()
    return area.translated(widget.mapTo(window, QPoint()))


def _has_text(widget: QWidget) -> bool:
    if isinstance(widget, QPlainTextEdit | QTextEdit):
        return bool(widget.toPlainText() or widget.placeholderText())
    if isinstance(widget, QLineEdit):
        return bool(widget.text() or widget.placeholderText())
    return isinstance(widget, QLabel | QPushButton) and bool(widget.text())


def _is_floating(widget: QWidget) -> bool:
    here: QWidget | None = widget
    while here:
        if here.objectName() in FLOATING:
            return True
        here = here.parentWidget()
    return False


def _is_quiet(widget: QWidget) -> bool:
    """Whether it is painted only while it has the pointer or the keyboard."""
    return isinstance(widget, QuietAction)


def _name(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QLabel | QPushButton) else ""
    return f"{type(widget).__name__} {widget.objectName() or text!r}"


async def check(state: states.State) -> list[str]:
    """The faults of one state, in each theme and size."""
    found = []
    with tempfile.TemporaryDirectory() as data:
        engine = FakeEngine(names={MODEL: "Qwen3 4B", OTHER: "Gemma 3 1B Instruct"})
        stage = Stage(build_window(Path(data), engine), engine, settle_s=0.04)
        stage.window.resize(*SIZES[0])
        stage.window.show()
        await state(stage)
        for size in SIZES:
            stage.window.resize(*size)
            for theme in THEMES:
                stage.window._theme.choose(theme)
                await stage.settle()
                place = f"{state.__name__} {theme} {size[0]}x{size[1]}"
                if any(faults(stage.window)):
                    await asyncio.sleep(BUSY_S)  # a busy computer lays out later than that
                found += [f"{place}: {fault}" for fault in faults(stage.window)]
        stage.window.close()
        while not engine.closed:
            await asyncio.sleep(0.01)
        stage.window.deleteLater()
    return found


async def check_all(names: list[str]) -> list[str]:
    found = []
    for state in CHECKED:
        if not names or state.__name__ in names:
            found += await check(state)
    return found


def main() -> int:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    application = QApplication(sys.argv[:1])
    application.setQuitOnLastWindowClosed(False)
    with QEventLoop(application) as loop:
        found = loop.run_until_complete(check_all(sys.argv[1:]))
    sys.stdout.write("".join(f"{fault}\n" for fault in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

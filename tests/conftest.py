"""What holds for every test: no screen, no surprises in the log, no thread left behind."""

import gc
import logging
import os
import threading
from pathlib import Path

import pytest
from devenv import native_library
from hypothesis import settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before anything imports Qt

# Tiny models gain nothing from a second thread, and wait for it where others run tests beside.
os.environ.setdefault("OMP_NUM_THREADS", "1")  # before anything imports torch

# Machines differ in speed, so no deadlines; in CI the same examples every time.
settings.register_profile("paceline", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("paceline")

_ROOT = Path(__file__).parents[1]
_OURS = ("paceline", "app", "engine")  # first part of our loggers' names
_THREAD_END_S = 5.0  # for a thread that is already on its way out


def pytest_configure(config):
    config.addinivalue_line("markers", "logs_warnings: the test expects warnings and checks them")


def pytest_collection_finish():
    gc.collect()
    gc.freeze()  # what is imported stays, so the collections below look at what tests make


def pytest_terminal_summary(terminalreporter):
    if native_library.is_stale(_ROOT):
        terminalreporter.write_line(
            "The native library was built from other sources than those in engine/kernels/csrc, "
            "so failures may be its own: `python3 packaging/dev.py test` builds it anew.",
            red=True,
        )


@pytest.fixture(autouse=True)
def no_unexpected_log(request, caplog):
    """Fails a test during which our loggers warn, unless it is marked `logs_warnings`."""
    yield
    if request.node.get_closest_marker("logs_warnings"):
        return
    records = [*caplog.get_records("setup"), *caplog.get_records("call")]
    ours = [
        f"{record.name}: {record.getMessage()}"
        for record in records
        if record.levelno >= logging.WARNING and record.name.split(".")[0] in _OURS
    ]
    assert not ours, "unexpected log records"


@pytest.fixture(autouse=True)
def no_thread_left():
    """Fails a test that leaves a thread running which would keep the program from ending."""
    before = set(threading.enumerate())
    yield
    left = [thread for thread in set(threading.enumerate()) - before if not thread.daemon]
    for thread in left:
        thread.join(_THREAD_END_S)
    assert not [thread.name for thread in left if thread.is_alive()], "threads still running"


@pytest.fixture(autouse=True)
def qt_garbage_goes_here(request):
    """Collects what a test of the window left, before another thread's collection meets it.

    Qt's objects must be destroyed on the thread they live on.
    """
    yield
    if "qapp" in request.fixturenames:
        gc.collect()

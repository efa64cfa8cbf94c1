"""Garbage is collected on the GUI thread alone."""

import gc
import weakref

from app.collector import GuiThreadCollector


class Knot:
    """Something that only the collector can free."""

    def __init__(self) -> None:
        self.itself = self


def test_nothing_is_collected_behind_its_back_and_cycles_go_in_time(qtbot):
    collector = GuiThreadCollector(lambda: False)
    try:
        assert not gc.isenabled()
        lost = weakref.ref(Knot())
        _many = [[] for _ in range(gc.get_threshold()[0] + 1)]
        assert lost() is not None
        collector.collect()
        assert lost() is None
    finally:
        collector.stop()
    assert gc.isenabled()


def test_the_first_of_two_to_stop_leaves_the_other_its_peace(qtbot):
    first, second = GuiThreadCollector(lambda: False), GuiThreadCollector(lambda: False)
    first.stop()
    assert not gc.isenabled()
    second.stop()
    assert gc.isenabled()

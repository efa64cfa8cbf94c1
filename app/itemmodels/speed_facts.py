"""What drafts gained, in words."""

from PySide6.QtCore import QCoreApplication, QLocale

NO_CHANGE = 0.02
"""Speed-ups nearer to 1 than this are no difference."""

translate = QCoreApplication.translate


def gain_text(speedup: float, *, against_drafts: bool = False) -> str:
    """Such as `1.72× faster with the draft`; `against_drafts` where neither side is without."""
    if speedup > 1 + NO_CHANGE:
        if against_drafts:
            text = translate("SpeedFacts", "{times}× faster on the right")
        else:
            text = translate("SpeedFacts", "{times}× faster with the draft")
        return text.format(times=times_text(speedup))
    if speedup < 1 - NO_CHANGE:
        if against_drafts:
            text = translate("SpeedFacts", "{times}× slower on the right")
        else:
            text = translate("SpeedFacts", "{times}× slower with the draft")
        return text.format(times=times_text(1 / speedup))
    if against_drafts:
        return translate("SpeedFacts", "As fast on both sides")
    return translate("SpeedFacts", "As fast with the draft as without")


def times_text(speedup: float) -> str:
    """Such as `1.72`."""
    return QLocale().toString(speedup, "f", 2)


def speed_look(speedup: float) -> str:
    """The colour of a speed-up: the words or the figure say the same."""
    if speedup > 1 + NO_CHANGE:
        return "good"
    return "warn" if speedup < 1 - NO_CHANGE else "dim"

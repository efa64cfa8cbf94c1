from datetime import datetime

import pytest
from PySide6.QtCore import QLocale

from app.itemmodels.dates import short_date

NOW = datetime(2026, 3, 12, 9, 30)  # a Thursday
ENGLISH = QLocale(QLocale.Language.English, QLocale.Country.UnitedStates)


@pytest.mark.parametrize(
    ("when", "said"),
    [
        (datetime(2026, 3, 12, 0, 5), "12:05 AM"),
        (datetime(2026, 3, 11, 23, 59), "Yesterday"),
        (datetime(2026, 3, 9, 12), "Mon"),
        (datetime(2026, 3, 5, 12), "5 Mar"),
        (datetime(2025, 12, 31, 12), "31 Dec 2025"),
        (datetime(2026, 3, 13, 12), "12:00 PM"),  # a clock that was put back
    ],
)
def test_a_date_is_as_short_as_people_say_it(when, said):
    assert short_date(when.timestamp(), ENGLISH, NOW).replace("\u202f", " ") == said


def test_what_is_not_known_is_not_said():
    assert short_date(0.0, ENGLISH, NOW) == ""

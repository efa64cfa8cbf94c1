"""When something was, as short as people say it."""

from datetime import datetime

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

WEEK = 7  # days that are told by their names


def short_date(when_s: float, locale: QLocale, now: datetime | None = None) -> str:
    """The time of today, *Yesterday*, the day of this week, or the date. `when_s` as in `time`."""
    if when_s <= 0:
        return ""
    today = (now or datetime.now()).date()
    moment = QDateTime.fromSecsSinceEpoch(round(when_s))
    day = moment.date()
    days_ago = (today - datetime.fromtimestamp(when_s).date()).days
    if days_ago <= 0:
        return locale.toString(moment.time(), QLocale.FormatType.ShortFormat)
    if days_ago == 1:
        return QCoreApplication.translate("Dates", "Yesterday")
    if days_ago < WEEK:
        return locale.dayName(day.dayOfWeek(), QLocale.FormatType.ShortFormat)
    same_year = day.year() == today.year
    return locale.toString(day, "d MMM" if same_year else "d MMM yyyy")

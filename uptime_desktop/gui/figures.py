"""Numbers and times the way people read them; no widgets here."""

import math
from datetime import datetime
from typing import Final

from PySide6.QtCore import QDate, QLocale

from uptime_desktop.domain.model import (
    HOUR_MS,
    MINUTE_MS,
    SECOND_MS,
    Cron,
    Every,
    Once,
    Schedule,
)
from uptime_desktop.domain.wording import duration_text, rough_duration_text
from uptime_desktop.gui.moments import local
from uptime_desktop.i18n import language, tr

NOTHING: Final = "–"
"""For a number that nobody knows."""


def response_text(response_ms: float | None) -> str:
    """Three digits that mean something: `1.2 ms`, `182 ms`, `2.41 s`, `12 min 08 s`."""
    if response_ms is None:
        return NOTHING
    if round(response_ms) < SECOND_MS:
        return tr("{n} ms").format(n=_three_digits(response_ms))
    if response_ms < MINUTE_MS:
        return tr("{n} s").format(n=_three_digits(response_ms / SECOND_MS))
    return rough_duration_text(round(response_ms), tr)


def _three_digits(number: float) -> str:
    return str(round(number)) if number >= 100 else f"{number:.3g}"


def uptime_text(share: float | None) -> str:
    """Cut off, never rounded up: 100% is said only of what never failed."""
    if share is None:
        return NOTHING
    if share in (0, 1):
        return f"{share:.0%}"
    # Counts divided and multiplied again may miss a whole number by a hair.
    hundredths = min(9_999, math.floor(round(share * 10_000, 6)))
    return f"{hundredths / 100:.2f}%"


def lasted_text(duration_ms: int) -> str:
    """How long something took, with no more than matters: `40 s`, `6 min`, `2 h 05 min`."""
    if MINUTE_MS <= duration_ms < HOUR_MS:
        return tr("{n} min").format(n=duration_ms // MINUTE_MS)
    return rough_duration_text(max(0, duration_ms), tr)


def interval_text(schedule: Schedule) -> str:
    """`every 60 s`, `0 18 * * *`, `once`."""
    match schedule:
        case Every(interval_ms=interval_ms):
            return tr("every {duration}").format(duration=_interval_duration(interval_ms))
        case Cron(expression=expression, zone_name=None):
            return expression.text
        case Cron(expression=expression, zone_name=zone):
            return f"{expression.text} ({zone})"
        case Once():
            return tr("once")


def _interval_duration(interval_ms: int) -> str:
    if interval_ms < 2 * MINUTE_MS and interval_ms % SECOND_MS == 0:
        return tr("{n} s").format(n=interval_ms // SECOND_MS)
    return duration_text(interval_ms, tr)


def clock_text(at: int, now: int) -> str:
    """An instant on the wall clock here: `14:02`, `yesterday 20:21`, `9 Nov 03:40`."""
    moment, today = local(at), local(now)
    if moment.date() == today.date():
        return f"{moment:%H:%M}"
    return _day_text(moment, today).format(time=f"{moment:%H:%M}")


def day_and_clock_text(at: int, now: int) -> str:
    """As `clock_text`, but today is named too: `today 18:00`."""
    moment = local(at)
    return _day_text(moment, local(now)).format(time=f"{moment:%H:%M}")


def seconds_clock_text(at: int, now: int) -> str:
    """As `clock_text`, to the second: `14:08:20`."""
    moment, today = local(at), local(now)
    if moment.date() == today.date():
        return f"{moment:%H:%M:%S}"
    return _day_text(moment, today).format(time=f"{moment:%H:%M:%S}")


def capitalised(text: str) -> str:
    """For the beginning of a line or a cell."""
    return text[:1].upper() + text[1:]


def _day_text(moment: datetime, today: datetime) -> str:
    """A template that still lacks its `{time}`."""
    match (moment.date() - today.date()).days:
        case 0:
            return tr("today {time}")
        case 1:
            return tr("tomorrow {time}")
        case -1:
            return tr("yesterday {time}")
    # Qt's letters for a date: d is the day, MMM the short name of the month.
    pattern = tr("d MMM") if moment.year == today.year else tr("d MMM yyyy")
    day = QDate(moment.year, moment.month, moment.day)
    return tr("{day} {time}").replace("{day}", QLocale(language()).toString(day, pattern))

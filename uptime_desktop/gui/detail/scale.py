"""Where the axes of the chart have their marks: round times of the wall clock, round durations."""

import math
from datetime import datetime, timedelta
from typing import Final

from PySide6.QtCore import QDate, QLocale

from uptime_desktop.domain.model import DAY_MS, HOUR_MS, MINUTE_MS
from uptime_desktop.gui.moments import instant, local
from uptime_desktop.i18n import language, tr

SPANS_MS: Final = (HOUR_MS, DAY_MS, 7 * DAY_MS, 30 * DAY_MS, 365 * DAY_MS)

Mark = tuple[float, str]

_STEPS: Final = (1, 2, 2.5, 5, 10)
_PARTS: Final = 4
_EMPTY_MS: Final = 100.0


def time_marks(since: int, until: int) -> list[Mark]:
    """Marks within a stretch of time, none too near its end, where `now` stands."""
    span_ms = until - since
    room_ms = span_ms // 16
    found = [moment for moment in _round_times(since, span_ms) if since <= instant(moment)]
    marks = [(float(instant(one)), _mark_text(one, span_ms)) for one in found]
    return [
        *((at, text) for at, text in marks if since + room_ms // 2 <= at <= until - room_ms),
        (float(until), tr("now")),
    ]


def _round_times(since: int, span_ms: int) -> list[datetime]:
    """Round times without a zone, from before the stretch to after it."""
    start = local(since).replace(tzinfo=None, minute=0, second=0, microsecond=0)
    if span_ms <= HOUR_MS:
        return [start + timedelta(minutes=10 * n) for n in range(14)]
    midnight = start.replace(hour=0)
    if span_ms <= DAY_MS:
        return [midnight + timedelta(hours=4 * n) for n in range(14)]
    if span_ms <= 7 * DAY_MS:
        return [midnight + timedelta(days=n) for n in range(9)]
    if span_ms <= 30 * DAY_MS:
        # Weeks, from a Monday.
        monday = midnight - timedelta(days=midnight.weekday())
        return [monday + timedelta(days=7 * n) for n in range(7)]
    months = range(midnight.month - 1, midnight.month + 13)
    return [datetime(midnight.year + n // 12, n % 12 + 1, 1) for n in months if n % 2 == 0]  # noqa: DTZ001 - the wall's time


def _mark_text(moment: datetime, span_ms: int) -> str:
    if span_ms <= DAY_MS:
        return f"{moment:%H:%M}"
    locale = QLocale(language())
    day = QDate(moment.year, moment.month, moment.day)
    if span_ms <= 7 * DAY_MS:
        return locale.toString(day, "ddd")
    return locale.toString(day, tr("d MMM") if span_ms <= 30 * DAY_MS else "MMM")


def value_marks(highest_ms: float) -> tuple[float, list[Mark]]:
    """The top of the scale and its marks from 0 up; the topmost says the unit."""
    highest_ms = highest_ms or _EMPTY_MS
    step = _round_step(highest_ms / _PARTS)
    count = math.ceil(highest_ms / step)
    top = step * count
    unit_ms, template = _unit(top)
    numbers = [step * n for n in range(count + 1)]
    marks = [(number, f"{number / unit_ms:.6g}") for number in numbers]
    marks[-1] = (top, template.format(n=marks[-1][1]))
    return top, marks


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * step for step in _STEPS if power * step >= least * 0.999)


def _unit(top_ms: float) -> tuple[int, str]:
    if top_ms < 2_000:
        return 1, tr("{n} ms")
    return (1_000, tr("{n} s")) if top_ms < 2 * MINUTE_MS else (MINUTE_MS, tr("{n} min"))

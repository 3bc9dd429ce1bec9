"""When a cron expression fires, with Debian cron's rules for daylight saving.

The grammar and the treatment of time zones are ours. `croniter` only searches the calendar,
on wall time that knows no zone and with every field written out as a list: left to itself
it reads `5-5` as every minute and is wrong where clocks change.
"""

import copy
from dataclasses import dataclass, field
from datetime import timedelta, tzinfo
from itertools import pairwise
from typing import Final

from croniter import CroniterBadDateError, croniter

from uptime_desktop.domain.cron_grammar import Dialect, Field, Fields, parse_fields
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.zones import first_instant_of, next_change, offset_at

MIN_GAP_SECONDS: Final = 5
_DAY: Final = 86_400
_START_OF_2000: Final = 946_684_800
_EIGHT_YEARS: Final = 8 * 366 * _DAY


@dataclass(frozen=True, slots=True)
class CronExpression:
    """A valid expression: it fires some day, and never more often than every 5 s."""

    text: str
    dialect: Dialect = Dialect.EXTENDED
    is_fixed_time: bool = field(init=False, compare=False)
    _fields: Fields = field(init=False, compare=False, repr=False)
    _searches: tuple[croniter, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        fields = parse_fields(self.text, self.dialect)
        searches = _searches(fields)
        if not searches:
            raise Refused("cron", "{value} never fires", "a date that exists", value=self.text)
        # Debian cron calls a job fixed-time unless one of these fields begins with a star.
        fixed = not any(f.begins_with_star for f in (fields.second, fields.minute, fields.hour))
        object.__setattr__(self, "_fields", fields)
        object.__setattr__(self, "_searches", searches)
        object.__setattr__(self, "is_fixed_time", fixed)
        self._refuse_if_too_dense()

    def next_after(self, second: int, zone: tzinfo) -> int:
        """The first instant strictly after `second` at which the expression fires in the zone."""
        if self.is_fixed_time:
            return self._next_fixed_time(second, zone)
        return self._next_in_real_time(second, zone)

    def slot_at(self, second: int, zone: tzinfo) -> int | None:
        """The slot that the current minute (with seconds: the current second) is, if any."""
        granularity = 1 if self._fields.has_seconds else 60
        start = second - (second + offset_at(zone, second)) % granularity
        return start if self.next_after(start - 1, zone) == start else None

    def _next_fixed_time(self, second: int, zone: tzinfo) -> int:
        """Each time on the wall counts once: in a fold the first, in a gap at the gap's end."""
        wall = second + offset_at(zone, second)
        while True:
            wall = self._next_on_wall(wall)
            instant = first_instant_of(zone, wall)
            if instant > second:
                return instant

    def _next_in_real_time(self, second: int, zone: tzinfo) -> int:
        """Whenever the wall shows a matching time: twice in a fold, never in a gap."""
        offset = offset_at(zone, second)
        wall = second + offset
        while True:
            candidate = self._next_on_wall(wall) - offset
            change = next_change(zone, second, candidate)
            if change is None:
                return candidate
            second, offset = change, offset_at(zone, change)
            wall = change + offset - 1

    def _next_on_wall(self, wall: int) -> int:
        """The first matching wall time strictly after `wall`."""
        try:
            # A copy, because a croniter moves when asked and one expression serves all threads.
            return min(
                int(copy.copy(search).get_next(float, start_time=float(wall)))
                for search in self._searches
            )
        except (CroniterBadDateError, OverflowError, ValueError) as end:
            raise OverflowError(f"{self.text!r} has no run before the year 10000") from end

    def _refuse_if_too_dense(self) -> None:
        gap = self._smallest_gap()
        if gap < MIN_GAP_SECONDS:
            raise Refused(
                "cron",
                "{value} would fire every {gap}",
                "{least} or more between two runs",
                value=self.text,
                gap=timedelta(seconds=gap),
                least=timedelta(seconds=MIN_GAP_SECONDS),
            )

    def _smallest_gap(self) -> int:
        """Seconds between the two closest firings on a wall; a minute stands for any more."""
        seconds = sorted(self._fields.second.values)
        gaps = [later - earlier for earlier, later in pairwise(seconds)]
        if self._fires_in_neighbouring_minutes():
            gaps.append(60 + seconds[0] - seconds[-1])
        return min(gaps, default=60)

    def _fires_in_neighbouring_minutes(self) -> bool:
        minutes, hours = self._fields.minute.values, self._fields.hour.values
        if any(minute + 1 in minutes for minute in minutes):
            return True
        if not {59, 0} <= minutes:
            return False
        if any(hour + 1 in hours for hour in hours):
            return True
        return {23, 0} <= hours and self._fires_on_neighbouring_days()

    def _fires_on_neighbouring_days(self) -> bool:
        previous_day, wall = 0, _START_OF_2000 - 1
        while wall < _START_OF_2000 + _EIGHT_YEARS:
            day = self._next_on_wall(wall) // _DAY
            if day - 1 == previous_day:
                return True
            previous_day, wall = day, (day + 1) * _DAY - 1
        return False


def _searches(fields: Fields) -> tuple[croniter, ...]:
    """One search of the calendar, or two where day of month *or* day of week may match."""
    every = Field(frozenset(), begins_with_star=True)
    day, weekday = fields.day, fields.weekday
    either = not (day.begins_with_star or weekday.begins_with_star)
    pairs = [(day, every), (every, weekday)] if either else [(day, weekday)]
    candidates = (_search(fields, day, weekday) for day, weekday in pairs)
    return tuple(search for search in candidates if search is not None)


def _search(fields: Fields, day: Field, weekday: Field) -> croniter | None:
    """A search for times that match every given field; none if no such date exists."""
    columns = [fields.minute, fields.hour, day, fields.month, weekday]
    if fields.has_seconds:
        columns.insert(0, fields.second)
    search = croniter(
        " ".join(",".join(map(str, sorted(column.values))) or "*" for column in columns),
        float(_START_OF_2000),
        day_or=False,
        second_at_beginning=True,
    )
    try:
        search.get_next(float, update_current=False)
    except CroniterBadDateError:
        return None
    return search

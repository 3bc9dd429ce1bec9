"""When a cron expression fires, with Debian cron's rules for daylight saving.

The grammar, the times of day and the treatment of time zones are ours. `croniter` only finds
dates, on wall time that knows no zone and with every field written out as a list: left to
itself it reads `5-5` as every minute and is wrong where clocks change.
"""

import copy
from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import timedelta, tzinfo
from functools import lru_cache
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
_LAST_WALL: Final = 253_402_300_799  # 9999-12-31T23:59:59


@dataclass(frozen=True, slots=True)
class CronExpression:
    """A valid expression: it fires some day, and never more often than every 5 s."""

    text: str
    dialect: Dialect = Dialect.EXTENDED
    is_fixed_time: bool = field(init=False, compare=False)
    _granularity: int = field(init=False, compare=False, repr=False)
    _hours: tuple[int, ...] = field(init=False, compare=False, repr=False)
    _minutes: tuple[int, ...] = field(init=False, compare=False, repr=False)
    _seconds: tuple[int, ...] = field(init=False, compare=False, repr=False)
    _dates: "tuple[croniter, ...] | None" = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        fields = parse_fields(self.text, self.dialect)
        # Debian cron calls a job fixed-time unless one of these fields begins with a star.
        times = (fields.second, fields.minute, fields.hour)
        for name, value in (
            ("is_fixed_time", not any(part.begins_with_star for part in times)),
            ("_granularity", 1 if fields.has_seconds else 60),
            ("_hours", tuple(sorted(fields.hour.values))),
            ("_minutes", tuple(sorted(fields.minute.values))),
            ("_seconds", tuple(sorted(fields.second.values))),
            ("_dates", _date_searches(fields)),
        ):
            object.__setattr__(self, name, value)
        if self._dates == ():
            raise Refused("cron", "{value} never fires", "a date that exists", value=self.text)
        self._refuse_if_too_dense()

    def next_after(self, second: int, zone: tzinfo) -> int:
        """The first instant strictly after `second` at which the expression fires in the zone."""
        if self.is_fixed_time:
            return self._next_fixed_time(second, zone)
        return self._next_in_real_time(second, zone)

    def slot_at(self, second: int, zone: tzinfo) -> int | None:
        """The slot that the current minute (with seconds: the current second) is, if any."""
        start = second - (second + offset_at(zone, second)) % self._granularity
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
        today, second = divmod(wall + 1, _DAY)
        day = self._first_date(today)
        time = self._first_time(second) if day == today else self._first_time(0)
        if time is None:
            day, time = self._first_date(today + 1), self._first_time(0)
        if time is None or day * _DAY > _LAST_WALL:
            raise OverflowError(f"{self.text!r} has no run before the year 10000")
        return day * _DAY + time

    def _first_time(self, earliest: int) -> int | None:
        """The first matching second of a day, not before `earliest`."""
        hour, rest = divmod(earliest, 3_600)
        minute, second = divmod(rest, 60)
        for h in self._hours[bisect_left(self._hours, hour) :]:
            in_hour = h == hour
            for m in self._minutes[bisect_left(self._minutes, minute if in_hour else 0) :]:
                index = bisect_left(self._seconds, second) if in_hour and m == minute else 0
                if index < len(self._seconds):
                    return h * 3_600 + m * 60 + self._seconds[index]
        return None

    def _first_date(self, earliest: int) -> int:
        """The first matching day, counted from 1970, not before `earliest`."""
        if self._dates is None:
            return earliest
        try:
            # Copies, because a croniter moves when asked and one serves all threads.
            return min(
                int(copy.copy(search).get_next(float, start_time=earliest * _DAY - 1.0)) // _DAY
                for search in self._dates
            )
        except (CroniterBadDateError, OverflowError, ValueError):
            return _LAST_WALL

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
        gaps = [later - earlier for earlier, later in pairwise(self._seconds)]
        if self._fires_in_neighbouring_minutes():
            gaps.append(60 + self._seconds[0] - self._seconds[-1])
        return min(gaps, default=60)

    def _fires_in_neighbouring_minutes(self) -> bool:
        if 1 in map(_difference, pairwise(self._minutes)):
            return True
        if (self._minutes[0], self._minutes[-1]) != (0, 59):
            return False
        if 1 in map(_difference, pairwise(self._hours)):
            return True
        around_midnight = (self._hours[0], self._hours[-1]) == (0, 23)
        return around_midnight and self._fires_on_neighbouring_days()

    def _fires_on_neighbouring_days(self) -> bool:
        day = self._first_date(_START_OF_2000 // _DAY)
        while day < (_START_OF_2000 + _EIGHT_YEARS) // _DAY:
            following = self._first_date(day + 1)
            if following == day + 1:
                return True
            day = following
        return False


def _difference(pair: tuple[int, int]) -> int:
    return pair[1] - pair[0]


def _date_searches(fields: Fields) -> "tuple[croniter, ...] | None":
    """One search for dates, or two where day of month *or* day of week may match.

    None where every date matches, nothing where none does.
    """
    day, month, weekday = fields.day, fields.month, fields.weekday
    either = not (day.begins_with_star or weekday.begins_with_star)
    pairs = (
        [(_written(day), "*"), ("*", _written(weekday))]
        if either
        else [(_written(day), _written(weekday))]
    )
    if any(pair == ("*", "*") for pair in pairs) and _written(month) == "*":
        return None
    searches = (_date_search(day, _written(month), weekday) for day, weekday in pairs)
    return tuple(search for search in searches if search is not None)


def _written(part: Field) -> str:
    return "*" if part.is_everything else ",".join(map(str, sorted(part.values)))


@lru_cache(maxsize=1_024)
def _date_search(day: str, month: str, weekday: str) -> croniter | None:
    """A search for the dates that match all three; none if no such date exists."""
    search = croniter(f"0 0 {day} {month} {weekday}", float(_START_OF_2000), day_or=False)
    try:
        search.get_next(float, update_current=False)
    except CroniterBadDateError:
        return None
    return search

"""The hours of the day in which nobody wants to be told of anything."""

import re
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.zones import first_instant_of, offset_at

_HOURS: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])-([01][0-9]|2[0-3]):([0-5][0-9])")
_DAY_S: Final = 86_400


@dataclass(frozen=True, slots=True)
class QuietHours:
    """From one time of the day to another, in seconds since midnight, perhaps over midnight."""

    start_s: int
    end_s: int

    def until(self, now: int, zone: tzinfo) -> int | None:
        """When they end, if it is quiet now."""
        second = now // 1_000
        wall = second + offset_at(zone, second)
        since_start = (wall - self.start_s) % _DAY_S
        length = (self.end_s - self.start_s) % _DAY_S
        if since_start >= length:
            return None
        end = first_instant_of(zone, wall - since_start + length) * 1_000
        # Where the clock is set back, an end that has been does not come again.
        return end if end > now else None


def parse_quiet_hours(field: str, text: str) -> QuietHours | None:
    """Hours such as `22:00-07:00`; nothing at all for none."""
    if not text:
        return None
    match = _HOURS.fullmatch(text)
    if match is None:
        problem, allowed = "{value} are no hours of the day", "two times, as in 22:00-07:00"
        raise Refused(field, problem, allowed, value=text)
    start_hour, start_minute, end_hour, end_minute = map(int, match.groups())
    hours = QuietHours(start_hour * 3_600 + start_minute * 60, end_hour * 3_600 + end_minute * 60)
    if hours.start_s == hours.end_s:
        problem, allowed = "{value} begins when it ends", "two times, as in 22:00-07:00"
        raise Refused(field, problem, allowed, value=text)
    return hours

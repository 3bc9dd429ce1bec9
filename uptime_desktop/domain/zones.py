"""Wall clocks: what a clock on a wall in a time zone shows, in whole seconds.

A wall time is the number of seconds since 1970-01-01T00:00 *on that wall*, so it can be
compared and stepped like an instant but repeats in a fold and jumps over a gap. Zone data
is read by `zoneinfo` and treated as a constant of the world.
"""

from datetime import datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from uptime_desktop.domain.refusal import Refused

_EPOCH_ON_WALL = datetime(1970, 1, 1)
_DAY = 86_400
_ONE_SECOND = timedelta(seconds=1)


def parse_zone(field: str, name: str) -> ZoneInfo:
    """The zone of that IANA name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Refused(
            field,
            "{value} is not a known time zone",
            "an IANA name such as Europe/Berlin",
            value=name,
        ) from None


def offset_at(zone: tzinfo, second: int) -> int:
    """Seconds to add to UTC to get the wall time at that instant."""
    return _seconds(datetime.fromtimestamp(second, zone).utcoffset())


def first_instant_of(zone: tzinfo, wall: int) -> int:
    """The first instant at which the wall shows `wall`; for a time in a gap, the gap's end."""
    on_wall = _EPOCH_ON_WALL + timedelta(seconds=wall)
    before = on_wall.replace(tzinfo=zone, fold=0)
    after = on_wall.replace(tzinfo=zone, fold=1)
    earlier = wall - _seconds(before.utcoffset())
    later = wall - _seconds(after.utcoffset())
    in_gap = later < earlier
    return _first_change(zone, later, earlier) if in_gap else earlier


def next_change(zone: tzinfo, start: int, end: int) -> int | None:
    """The first instant after `start`, up to and including `end`, at which the offset changes."""
    offset = offset_at(zone, start)
    while start < end:
        # No zone has ever changed its clocks twice within a day.
        probe = min(start + _DAY, end)
        if offset_at(zone, probe) != offset:
            return _first_change(zone, start, probe)
        start = probe
    return None


def _first_change(zone: tzinfo, before: int, after: int) -> int:
    """The instant of the one change that lies between two instants, the second included."""
    offset = offset_at(zone, before)
    while after - before > 1:
        middle = (before + after) // 2
        if offset_at(zone, middle) == offset:
            before = middle
        else:
            after = middle
    return after


def _seconds(offset: timedelta | None) -> int:
    if offset is None:
        raise TypeError("a time zone without an offset")
    return offset // _ONE_SECOND

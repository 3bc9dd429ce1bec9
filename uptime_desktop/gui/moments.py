"""Instants as the wall clock of this computer shows them."""

from datetime import UTC, datetime, time, timedelta
from typing import Final

_MORNING: Final = time(8)


def local(at: int) -> datetime:
    return datetime.fromtimestamp(at // 1_000, UTC).astimezone()


def tomorrow_morning(now: int) -> int:
    """Eight o'clock of the day after this one, whatever the clocks do in the night."""
    day = local(now).date() + timedelta(days=1)
    return instant(datetime.combine(day, _MORNING))


def instant(wall: datetime) -> int:
    """The instant at which the clock on this wall shows a time that has no zone."""
    return round(wall.astimezone().timestamp()) * 1_000

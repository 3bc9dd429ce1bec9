"""The small numbers that stand for words in the database.

They are written down one by one because they are on people's disks: never renumber, only add.
The commonest are 0 and 1, which take no room in a row.
"""

from typing import Final

from uptime_desktop.domain.model import PauseReason, Source
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution

STATUS_CODE: Final = {
    Status.UP: 0,
    Status.DOWN: 1,
    Status.DEGRADED: 2,
    Status.UNKNOWN: 3,
    Status.PENDING: 4,
    Status.PAUSED: 5,
}
STATUS: Final = {code: status for status, code in STATUS_CODE.items()}

INTERRUPTED: Final = 6
"""The status of a run that a crash cut short; nothing is known about its target."""

SOURCE_CODE: Final = {
    Source.BASELINE_INTERVAL: 0,
    Source.BASELINE_CRON: 1,
    Source.HINT_INTERVAL: 2,
    Source.HINT_ONESHOT: 3,
    Source.RETRY: 4,
    Source.CLAMPED_MIN: 5,
    Source.CLAMPED_MAX: 6,
    Source.CATCH_UP: 7,
    Source.MANUAL: 8,
    Source.PAUSED: 9,
}
SOURCE: Final = {code: source for source, code in SOURCE_CODE.items()}

PAUSE_CODE: Final = {
    PauseReason.ASKED: 1,
    PauseReason.FAILURES: 2,
    PauseReason.FINISHED: 3,
    PauseReason.SITE: 4,
    PauseReason.MAINTENANCE: 5,
}
PAUSE: Final = {code: reason for reason, code in PAUSE_CODE.items()}

RESOLUTION_CODE: Final = {Resolution.FIVE_MINUTES: 0, Resolution.HOUR: 1, Resolution.DAY: 2}

MERGED: Final = 3
"""Stands in for a resolution: runs counted without rows of their own, by five minutes."""


def incidents_mask(kinds: frozenset[Status]) -> int:
    """A set of statuses as one number, a bit for each."""
    return sum(1 << STATUS_CODE[kind] for kind in kinds)


def incidents_of(mask: int) -> frozenset[Status]:
    return frozenset(status for status, code in STATUS_CODE.items() if mask >> code & 1)

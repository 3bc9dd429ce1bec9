"""Where time enters the program; everything else is told what time it is."""

import time
from datetime import UTC, datetime, tzinfo

import tzlocal


def wall_now() -> int:
    """UTC epoch milliseconds."""
    return time.time_ns() // 1_000_000


def local_zone() -> tzinfo:
    """The computer's time zone, with its rules for daylight saving where they can be found."""
    try:
        return tzlocal.reload_localzone()
    except (LookupError, OSError, ValueError):
        # Settings that contradict each other, or a POSIX rule: the offset of today must do.
        return datetime.now(UTC).astimezone().tzinfo or UTC

"""How many failures an alert of Gatus waits for and how often it reminds, in our ranges."""

from typing import Final

from uptime_desktop.domain.model import MAX_REPEAT_MS, MIN_REPEAT_MS, MOST_ALERT_AFTER
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.gatus.values import Source, whole

THRESHOLDS: Final = ("failure-threshold", "threshold")
"""The second name is the oldest."""
REMINDER: Final = "minimum-reminder-interval"
NEAREST: Final = Sentence("the nearest that is allowed counts")


def failures_of(table: Source) -> int:
    """How many failures it takes, 0 if that is not said."""
    found = next(filter(None, (whole(table.peek(key)) for key in THRESHOLDS)), 0)
    return max(min(found, MOST_ALERT_AFTER), 0)


def reminder_ms(asked_ms: float | None) -> int:
    return min(max(round(asked_ms), MIN_REPEAT_MS), MAX_REPEAT_MS) if asked_ms else 0


def is_moved(table: Source, key: str) -> bool:
    """Whether what is asked for there is out of range."""
    if key == REMINDER:
        asked_ms = table.duration_ms(key)
        return bool(asked_ms) and reminder_ms(asked_ms) != asked_ms
    asked = whole(table.peek(key)) if key in THRESHOLDS else None
    return asked is not None and not 0 < asked <= MOST_ALERT_AFTER

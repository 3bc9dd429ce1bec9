"""What another program knew of a monitor before it was ours, and what of it can be true: pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from uptime_desktop.domain.model import DAY_MS
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution, Tally

MOST_RUNS: Final = 250_000
"""Of one monitor one by one, the newest; how many are kept is for the settings to say."""
MOST_BUCKETS: Final = 100_000
"""Of one monitor in each resolution: most of a year of five minutes."""
_LONGEST_RESPONSE_MS: Final = DAY_MS


@dataclass(frozen=True, slots=True)
class PastRun:
    """One check that another program made."""

    started_at: int
    status: Status
    response_ms: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PastTrouble:
    """Trouble that another program saw begin and, unless it lasts, end."""

    opened_at: int
    resolved_at: int | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Past:
    """What another program knew of one monitor.

    `runs` are single checks. `tallies` are complete for each resolution by itself:
    an hour counts all there was in it, whether there are five minutes of it or not.
    """

    monitor_id: str
    runs: tuple[PastRun, ...] = ()
    tallies: Mapping[Resolution, Mapping[int, Tally]] = field(default_factory=dict)
    troubles: tuple[PastTrouble, ...] = ()


def has_happened(at: int, now: int) -> bool:
    """Whether something can have been at this instant; what lies in the future never was."""
    return 0 <= at <= now


def happened(runs: Iterable[PastRun], now: int) -> list[PastRun]:
    """Those that can have been, oldest first; of two at one instant the one that comes last."""
    by_start = {run.started_at: run for run in runs if has_happened(run.started_at, now)}
    return [by_start[at] for at in sorted(by_start)]


def possible_ms(response_ms: float | None) -> float | None:
    """A response time; none where no clock can have measured it."""
    if response_ms is None or not 0 <= response_ms <= _LONGEST_RESPONSE_MS:
        return None
    return response_ms

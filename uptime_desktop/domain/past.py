"""What another program knew of a monitor before it was ours."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution, Tally


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

    `runs` are single checks, oldest first. `tallies` are complete for each resolution by itself:
    an hour counts all there was in it, whether there are five minutes of it or not.
    """

    monitor_id: str
    runs: tuple[PastRun, ...] = ()
    tallies: Mapping[Resolution, Mapping[int, Tally]] = field(default_factory=dict)
    troubles: tuple[PastTrouble, ...] = ()

"""What happened, in the past tense. Published after it is on disk, never before."""

from dataclasses import dataclass
from uuid import UUID

from uptime_desktop.domain.model import Outcome, PauseReason, Source
from uptime_desktop.domain.status import Status


@dataclass(frozen=True, slots=True)
class Event:
    """Which monitor, when, and the run it belongs to (none for an act between runs)."""

    site_id: str
    monitor_id: str
    correlation_id: UUID | None
    timestamp: int


@dataclass(frozen=True, slots=True)
class ScheduleUpdated(Event):
    """The next run was planned; none is planned while paused for good."""

    next_run_at: int | None
    delay_ms: int | None
    backoff_attempt: int
    source: Source


@dataclass(frozen=True, slots=True)
class BackoffApplied(Event):
    """A failure moved the next run away from the plain schedule."""

    backoff_attempt: int
    delay_ms: int


@dataclass(frozen=True, slots=True)
class ManualCheckStarted(Event):
    """A person asked for a check and it began."""


@dataclass(frozen=True, slots=True)
class CheckTimedOut(Event):
    """The last attempt of a run took too long; abandoned if it would not even stop."""

    timeout_ms: int
    abandoned: bool


@dataclass(frozen=True, slots=True)
class CheckFinished(Event):
    """A run settled."""

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class StatusChanged(Event):
    """What people are shown changed."""

    old: Status
    new: Status
    reason: str


@dataclass(frozen=True, slots=True)
class IncidentOpened(Event):
    """Trouble of this kind (down or degraded) began.

    `cascade_reason` says that it only follows from trouble upstream; `is_held` that whether it
    does is still being looked at.
    """

    kind: Status
    reason: str
    cascade_reason: str | None = None
    is_held: bool = False


@dataclass(frozen=True, slots=True)
class IncidentResolved(Event):
    """Trouble of this kind ended."""

    kind: Status


@dataclass(frozen=True, slots=True)
class MonitorPaused(Event):
    """No more scheduled runs, for good or until an instant."""

    reason: PauseReason
    until: int | None


@dataclass(frozen=True, slots=True)
class MonitorResumed(Event):
    """Scheduled runs go on."""

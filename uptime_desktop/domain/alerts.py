"""What passes between the alerts, the store and the app, so that none knows another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from uptime_desktop.domain.status import Status

Key = tuple[str, str]
"""The ids of a site and of a monitor in it."""


@dataclass(frozen=True, slots=True)
class Alert:
    """That trouble of a kind began or, as `is_recovery`, ended.

    `number` is its row in the outbox; there is none while the change is only in memory. When
    trouble began (`opened_at`) may not be known then either. `tries` is how often the run that
    found it tried.
    """

    monitor_number: int
    kind: Status
    is_recovery: bool
    happened_at: int
    opened_at: int | None
    resolved_at: int | None = None
    reason: str = ""
    tries: int = 1
    is_acknowledged: bool = False
    is_snoozed: bool = False
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """The monitor that an alert is about, as it stands now."""

    key: Key
    name: str
    next_run_at: int | None
    incidents: frozenset[Status]
    """The kinds of trouble it is in."""


class Outbox(Protocol):
    """Alerts that wait to be sent. All but `opening` raise a `UserError` while the disk fails."""

    async def claim(self, now: int) -> Sequence[Alert]:
        """Take those that are due; each must then be marked, or becomes due again by itself."""

    async def next_at(self) -> int | None:
        """When the next one is due."""

    async def mark_sent(self, alerts: Sequence[Alert], now: int) -> None:
        """Never give these again, be they claimed or told from memory."""

    async def mark_failed(self, alerts: Sequence[Alert], now: int, error: str) -> None:
        """Put claimed ones off, for longer each time."""

    async def opening(self, monitor_number: int, kind: Status, now: int) -> Alert | None:
        """How the trouble began that is open on disk."""


class Desk(Protocol):
    """Where an alert leads: the monitor, and what a person can answer. A monitor that has been
    removed meanwhile is None, and what is asked of it does nothing."""

    def number_of(self, key: Key) -> int | None: ...

    def subject(self, monitor_number: int) -> Subject | None: ...

    def check_now(self, key: Key) -> None: ...

    async def acknowledge(self, key: Key) -> None: ...

    async def snooze(self, key: Key, for_ms: int) -> None: ...

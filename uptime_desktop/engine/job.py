"""What the scheduler holds of one monitor."""

import asyncio
from dataclasses import dataclass, field

from uptime_desktop.domain.model import HOUR_MS, Monitor, Outcome, RuntimeState
from uptime_desktop.engine.pace import Turn
from uptime_desktop.engine.runner import Ticket
from uptime_desktop.engine.timer import Alarm

Key = tuple[str, str]
Waiter = asyncio.Future[Outcome]


@dataclass(slots=True)
class Memory:
    """How long what we knew stays true."""

    staleness_ms: int = HOUR_MS
    stuck_after_ms: int = 2 * HOUR_MS


@dataclass(slots=True, eq=False)
class Job:
    """What the scheduler holds of one monitor."""

    monitor: Monitor
    origin: str
    state: RuntimeState
    alarm: Alarm | Turn | None = None
    ticket: Ticket | None = None
    begun_at_boot: int | None = None
    waiters: list[Waiter] = field(default_factory=list)
    waiters_for_another: list[Waiter] = field(default_factory=list)
    wants_another: bool = False
    reason: str = ""

    @property
    def key(self) -> Key:
        return self.monitor.site_id, self.monitor.id

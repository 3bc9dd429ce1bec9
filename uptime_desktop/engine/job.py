"""What the scheduler holds of one monitor, and how it paces many."""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from uptime_desktop.domain.model import HOUR_MS, Monitor, Outcome, RuntimeState
from uptime_desktop.engine.runner import Ticket
from uptime_desktop.engine.timer import Alarm

Key = tuple[str, str]
Waiter = asyncio.Future[Outcome]

_BEGUN_A_SECOND: Final = 100
# A second and a little, for what begins a second apart may arrive closer than that.
_PACED_MS: Final = 1_010


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
    alarm: Alarm | None = None
    ticket: Ticket | None = None
    begun_at_boot: int | None = None
    waiters: list[Waiter] = field(default_factory=list)
    waiters_for_another: list[Waiter] = field(default_factory=list)
    wants_another: bool = False
    reason: str = ""

    @property
    def key(self) -> Key:
        return self.monitor.site_id, self.monitor.id


class Pace:
    """Lets a hundred begin within a second and no more, should the loop come late to many."""

    def __init__(self) -> None:
        self._begun: deque[int] = deque(maxlen=_BEGUN_A_SECOND)

    def wait_ms(self, now: int) -> int:
        """How long the next has to wait; none, and it has begun."""
        if len(self._begun) == _BEGUN_A_SECOND and now - self._begun[0] < _PACED_MS:
            return _PACED_MS - (now - self._begun[0])
        self._begun.append(now)
        return 0

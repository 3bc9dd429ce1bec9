"""Decides which runs go now: a few at a time, fewer against one origin, manual ones first.

Nobody waits for a check here. `run_check` is the seam behind which a kind of check, another
thread or another machine does the looking.
"""

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from uptime_desktop.domain.model import Monitor, Outcome
from uptime_desktop.engine.clock import Clock
from uptime_desktop.engine.execution import Execution, RunCheck
from uptime_desktop.engine.timer import Timer

_STARTS_A_TURN: Final = 20


@dataclass(slots=True)
class Limits:
    """How many checks may be under way, in all and against one origin."""

    max_concurrent: int = 64
    per_origin: int = 8


class Phase(Enum):
    WAITING = auto()
    RUNNING = auto()
    OVER = auto()


@dataclass(slots=True, eq=False)
class Ticket:
    """One run that was asked for. Cancelled, it calls nobody any more."""

    monitor: Monitor
    origin: str
    begun: Callable[[], None]
    settled: Callable[[Outcome, int], None]
    asked_at: int
    is_manual: bool
    phase: Phase = Phase.WAITING
    execution: Execution | None = field(default=None, repr=False)


class Runner:
    def __init__(self, run_check: RunCheck, timer: Timer, clock: Clock, limits: Limits) -> None:
        self._run_check = run_check
        self._timer = timer
        self._clock = clock
        self.limits = limits
        self._ready: deque[Ticket] = deque()
        self._blocked: dict[str, deque[Ticket]] = defaultdict(deque)
        self._under_way: Counter[str] = Counter()
        self._runs: set[Ticket] = set()
        self._is_dispatching = False

    @property
    def under_way(self) -> int:
        return self._under_way.total()

    def request(
        self,
        monitor: Monitor,
        origin: str,
        *,
        manual: bool,
        begun: Callable[[], None],
        settled: Callable[[Outcome, int], None],
    ) -> Ticket:
        """Run as soon as there is room; a manual run goes first and needs no free slot."""
        now = self._clock.monotonic()
        ticket = Ticket(monitor, origin, begun, settled, now, manual)
        self._enqueue(self._ready, ticket)
        self._dispatch_soon()
        return ticket

    def hurry(self, ticket: Ticket) -> None:
        """Make a waiting run a manual one, ahead of the others."""
        if ticket.phase is Phase.WAITING:
            self._take_out(ticket)
            ticket.is_manual = True
            self._enqueue(self._ready, ticket)
            self._dispatch_soon()

    def cancel(self, ticket: Ticket) -> None:
        """Forget the run, whatever it is doing; one that is over stays so."""
        if ticket.phase is Phase.WAITING:
            self._take_out(ticket)
        elif ticket.phase is Phase.RUNNING:
            if ticket.execution is not None:
                ticket.execution.cancel()
            self._finish(ticket)
        ticket.phase = Phase.OVER

    def limits_changed(self) -> None:
        for waiting in self._blocked.values():
            self._ready.extend(waiting)
        self._blocked.clear()
        self._dispatch_soon()

    def close(self) -> None:
        """Forget everything that waits or runs."""
        self._ready.clear()
        self._blocked.clear()
        for ticket in tuple(self._runs):
            self.cancel(ticket)

    def _enqueue(self, queue: deque[Ticket], ticket: Ticket) -> None:
        if ticket.is_manual:
            queue.appendleft(ticket)
        else:
            queue.append(ticket)

    def _take_out(self, ticket: Ticket) -> None:
        for queue in (self._ready, self._blocked[ticket.origin]):
            if ticket in queue:
                queue.remove(ticket)

    def _dispatch_soon(self) -> None:
        if not self._is_dispatching:
            self._is_dispatching = True
            asyncio.get_running_loop().call_soon(self._dispatch)

    def _dispatch(self) -> None:
        """Start what there is room for, a few at a time so that the loop stays responsive."""
        self._is_dispatching = False
        started = 0
        while self._ready and started < _STARTS_A_TURN:
            is_full = self.under_way >= self.limits.max_concurrent
            if is_full and not self._ready[0].is_manual:
                return
            ticket = self._ready.popleft()
            if self._under_way[ticket.origin] >= self.limits.per_origin:
                self._enqueue(self._blocked[ticket.origin], ticket)
                continue
            self._start(ticket)
            started += 1
        if self._ready:
            self._dispatch_soon()

    def _start(self, ticket: Ticket) -> None:
        ticket.phase = Phase.RUNNING
        self._runs.add(ticket)
        self._under_way[ticket.origin] += 1
        waited_ms = self._clock.monotonic() - ticket.asked_at

        def settled(outcome: Outcome) -> None:
            ticket.phase = Phase.OVER
            self._finish(ticket)
            ticket.settled(outcome, waited_ms)

        ticket.begun()
        if ticket.phase is not Phase.RUNNING:
            # Whoever was told that it begins did not want it.
            return
        ticket.execution = Execution(ticket.monitor, self._run_check, self._timer, settled)
        ticket.execution.start()

    def _finish(self, ticket: Ticket) -> None:
        """Give the slot back, to the next in the line of this origin if there is one."""
        self._runs.discard(ticket)
        self._under_way[ticket.origin] -= 1
        if not self._under_way[ticket.origin]:
            del self._under_way[ticket.origin]
        waiting = self._blocked.get(ticket.origin)
        if waiting:
            self._ready.appendleft(waiting.popleft())
        if not waiting:
            self._blocked.pop(ticket.origin, None)
        if self._ready:
            self._dispatch_soon()

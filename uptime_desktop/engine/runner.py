"""Runs checks: a free slot, attempts, a timeout that holds, and exactly one outcome.

Nobody waits for a check here but the check's own task. `run_check` is the seam behind which
a kind of check, another thread or another machine does the looking.
"""

import asyncio
import logging
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Final

from uptime_desktop.domain.model import Monitor, Outcome
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import duration_text
from uptime_desktop.engine.clock import Clock
from uptime_desktop.engine.timer import Timer

RunCheck = Callable[[Monitor], Awaitable[Outcome]]

CLEAN_UP_MS: Final = 5_000
_FIRST_PAUSE_MS: Final = 500
_LONGEST_PAUSE_MS: Final = 30_000
_STARTS_A_TURN: Final = 20
_CLOSING_S: Final = 0.5

_log = logging.getLogger(__name__)


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
    task: "asyncio.Task[None] | None" = field(default=None, repr=False)


class Runner:
    def __init__(self, run_check: RunCheck, timer: Timer, clock: Clock, limits: Limits) -> None:
        self._run_check = run_check
        self._timer = timer
        self._clock = clock
        self.limits = limits
        self._ready: deque[Ticket] = deque()
        self._blocked: dict[str, deque[Ticket]] = defaultdict(deque)
        self._under_way: Counter[str] = Counter()
        self._runs: set[asyncio.Task[None]] = set()
        self._abandoned: set[asyncio.Task[Outcome]] = set()
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
        """Forget the run, whatever it is doing."""
        if ticket.phase is Phase.WAITING:
            self._take_out(ticket)
        elif ticket.phase is Phase.RUNNING and ticket.task is not None:
            ticket.task.cancel()
        ticket.phase = Phase.OVER

    def limits_changed(self) -> None:
        for waiting in self._blocked.values():
            self._ready.extend(waiting)
        self._blocked.clear()
        self._dispatch_soon()

    async def close(self) -> None:
        """Cancel all that is under way and give it a moment to go."""
        self._ready.clear()
        self._blocked.clear()
        tasks: set[asyncio.Task[None] | asyncio.Task[Outcome]] = {*self._runs, *self._abandoned}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_CLOSING_S)

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
        self._under_way[ticket.origin] += 1
        waited_ms = self._clock.monotonic() - ticket.asked_at
        ticket.begun()
        ticket.task = asyncio.get_running_loop().create_task(self._run(ticket, waited_ms))
        self._runs.add(ticket.task)
        ticket.task.add_done_callback(lambda task: self._finished(ticket, task))

    def _finished(self, ticket: Ticket, task: "asyncio.Task[None]") -> None:
        self._runs.discard(task)
        self._under_way[ticket.origin] -= 1
        if not self._under_way[ticket.origin]:
            del self._under_way[ticket.origin]
        waiting = self._blocked.get(ticket.origin)
        if waiting:
            self._ready.appendleft(waiting.popleft())
        if not waiting:
            self._blocked.pop(ticket.origin, None)
        self._dispatch_soon()

    async def _run(self, ticket: Ticket, waited_ms: int) -> None:
        """Attempts until one succeeds or none is left; then the outcome, once."""
        monitor = ticket.monitor
        attempt, pause_ms = 1, _FIRST_PAUSE_MS
        outcome = await self._attempt(monitor)
        while outcome.failed and attempt <= monitor.retries:
            await self._timer.sleep(pause_ms)
            outcome = await self._attempt(monitor)
            attempt, pause_ms = attempt + 1, min(2 * pause_ms, _LONGEST_PAUSE_MS)
        if ticket.phase is Phase.RUNNING:
            ticket.phase = Phase.OVER
            ticket.settled(replace(outcome, attempts=attempt), waited_ms)

    async def _attempt(self, monitor: Monitor) -> Outcome:
        """One look at the target that ends in time, whatever the check does."""
        task = asyncio.get_running_loop().create_task(self._guarded(monitor))
        try:
            if await self._timer.is_done_within(task, monitor.timeout_ms):
                return task.result()
            task.cancel()
            is_clean = await self._timer.is_done_within(task, CLEAN_UP_MS)
        finally:
            if not task.done():
                self._abandon(task)
        return Outcome(
            Status.DOWN,
            f"no answer within {duration_text(monitor.timeout_ms)}",
            timed_out_after_ms=monitor.timeout_ms,
            abandoned=not is_clean,
        )

    async def _guarded(self, monitor: Monitor) -> Outcome:
        try:
            return await self._run_check(monitor)
        except Exception as bug:  # noqa: BLE001 - a kind of check may be anyone's code
            _log.exception("The check of %s failed", monitor.id)
            return Outcome(Status.DOWN, f"the check itself failed: {type(bug).__name__}: {bug}")

    def _abandon(self, task: "asyncio.Task[Outcome]") -> None:
        """Let go of a check that will not stop; what it may still say goes unheard."""
        task.cancel()
        self._abandoned.add(task)
        task.add_done_callback(self._abandoned.discard)

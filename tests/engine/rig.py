"""An engine on a fake clock, and checks that do what they are told."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.domain.build import UP, at
from tests.fakes import FakeClock, MemoryJournal, settle
from uptime_desktop.domain.events import Event
from uptime_desktop.domain.model import Monitor, Outcome, RuntimeState
from uptime_desktop.engine.runner import Limits, Runner
from uptime_desktop.engine.scheduler import Job, Memory, Scheduler
from uptime_desktop.engine.timer import Timer

NOON = at("2026-01-01T12:00")


@dataclass
class Checks:
    """Answers by monitor id; an event instead of an answer hangs until it is set."""

    answers: dict[str, Outcome | asyncio.Event] = field(default_factory=dict)
    started: Counter[str] = field(default_factory=Counter)
    under_way: Counter[str] = field(default_factory=Counter)
    most_under_way: int = 0
    is_stubborn: bool = False
    takes_ms: int = 0
    timer: Timer | None = None

    async def __call__(self, monitor: Monitor) -> Outcome:
        self.started[monitor.id] += 1
        self.under_way[monitor.id] += 1
        self.most_under_way = max(self.most_under_way, self.under_way.total())
        try:
            return await self._answer(self.answers.get(monitor.id, UP))
        finally:
            self.under_way[monitor.id] -= 1

    async def _answer(self, answer: Outcome | asyncio.Event) -> Outcome:
        if self.takes_ms and self.timer is not None:
            passed = asyncio.Event()
            self.timer.after(self.takes_ms, passed.set)
            await passed.wait()
        while isinstance(answer, asyncio.Event) and not answer.is_set():
            try:
                await answer.wait()
            except asyncio.CancelledError:
                if not self.is_stubborn:
                    raise
        return UP if isinstance(answer, asyncio.Event) else answer


@dataclass
class Rig:
    clock: FakeClock
    timer: Timer
    journal: MemoryJournal
    checks: Checks
    runner: Runner
    scheduler: Scheduler

    def restore(self, known: list[tuple[Monitor, RuntimeState]], last_alive_at: int | None) -> None:
        for monitor, state in known:
            self.scheduler.know(monitor, state)
        self.scheduler.resume_all(last_alive_at)

    def job(self, monitor: Monitor) -> Job:
        return self.scheduler.jobs[monitor.site_id, monitor.id]

    def state(self, monitor: Monitor) -> RuntimeState:
        return self.job(monitor).state

    def told(self, kind: type[Event]) -> list[Event]:
        return [e for change in self.journal.changes for e in change.events if isinstance(e, kind)]

    def starts(self) -> list[int]:
        """When each run of any monitor started, after NOON."""
        return [c.run.started_at - NOON for c in self.journal.changes if c.run is not None]


@asynccontextmanager
async def engine(
    limits: Limits | None = None,
    memory: Memory | None = None,
    origin_of: Callable[[Monitor], str] = lambda monitor: monitor.id,
) -> AsyncIterator[Rig]:
    clock, journal, checks = FakeClock(NOON), MemoryJournal(), Checks()
    timer = Timer(clock)
    checks.timer = timer
    runner = Runner(checks, timer, clock, limits or Limits())
    scheduler = Scheduler(
        clock, timer, runner, journal, random.Random(1), origin_of, memory or Memory()
    )
    tasks = [asyncio.create_task(timer.run()), asyncio.create_task(scheduler.sweep())]
    await settle()
    try:
        yield Rig(clock, timer, journal, checks, runner, scheduler)
    finally:
        for hanging in checks.answers.values():
            if isinstance(hanging, asyncio.Event):
                hanging.set()
        runner.close()
        await settle()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

"""Looks that people ask for: at a monitor before its time, or at something that is not watched."""

import asyncio
from dataclasses import replace
from itertools import count

from uptime_desktop.domain.model import Monitor, Outcome
from uptime_desktop.engine.runner import Runner
from uptime_desktop.engine.scheduler import Job, Scheduler
from uptime_desktop.meanings import Meanings
from uptime_desktop.surroundings import Surroundings


class Looking:
    def __init__(
        self, surroundings: Surroundings, scheduler: Scheduler, runner: Runner, meanings: Meanings
    ) -> None:
        self._surroundings = surroundings
        self._scheduler = scheduler
        self._runner = runner
        self._meanings = meanings
        self._unstored_numbers = count(-1, -1)

    def check_now(self, job: Job) -> "asyncio.Future[Outcome]":
        if not job.monitor.is_passive:
            return self._scheduler.check_now(job.key)
        over: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        if job.monitor.grace_ms is None:
            over.set_result(self._surroundings.judge_now(job))
        else:
            # It reports by itself: there is nothing to do but to say how it stands.
            over.set_result(Outcome(job.state.health, job.reason))
        return over

    async def check_once(self, monitor: Monitor) -> Outcome:
        """Look at something that is not watched; nothing is stored. Cancelled, it stops looking."""
        # A number of its own: several may be looked at together, and none is in the database.
        monitor = replace(monitor, number=next(self._unstored_numbers))
        await self._meanings.fetch_secrets([monitor.settings])
        self._meanings.understand(monitor)
        over: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()

        def settled(outcome: Outcome, _waited_ms: int) -> None:
            if not over.cancelled():
                over.set_result(outcome)

        ticket = self._runner.request(
            monitor,
            self._meanings.origin_of(monitor),
            manual=True,
            begun=lambda: None,
            settled=settled,
        )
        try:
            return await over
        finally:
            self._runner.cancel(ticket)
            self._meanings.forget(monitor)

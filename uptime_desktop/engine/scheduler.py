"""The owner of the schedule: one job per monitor, each with one alarm or one run, never both.

Every change of a job goes the same way: a pure function of `plan` makes a transition, it is
handed to the journal, and the job waits for its next alarm. Nothing here awaits a check.
"""

import asyncio
import random
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from datetime import tzinfo
from typing import Final

from uptime_desktop.domain import heartbeats, plan
from uptime_desktop.domain.heartbeats import Ping, Signal
from uptime_desktop.domain.model import (
    Hint,
    Monitor,
    Outcome,
    PauseReason,
    RuntimeState,
    Source,
)
from uptime_desktop.domain.records import Change, Journal, Run
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.transition import QUIET, Around, Transition
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.engine.alarms import Alarms, waits_for
from uptime_desktop.engine.clock import Clock, ClockWatch
from uptime_desktop.engine.job import Job, Key, Memory, Waiter
from uptime_desktop.engine.pace import Pace
from uptime_desktop.engine.runner import Phase, Runner
from uptime_desktop.engine.timer import Timer

__all__ = ["Job", "Key", "Memory", "Scheduler", "Waiter"]


_TROUBLE: Final = (Status.DOWN, Status.DEGRADED)
_SLEPT_MS: Final = 5_000
_STEPPED_MS: Final = 2_000
_SWEEP_EVERY_MS: Final = 300_000


class Scheduler:
    def __init__(
        self,
        clock: Clock,
        timer: Timer,
        runner: Runner,
        journal: Journal,
        chance: random.Random,
        origin_of: Callable[[Monitor], str],
        memory: Memory,
    ) -> None:
        self._clock = clock
        self._runner = runner
        self._journal = journal
        self._chance = chance
        self._origin_of = origin_of
        self.memory = memory
        self.jobs: dict[Key, Job] = {}
        self.on_changed: Callable[[Job], None] = lambda _: None
        self.around: Callable[[Job, Status], Around] = lambda _job, _status: QUIET
        """What goes on around a monitor that is not well, and how not."""
        self.silent_until: Callable[[Job], int | None] = lambda _: None
        """When the maintenance ends that a monitor is in."""
        self.is_kept_paused: Callable[[Job], bool] = lambda _: False
        """Whether a monitor whose pause is over is paused for something else now."""
        self.is_listening = True
        """Whether jobs that report could be heard at all."""
        self._alarms = Alarms(clock, timer, self._due)
        self._pace = Pace(clock, timer)
        self._watch = ClockWatch(clock)
        timer.on_wake = self._look_at_clocks

    # Coming and going

    def know(self, monitor: Monitor, state: RuntimeState | None) -> None:
        """Take a monitor from the store; nothing happens with it before `resume_all`."""
        self._enter(monitor, state or plan.begin(monitor, *self._now()).state)

    def resume_all(self, last_alive_at: int | None) -> None:
        """Go on after a restart."""
        jobs = list(self.jobs.values())
        if last_alive_at is None:
            # We never ran: whatever there is was there before us.
            last_alive_at = min((job.state.saved_at for job in jobs), default=self._clock.wall())
        self._resume(jobs, max(0, self._clock.wall() - last_alive_at))

    def add(self, monitors: Iterable[Monitor]) -> None:
        """Begin to watch; the first runs of many are spread."""
        for _ in self.adding(monitors):
            pass

    def adding(
        self, monitors: Iterable[Monitor], paused: Collection[str] = (), after_ms: int = 0
    ) -> Iterator[None]:
        """Begin to watch in small steps, for who has something else to do between them; those
        that are paused, by their ids, only once they are resumed. What is due at once is looked at
        after a moment in which whoever adds it may say more."""
        now, zone = self._now()
        begun: list[tuple[Monitor, Transition]] = []
        for monitor in monitors:
            begun.append((monitor, plan.begin(monitor, now, zone)))
            yield
        at_once = [monitor for monitor, change in begun if change.state.next_run_at == now]
        starts = dict(zip((one.number for one in at_once), plan.spread(at_once), strict=True))
        for monitor, transition in begun:
            job = self._enter(monitor, transition.state)
            self._apply(job, transition)
            if monitor.id in paused:
                self.pause(job.key)
            elif monitor.number in starts:
                self._alarms.ring_in(job, after_ms + starts[monitor.number])
            else:
                self._alarms.set(job)
            yield

    def edit(self, monitor: Monitor) -> None:
        """Take a changed definition; a run of the old target is thrown away and made anew."""
        job = self.jobs[monitor.site_id, monitor.id]
        before, waited = job.monitor, waits_for(job)
        job.monitor = monitor
        job.origin = self._origin_of(monitor)
        transition = plan.edit(before, monitor, job.state, *self._circumstances())
        self._apply(job, transition)
        is_other_target = (before.kind, before.settings) != (monitor.kind, monitor.settings)
        if job.ticket is not None and is_other_target:
            was_manual = job.ticket.is_manual
            self._runner.cancel(job.ticket)
            self._request(job, manual=was_manual)
        elif job.ticket is None and (job.alarm is None or waits_for(job) != waited):
            # One that stays may ring a little later: many that are new are spread.
            self._alarms.set(job)

    def move(self, key: Key, site_id: str) -> None:
        """Have the monitor belong to another site; its plan and its run go on."""
        job = self.jobs.pop(key)
        job.monitor = replace(job.monitor, site_id=site_id)
        self.jobs[job.key] = job

    def remove(self, key: Key) -> None:
        job = self.jobs.pop(key)
        self._drop_run(job)
        self._alarms.drop(job)

    # What people ask for

    def check_now(self, key: Key) -> Waiter:
        """Run at once; the future is the outcome of the run that this asked for or joined."""
        job = self.jobs[key]
        waiter: Waiter = asyncio.get_running_loop().create_future()
        if job.ticket is None:
            job.waiters.append(waiter)
            self._alarms.drop(job)
            self._request(job, manual=True)
        elif job.ticket.phase is Phase.WAITING:
            job.waiters.append(waiter)
            self._runner.hurry(job.ticket)
        else:
            job.wants_another = True
            job.waiters_for_another.append(waiter)
        return waiter

    def pause(
        self, key: Key, until: int | None = None, reason: PauseReason = PauseReason.ASKED
    ) -> None:
        job = self.jobs[key]
        transition = plan.pause(job.monitor, job.state, self._clock.wall(), until, reason)
        self._drop_run(job)
        self._apply(job, transition)
        self._alarms.set(job)

    def resume(self, key: Key) -> None:
        job = self.jobs[key]
        self._apply(job, plan.unpause(job.monitor, job.state, *self._circumstances()))
        if job.ticket is None:
            self._alarms.set(job)

    def hint(self, key: Key, hint: Hint | None) -> None:
        job = self.jobs[key]
        self._apply(job, plan.hint(job.monitor, job.state, hint, *self._circumstances()))
        if job.ticket is None:
            self._alarms.set(job)

    def look_again(self, job: Job) -> None:
        """Run at once what is not running or paused; judge a report that is overdue."""
        if job.ticket is not None or job.state.pause is not None:
            return
        if job.monitor.is_passive:
            self._alarms.set(job)
        else:
            self._alarms.ring_in(job, 0)

    def hear_again(self, deaf_since: int) -> None:
        """Jobs that report can be heard again; what they said meanwhile is not known."""
        gap_ms = max(0, self._clock.wall() - deaf_since)
        self._resume(
            [job for job in self.jobs.values() if job.monitor.grace_ms is not None], gap_ms
        )

    def report(self, job: Job, outcome: Outcome) -> None:
        """Take an outcome that no run of ours made, for a monitor that is passive."""
        self._settled(job, outcome, 0)

    def hear(self, job: Job, ping: Ping) -> None:
        """A job that reports to us did so."""
        self._miss_if_due(job)
        if ping.signal is Signal.FAIL:
            around = self.around(job, Status.DOWN)
        else:
            around = Around(is_silent=self.silent_until(job) is not None)
        zone = self._clock.zone()
        self._heard(job, heartbeats.pinged(job.monitor, job.state, ping, zone, around), ping)

    def _miss_if_due(self, job: Job) -> None:
        """Judge a deadline that has passed, should a ping come before its alarm rings."""
        now, due_at = self._clock.wall(), job.state.next_run_at
        if job.state.pause is not None or due_at is None or due_at > now:
            return
        silent_until = self.silent_until(job)
        if silent_until is not None:
            # It is judged at the end of the maintenance, whenever that comes.
            self._alarms.ring_at(job, silent_until)
            return
        judge = heartbeats.missed if self.is_listening else heartbeats.unheard
        zone = self._clock.zone()
        around = self.around(job, Status.DOWN) if self.is_listening else QUIET
        self._heard(job, judge(job.monitor, job.state, now, zone, around))

    def _heard(self, job: Job, heard: heartbeats.Heard, ping: Ping | None = None) -> None:
        run = None
        if heard.outcome is not None:
            job.reason = heard.outcome.reason
            started_at = heard.transition.state.last_attempt_at or self._clock.wall()
            run = Run(started_at, 0, job.state.source, heard.outcome)
        self._apply(job, heard.transition, run, ping)
        self._alarms.set(job)

    # A run

    def _due(self, job: Job) -> None:
        job.alarm = None
        if job.ticket is not None:
            return
        if job.state.pause is not None and self.is_kept_paused(job):
            return
        if job.monitor.is_passive:
            if job.state.pause is not None:
                self.resume(job.key)
            else:
                self._miss_if_due(job)
            return
        is_one_of_many = job.state.source is Source.CATCH_UP or job.state.last_attempt_at is None
        if is_one_of_many:
            job.alarm = self._pace.begin(lambda: self._begin(job))
        else:
            self._begin(job)

    def _begin(self, job: Job) -> None:
        job.alarm = None
        self._request(job, manual=False)

    def _request(self, job: Job, *, manual: bool) -> None:
        job.ticket = self._runner.request(
            job.monitor,
            job.origin,
            manual=manual,
            begun=lambda: self._begun(job),
            settled=lambda outcome, waited_ms: self._settled(job, outcome, waited_ms),
        )

    def _begun(self, job: Job) -> None:
        manual = job.ticket is not None and job.ticket.is_manual
        job.begun_at_boot = self._clock.boot()
        self._apply(job, plan.start(job.monitor, job.state, self._clock.wall(), manual=manual))

    def _settled(self, job: Job, outcome: Outcome, waited_ms: int) -> None:
        started_at, source = job.state.running_since, job.state.source
        is_trouble = outcome.status in _TROUBLE
        around = self.around(job, outcome.status) if is_trouble else QUIET
        transition = plan.advance(job.monitor, job.state, outcome, *self._circumstances(), around)
        began_at = started_at or transition.state.last_attempt_at or self._clock.wall()
        run = Run(began_at, waited_ms, source, outcome)
        job.ticket, job.begun_at_boot, job.reason = None, None, outcome.reason
        self._apply(job, transition, run)
        for waiter in job.waiters:
            if not waiter.done():
                waiter.set_result(outcome)
        job.waiters = []
        if job.wants_another:
            job.wants_another = False
            job.waiters, job.waiters_for_another = job.waiters_for_another, []
            self._request(job, manual=True)
        else:
            self._alarms.set(job)

    def _drop_run(self, job: Job) -> None:
        if job.ticket is not None:
            self._runner.cancel(job.ticket)
            job.ticket, job.begun_at_boot, job.wants_another = None, None, False
        for waiter in (*job.waiters, *job.waiters_for_another):
            waiter.cancel()
        job.waiters, job.waiters_for_another = [], []

    # Clocks and safety nets

    def _look_at_clocks(self) -> None:
        """A sleep is a restart without us; a clock that was set moves what follows the wall."""
        seen = self._watch.look()
        if seen.slept_ms < _SLEPT_MS and abs(seen.stepped_ms) < _STEPPED_MS:
            return
        idle = [job for job in self.jobs.values() if job.ticket is None]
        if seen.slept_ms >= _SLEPT_MS:
            self._resume(idle, seen.slept_ms)
        else:
            now = self._clock.wall()
            following = [job for job in idle if plan.follows_wall(job.monitor, job.state)]
            self._resume(following, gap_ms=0)
            for job in idle:
                if not plan.follows_wall(job.monitor, job.state):
                    self._apply(job, plan.shift(job.monitor, job.state, now, seen.stepped_ms))

    async def sweep(self) -> None:
        """Free jobs whose run never came back, and judge deadlines that nobody did, for ever; a
        safety net that nothing should need."""
        never = asyncio.Event()
        while True:
            await self._clock.wait(_SWEEP_EVERY_MS, never)
            never.clear()
            oldest = self._clock.boot() - self.memory.stuck_after_ms
            for job in list(self.jobs.values()):
                if job.monitor.is_passive:
                    self._miss_if_due(job)
                if job.begun_at_boot is not None and job.begun_at_boot <= oldest:
                    if job.ticket is not None:
                        self._runner.cancel(job.ticket)
                    self._settled(
                        job, Outcome(Status.UNKNOWN, Sentence("the check never came back")), 0
                    )

    def _resume(self, jobs: list[Job], gap_ms: int) -> None:
        """Go on after `gap_ms` without us: at most one run each to make up for, spread."""
        now, zone = self._now()
        overdue = [job for job in jobs if plan.is_overdue(job.state, now)]
        delays = dict(
            zip(
                (id(job) for job in overdue),
                plan.spread([job.monitor for job in overdue]),
                strict=True,
            )
        )
        for job in jobs:
            transition = plan.resume(
                job.monitor,
                job.state,
                now,
                self._chance.random(),
                zone,
                gap_ms=gap_ms,
                staleness_ms=self.memory.staleness_ms,
                catch_up_at=now + delays.get(id(job), 0),
            )
            self._apply(job, transition)
            self._alarms.set(job)

    # The common way of every change

    def _enter(self, monitor: Monitor, state: RuntimeState) -> Job:
        job = Job(monitor, self._origin_of(monitor), state)
        self.jobs[job.key] = job
        return job

    def _now(self) -> tuple[int, tzinfo]:
        return self._clock.wall(), self._clock.zone()

    def _circumstances(self) -> tuple[int, float, tzinfo]:
        return self._clock.wall(), self._chance.random(), self._clock.zone()

    def _apply(
        self,
        job: Job,
        transition: Transition,
        run: Run | None = None,
        ping: Ping | None = None,
    ) -> None:
        if transition.state is job.state and not transition.events and ping is None:
            return
        before, job.state = job.state, transition.state
        self._journal.submit(Change(job.monitor.number, job.state, run, transition.events, ping))
        if run is not None or before.status is not job.state.status:
            self.on_changed(job)

"""The alarm a job waits for, at most one: of time that passes, or of an instant on the wall."""

from collections.abc import Callable

from uptime_desktop.domain import plan
from uptime_desktop.engine.clock import Clock
from uptime_desktop.engine.job import Job
from uptime_desktop.engine.timer import Timer


class Alarms:
    """`ring` is called with a job when it is due."""

    def __init__(self, clock: Clock, timer: Timer, ring: Callable[[Job], None]) -> None:
        self._clock = clock
        self._timer = timer
        self._ring = ring

    def set(self, job: Job) -> None:
        """Ring for the next run, if one is planned."""
        at, follows_wall = waits_for(job)
        if at is None:
            self.drop(job)
        elif follows_wall:
            self.ring_at(job, at)
        else:
            self.ring_in(job, at - self._clock.wall())

    def ring_in(self, job: Job, delay_ms: int) -> None:
        self.drop(job)
        job.alarm = self._timer.after(max(0, delay_ms), lambda: self._ring(job))

    def ring_at(self, job: Job, at: int) -> None:
        self.drop(job)
        job.alarm = self._timer.at(at, lambda: self._ring(job))

    def drop(self, job: Job) -> None:
        if job.alarm is not None:
            job.alarm.cancel()
            job.alarm = None


def waits_for(job: Job) -> tuple[int | None, bool]:
    """When the next run is, and whether that is an instant on the wall."""
    return job.state.next_run_at, plan.follows_wall(job.monitor, job.state)

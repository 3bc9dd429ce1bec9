"""Planned work as it comes and goes: who is in it, who is paused for it, when it changes next."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from uptime_desktop.domain.maintenance import (
    InForce,
    Mode,
    Window,
    active_span,
    in_force,
    next_change,
)
from uptime_desktop.domain.model import Outcome, PauseReason
from uptime_desktop.domain.status import Status
from uptime_desktop.engine.clock import Clock
from uptime_desktop.engine.scheduler import Job, Scheduler
from uptime_desktop.engine.timer import Alarm, Timer

_REASON: Final = PauseReason.MAINTENANCE
_TROUBLE: Final = (Status.DOWN, Status.DEGRADED)


class Maintenance:
    def __init__(
        self, scheduler: Scheduler, timer: Timer, clock: Clock, changed: Callable[[], None]
    ) -> None:
        """`changed` is called whenever a window comes into force or ceases to be."""
        self._scheduler = scheduler
        self._timer = timer
        self._clock = clock
        self._changed = changed
        self._windows: tuple[Window, ...] = ()
        self._alarm: Alarm | None = None
        self._inside: set[int] = set()

    def know(self, windows: Iterable[Window]) -> None:
        """From now on these are the windows."""
        before, self._windows = self._windows, tuple(windows)
        if before or self._windows:
            self.follow()

    def start(self, windows: Iterable[Window]) -> None:
        """Know them, and end pauses for windows that went while nobody was there."""
        self._windows = tuple(windows)
        self.follow()

    def of(self, job: Job) -> InForce | None:
        """What holds for a monitor now, if anything does."""
        return self._found(job, self._windows)

    def _found(self, job: Job, windows: Sequence[Window]) -> InForce | None:
        if not windows:
            return None
        now, zone = self._clock.wall(), self._clock.zone()
        return in_force(windows, job.monitor.site_id, job.monitor.id, now, zone)

    def silent_until(self, job: Job) -> int | None:
        found = self.of(job)
        return None if found is None else found.ends_at

    def keeps_paused(self, job: Job) -> bool:
        """Pause it for the window that it is in, if that is one to pause for."""
        found = self.of(job)
        if found is None or found.mode is not Mode.PAUSE:
            return False
        self._scheduler.pause(job.key, found.ends_at, _REASON)
        return True

    def follow(self) -> None:
        """Have those paused that are to be, and no others, and wait for the next change."""
        now, zone = self._clock.wall(), self._clock.zone()
        # Found out once, and not for each of thousands: few of many windows are in force.
        active = [one for one in self._windows if active_span(one, now, zone) is not None]
        for job in list(self._scheduler.jobs.values()):
            self._follow_one(job, active)
        self._wait()

    def _follow_one(self, job: Job, active: Sequence[Window]) -> None:
        """Have it paused if it is to be, and looked at again once that is over."""
        found, pause = self._found(job, active), job.state.pause
        is_paused_for_it = pause is not None and pause.reason is _REASON
        if found is not None and found.mode is Mode.PAUSE:
            if pause is None or (is_paused_for_it and pause.until != found.ends_at):
                self._scheduler.pause(job.key, found.ends_at, _REASON)
        elif is_paused_for_it:
            self._scheduler.resume(job.key)
        if found is not None:
            self._inside.add(job.monitor.number)
        elif job.monitor.number in self._inside:
            self._inside.discard(job.monitor.number)
            is_unwell = not job.state.incidents and job.state.status is not Status.UP
            if is_unwell and job.monitor.is_passive and job.state.health in _TROUBLE:
                self._scheduler.report(job, Outcome(job.state.health, job.reason))
            elif is_unwell or job.monitor.is_passive:
                self._scheduler.look_again(job)

    def _wait(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        now, zone = self._clock.wall(), self._clock.zone()
        changes = (next_change(window, now, zone) for window in self._windows)
        next_at = min((at for at in changes if at is not None), default=None)
        self._alarm = None if next_at is None else self._timer.at(next_at, self._came)

    def _came(self) -> None:
        self._alarm = None
        self.follow()
        self._changed()

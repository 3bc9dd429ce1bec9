"""Trouble that follows from trouble upstream: found out at once, told only if it stays.

When a monitor fails, what it depends on is checked at once, and its alert waits for the answer.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import tzinfo
from typing import Final, Protocol

from uptime_desktop.domain.dependencies import (
    Links,
    down_upstream,
    links_of,
    monitors_upstream,
    site_name,
)
from uptime_desktop.domain.model import Cron, Every, Monitor, Site
from uptime_desktop.domain.schedule import next_slot
from uptime_desktop.domain.status import Status, worst
from uptime_desktop.engine.clock import Clock
from uptime_desktop.engine.scheduler import Job, Scheduler
from uptime_desktop.engine.timer import Alarm, Timer

_INTERVALS_OF_PATIENCE: Final = 2


class Incidents(Protocol):
    """What is done about the open incidents of a monitor. None of these waits or raises."""

    def follow(self, job: Job, cascade_reason: str) -> None:
        """They only follow from trouble upstream: not worth an alert."""

    def stand(self, job: Job) -> None:
        """They stand on their own, and the alert about them may go."""


class Cascade:
    def __init__(
        self, scheduler: Scheduler, timer: Timer, clock: Clock, incidents: Incidents
    ) -> None:
        self._scheduler = scheduler
        self._timer = timer
        self._clock = clock
        self._incidents = incidents
        self._direct: Links = {}
        self._links: Links = {}
        self._below: dict[str, list[str]] = {}
        self._jobs: dict[str, Job] = {}
        self._sites: dict[str, list[Job]] = {}
        self._awaited: dict[str, set[str]] = {}
        self._following: set[str] = set()
        self._patience: dict[str, Alarm] = {}

    def know(self, sites: Mapping[str, Site], members: Links) -> None:
        """From now on these are the monitors, what they depend on, and the members of groups."""
        jobs = list(self._scheduler.jobs.values())
        if not any(job.monitor.depends_on for job in jobs) and not any(
            site.depends_on for site in sites.values()
        ):
            # Most people say nothing of what depends on what, and pay nothing for it.
            jobs = [job for job in jobs if job.monitor.id in self._following]
        # What a group is made of is no trouble upstream of it, but of what depends on the group.
        self._direct = links_of((job.monitor for job in jobs), sites, {})
        self._links = links_of((job.monitor for job in jobs), sites, members)
        self._jobs = {job.monitor.id: job for job in jobs}
        self._sites = defaultdict(list)
        self._below = defaultdict(list)
        for job in jobs:
            self._sites[site_name(job.monitor.site_id)].append(job)
            for upstream in self._upstream_of(job.monitor.id):
                self._below[upstream].append(job.monitor.id)
        for name in tuple(self._following):
            if name in self._jobs:
                self._wait_for_recovery(self._jobs[name])

    def recall(self, following: Iterable[str]) -> None:
        """These were following trouble upstream when we last ran; is there any still?"""
        for name in following:
            if name in self._jobs:
                self._following.add(name)
                self._wait_for_recovery(self._jobs[name])

    def judged(self, job: Job, status: Status) -> tuple[str | None, bool]:
        """Why trouble of this monitor only follows from other trouble, if that is known, and
        otherwise whether it has yet to be found out: then what is upstream is being checked."""
        if status in job.state.incidents:
            return None, False
        name = job.monitor.id
        upstream = self._down_upstream(name)
        if upstream is not None:
            self._following.add(name)
            return _reason(upstream), False
        awaited = {one for one in self._upstream_of(name) if self._can_check(one)}
        if awaited:
            self._awaited[name] = awaited
            for one in tuple(awaited):
                over = self._scheduler.check_now(self._jobs[one].key)
                over.add_done_callback(lambda _, one=one: self._answered(one, name))  # type: ignore[misc]
        return None, bool(awaited)

    def hear(self, job: Job) -> None:
        """A run settled, or what people are shown of a monitor changed."""
        name = job.monitor.id
        if job.state.running_since is None:
            for below in self._below.get(name, ()):
                self._upstream_settled(self._jobs[below])
        if not job.state.incidents:
            self._forget(name)

    def _upstream_settled(self, below: Job) -> None:
        name = below.monitor.id
        if name in self._awaited:
            found = self._down_upstream(name)
            if found is not None:
                del self._awaited[name]
                self._following.add(name)
                self._incidents.follow(below, _reason(found))
        elif name in self._following:
            self._wait_for_recovery(below)

    def _answered(self, upstream: str, name: str) -> None:
        """The check of something upstream that was asked for is over."""
        awaited, below = self._awaited.get(name), self._jobs.get(name)
        if awaited is None or below is None:
            return
        awaited.discard(upstream)
        self._upstream_settled(below)
        if not awaited and name in self._awaited:
            del self._awaited[name]
            self._incidents.stand(below)

    def _wait_for_recovery(self, job: Job) -> None:
        """Give it two intervals from when nothing upstream is down any more."""
        name = job.monitor.id
        if self._down_upstream(name) is not None:
            self._stop_waiting(name)
        elif name not in self._patience:
            delay_ms = _INTERVALS_OF_PATIENCE * interval_ms(
                job.monitor, self._clock.wall(), self._clock.zone()
            )
            self._patience[name] = self._timer.after(delay_ms, lambda: self._lose_patience(name))

    def _lose_patience(self, name: str) -> None:
        del self._patience[name]
        self._following.discard(name)
        job = self._jobs.get(name)
        if job is not None and job.state.incidents:
            self._incidents.stand(job)

    def _forget(self, name: str) -> None:
        self._awaited.pop(name, None)
        self._following.discard(name)
        self._stop_waiting(name)

    def _stop_waiting(self, name: str) -> None:
        alarm = self._patience.pop(name, None)
        if alarm is not None:
            alarm.cancel()

    def _down_upstream(self, name: str) -> str | None:
        return down_upstream(self._direct.get(name, ()), self._links, self._is_down)

    def _upstream_of(self, name: str) -> list[str]:
        return monitors_upstream(self._direct.get(name, ()), self._links)

    def _is_down(self, name: str) -> bool:
        if name in self._sites:
            return worst(job.state.status for job in self._sites[name]) is Status.DOWN
        job = self._jobs.get(name)
        return job is not None and job.state.status is Status.DOWN

    def _can_check(self, name: str) -> bool:
        job = self._jobs.get(name)
        return job is not None and not job.monitor.is_passive and job.state.pause is None


def interval_ms(monitor: Monitor, now: int, local_zone: tzinfo) -> int:
    """How far apart its runs are, about now."""
    match monitor.schedule:
        case Every(interval_ms=each):
            return each
        case Cron() as cron:
            first = next_slot(cron, now, local_zone)
            return next_slot(cron, first, local_zone) - first
        case _:
            return 0


def _reason(upstream: str) -> str:
    return f"upstream-{upstream}"

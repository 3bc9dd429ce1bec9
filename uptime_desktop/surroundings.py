"""What goes on around monitors: groups, what lies upstream, planned work, sites that are off.

The scheduler asks here how to judge what happens; whoever changes what is watched has all of this
know it.
"""

from collections.abc import Callable, Iterable, Mapping

from uptime_desktop.checks.group import GroupKind, GroupSpec
from uptime_desktop.coherence import all_members
from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.model import PauseReason, Site
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.transition import Around
from uptime_desktop.engine.cascade import Cascade, Incidents
from uptime_desktop.engine.clock import Clock
from uptime_desktop.engine.groups import Group, Groups
from uptime_desktop.engine.maintenance import Maintenance
from uptime_desktop.engine.scheduler import Job, Scheduler
from uptime_desktop.engine.timer import Timer
from uptime_desktop.meanings import Meanings

Sites = Mapping[str, Site]
"""By their ids."""


class Surroundings:
    def __init__(
        self,
        scheduler: Scheduler,
        timer: Timer,
        trouble: Incidents,
        meanings: Meanings,
        clock: Clock,
    ) -> None:
        self.on_changed: Callable[[], None] = lambda: None
        """Called when planned work begins or ends."""
        self._scheduler = scheduler
        self._meanings = meanings
        self._groups = Groups(scheduler, clock)
        self._cascade = Cascade(scheduler, timer, clock, trouble)
        self._maintenance = Maintenance(scheduler, timer, clock, self._plan_changed)
        self.judge_now = self._groups.judge_now
        self.maintenance_of = self._maintenance.of
        scheduler.on_changed = self._changed
        scheduler.around = self._around
        scheduler.silent_until = self._maintenance.silent_until
        scheduler.is_kept_paused = self._maintenance.keeps_paused

    def know(self, sites: Sites) -> None:
        """Know what is watched, before anything of it begins."""
        self._know_groups()
        members = all_members({job.monitor.id: job.monitor for job in self._jobs})
        self._cascade.know(sites, members)
        self._follow_switches(sites)

    def start(self, windows: Iterable[Window], following: Iterable[str]) -> None:
        """Begin: the trouble of these monitors is known to follow from trouble upstream."""
        self._groups.judge_all()
        self._cascade.recall(following)
        self._maintenance.start(windows)

    def follow(self, sites: Sites, windows: Iterable[Window]) -> None:
        """Something else is watched than before."""
        self.know(sites)
        self._maintenance.know(windows)
        self._groups.judge_all()

    @property
    def _jobs(self) -> Iterable[Job]:
        return self._scheduler.jobs.values()

    def _changed(self, job: Job) -> None:
        """A run settled, or what people are shown of a monitor changed."""
        self._groups.hear(job)
        self._cascade.hear(job)

    def _plan_changed(self) -> None:
        self.on_changed()

    def _around(self, job: Job, status: Status) -> Around:
        """What goes on around a monitor that is not well."""
        if self._maintenance.of(job) is not None:
            return Around(is_silent=True)
        return Around(*self._cascade.judged(job, status))

    def _know_groups(self) -> None:
        groups = (job for job in self._jobs if job.monitor.kind == GroupKind.name)
        specs = ((job, self._meanings.spec_of(job.monitor)) for job in groups)
        self._groups.know(
            Group(job, spec.members, spec.needed)
            for job, spec in specs
            if isinstance(spec, GroupSpec)
        )

    def _follow_switches(self, sites: Sites) -> None:
        """Have every monitor paused whose site is off, and none by a site that is on."""
        for job in tuple(self._jobs):
            pause = job.state.pause
            if not sites[job.monitor.site_id].is_active:
                if pause is None:
                    self._scheduler.pause(job.key, reason=PauseReason.SITE)
            elif pause is not None and pause.reason is PauseReason.SITE:
                try:
                    self._scheduler.resume(job.key)
                except Refused:
                    # Its one time passed meanwhile.
                    self._scheduler.pause(job.key)

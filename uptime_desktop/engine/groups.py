"""Groups follow their members: whenever one settles, those above it are judged anew."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from uptime_desktop.domain.groups import Member, derived
from uptime_desktop.domain.model import MINUTE_MS, Outcome
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.engine.clock import Clock
from uptime_desktop.engine.scheduler import Job, Scheduler

_SAID_AGAIN_MS: Final = MINUTE_MS
"""How often a group that stays as it is says so: its uptime is counted in runs too."""


@dataclass(frozen=True, slots=True)
class Group:
    """Whose status follows from whose; `needed` of them must be up, None means all."""

    job: Job
    members: Sequence[str]
    needed: int | None


class Groups:
    def __init__(self, scheduler: Scheduler, clock: Clock) -> None:
        self._scheduler = scheduler
        self._clock = clock
        self._groups: dict[str, Group] = {}
        self._above: dict[str, list[str]] = {}
        self._jobs: dict[str, Job] = {}

    def know(self, groups: Iterable[Group]) -> None:
        """From now on these are the groups."""
        self._groups = {group.job.monitor.id: group for group in groups}
        everyone = self._scheduler.jobs.values() if self._groups else ()
        self._jobs = {job.monitor.id: job for job in everyone}
        above: dict[str, list[str]] = defaultdict(list)
        for name, group in self._groups.items():
            for member in group.members:
                above[member].append(name)
        self._above = dict(above)

    def judge_all(self) -> None:
        for group in self._groups.values():
            self._judge(group)

    def hear(self, job: Job) -> None:
        """A member may have changed."""
        for name in self._above.get(job.monitor.id, ()):
            self._judge(self._groups[name])

    def judge_now(self, job: Job) -> Outcome:
        """How it is this moment, kept as a run of its own."""
        group = self._groups.get(job.monitor.id)
        if group is None:
            return Outcome(Status.UNKNOWN, Sentence("nobody knows its members"))
        outcome = self._derived(group)
        self._scheduler.report(job, outcome)
        return outcome

    def _judge(self, group: Group) -> None:
        job = group.job
        if job.state.pause is not None:
            return
        outcome = self._derived(group)
        is_news = (outcome.status, outcome.reason) != (job.state.health, job.reason)
        last_at = job.state.last_attempt_at
        is_due = last_at is None or self._clock.wall() - last_at >= _SAID_AGAIN_MS
        if (is_news or is_due) and outcome.status is not Status.PENDING:
            self._scheduler.report(job, outcome)

    def _derived(self, group: Group) -> Outcome:
        return derived([self._member(name) for name in group.members], group.needed)

    def _member(self, name: str) -> Member:
        job = self._jobs.get(name)
        if job is None:
            return Member(name, Status.UNKNOWN)
        return Member(job.monitor.name, job.state.status)

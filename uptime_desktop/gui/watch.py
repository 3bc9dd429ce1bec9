"""What the window knows of every monitor, kept up to date from the app; no widgets here."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from PySide6.QtCore import QObject, Signal

from uptime_desktop.app import App, Job
from uptime_desktop.domain import events
from uptime_desktop.domain.maintenance import InForce, active_span, covers, in_force
from uptime_desktop.domain.model import DAY_MS, Monitor, PauseReason, RuntimeState
from uptime_desktop.domain.status import Status, worst
from uptime_desktop.gui.bridge import Bridge
from uptime_desktop.gui.causes import Causes
from uptime_desktop.gui.targets import target_text
from uptime_desktop.gui.turns import Turn
from uptime_desktop.history import Beat
from uptime_desktop.slices import in_slices

Key = tuple[str, str]

BEATS: Final = 60
_ALL: Final = 1_000_000
FOLLOWED_PAUSES: Final = (PauseReason.SITE, PauseReason.MAINTENANCE)
"""They end with what they follow from, not before."""
FAILING: Final = (Status.DOWN, Status.DEGRADED, Status.UNKNOWN)


@dataclass(slots=True, eq=False)
class Watched:
    """One monitor: the job itself, and what the job does not remember."""

    job: Job
    say_target: Callable[[Monitor], str] = field(repr=False)
    key: Key = field(init=False)
    sort_name: str = field(init=False)
    """What puts it in the order of names."""
    beats: deque[Beat] = field(default_factory=lambda: deque(maxlen=BEATS))
    uptime_day: float | None = None
    uptime_month: float | None = None
    trouble_since: int | None = None
    cause: str = ""
    """The name of what is down upstream, so that its own trouble only follows."""
    maintenance: InForce | None = None
    _target: str | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.become(self.job)

    def become(self, job: Job) -> None:
        """The same monitor by another definition."""
        monitor = job.monitor
        self.job, self.key = job, (monitor.site_id, monitor.id)
        self.sort_name = monitor.name.lower()
        self._target = None

    @property
    def target(self) -> str:
        """What it is about, said when it is first seen: most of thousands are not."""
        if self._target is None:
            self._target = self.say_target(self.job.monitor)
        return self._target

    @property
    def monitor(self) -> Monitor:
        return self.job.monitor

    @property
    def state(self) -> RuntimeState:
        return self.job.state

    @property
    def status(self) -> Status:
        return self.job.state.status

    @property
    def response_ms(self) -> float | None:
        return self.beats[-1].response_ms if self.beats else None

    @property
    def follows(self) -> bool:
        """Whether it is as its members are."""
        return self.monitor.is_passive and not self.reports

    @property
    def reports(self) -> bool:
        """Whether it is a job that reports to us, so that nothing is ever looked at."""
        return self.monitor.grace_ms is not None

    @property
    def can_be_resumed(self) -> bool:
        """Whether it is paused by itself, and not for what it is part of."""
        pause = self.state.pause
        return pause is not None and pause.reason not in FOLLOWED_PAUSES

    @property
    def is_checking(self) -> bool:
        return self.job.state.running_since is not None


class Watch(QObject):
    """All monitors by key. `changed` tells which look different, `rebuilt` that all may."""

    changed = Signal(frozenset)
    rebuilt = Signal()
    came = Signal(int)
    """With the number from which on there are new ones, which may have a past already."""

    def __init__(self, app: App, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self.monitors: dict[Key, Watched] = {}
        self.maintenance_until: int | None = None
        self._hidden: frozenset[Key] = frozenset()
        self._names: dict[str, str] = {}
        self._causes = Causes()
        self._telling = Turn(self.rebuilt.emit)
        bridge.check_finished.connect(self._finished)
        bridge.incident_opened.connect(self._opened)
        bridge.incident_resolved.connect(self._resolved)
        bridge.monitors_changed.connect(self._changed)
        bridge.redefined.connect(self.rebuild)
        self.rebuild()

    def close(self) -> None:
        self._telling.close()

    def rebuild(self) -> None:
        """Take over what the app watches now."""
        before = {one.job.monitor.number: one for one in self.monitors.values()}
        self.monitors = {}
        self._names = {}
        for job in self._app.jobs:
            one = before.get(job.monitor.number)
            if one is None:
                one = Watched(job, self._say_target)
            else:
                one.become(job)
            self.monitors[one.key] = one
        self._follow_maintenance()
        self._causes.know(self.monitors.values(), self._app.sites)
        self._causes.follow(self.monitors.values())
        self._telling.take(len(self.monitors))
        new = {one.monitor.number for one in self.monitors.values()} - before.keys()
        if new:
            self.came.emit(min(new))

    def _say_target(self, monitor: Monitor) -> str:
        if not self._names:
            # Groups name their members.
            self._names = {one.monitor.id: one.monitor.name for one in self.monitors.values()}
        return target_text(self._app, monitor, self._names)

    def _follow_maintenance(self) -> None:
        """Who is in planned work now; the app tells when that changes."""
        now, zone = self._app.clock.wall(), self._app.clock.zone()
        spans = {one.id: active_span(one, now, zone) for one in self._app.windows.values()}
        active = [one for one in self._app.windows.values() if spans[one.id] is not None]
        ends = [span.ends_at for span in spans.values() if span is not None]
        self.maintenance_until = max(ends, default=None)
        # Worked out once for all that the same windows cover: there may be thousands.
        found: dict[tuple[str, ...], InForce | None] = {(): None}
        for one in self.monitors.values():
            if not active:
                one.maintenance = None
                continue
            place = one.monitor.site_id, one.monitor.id
            covering = [window for window in active if covers(window, *place)]
            ids = tuple(window.id for window in covering)
            if ids not in found:
                found[ids] = in_force(covering, *place, now, zone)
            one.maintenance = found[ids]

    async def load_history(self, first: int = 0) -> None:
        """Fetch the strips and since when there is trouble of those from this number on, once;
        events carry on from there."""
        history = self._app.history
        strips = await history.strips(BEATS, first)
        incidents = await history.incidents(only_open=True, limit=_ALL)
        troubles = {one.monitor_number: one for one in incidents}
        new = [one for one in self.monitors.values() if one.monitor.number >= first]
        async for one in in_slices(new):
            number = one.monitor.number
            stored = strips.get(number, ())
            newest = stored[-1].started_at if stored else 0
            newer = [beat for beat in one.beats if beat.started_at > newest]
            one.beats.clear()
            one.beats.extend((*stored, *newer))
            if number in troubles:
                one.trouble_since = troubles[number].opened_at
        await self.load_uptimes()

    async def load_uptimes(self) -> None:
        now = self._app.clock.wall()
        day = await self._app.history.uptimes(DAY_MS, now)
        month = await self._app.history.uptimes(30 * DAY_MS, now)
        for one in self.monitors.values():
            one.uptime_day = day.get(one.monitor.number)
            one.uptime_month = month.get(one.monitor.number)
        self.changed.emit(frozenset(self.monitors))

    @property
    def shown(self) -> Sequence[Watched]:
        """All but what a person has deleted and can still bring back."""
        if not self._hidden:
            return list(self.monitors.values())
        return [one for key, one in self.monitors.items() if key not in self._hidden]

    def hide(self, keys: frozenset[Key]) -> None:
        self._hidden = keys
        self.rebuilt.emit()

    def summary(self) -> "Summary":
        return summarise(self.shown)

    def _changed(self, keys: frozenset[Key]) -> None:
        known = frozenset(key for key in keys if key in self.monitors)
        if known:
            below = self._causes.follow(self.monitors.values())
            self.changed.emit(known.union(one.key for one in below))

    def _finished(self, event: events.CheckFinished, _persisted: bool) -> None:
        one = self.monitors.get((event.site_id, event.monitor_id))
        if one is not None:
            outcome = event.outcome
            started_at = one.state.last_attempt_at or event.timestamp
            one.beats.append(Beat(started_at, outcome.status, outcome.response_ms))

    def _opened(self, event: events.IncidentOpened, _persisted: bool) -> None:
        one = self.monitors.get((event.site_id, event.monitor_id))
        if one is not None:
            one.trouble_since = event.timestamp

    def _resolved(self, event: events.IncidentResolved, _persisted: bool) -> None:
        one = self.monitors.get((event.site_id, event.monitor_id))
        if one is not None and not one.state.incidents:
            one.trouble_since = None


@dataclass(frozen=True, slots=True)
class Summary:
    """How all of it stands: counts, the worst, and what fails, worst first; what only follows
    from other trouble comes after."""

    counts: Counter[Status]
    worst: Status
    failing: Sequence[Watched]
    in_maintenance: Sequence[Watched] = ()

    @property
    def total(self) -> int:
        return self.counts.total()


def summarise(monitors: Iterable[Watched]) -> Summary:
    everything = list(monitors)
    # Once for each of thousands, four times a second: a property of a property would cost too much.
    statuses = [one.job.state.status for one in everything]
    counts = Counter(statuses)
    rank = {status: place for place, status in enumerate(FAILING)}
    ranked = [
        (bool(one.cause), rank[status], one.sort_name, one.monitor.number, one)
        for one, status in zip(everything, statuses, strict=True)
        if status in rank
    ]
    failing = [place[-1] for place in sorted(ranked)]
    in_maintenance = [one for one in everything if one.maintenance is not None]
    return Summary(counts, worst(counts), failing, in_maintenance)

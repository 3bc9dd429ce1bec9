"""What a person can do to monitors, whoever asked: list, detail, tray or a notice."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QObject, Signal

from uptime_desktop.app import App
from uptime_desktop.checks.registry import definition_of
from uptime_desktop.domain.maintenance import OnceAt, Window
from uptime_desktop.domain.model import HOUR_MS, MINUTE_MS, SECOND_MS, Hint
from uptime_desktop.gui.declared import where_to_edit
from uptime_desktop.gui.deletions import Deletions
from uptime_desktop.gui.dialogs.draft import targets_in
from uptime_desktop.gui.moments import tomorrow_morning
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.gui.watch import Key, Watch, Watched
from uptime_desktop.i18n import tr
from uptime_desktop.maintenance_acts import end_now, id_for

SNOOZE_MS: Final = HOUR_MS
HINT_INTERVAL_MS: Final = 10_000
HINT_MS: Final = HOUR_MS


class Acts(QObject):
    """`checking_all` tells when a check of everything begins, and when the last result is in."""

    checking_all = Signal(bool)

    def __init__(self, app: App, watch: Watch, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._watch = watch
        self._tasks = tasks
        self.deletions = Deletions(app, self)
        self.deletions.changed.connect(lambda: watch.hide(self.deletions.hidden))

    @property
    def where_to_edit(self) -> str:
        """Nothing, or why what is watched cannot be changed here and where it can be."""
        return where_to_edit(self._app)

    def check(self, monitors: Sequence[Watched]) -> None:
        for one in self._there(monitors):
            if not one.reports:
                self._app.check_now(one.job)

    def check_all(self) -> None:
        """Everything that is not paused, of what can be looked at."""
        shown = self._watch.shown
        jobs = [one.job for one in shown if one.state.pause is None and not one.reports]
        if not jobs:
            return
        results = [self._app.check_now(job) for job in jobs]
        self.checking_all.emit(True)

        async def until_all_are_in() -> None:
            await asyncio.gather(*results, return_exceptions=True)
            self.checking_all.emit(False)

        self._tasks.start(until_all_are_in())

    def pause(self, monitors: Sequence[Watched], until: int | None = None) -> None:
        for one in self._there(monitors):
            self._app.pause(one.job, until)

    def pause_for_an_hour(self, monitors: Sequence[Watched]) -> None:
        self.pause(monitors, self._app.clock.wall() + HOUR_MS)

    def pause_until_tomorrow(self, monitors: Sequence[Watched]) -> None:
        self.pause(monitors, tomorrow_morning(self._app.clock.wall()))

    def resume(self, monitors: Sequence[Watched]) -> None:
        self._tasks.start(self._resume(monitors))

    def pause_or_resume(self, monitors: Sequence[Watched]) -> None:
        """Resume if all of them are paused, else pause those that are not."""
        going = [one for one in monitors if one.state.pause is None]
        if going:
            self.pause(going)
        else:
            self.resume(monitors)

    def hint(self, monitors: Sequence[Watched]) -> None:
        """Look closely for an hour, at what is looked at."""
        expires_at = self._app.clock.wall() + HINT_MS
        for one in self._there(monitors):
            if one.monitor.is_passive:
                continue
            self._app.hint(one.job, Hint(expires_at, HINT_INTERVAL_MS))

    def clear_hint(self, monitors: Sequence[Watched]) -> None:
        for one in self._there(monitors):
            self._app.hint(one.job, None)

    def acknowledge(self, monitors: Sequence[Watched]) -> None:
        for one in monitors:
            self._tasks.start(self._app.acknowledge(one.job))

    def snooze(self, monitors: Sequence[Watched], for_ms: int | None = SNOOZE_MS) -> None:
        """With None, until it is over."""
        for one in monitors:
            self._tasks.start(self._app.snooze(one.job, for_ms))

    def maintenance_ends(self) -> list[tuple[str, Callable[[], int]]]:
        """For how long maintenance can be started, in words, and when it would end by now."""
        now = self._app.clock.wall
        return [
            (tr("For 30 min"), lambda: now() + 30 * MINUTE_MS),
            (tr("For {n} h").format(n=1), lambda: now() + HOUR_MS),
            (tr("For {n} h").format(n=2), lambda: now() + 2 * HOUR_MS),
            (tr("Until tomorrow"), lambda: tomorrow_morning(now())),
        ]

    def start_maintenance(self, until: int, monitors: Sequence[Watched] | None = None) -> None:
        """Silence these from now on, or (None) everything."""
        sites, ids = ((), ()) if monitors is None else self.scope_of(monitors)
        if monitors is None or sites or ids:
            scope = frozenset(sites), frozenset(ids)
            self._tasks.start(self._start_maintenance(until, *scope))

    def end_maintenance(self) -> None:
        """All that is in force now; what recurs comes again at its next time."""
        self._tasks.start(self._end_maintenance())

    def scope_of(self, monitors: Sequence[Watched]) -> tuple[list[str], list[str]]:
        """The ids of the sites that are chosen as a whole, and of the other monitors."""
        there = self._there(monitors)
        chosen = Counter(one.monitor.site_id for one in there)
        all_of = Counter(job.monitor.site_id for job in self._app.jobs)
        sites = [site_id for site_id, n in chosen.items() if 1 < n == all_of[site_id]]
        return sites, [one.monitor.id for one in there if one.monitor.site_id not in sites]

    def move(self, keys: Sequence[Key], site_id: str) -> None:
        jobs = [self._watch.monitors[key].job for key in keys if key in self._watch.monitors]
        self._tasks.start(self._app.move(jobs, site_id))

    def switch_site(self, site_id: str, *, on: bool) -> None:
        self._tasks.start(self._app.switch_site(site_id, on=on))

    def add(self, text: str) -> None:
        """Watch every address in a text, one a line."""
        self._tasks.start(self._add(targets_in(text)))

    def _there(self, monitors: Sequence[Watched]) -> list[Watched]:
        """Those that are still watched: a menu may outlive what it speaks of."""
        return [one for one in monitors if self._watch.monitors.get(one.key) is one]

    async def _add(self, targets: Sequence[str]) -> None:
        await self._app.add(definition_of(target) for target in targets)

    async def _resume(self, monitors: Sequence[Watched]) -> None:
        for one in self._there(monitors):
            if one.can_be_resumed:
                self._app.resume(one.job)

    async def _start_maintenance(
        self, until: int, sites: frozenset[str], monitors: frozenset[str]
    ) -> None:
        name, now = tr("Started by hand"), self._app.clock.wall()
        when = OnceAt(now // SECOND_MS * SECOND_MS, until)
        window = Window(id_for(self._app, name), name, when, sites=sites, monitors=monitors)
        await self._app.save_window(window)

    async def _end_maintenance(self) -> None:
        for window in list(self._app.windows.values()):
            await end_now(self._app, window)

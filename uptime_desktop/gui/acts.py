"""What a person can do to monitors, whoever asked: list, detail, tray or a notice."""

import asyncio
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, Signal

from uptime_desktop.app import App
from uptime_desktop.checks.registry import definition_of
from uptime_desktop.domain.model import HOUR_MS, Hint, PauseReason
from uptime_desktop.gui.deletions import Deletions
from uptime_desktop.gui.dialogs.draft import targets_in
from uptime_desktop.gui.moments import tomorrow_morning
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.gui.watch import Key, Watch, Watched

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

    def check(self, monitors: Sequence[Watched]) -> None:
        for one in self._there(monitors):
            self._app.check_now(one.job)

    def check_all(self) -> None:
        """Everything that is not paused."""
        jobs = [one.job for one in self._watch.shown if one.state.pause is None]
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
        """Look closely for an hour."""
        expires_at = self._app.clock.wall() + HINT_MS
        for one in self._there(monitors):
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
            if one.state.pause is not None and one.state.pause.reason is not PauseReason.SITE:
                self._app.resume(one.job)

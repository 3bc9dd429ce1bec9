"""Deleting that can be undone: what is deleted is out of sight at once, and gone a while later."""

import asyncio
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, Signal

from uptime_desktop.app import App
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.gui.watch import Key, Watched

UNDO_S: Final = 15.0


class Deletions(QObject):
    """`changed` tells that `hidden` did. Meanwhile a monitor that goes is paused."""

    changed = Signal()

    def __init__(self, app: App, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._tasks = tasks
        self._waiting: dict[Key, bool] = {}
        self._handle: asyncio.TimerHandle | None = None

    @property
    def hidden(self) -> frozenset[Key]:
        return frozenset(self._waiting)

    def delete(self, monitors: Sequence[Watched]) -> None:
        """Take these away; what was deleted before is now gone for good."""
        self.finish_soon()
        self._waiting = {one.key: one.state.pause is not None for one in monitors}
        for one in monitors:
            if one.state.pause is None:
                self._app.pause(one.job)
        self._handle = asyncio.get_running_loop().call_later(UNDO_S, self.finish_soon)
        self.changed.emit()

    def undo(self) -> None:
        """Bring back what was deleted last, going on as before."""
        waiting = self._forget()
        for job in self._app.jobs:
            if waiting.get(job.key) is False and self._app.sites[job.key[0]].is_active:
                self._app.resume(job)
        self.changed.emit()

    def finish_soon(self) -> None:
        """Make the last deletion final."""
        if self._waiting:
            self._tasks.start(self._remove(self._forget()))

    async def finish(self) -> None:
        """The same, and wait until it is done."""
        await self._remove(self._forget())

    def _forget(self) -> dict[Key, bool]:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        waiting, self._waiting = self._waiting, {}
        return waiting

    async def _remove(self, keys: dict[Key, bool]) -> None:
        for job in [job for job in self._app.jobs if job.key in keys]:
            await self._app.remove(job)

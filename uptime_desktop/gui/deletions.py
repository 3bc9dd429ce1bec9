"""Deleting that can be undone: what is deleted is out of sight at once, and gone a while later.

Until then nothing is changed, so undo brings back all of it, and a crash deletes nothing.
"""

import asyncio
import logging
from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import QObject, Signal

from uptime_desktop.app import App
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.gui.watch import Key, Watched
from uptime_desktop.i18n import tr
from uptime_desktop.long_work import hear

UNDO_S: Final = 15.0
_log = logging.getLogger(__name__)


class Deletions(QObject):
    """`changed` tells that `hidden` did, `failed` why something could not be deleted."""

    changed = Signal()
    failed = Signal(str)

    def __init__(self, app: App, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._undoable: frozenset[Key] = frozenset()
        self._going: frozenset[Key] = frozenset()
        self._handle: asyncio.TimerHandle | None = None
        self._removing: set[asyncio.Task[None]] = set()

    @property
    def hidden(self) -> frozenset[Key]:
        return self._undoable | self._going

    @property
    def can_undo(self) -> bool:
        return bool(self._undoable)

    def delete(self, monitors: Iterable[Watched]) -> None:
        """Take these away; what was deleted before is now gone for good."""
        self._finish_soon()
        self._undoable = frozenset(one.key for one in monitors)
        self._handle = asyncio.get_running_loop().call_later(UNDO_S, self._finish_soon)
        self.changed.emit()

    def undo(self) -> None:
        """Bring back what was deleted last."""
        self._take_undoable()
        self.changed.emit()

    async def finish(self) -> None:
        """Make the last deletion final, and wait until all are."""
        self._finish_soon()
        await asyncio.gather(*self._removing)

    def _finish_soon(self) -> None:
        keys = self._take_undoable()
        if keys:
            self._going |= keys
            task = asyncio.get_running_loop().create_task(self._remove(keys))
            self._removing.add(task)
            task.add_done_callback(self._removing.discard)
            task.add_done_callback(hear)

    def _take_undoable(self) -> frozenset[Key]:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
        keys, self._undoable = self._undoable, frozenset()
        return keys

    async def _remove(self, keys: frozenset[Key]) -> None:
        try:
            await self._app.remove(*(job for job in self._app.jobs if job.key in keys))
        except UserError as error:
            _log.error("What was deleted could not be removed: %s", error)
            self.failed.emit(error.text(tr))
        finally:
            self._going -= keys
            self.changed.emit()

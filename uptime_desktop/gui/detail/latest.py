"""Requests of which only the newest counts: what an older one finds is dropped."""

from asyncio import Task
from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject

from uptime_desktop.gui.tasks import Tasks


class Latest:
    def __init__(self, tasks: Tasks, owner: QObject) -> None:
        """Nothing is told to an `owner` that Qt has deleted."""
        self._tasks = tasks
        self._task: Task[object] | None = None
        owner.destroyed.connect(self.cancel)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        self.cancel()
        self._task = self._tasks.start(work)

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

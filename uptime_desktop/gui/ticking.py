"""The one thing that moves: a call each second while countdowns are on the screen."""

import asyncio
import time
from collections.abc import Callable

from uptime_desktop.gui.tasks import Tasks


class Ticking:
    """Calls `tick` with the seconds that went by since it started, aligned to the second."""

    def __init__(self, tasks: Tasks, tick: Callable[[int], None]) -> None:
        self._tasks = tasks
        self._tick = tick
        self._task: asyncio.Task[object] | None = None

    @property
    def is_going(self) -> bool:
        return self._task is not None

    def start(self) -> None:
        if self._task is None:
            self._task = self._tasks.start(self._run())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self) -> None:
        seconds = 0
        while True:
            self._tick(seconds)
            seconds += 1
            await asyncio.sleep(1.0 - time.time() % 1.0)

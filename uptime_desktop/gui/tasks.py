"""Work that a click begins: a task that is kept until it ends, and is heard when it fails."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from uptime_desktop.domain.refusal import UserError
from uptime_desktop.i18n import tr
from uptime_desktop.long_work import hear


def unexpected(task: "asyncio.Task[object]") -> str:
    """What to say where work failed that should not have; the log has the whole of it."""
    return tr("It failed where it should not have: {error}").format(error=repr(task.exception()))


class Tasks:
    """Owns every task of the window; `on_problem` gets a sentence for what a person can mend."""

    def __init__(self, on_problem: Callable[[str], None]) -> None:
        self._running: set[asyncio.Task[object]] = set()
        self._on_problem = on_problem

    def start(self, work: Coroutine[Any, Any, object]) -> "asyncio.Task[object]":
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    async def close(self) -> None:
        for task in tuple(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _ended(self, task: "asyncio.Task[object]") -> None:
        self._running.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, UserError):
            self._on_problem(error.text(tr))
        else:
            hear(task)

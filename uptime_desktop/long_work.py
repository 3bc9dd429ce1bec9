"""Work that takes a while: it tells how far it is, can be stopped, and is never left halfway."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from functools import partial
from threading import Event
from typing import Any, ParamSpec, TypeVar

Progress = Callable[[int, int], None]
"""Called with how much is done, and of how much."""

_P = ParamSpec("_P")
_Result = TypeVar("_Result")


class Stopped(Exception):
    """Whoever wanted it does not any more."""


def unheard(_done: int, _total: int) -> None:
    """For who does not want to know how far it is."""


def hear(task: "asyncio.Task[Any]") -> None:
    """Be loud about a task that nobody waits for, if it failed."""
    if not task.cancelled() and (error := task.exception()) is not None:
        task.get_loop().call_exception_handler(
            {"message": "a task failed", "exception": error, "task": task}
        )


def soon(act: Callable[_P, object]) -> Callable[_P, None]:
    """A function for other threads to call: it has this done on the loop that runs now. After that
    has ended nobody is left to do it."""
    loop = asyncio.get_running_loop()

    def act_soon(*args: _P.args, **named: _P.kwargs) -> None:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(partial(act, *args, **named))

    return act_soon


async def to_its_end(
    work: Awaitable[_Result], on_cancelled: Callable[[], None] = lambda: None
) -> _Result:
    """What must not be left halfway: cancelled, however often, we stay until it is done or failed.

    `on_cancelled` may have it end sooner.
    """
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
            on_cancelled()
    if cancelled is not None:
        # Whoever cancelled it does not ask any more how it ended.
        task.exception()
        raise cancelled
    return task.result()


async def stoppable(
    work: Callable[[Progress], Awaitable[_Result]],
    progress: Progress,
    undo: Callable[[_Result], Awaitable[None]] | None = None,
) -> _Result:
    """Have it done to its end, telling how far it is from whichever thread; cancelled, it fails
    where it tells that next.

    Done all the same, it is undone; if it cannot be, it was never cancelled.
    """
    stop, tell = Event(), soon(progress)

    def told(done: int, total: int) -> None:
        if stop.is_set():
            raise Stopped
        tell(done, total)

    task = asyncio.ensure_future(work(told))
    try:
        return await to_its_end(task, stop.set)
    except asyncio.CancelledError:
        if task.cancelled() or task.exception() is not None:
            raise
        if undo is not None:
            await to_its_end(undo(task.result()))
            raise
    _go_on()
    return task.result()


def _go_on() -> None:
    """Have the running task not be cancelled after all."""
    ours = asyncio.current_task()
    while ours is not None and ours.cancelling():
        ours.uncancel()

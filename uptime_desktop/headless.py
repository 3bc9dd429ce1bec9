"""The app in a terminal: watches, answers commands, writes what happens to the log."""

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from uptime_desktop import operations
from uptime_desktop.app import App, opened
from uptime_desktop.domain.events import (
    BackoffApplied,
    CheckFinished,
    Event,
    ScheduleUpdated,
)
from uptime_desktop.server.control import Answer, ControlServer
from uptime_desktop.server.instance import Endpoint, Instance, new_token

_ROUTINE: Final = (BackoffApplied, CheckFinished, ScheduleUpdated)
_log = logging.getLogger(__name__)


async def run(database: Path, instance: Instance, told_to_stop: asyncio.Event) -> int:
    """Watch until told to stop; how many changes the disk did not take in the end.

    The caller holds the right to be the one that runs.
    """
    async with opened(database) as app:
        app.bus.subscribe(_write_down)
        server = ControlServer(
            token := new_token(),
            lambda name, arguments, progress: operations.call(app, name, arguments, progress),
            lambda hear: _follow(app, hear),
        )
        port = await server.start()
        try:
            app.start()
            instance.announce(Endpoint(port, token, os.getpid()))
            _log.info("Watching %s monitors", len(app.jobs))
            await told_to_stop.wait()
        finally:
            await server.close()
    return app.unwritten


def _follow(app: App, hear: Callable[[Answer], None]) -> Callable[[], None]:
    return app.bus.subscribe(
        lambda event, persisted: hear(operations.event_document(event, persisted))
    )


def _write_down(event: Event, persisted: bool) -> None:
    level = logging.DEBUG if isinstance(event, _ROUTINE) else logging.INFO
    if _log.isEnabledFor(level):
        document = operations.event_document(event, persisted)
        skipped = ("event", "timestamp", "site_id", "monitor_id")
        details = ", ".join(f"{k} {v}" for k, v in document.items() if k not in skipped)
        _log.log(level, "%s %s: %s", event.monitor_id, type(event).__name__, details)

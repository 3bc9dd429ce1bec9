"""The app in a terminal: watches, answers commands, writes what happens to the log."""

import asyncio
import logging
from pathlib import Path
from typing import Final

from uptime_desktop.answering import answering
from uptime_desktop.app import opened
from uptime_desktop.config import ConfigFile
from uptime_desktop.domain.events import (
    BackoffApplied,
    CheckFinished,
    Event,
    ScheduleUpdated,
)
from uptime_desktop.server.instance import Instance
from uptime_desktop.slices import give_way_soon
from uptime_desktop.views import event_document

_ROUTINE: Final = (BackoffApplied, CheckFinished, ScheduleUpdated)
_log = logging.getLogger(__name__)


async def run(
    database: Path,
    instance: Instance,
    told_to_stop: asyncio.Event,
    listen: str | None = None,
    config: ConfigFile | None = None,
) -> int:
    """Watch until told to stop; how many changes the disk did not take in the end.

    The caller holds the right to be the one that runs.
    """
    give_way_soon()
    async with opened(database) as app:
        if config is not None:
            await app.obey(config)
        app.bus.subscribe(_write_down)
        app.start(listen)
        app.start_alerts(None)
        async with answering(app, instance):
            _log.info("Watching %s monitors", len(app.jobs))
            await told_to_stop.wait()
    return app.unwritten


def _write_down(event: Event, persisted: bool) -> None:
    level = logging.DEBUG if isinstance(event, _ROUTINE) else logging.INFO
    if _log.isEnabledFor(level):
        document = event_document(event, persisted)
        skipped = ("event", "timestamp", "site_id", "monitor_id")
        details = ", ".join(f"{k} {v}" for k, v in document.items() if k not in skipped)
        _log.log(level, "%s %s: %s", event.monitor_id, type(event).__name__, details)

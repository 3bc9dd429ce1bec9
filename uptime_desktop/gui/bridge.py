"""Events of the engine as Qt signals of the same name; and one for many, at most four a second."""

import asyncio
import re
from typing import Final

from PySide6.QtCore import QObject, Signal

from uptime_desktop.app import App
from uptime_desktop.domain import events
from uptime_desktop.domain.events import Event

_GATHER_S: Final = 0.25


def signal_name(event: type[Event]) -> str:
    """`ScheduleUpdated` is told by `schedule_updated`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event.__name__).lower()


class Bridge(QObject):
    """Each signal carries the event and whether it is on disk."""

    schedule_updated = Signal(events.ScheduleUpdated, bool)
    backoff_applied = Signal(events.BackoffApplied, bool)
    manual_check_started = Signal(events.ManualCheckStarted, bool)
    check_timed_out = Signal(events.CheckTimedOut, bool)
    check_finished = Signal(events.CheckFinished, bool)
    status_changed = Signal(events.StatusChanged, bool)
    incident_opened = Signal(events.IncidentOpened, bool)
    incident_resolved = Signal(events.IncidentResolved, bool)
    monitor_paused = Signal(events.MonitorPaused, bool)
    monitor_resumed = Signal(events.MonitorResumed, bool)

    monitors_changed = Signal(frozenset)
    """The keys `(site_id, monitor_id)` of all that something happened to of late."""
    redefined = Signal()
    """Something else is watched than before, or by other settings."""

    def __init__(self, app: App, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._changed: set[tuple[str, str]] = set()
        self._loop = asyncio.get_running_loop()
        self._gathering: asyncio.TimerHandle | None = None
        self._leave = app.bus.subscribe(self._emit)
        self._leave_definitions = app.on_redefined(self._redefined)

    def close(self) -> None:
        self._leave()
        self._leave_definitions()
        if self._gathering is not None:
            self._gathering.cancel()

    def _redefined(self) -> None:
        self.redefined.emit()

    def _emit(self, event: Event, persisted: bool) -> None:
        getattr(self, signal_name(type(event))).emit(event, persisted)
        if not self._changed:
            self._gathering = self._loop.call_later(_GATHER_S, self._flush)
        self._changed.add((event.site_id, event.monitor_id))

    def _flush(self) -> None:
        changed, self._changed = frozenset(self._changed), set()
        self.monitors_changed.emit(changed)

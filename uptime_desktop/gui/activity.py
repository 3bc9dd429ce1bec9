"""The activity view: what happens, as it happens, in words; the last two thousand events."""

from collections import deque
from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt
from PySide6.QtWidgets import QDockWidget, QListView, QWidget

from uptime_desktop.domain import events
from uptime_desktop.domain.events import Event
from uptime_desktop.domain.wording import rough_duration_text
from uptime_desktop.gui import figures, icons, sentences
from uptime_desktop.gui.bridge import Bridge
from uptime_desktop.gui.monitor_table import Index
from uptime_desktop.gui.watch import Watch
from uptime_desktop.i18n import ntr, told, tr

MOST_EVENTS: Final = 2_000
_SIGNALS: Final = (
    "backoff_applied manual_check_started check_timed_out check_finished status_changed"
    " incident_opened incident_resolved monitor_paused monitor_resumed"
).split()


class ActivityModel(QAbstractListModel):
    """Newest last."""

    def __init__(self, watch: Watch, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._watch = watch
        self._events: deque[tuple[Event, bool]] = deque()

    def add(self, event: Event, persisted: bool) -> None:
        if len(self._events) >= MOST_EVENTS:
            self.beginRemoveRows(QModelIndex(), 0, 0)
            self._events.popleft()
            self.endRemoveRows()
        place = len(self._events)
        self.beginInsertRows(QModelIndex(), place, place)
        self._events.append((event, persisted))
        self.endInsertRows()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008
        return 0 if parent.isValid() else len(self._events)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        event, persisted = self._events[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(event, persisted)
        if role == Qt.ItemDataRole.DecorationRole:
            return icons.icon(_icon(event))
        return None

    def _text(self, event: Event, persisted: bool) -> str:
        watched = self._watch.monitors.get((event.site_id, event.monitor_id))
        name = event.monitor_id if watched is None else watched.monitor.name
        time = figures.seconds_clock_text(event.timestamp, event.timestamp)
        said = tr("{name}: {how}").format(name=name, how=event_sentence(event))
        text = f"{time}  {said}"
        return text if persisted else text + " " + tr("(not on disk yet)")


class Activity(QDockWidget):
    """Follows only while it is scrolled to the end."""

    def __init__(self, watch: Watch, bridge: Bridge, parent: QWidget | None = None) -> None:
        super().__init__(tr("Activity"), parent)
        self.setObjectName("activity")
        self.model = ActivityModel(watch, self)
        self._list = QListView(self)
        self._list.setModel(self.model)
        self._list.setUniformItemSizes(True)
        self._list.setAccessibleName(tr("What happened"))
        self._list.setFrameShape(QListView.Shape.NoFrame)
        self.setWidget(self._list)
        self._was_at_end = True
        self.model.rowsAboutToBeInserted.connect(self._look_whether_at_end)
        self.model.rowsInserted.connect(self._follow)
        for name in _SIGNALS:
            getattr(bridge, name).connect(self.model.add)

    def _look_whether_at_end(self) -> None:
        bar = self._list.verticalScrollBar()
        self._was_at_end = bar.value() >= bar.maximum()

    def _follow(self) -> None:
        if self._was_at_end and self.isVisible():
            self._list.scrollToBottom()


def event_sentence(event: Event) -> str:
    match event:
        case events.CheckFinished(outcome=outcome):
            word = sentences.status_word(outcome.status)
            took = figures.response_text(outcome.response_ms)
            parts = (word, told(outcome.reason), "" if took == figures.NOTHING else took)
            return " · ".join(part for part in parts if part)
        case events.BackoffApplied(backoff_attempt=n, delay_ms=delay_ms):
            template = ntr("Failed once, waits {wait}", "Failed {n} times, waits {wait}", n)
            return template.format(n=n, wait=rough_duration_text(delay_ms, tr))
        case events.CheckTimedOut(timeout_ms=timeout_ms):
            wait = rough_duration_text(timeout_ms, tr)
            return tr("No answer within {wait}").format(wait=wait)
        case events.StatusChanged(old=old, new=new):
            return f"{sentences.status_word(old)} → {sentences.status_word(new)}"
        case events.MonitorPaused(until=until) if until is not None:
            time = figures.clock_text(until, event.timestamp)
            return tr("Paused until {time}").format(time=time)
        case _:
            return _plain_sentence(event)


def _plain_sentence(event: Event) -> str:
    """For events that say all by having happened."""
    match event:
        case events.ManualCheckStarted():
            return tr("Check asked for")
        case events.IncidentOpened():
            return tr("Trouble began")
        case events.IncidentResolved():
            return tr("Trouble is over")
        case events.MonitorPaused():
            return tr("Paused")
        case events.MonitorResumed():
            return tr("Resumed")
        case _:
            return type(event).__name__


def _icon(event: Event) -> str:
    match event:
        case events.CheckFinished(outcome=outcome):
            return icons.icon_name(outcome.status)
        case events.StatusChanged(new=new):
            return icons.icon_name(new)
        case events.IncidentOpened(kind=kind):
            return icons.icon_name(kind)
        case events.BackoffApplied() | events.CheckTimedOut():
            return "status-down"
        case events.IncidentResolved():
            return "status-up"
        case events.MonitorPaused():
            return "status-paused"
        case _:
            return icons.CHECKING

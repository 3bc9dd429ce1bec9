"""All incidents of all monitors, those that are open first, and the story of the chosen one."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDockWidget,
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop.app import App
from uptime_desktop.gui import incident_words, theme
from uptime_desktop.gui.bridge import Bridge
from uptime_desktop.gui.detail.latest import Latest
from uptime_desktop.gui.detail.section import TonedLabel
from uptime_desktop.gui.detail.table import Column, RowsModel, Table, small_status_icon
from uptime_desktop.gui.incident_story import IncidentStory
from uptime_desktop.gui.incident_words import Called
from uptime_desktop.gui.targets import known_as
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.gui.watch import Key, Watch
from uptime_desktop.history import Incident
from uptime_desktop.i18n import ntr, tr

_MOST_OPEN: Final = 1_000
_MOST_OVER: Final = 200
_LASTED: Final = 2
_LINES: Final = 16


class AllIncidentsModel(RowsModel[Incident]):
    """`names` are those of the monitors by number."""

    def __init__(self, called: Called) -> None:
        super().__init__(
            (
                Column(tr("Began")),
                Column(tr("Monitor")),
                Column(tr("Lasted")),
                Column(tr("Severity")),
                Column(tr("What happened"), grows=True),
                Column(tr("State")),
            )
        )
        self._called = called
        self._now = 0
        self.names: dict[int, str] = {}

    def show(self, incidents: Sequence[Incident], names: dict[int, str], now: int) -> None:
        self._now, self.names = now, names
        self.reset(incidents)

    def tick(self, now: int) -> None:
        """What is not over has lasted longer."""
        self._now = now
        if self.rows:
            last = len(self.rows) - 1
            self.dataChanged.emit(self.index(0, _LASTED), self.index(last, _LASTED))

    def icon(self, row: int) -> QIcon:
        return small_status_icon(self.rows[row].kind)

    def text(self, row: int, column: int) -> str:
        incident = self.rows[row]
        match column:
            case 0:
                return incident_words.began_text(incident, self._now)
            case 1:
                return self.names.get(incident.monitor_number, "")
            case 2:
                return incident_words.duration_so_far_text(incident, self._now)
            case 3:
                return incident_words.severity_text(incident.severity)
            case 4:
                follows = incident_words.follows_text(incident, self._called)
                parts = (follows, incident_words.what_text(incident), incident.note)
                return " · ".join(part for part in parts if part)
            case _:
                return incident_words.state_text(incident, self._now)


class IncidentsDock(QDockWidget):
    """Asks history only while it is seen."""

    opened = Signal(object)
    """The monitor of an incident is to be shown, by its key."""

    def __init__(
        self, app: App, bridge: Bridge, watch: Watch, tasks: Tasks, parent: QWidget | None = None
    ) -> None:
        super().__init__(tr("Incidents"), parent)
        self.setObjectName("incidents")
        self._app = app
        self._watch = watch
        self._request = Latest(tasks, self)
        self.model = AllIncidentsModel(partial(known_as, app))
        self.table = Table(tr("Incidents of all monitors"))
        self.story = IncidentStory(app, tasks)
        self.only_open = QCheckBox(tr("Only those that are open"))
        self.summary = TonedLabel(theme.small(self.font()))
        self.nothing = TonedLabel(self.font(), text=tr("There has been no trouble yet."))
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._lay_out()
        self.table.selectionModel().currentRowChanged.connect(self._selected)
        self.table.doubleClicked.connect(self._open)
        self.only_open.toggled.connect(lambda _: self.reload())
        watch.rebuilt.connect(self.reload)
        bridge.incident_opened.connect(lambda *_: self.reload())
        bridge.incident_resolved.connect(lambda *_: self.reload())

    def _lay_out(self) -> None:
        began = tr("yesterday {time}").format(time="00:00")
        so_far = tr("{duration} so far").format(duration=tr("{n} min").format(n="00"))
        widths = (
            began,
            "0" * 22,
            so_far,
            tr("medium"),
            "",
            tr("snoozed until {time}").format(time="00:00"),
        )
        self.table.show_model(self.model, widths)
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        top = QHBoxLayout()
        top.setContentsMargins(theme.CELL_PADDING, 0, theme.CELL_PADDING, 0)
        top.addWidget(self.only_open)
        top.addStretch(1)
        top.addWidget(self.summary)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, theme.CELL_PADDING, 0, 0)
        column.setSpacing(theme.CELL_PADDING)
        column.addLayout(top)
        column.addWidget(self.nothing, 1)
        column.addWidget(self.table, 1)
        inside = QWidget()
        around = QVBoxLayout(inside)
        around.setContentsMargins(theme.MARGIN, 8, theme.MARGIN, 8)
        around.addWidget(self.story)
        around.addStretch(1)
        self._aside = QScrollArea()
        self._aside.setFrameShape(QFrame.Shape.NoFrame)
        self._aside.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._aside.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._aside.setWidgetResizable(True)
        self._aside.setWidget(inside)
        split = _Inside()
        split.setChildrenCollapsible(False)
        split.addWidget(left)
        split.addWidget(self._aside)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([866, 574])
        self.setWidget(split)
        self.setFocusProxy(self.table)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        super().showEvent(event)
        self.reload()

    def reload(self) -> None:
        if self.isVisible():
            self._request.start(self._load())

    def tick(self) -> None:
        if self.isVisible():
            self.model.tick(self._app.clock.wall())
            self.story.tick()

    async def _load(self) -> None:
        history = self._app.history
        still_open = await history.incidents(only_open=True, limit=_MOST_OPEN)
        over: list[Incident] = []
        if not self.only_open.isChecked():
            newest = await history.incidents(limit=_MOST_OVER)
            over = [one for one in newest if one.resolved_at is not None]
        # Of those that are open, what stands on its own comes first.
        open_first = sorted(still_open, key=lambda one: (-one.severity, -one.opened_at))
        self._show([*open_first, *over], len(still_open))

    def _show(self, incidents: Sequence[Incident], still_open: int) -> None:
        chosen = self.story.number
        names = {one.monitor.number: one.monitor.name for one in self._watch.monitors.values()}
        self.model.show(incidents, names, self._app.clock.wall())
        self.summary.setText(ntr("{n} open", "{n} open", still_open).format(n=still_open))
        self.table.setVisible(bool(incidents))
        self.nothing.setVisible(not incidents)
        none_now, none_ever = tr("Nothing is wrong now."), tr("There has been no trouble yet.")
        self.nothing.setText(none_now if self.only_open.isChecked() else none_ever)
        numbers = [one.number for one in incidents]
        if incidents:
            self.table.selectRow(numbers.index(chosen) if chosen in numbers else 0)
        else:
            self.story.show_incident(None)

    def _selected(self, current: QModelIndex) -> None:
        if current.isValid():
            incident = self.model.rows[current.row()]
            name = self.model.names.get(incident.monitor_number, "")
            self.story.show_incident(incident.number, name)

    def _open(self, index: QModelIndex) -> None:
        number = self.model.rows[index.row()].monitor_number
        keys: list[Key] = [
            key for key, one in self._watch.monitors.items() if one.monitor.number == number
        ]
        for key in keys:
            self.opened.emit(key)


class _Inside(QSplitter):
    """Opens with room for a few incidents."""

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(super().sizeHint().width(), self.fontMetrics().lineSpacing() * _LINES)

"""The troubles a monitor has had: a table, and how many of late."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QVBoxLayout, QWidget

from uptime_desktop.app import App
from uptime_desktop.domain.model import DAY_MS
from uptime_desktop.gui import incident_words, theme
from uptime_desktop.gui.detail.section import Heading
from uptime_desktop.gui.detail.table import Column, RowsModel, Table, small_status_icon
from uptime_desktop.gui.figures import capitalised, day_and_clock_text
from uptime_desktop.gui.incident_story import IncidentStory
from uptime_desktop.gui.incident_words import Called
from uptime_desktop.gui.targets import known_as
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.history import Incident
from uptime_desktop.i18n import ntr, tr

ASKED: Final = 100
"""How many are shown; older ones only count where there are fewer."""

_LATELY_DAYS: Final = 30
_MOST_ROWS: Final = 5
_SAMPLE_AT: Final = 978_000_000_000
"""A day late in December: its date is among the longest there are."""


class IncidentsModel(RowsModel[Incident]):
    def __init__(self, called: Called) -> None:
        super().__init__(
            (
                Column(tr("Began")),
                Column(tr("Lasted")),
                Column(tr("What happened"), grows=True),
                Column(tr("State")),
            )
        )
        self._called = called
        self._now = 0

    def show(self, incidents: Sequence[Incident], now: int) -> None:
        self._now = now
        self.reset(incidents)

    def icon(self, row: int) -> QIcon:
        return small_status_icon(self.rows[row].kind)

    def text(self, row: int, column: int) -> str:
        incident = self.rows[row]
        match column:
            case 0:
                return incident_words.began_text(incident, self._now)
            case 1:
                return incident_words.duration_so_far_text(incident, self._now)
            case 2:
                follows = incident_words.follows_text(incident, self._called)
                parts = (follows, incident_words.what_text(incident))
                return " · ".join(part for part in parts if part)
            case _:
                return incident_words.state_text(incident, self._now)

    def tooltip(self, row: int, column: int) -> str:
        text, note = self.text(row, column), self.rows[row].note
        return f"{text}\n{note}" if column == 2 and note else text


class Incidents(QWidget):
    """The story of an incident is below the table while one is chosen there."""

    def __init__(self, app: App, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = ""
        self.heading = Heading(tr("Incidents"))
        self.model = IncidentsModel(partial(known_as, app))
        self.story = IncidentStory(app, tasks, can_close=True)
        self.table = Table(tr("Incidents"))
        days = (day_and_clock_text(_SAMPLE_AT - n * DAY_MS, _SAMPLE_AT) for n in (1, 10))
        minutes = tr("{n} min").format(n="00")
        widths = (
            max(map(capitalised, days), key=self.table.fontMetrics().horizontalAdvance),
            tr("{duration} so far").format(duration=minutes),
            "",
            tr("snoozed until {time}").format(time="00:00"),
        )
        self.table.show_model(self.model, widths)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.CELL_PADDING)
        layout.addWidget(self.heading)
        layout.addWidget(self.table)
        layout.addWidget(self.story)
        self.table.selectionModel().currentRowChanged.connect(self._selected)
        self.story.closed.connect(self._deselect)

    def show_monitor(self, name: str) -> None:
        """Those of another monitor follow."""
        self._name = name
        self.story.show_incident(None)
        self.show_incidents((), 0)

    def show_incidents(self, incidents: Sequence[Incident], now: int) -> None:
        chosen = self.story.number
        self.model.show(incidents, now)
        numbers = [one.number for one in incidents]
        if chosen in numbers:
            self.table.selectRow(numbers.index(chosen))
        else:
            self.story.show_incident(None)
        self.heading.set_summary(summary_text(incidents, now))
        self.table.setVisible(bool(incidents))
        self.table.setFixedHeight(self.table.height_of(min(len(incidents), _MOST_ROWS)))

    def _selected(self, current: QModelIndex) -> None:
        if current.isValid():
            self.story.show_incident(self.model.rows[current.row()].number, self._name)

    def _deselect(self) -> None:
        self.table.clearSelection()
        self.table.setCurrentIndex(QModelIndex())
        self.table.setFocus()


def summary_text(incidents: Sequence[Incident], now: int) -> str:
    """`3 in 30 days, 1 open`."""
    since = now - _LATELY_DAYS * DAY_MS
    lately = sum(one.opened_at >= since or one.resolved_at is None for one in incidents)
    still_open = sum(one.resolved_at is None for one in incidents)
    if not lately:
        return tr("none in {n} days").format(n=_LATELY_DAYS)
    counted = f"{lately}+" if lately >= ASKED else str(lately)
    text = tr("{count} in {n} days").format(count=counted, n=_LATELY_DAYS)
    if not still_open:
        return text
    return tr(", ").join((text, ntr("{n} open", "{n} open", still_open).format(n=still_open)))

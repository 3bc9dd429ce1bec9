"""The troubles a monitor has had: a table, and how many of late."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QVBoxLayout, QWidget

from uptime_desktop.domain.model import DAY_MS
from uptime_desktop.gui import theme
from uptime_desktop.gui.detail.section import Heading
from uptime_desktop.gui.detail.table import Column, RowsModel, Table, small_status_icon
from uptime_desktop.gui.sentences import (
    capitalised,
    clock_text,
    day_and_clock_text,
    lasted_text,
    status_word,
)
from uptime_desktop.history import Incident
from uptime_desktop.i18n import ntr, tr

ASKED: Final = 100
"""How many are shown; older ones only count where there are fewer."""

_LATELY_DAYS: Final = 30
_MOST_ROWS: Final = 5
_SAMPLE_AT: Final = 978_000_000_000
"""A day late in December: its date is among the longest there are."""


class IncidentsModel(RowsModel[Incident]):
    def __init__(self) -> None:
        super().__init__(
            (
                Column(tr("Began")),
                Column(tr("Lasted")),
                Column(tr("What happened"), grows=True),
                Column(tr("State")),
            )
        )
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
                return capitalised(day_and_clock_text(incident.opened_at, self._now))
            case 1:
                return self._lasted(incident)
            case 2:
                return incident.cascade_reason or incident.reason or status_word(incident.kind)
            case _:
                return self._state(incident)

    def tooltip(self, row: int, column: int) -> str:
        text, note = self.text(row, column), self.rows[row].note
        return f"{text}\n{note}" if column == 2 and note else text

    def _lasted(self, incident: Incident) -> str:
        if incident.resolved_at is not None:
            return lasted_text(incident.resolved_at - incident.opened_at)
        duration = lasted_text(self._now - incident.opened_at)
        return tr("{duration} so far").format(duration=duration)

    def _state(self, incident: Incident) -> str:
        if incident.resolved_at is not None:
            return tr("resolved")
        if incident.is_snoozed(self._now):
            if incident.is_snoozed_until_recovery or incident.snoozed_until is None:
                return tr("snoozed")
            return tr("snoozed until {time}").format(
                time=clock_text(incident.snoozed_until, self._now)
            )
        return tr("open") if incident.acknowledged_at is None else tr("acknowledged")


class Incidents(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = Heading(tr("Incidents"))
        self.model = IncidentsModel()
        self.table = Table(tr("Incidents"))
        days = (day_and_clock_text(_SAMPLE_AT - n * DAY_MS, _SAMPLE_AT) for n in (1, 10))
        minutes = tr("{n} min").format(n="00")
        widths = (
            max(map(capitalised, days), key=self.table.fontMetrics().horizontalAdvance),
            tr("{duration} so far").format(duration=minutes),
            "",
            tr("acknowledged"),
        )
        self.table.show_model(self.model, widths)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.CELL_PADDING)
        layout.addWidget(self.heading)
        layout.addWidget(self.table)

    def show_incidents(self, incidents: Sequence[Incident], now: int) -> None:
        self.model.show(incidents, now)
        self.heading.set_summary(summary_text(incidents, now))
        self.table.setVisible(bool(incidents))
        self.table.setFixedHeight(self.table.height_of(min(len(incidents), _MOST_ROWS)))


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

"""What a job that reports to us said of late: a table, and what it sent along."""

from collections.abc import Sequence
from typing import Final, assert_never

from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QVBoxLayout, QWidget

from uptime_desktop.domain.heartbeats import Ping, Signal
from uptime_desktop.domain.status import Status
from uptime_desktop.gui import theme
from uptime_desktop.gui.detail.mono_text import MonoText
from uptime_desktop.gui.detail.section import Heading, TonedLabel
from uptime_desktop.gui.detail.table import Column, RowsModel, Table, small_status_icon
from uptime_desktop.gui.figures import (
    NOTHING,
    capitalised,
    day_and_clock_text,
    response_text,
    seconds_clock_text,
)
from uptime_desktop.i18n import ntr, tr

_MOST_ROWS: Final = 6
_ICONS: Final = {
    Signal.SUCCESS: Status.UP,
    Signal.FAIL: Status.DOWN,
    Signal.START: Status.PENDING,
    Signal.LOG: Status.PENDING,
}
_FINISHES: Final = (Signal.SUCCESS, Signal.FAIL)


class PingsModel(RowsModel[Ping]):
    def __init__(self) -> None:
        super().__init__(
            (
                Column(tr("Time")),
                Column(tr("Ping")),
                Column(tr("Took"), is_number=True),
                Column(tr("Sent along"), grows=True),
            )
        )
        self._now = 0

    def show(self, pings: Sequence[Ping], now: int) -> None:
        self._now = now
        self.reset(pings)

    def icon(self, row: int) -> QIcon:
        return small_status_icon(_ICONS[self.rows[row].signal])

    def text(self, row: int, column: int) -> str:
        ping = self.rows[row]
        match column:
            case 0:
                return capitalised(seconds_clock_text(ping.at, self._now))
            case 1:
                return ping_text(ping)
            case 2:
                return response_text(self._took_ms(row))
            case _:
                return ping.message or next(iter(ping.body.strip().splitlines()), NOTHING)

    def _took_ms(self, row: int) -> float | None:
        """As it said itself, or since it said that it began."""
        ping = self.rows[row]
        if ping.took_ms is not None or ping.signal not in _FINISHES:
            return ping.took_ms
        for older in self.rows[row + 1 :]:
            if older.run_id == ping.run_id and older.signal is not Signal.LOG:
                return float(ping.at - older.at) if older.signal is Signal.START else None
        return None


class Pings(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = Heading(tr("Last pings"))
        self.none = TonedLabel(theme.small(self.font()), text=tr("None has come yet."))
        self.model = PingsModel()
        self.table = Table(tr("Last pings"))
        times = tr("yesterday {time}").format(time="00:00:00")
        took = tr("{n} min {rest} s").format(n="00", rest="00")
        self.table.show_model(self.model, (times, tr("failed with {code}"), took, ""))
        self.table.selectionModel().currentRowChanged.connect(self._selected)
        self.body = MonoText(tr("What the ping sent along"))
        self.body.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.CELL_PADDING)
        for part in (self.heading, self.none, self.table, self.body):
            layout.addWidget(part)

    def clear(self) -> None:
        self.show_pings((), 0)

    def show_pings(self, pings: Sequence[Ping], now: int) -> None:
        row = self.table.currentIndex().row()
        chosen = self.model.rows[row] if row >= 0 else None
        if list(pings) != self.model.rows:
            self.model.show(pings, now)
            self._show_body(None)
            if chosen in pings:
                self.table.selectRow(pings.index(chosen))
        self.heading.set_summary(_summary(pings, now))
        self.none.setVisible(not pings)
        self.table.setVisible(bool(pings))
        self.table.setFixedHeight(self.table.height_of(min(len(pings), _MOST_ROWS)))

    def _selected(self, current: QModelIndex) -> None:
        self._show_body(self.model.rows[current.row()] if current.isValid() else None)

    def _show_body(self, ping: Ping | None) -> None:
        text = "" if ping is None else "\n".join(filter(None, (ping.message, ping.body.rstrip())))
        self.body.show_text(text)
        self.body.setVisible(bool(text))


def ping_text(ping: Ping) -> str:
    match ping.signal:
        case Signal.SUCCESS:
            return tr("finished")
        case Signal.START:
            return tr("began")
        case Signal.FAIL if ping.exit_code:
            return tr("failed with {code}").format(code=ping.exit_code)
        case Signal.FAIL:
            return tr("failed")
        case Signal.LOG:
            return tr("said something")
        case _:
            assert_never(ping.signal)


def _summary(pings: Sequence[Ping], now: int) -> str:
    if not pings:
        return ""
    n, last = len(pings), day_and_clock_text(pings[0].at, now)
    return ntr("{n} kept, the last {time}", "{n} kept, the last {time}", n).format(n=n, time=last)

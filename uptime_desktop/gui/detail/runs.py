"""The run log: every run of a monitor, newest first, older ones fetched as they are scrolled to."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QVBoxLayout, QWidget

from uptime_desktop.domain.model import Source
from uptime_desktop.domain.status import Status
from uptime_desktop.gui import theme
from uptime_desktop.gui.detail.section import Heading
from uptime_desktop.gui.detail.table import Column, Index, RowsModel, Table, small_status_icon
from uptime_desktop.gui.figures import NOTHING, capitalised, response_text, seconds_clock_text
from uptime_desktop.gui.sentences import status_word
from uptime_desktop.history import RunRow
from uptime_desktop.i18n import ntr, told, tr

PAGE: Final = 200
_MOST_COUNTED: Final = 99
_LEAST_ROWS: Final = 4


class RunsModel(RowsModel[RunRow]):
    """Asks for more by a signal, and is given it by whoever can read history."""

    more_wanted = Signal(object)
    """Runs before this instant."""

    def __init__(self) -> None:
        super().__init__(
            (
                Column(tr("Time")),
                Column(tr("Result"), grows=True),
                Column(tr("Took"), is_number=True),
                Column(tr("Tries"), is_number=True),
                Column(tr("Why it ran")),
            )
        )
        self.cause = ""
        self._now = 0
        self._has_more = False
        self._is_asking = False

    def show(self, runs: Sequence[RunRow], now: int) -> None:
        """Show the first page, in place of all that is shown."""
        self._now, self._has_more, self._is_asking = now, len(runs) >= PAGE, False
        self.reset(runs)

    def adjoins(self, runs: Sequence[RunRow]) -> bool:
        """Whether these reach down to what is shown, without a hole between."""
        return bool(self.rows and runs) and runs[-1].started_at <= self.rows[0].started_at

    def take_newer(self, runs: Sequence[RunRow], now: int) -> None:
        """Put those at the top that are new."""
        self._now = now
        fresh = [run for run in runs if run.started_at > self.rows[0].started_at]
        if fresh:
            self.beginInsertRows(QModelIndex(), 0, len(fresh) - 1)
            self.rows[:0] = fresh
            self.endInsertRows()

    def append(self, runs: Sequence[RunRow]) -> None:
        """The page that was asked for."""
        self._is_asking, self._has_more = False, len(runs) >= PAGE
        if runs:
            first = len(self.rows)
            self.beginInsertRows(QModelIndex(), first, first + len(runs) - 1)
            self.rows += runs
            self.endInsertRows()

    def canFetchMore(self, parent: Index) -> bool:  # noqa: N802 - Qt's name
        return self._has_more and not self._is_asking and not parent.isValid()

    def fetchMore(self, parent: Index) -> None:  # noqa: N802 - Qt's name
        if self.canFetchMore(parent):
            self._is_asking = True
            self.more_wanted.emit(self.rows[-1].started_at)

    def icon(self, row: int) -> QIcon:
        return small_status_icon(self.rows[row].status)

    def text(self, row: int, column: int) -> str:
        run = self.rows[row]
        match column:
            case 0:
                return capitalised(seconds_clock_text(run.started_at, self._now))
            case 1:
                return result_text(run)
            case 2:
                return response_text(run.response_ms)
            case 3:
                return NOTHING if run.interrupted else str(run.attempts)
            case _:
                return self._why(row)

    def _why(self, row: int) -> str:
        """Failures move the next run, so they are why it ran when it did."""
        source, failures = self.rows[row].source, self._failures_before(row)
        match source:
            case Source.MANUAL:
                return tr("asked for")
            case Source.CATCH_UP:
                return tr("missed before")
            case Source.HINT_INTERVAL | Source.HINT_ONESHOT:
                return tr("asked for by a hint")
        if self.cause:
            return self.cause
        if not failures:
            return tr("schedule")
        if failures > _MOST_COUNTED:
            return tr("after more than {n} failures").format(n=_MOST_COUNTED)
        return ntr("after {n} failure", "after {n} failures", failures).format(n=failures)

    def _failures_before(self, row: int) -> int:
        failures = 0
        for run in islice(self.rows, row + 1, None):
            if run.status in (Status.UP, Status.DEGRADED) or failures > _MOST_COUNTED:
                break
            failures += run.status is Status.DOWN
        return failures


def result_text(run: RunRow) -> str:
    if run.interrupted:
        return tr("cut short: the program ended")
    return told(run.reason) or status_word(run.status)


class RunLog(QWidget):
    """Always has a run selected while there is any: the newest, until another is chosen."""

    run_selected = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = Heading(tr("Run log"))
        self.model = RunsModel()
        self.table = Table(tr("Run log"))
        took, why = tr("{n} ms").format(n="000"), tr("after {n} failures").format(n=9)
        widths = ("00:00:00", "", took, "00", why)
        self.table.show_model(self.model, widths)
        self.table.setMinimumHeight(self.table.height_of(_LEAST_ROWS))
        self.table.selectionModel().currentRowChanged.connect(self._selected)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.CELL_PADDING)
        layout.addWidget(self.heading)
        layout.addWidget(self.table)

    def clear(self) -> None:
        self.heading.set_summary("")
        self.model.show((), 0)
        self.run_selected.emit(None)

    def show_runs(self, runs: Sequence[RunRow], now: int) -> None:
        """Show the newest runs; with those already shown, only what is new is added."""
        row = self.table.currentIndex().row()
        chosen = self.model.rows[row] if row > 0 else None
        if self.model.adjoins(runs):
            self.model.take_newer(runs, now)
            if chosen is None:
                self.table.selectRow(0)
            return
        self.model.show(runs, now)
        self.table.selectRow(runs.index(chosen) if chosen in runs else 0)

    def set_count(self, n: int) -> None:
        text = ntr("{n} run in 24 h", "{n} runs in 24 h", n).format(n=n)
        self.heading.set_summary(text)

    def _selected(self, current: QModelIndex) -> None:
        run = self.model.rows[current.row()] if current.isValid() else None
        self.run_selected.emit(run)

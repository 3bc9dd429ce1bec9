"""Beside the form: when it would run, and how long it would wait after failures."""

import asyncio
import math
from typing import Final

from PySide6.QtCore import QLocale, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from uptime_desktop.app import App
from uptime_desktop.domain.model import MINUTE_MS, SECOND_MS, Cron, Every, Monitor, Once
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import duration_text, rough_duration_text
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.forecast import SHOWN_RUNS, Forecast, Rung, forecast
from uptime_desktop.gui.dialogs.labels import Hint
from uptime_desktop.gui.figures import interval_text, seconds_clock_text
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.i18n import in_a_row, language, ntr, tr

_DELAY_S: Final = 0.15
_BAR_HEIGHT: Final = 8
_ROW_GAP: Final = 4


class SchedulePreview(QWidget):
    """Follows what is typed, a moment later; what is not valid has no preview."""

    def __init__(self, app: App, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._tasks = tasks
        self._monitor: Monitor | None = None
        self._planned_at: int | None = None
        self._running_ms = 0.0
        self._waiting: asyncio.TimerHandle | None = None
        self._working: asyncio.Task[object] | None = None
        self.forecast: Forecast | None = None
        self._lay_out()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.MARGIN, theme.MARGIN, theme.MARGIN, theme.MARGIN)
        layout.setSpacing(6)
        layout.addWidget(_heading(tr("Next runs")))
        self.rows = [(QLabel(), Hint()) for _ in range(SHOWN_RUNS)]
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(_ROW_GAP)
        grid.setColumnStretch(1, 1)
        for number, (time, note) in enumerate(self.rows):
            time.setFont(theme.tabular(self.font()))
            grid.addWidget(time, number, 0)
            grid.addWidget(note, number, 1)
        layout.addLayout(grid)
        self.summary = Hint()
        self.summary.setWordWrap(True)
        layout.addWidget(self.summary)
        layout.addSpacing(6)
        self._ladder_heading = _heading(tr("If it keeps failing, wait"))
        layout.addWidget(self._ladder_heading)
        self.ladder = Ladder()
        layout.addWidget(self.ladder)
        self.after_failures = Hint()
        self.after_failures.setWordWrap(True)
        layout.addWidget(self.after_failures)
        layout.addStretch(1)
        width = self.fontMetrics().horizontalAdvance("0") * 30
        self.setMinimumWidth(width + 2 * theme.MARGIN)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.withhold("")

    def follow(self, monitor: Monitor, planned_at: int | None = None) -> None:
        """Show this soon, unless something else comes first."""
        self._monitor, self._planned_at = monitor, planned_at
        self._stop()
        self._waiting = asyncio.get_running_loop().call_later(_DELAY_S, self._begin)

    def took(self, running_ms: float) -> None:
        """A run was seen to take this long."""
        self._running_ms = running_ms
        if self._monitor is not None:
            self.follow(self._monitor, self._planned_at)

    def withhold(self, sentence: str) -> None:
        """Show nothing but why there is nothing to show."""
        self._stop()
        self._monitor = self.forecast = None
        for row in self.rows:
            for label in row:
                label.setText("")
                label.hide()
        self.summary.setText(sentence)
        for widget in (self._ladder_heading, self.ladder, self.after_failures):
            widget.hide()

    def close_down(self) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        if self._working is not None:
            self._working.cancel()
        self._waiting = self._working = None

    def _begin(self) -> None:
        if self._monitor is not None:
            self._working = self._tasks.start(self._work(self._monitor))

    async def _work(self, monitor: Monitor) -> None:
        now, zone = self._app.clock.wall(), self._app.clock.zone()
        made = await forecast(monitor, now, zone, self._running_ms, self._planned_at)
        self._show(monitor, made, now)

    def _show(self, monitor: Monitor, made: Forecast, now: int) -> None:
        self.forecast = made
        for number, (time, note) in enumerate(self.rows):
            is_there = number < len(made.runs)
            time.setVisible(is_there)
            note.setVisible(is_there)
            if is_there:
                time.setText(seconds_clock_text(made.runs[number], now))
                note.setText(_note(number, made, now))
        self.summary.setText(_summary(monitor, made))
        is_repeated = not isinstance(monitor.schedule, Once)
        self._ladder_heading.setVisible(is_repeated)
        self.after_failures.setVisible(is_repeated)
        self.ladder.setVisible(bool(made.ladder))
        self.ladder.show_rungs(made.ladder)
        self.after_failures.setText(_after_failures(monitor, made))


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setFont(theme.section(label.font()))
    return label


def _note(number: int, made: Forecast, now: int) -> str:
    if number == 0 and made.runs[0] <= now:
        return tr("at once")
    is_first_moved = number == (1 if made.runs[0] <= now else 0)
    if is_first_moved and made.jitter_ms:
        return tr("± {duration}").format(duration=_short(made.jitter_ms))
    return ""


def _summary(monitor: Monitor, made: Forecast) -> str:
    if made.a_day is None:
        return tr("then it pauses")
    if made.a_day == 0:
        return tr("less than once a day")
    n = QLocale(language()).toString(made.a_day)
    if isinstance(monitor.schedule, Cron):
        return ntr("{n} in the next 24 h", "{n} in the next 24 h", made.a_day).format(n=n)
    return ntr("then about {n} a day", "then about {n} a day", made.a_day).format(n=n)


def _after_failures(monitor: Monitor, made: Forecast) -> str:
    if not made.ladder:
        first = tr("Failures do not change when it runs.")
    elif isinstance(monitor.schedule, Every):
        first = tr("One success returns to {interval}.").format(
            interval=interval_text(monitor.schedule)
        )
    else:
        first = tr("One success returns to the schedule.")
    n = made.pauses_after
    if not n:
        return first
    second = ntr(
        "It pauses after {n} failure.", "It pauses after {n} failures in a row.", n
    ).format(n=n)
    return in_a_row(first, second)


def _short(duration_ms: int) -> str:
    """As intervals are said elsewhere: seconds up to two minutes, then what is exact or rough."""
    if duration_ms < 2 * MINUTE_MS and duration_ms % SECOND_MS == 0:
        return tr("{n} s").format(n=duration_ms // SECOND_MS)
    if duration_ms < MINUTE_MS or duration_ms % MINUTE_MS == 0:
        return duration_text(duration_ms, tr)
    return rough_duration_text(duration_ms, tr)


class Ladder(QWidget):
    """The waits as bars, on a scale on which doubling is a step."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rungs: tuple[Rung, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_rungs(self, rungs: tuple[Rung, ...]) -> None:
        if rungs != self._rungs:
            self._rungs = rungs
            said = tr(", ").join(f"{_name(rung)} {_wait(rung)}" for rung in rungs)
            self.setAccessibleName(tr("Waits: {waits}").format(waits=said))
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._font_metrics().averageCharWidth() * 30, self._row() * len(self._rungs))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        if not self._rungs:
            return
        painter = QPainter(self)
        painter.setFont(self._font())
        metrics, tokens, row = self._font_metrics(), theme.tokens(), self._row()
        names = max(metrics.horizontalAdvance(_name(rung)) for rung in self._rungs) + 12
        waits = max(metrics.horizontalAdvance(_wait(rung)) for rung in self._rungs) + 10
        room = max(20, self.width() - names - waits)
        shortest = min(rung.wait_ms for rung in self._rungs)
        longest = max(rung.wait_ms for rung in self._rungs)
        for number, rung in enumerate(self._rungs):
            top = number * row
            painter.setPen(tokens.text_2)
            painter.drawText(QRectF(0, top, names, row), Qt.AlignmentFlag.AlignVCenter, _name(rung))
            length = room * _share(rung.wait_ms, shortest, longest)
            fill = theme.FILL[Status.UP if rung.failures == 0 else Status.PAUSED]
            bar = QRectF(names, top + (row - _BAR_HEIGHT) // 2, round(length), _BAR_HEIGHT)
            painter.fillRect(bar, fill)
            painter.setPen(tokens.text)
            text = QRectF(names + room + 10, top, waits, row)
            painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, _wait(rung))
        painter.end()

    def _font(self) -> QFont:
        return theme.tabular(theme.small(self.font()))

    def _font_metrics(self) -> QFontMetrics:
        return QFontMetrics(self._font())

    def _row(self) -> int:
        return self._font_metrics().lineSpacing() + _ROW_GAP


def _name(rung: Rung) -> str:
    n = rung.failures
    if n == 0:
        return tr("normal")
    if rung.is_last:
        return tr("{n} or more").format(n=n)
    return ntr("{n} failure", "{n} failures", n).format(n=n)


def _wait(rung: Rung) -> str:
    duration = _short(rung.wait_ms)
    return tr("{duration}, cap").format(duration=duration) if rung.is_cap else duration


def _share(wait_ms: int, shortest_ms: int, longest_ms: int) -> float:
    """How much of the longest bar; the shortest still has one to see."""
    if longest_ms <= shortest_ms:
        return 1.0
    steps = math.log2(longest_ms / shortest_ms)
    return (1 + math.log2(wait_ms / shortest_ms)) / (1 + steps)

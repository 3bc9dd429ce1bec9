"""The section of the chart: how far back, the figures in words, and the chart once it is seen."""

import asyncio
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QToolButton, QVBoxLayout, QWidget

from uptime_desktop.domain.model import DAY_MS, HOUR_MS
from uptime_desktop.domain.uptime import Tally
from uptime_desktop.gui import theme
from uptime_desktop.gui.detail.latest import Latest
from uptime_desktop.gui.detail.scale import SPANS_MS
from uptime_desktop.gui.detail.section import Heading
from uptime_desktop.gui.detail.series import Series
from uptime_desktop.gui.figures import lasted_text, response_text
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.i18n import ntr, tr

if TYPE_CHECKING:
    from uptime_desktop.gui.detail.chart import Chart

_CHART: Final = "uptime_desktop.gui.detail.chart"
_LINES: Final = 10


class ResponseTimes(QWidget):
    span_chosen = Signal(object)

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.span_ms = DAY_MS
        self.chart: Chart | None = None
        self._series: Series | None = None
        self._loading = Latest(tasks, self)
        self._is_loading = False
        self.heading = Heading(tr("Response time"))
        self.spans = QButtonGroup(self)
        for span_ms in SPANS_MS:
            self.heading.row.addWidget(self._span_button(span_ms))
        self.frame = QFrame()
        self.frame.setFrameShape(QFrame.Shape.StyledPanel)
        self.frame.setAutoFillBackground(True)
        self.frame.setBackgroundRole(QPalette.ColorRole.Base)
        self.frame.setFixedHeight(self.fontMetrics().lineSpacing() * _LINES)
        self.frame.setAccessibleName(tr("Response time"))
        inside = QVBoxLayout(self.frame)
        inside.setContentsMargins(0, 0, 0, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.CELL_PADDING)
        layout.addWidget(self.heading)
        layout.addWidget(self.frame)

    def _span_button(self, span_ms: int) -> QToolButton:
        button = QToolButton()
        button.setText(short_span_text(span_ms))
        button.setAccessibleName(span_text(span_ms))
        button.setToolTip(span_text(span_ms))
        button.setCheckable(True)
        button.setAutoRaise(True)
        button.setChecked(span_ms == self.span_ms)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(partial(self._choose, span_ms))
        self.spans.addButton(button)
        return button

    def _choose(self, span_ms: int) -> None:
        if span_ms != self.span_ms:
            self.span_ms = span_ms
            self.span_chosen.emit(span_ms)

    def name_it(self, name: str) -> None:
        """Say what it is that took time."""
        self.heading.set_title(name)
        self.frame.setAccessibleName(name)

    def clear(self) -> None:
        self.heading.set_summary("")

    def show_series(self, series: Series, tally: Tally) -> None:
        self._series = series
        self.heading.set_summary(figures_text(tally))
        self.frame.setAccessibleDescription(description(series, tally))
        if self.chart is not None:
            self.chart.show_series(series)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        super().showEvent(event)
        if self.chart is None and not self._is_loading:
            self._is_loading = True
            self._loading.start(self._load_chart())

    async def _load_chart(self) -> None:
        """Fetch what draws charts beside the window's thread: it takes a third of a second."""
        module = await asyncio.to_thread(import_module, _CHART)
        self.chart = module.Chart(self.frame)
        layout = self.frame.layout()
        assert layout is not None
        layout.addWidget(self.chart)
        if self._series is not None:
            self.chart.show_series(self._series)


def figures_text(tally: Tally) -> str:
    """`median 204 ms · p95 331 ms`."""
    median_ms, p95_ms = tally.percentile_ms(50), tally.percentile_ms(95)
    if median_ms is None:
        return tr("no answer in this time")
    return tr("median {median} · p95 {p95}").format(
        median=response_text(median_ms), p95=response_text(p95_ms)
    )


def description(series: Series, tally: Tally) -> str:
    """The chart for whoever does not see it; the run log is its table."""
    fastest, slowest = tally.fastest_tenths, tally.slowest_tenths
    said = [span_text(series.until - series.since), figures_text(tally)]
    if fastest is not None and slowest is not None:
        said.append(
            tr("from {fastest} to {slowest}").format(
                fastest=response_text(fastest / 10), slowest=response_text(slowest / 10)
            )
        )
    n = len(series.gaps)
    duration = lasted_text(sum(gap.duration_ms for gap in series.gaps))
    if n:
        template = ntr("{n} gap of {duration}", "{n} gaps, {duration} in all", n)
        said.append(template.format(n=n, duration=duration))
    else:
        said.append(tr("no gaps"))
    return tr(", ").join(said)


def short_span_text(span_ms: int) -> str:
    if span_ms <= DAY_MS:
        return tr("{n} h").format(n=span_ms // HOUR_MS)
    if span_ms <= 30 * DAY_MS:
        return tr("{n} d").format(n=span_ms // DAY_MS)
    return tr("{n} y").format(n=span_ms // (365 * DAY_MS))


def span_text(span_ms: int) -> str:
    if span_ms <= DAY_MS:
        n = span_ms // HOUR_MS
        return ntr("Last hour", "Last {n} hours", n).format(n=n)
    if span_ms <= 30 * DAY_MS:
        n = span_ms // DAY_MS
        return ntr("Last day", "Last {n} days", n).format(n=n)
    return tr("Last year")

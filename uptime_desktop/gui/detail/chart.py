"""The chart of response times. Only here is pyqtgraph, so that it is not loaded before it is seen.

It shows a `Series` and knows nothing else; nothing in it can be dragged or zoomed.
"""

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QSignalBlocker, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetrics, QHelpEvent, QPen
from PySide6.QtWidgets import QToolTip, QVBoxLayout, QWidget

from uptime_desktop.domain.status import Status
from uptime_desktop.gui import theme
from uptime_desktop.gui.detail.scale import time_marks, value_marks
from uptime_desktop.gui.detail.series import Series, Stretch
from uptime_desktop.gui.figures import clock_text, response_text
from uptime_desktop.gui.sentences import status_word
from uptime_desktop.gui.theme import Tokens
from uptime_desktop.i18n import tr

_BAND_ALPHA = 34
_TINT_ALPHA = {Status.DOWN: 46, Status.DEGRADED: 26}
_LABELLED_SHARE = 0.12
"""A gap is named where the words fit into it."""


class Chart(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._series: Series | None = None
        self._plot = pg.PlotWidget(self, background=None)
        self._plot.setFrameShape(self._plot.Shape.NoFrame)
        for one in (self._plot, self._plot.viewport()):
            one.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # The wheel scrolls what is around the chart; tooltips are ours.
        self._plot.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._item = self._plot.getPlotItem()
        self._item.hideButtons()
        self._item.setMenuEnabled(False)
        self._view = self._item.getViewBox()
        self._view.setMouseEnabled(False, False)
        self._view.disableAutoRange()
        self._view.setDefaultPadding(0)
        self._middle = pg.PlotCurveItem(connect="finite", antialias=True)
        edges = [pg.PlotCurveItem(connect="finite", pen=None) for _ in range(2)]
        self._lower, self._upper = edges
        self._band = pg.FillBetweenItem(self._lower, self._upper)
        self._grid = pg.PlotCurveItem(connect="pairs")
        # One item for all stretches of a kind: there may be hundreds of them.
        self._stretches = {
            status: pg.BarGraphItem(x0=[], x1=[], y0=0, height=[], pen=QPen(Qt.PenStyle.NoPen))
            for status in (Status.DOWN, Status.DEGRADED, Status.UNKNOWN)
        }
        for one in (self._grid, *self._stretches.values(), self._band, *edges, self._middle):
            self._item.addItem(one, ignoreBounds=True)
        self._passing: list[pg.GraphicsObject] = []
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 2)
        layout.addWidget(self._plot)
        self._colour()

    def show_series(self, series: Series) -> None:
        self._series = series
        for one in self._passing:
            self._item.removeItem(one)
        self._passing = []
        top, marks = value_marks(series.highest_ms)
        width = series.until - series.since
        self._view.setRange(xRange=(0, width), yRange=(0, top), padding=0)
        self._show_line(series)
        self._item.getAxis("left").setTicks([marks])
        heights = np.repeat([height for height, _ in marks], 2)
        self._grid.setData(np.tile([0.0, width], len(marks)), heights)
        times = time_marks(series.since, series.until)
        self._item.getAxis("bottom").setTicks([[(at - series.since, text) for at, text in times]])
        for status, item in self._stretches.items():
            shown = [one for one in series.stretches if one.status is status]
            _show_stretches(item, shown, series.since, top)
        for gap in series.gaps:
            if gap.duration_ms >= width * _LABELLED_SHARE:
                self._name_gap(gap, series)
        for incident in series.incidents:
            self._show_incident(incident.opened_at, incident.kind, series)

    def _show_line(self, series: Series) -> None:
        x = np.array(series.at) - series.since
        median_ms, p95_ms = np.array(series.median_ms), np.array(series.p95_ms)
        self._middle.setData(x, median_ms)
        # The band is made anew whenever one of its edges tells of a change; once is enough.
        with QSignalBlocker(self._lower):
            self._lower.setData(x, median_ms)
        self._upper.setData(x, p95_ms)

    def _name_gap(self, gap: Stretch, series: Series) -> None:
        tokens, font = theme.tokens(), theme.small(self.font())
        label = self._text(tr("not checked"), tokens.text_2, font, anchor=(0.5, 0.5))
        label.fill = pg.mkBrush(tokens.base)
        middle = (max(gap.since, series.since) + gap.until) / 2 - series.since
        label.setPos(middle, self._view.viewRange()[1][1] / 2)

    def _show_incident(self, opened_at: int, kind: Status, series: Series) -> None:
        at = opened_at - series.since
        colour = theme.tokens().of_status(kind)
        # The width of a pen is in pixels of the screen.
        pen = pg.mkPen(theme.FILL[kind], width=2 * self.devicePixelRatioF())
        self._add(pg.InfiniteLine(at, angle=90, pen=pen))
        template = tr("degraded {time}") if kind is Status.DEGRADED else tr("down {time}")
        words = template.format(time=clock_text(opened_at, series.until))
        on_left = at > (series.until - series.since) / 2
        font = theme.section(theme.small(self.font()))
        label = self._text(words, colour, font, anchor=(1, 0) if on_left else (0, 0))
        label.setPos(at, self._view.viewRange()[1][1])

    def _text(
        self, words: str, colour: QColor, font: QFont, anchor: tuple[float, float]
    ) -> pg.TextItem:
        label = pg.TextItem(words, color=colour, anchor=anchor)
        label.setFont(font)
        self._add(label)
        return label

    def _add(self, item: pg.GraphicsObject) -> None:
        self._passing.append(item)
        self._item.addItem(item, ignoreBounds=True)

    def _colour(self) -> None:
        tokens = theme.tokens()
        tiny = theme.tabular(theme.tiny(self.font()))
        metrics = QFontMetrics(tiny)
        for side in ("left", "bottom"):
            axis = self._item.getAxis(side)
            axis.setPen(QPen(Qt.PenStyle.NoPen))
            axis.setTextPen(pg.mkPen(tokens.text_2))
            # Words may reach past the ends of their axis by so much.
            room = 2 * metrics.height()
            axis.setStyle(tickFont=tiny, tickLength=0, tickAlpha=0, hideOverlappingLabels=room)
        self._item.getAxis("left").setWidth(
            metrics.horizontalAdvance(tr("{n} ms").format(n="0000")) + 6
        )
        self._item.getAxis("bottom").setHeight(metrics.height() + 6)
        now_width = metrics.horizontalAdvance(tr("now"))
        self._item.setContentsMargins(0, metrics.height() // 2, now_width // 2, 0)
        for status, item in self._stretches.items():
            item.setOpts(brush=_brush(status, tokens))
        self._grid.setPen(pg.mkPen(tokens.grid))
        self._middle.setPen(pg.mkPen(tokens.link, width=1.2 * self.devicePixelRatioF()))
        self._band.setBrush(pg.mkBrush(_faded(tokens.link, _BAND_ALPHA)))
        if self._series is not None:
            self.show_series(self._series)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._colour()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.text_at(event.pos()), self)
            return True
        return super().event(event)

    def text_at(self, place: QPoint) -> str:
        """What the chart says at a place, if anything."""
        series = self._series
        in_plot = self._plot.mapFrom(self, place)
        if series is None or not self._plot.rect().contains(in_plot):
            return ""
        at = self._view.mapSceneToView(self._plot.mapToScene(in_plot)).x() + series.since
        if not series.since <= at <= series.until:
            return ""
        point = series.nearest(at)
        if point is None:
            return tr("not checked")
        when = clock_text(point.at, series.until)
        if point.median_ms is None:
            return f"{when} · {status_word(point.status)}"
        if not point.width_ms:
            return f"{when} · {response_text(point.median_ms)}"
        return tr("{time} · median {median} · p95 {p95}").format(
            time=when, median=response_text(point.median_ms), p95=response_text(point.p95_ms)
        )


def _show_stretches(
    item: pg.BarGraphItem, stretches: Sequence[Stretch], left: int, top: float
) -> None:
    since = [max(0, one.since - left) for one in stretches]
    until = [one.until - left for one in stretches]
    item.setOpts(x0=since, x1=until, y0=0, height=[top] * len(stretches))


def _brush(status: Status, tokens: Tokens) -> QBrush:
    if status is Status.UNKNOWN:
        return QBrush(tokens.hatch, Qt.BrushStyle.BDiagPattern)
    return QBrush(_faded(theme.FILL[status], _TINT_ALPHA[status]))


def _faded(colour: QColor, alpha: int) -> QColor:
    faded = QColor(colour)
    faded.setAlpha(alpha)
    return faded

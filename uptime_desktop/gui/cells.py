"""Paints the cells of the list. No rich text and no layout: rectangles and strings."""

from functools import lru_cache
from typing import Final

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QPainter,
    QPen,
    QPixmap,
    QPixmapCache,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
)

from uptime_desktop.domain.status import Status
from uptime_desktop.gui import figures, icons, sentences, theme
from uptime_desktop.gui.monitor_table import ROW_ROLE, Band, Column, Index, MonitorTable
from uptime_desktop.gui.watch import Watched

BAR: Final = 3
BAR_STEP: Final = 4
STRIP_HEIGHT: Final = 18
INDENT: Final = 32
COMPACT_HEIGHT: Final = 26
FLAG: Final = 12
_HEIGHTS: Final = {Status.DOWN: 18, Status.DEGRADED: 14, Status.UP: 10}
_TICK: Final = 2
_COLUMNS: Final = tuple(Column)
_LEFT: Final = Qt.AlignmentFlag.AlignVCenter
_RIGHT: Final = _LEFT | Qt.AlignmentFlag.AlignRight


def row_height(font: QFont, *, compact: bool) -> int:
    if compact:
        return max(COMPACT_HEIGHT, QFontMetrics(font).lineSpacing() + 8)
    lines = QFontMetrics(font).lineSpacing() + QFontMetrics(theme.small(font)).lineSpacing()
    return max(40, lines + 8)


class Cells(QStyledItemDelegate):
    """`UserRole + 1` of every index is its row."""

    def __init__(self, model: MonitorTable, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._model = model
        self._view = view
        self.is_compact = False
        self.restyle()

    def restyle(self) -> None:
        """Take fonts and colours from what they are now."""
        base = self._view.font()
        self._plain = theme.tabular(base)
        self._name = theme.medium(base)
        self._small = theme.tabular(theme.small(base))
        self._strong = theme.tabular(theme.medium(base))
        self._section = theme.section(base)
        self._line = QFontMetrics(self._plain).lineSpacing()
        self._small_line = QFontMetrics(self._small).lineSpacing()
        self._tokens = theme.tokens()

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:  # noqa: N802
        return QSize(60, row_height(self._view.font(), compact=self.is_compact))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = self._model.rows[index.row()]
        area: QRect = option.rect
        # A set of flags, as the option has them, is slow to look into.
        is_selected = self._view.selectionModel().isSelected(index)
        painter.save()
        if isinstance(row, Band):
            self._paint_band(painter, area, row, index, is_selected=is_selected)
        else:
            painter.fillRect(area, self._tokens.selected if is_selected else self._tokens.base)
            self._paint_cell(painter, area, row, _COLUMNS[index.column()])
            painter.fillRect(area.x(), area.bottom(), area.width(), 1, self._tokens.grid)
        if self._view.hasFocus() and self._view.currentIndex().row() == index.row():
            self._paint_focus(painter, area, index)
        painter.restore()

    def helpEvent(  # noqa: N802
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        row = index.data(ROW_ROLE)
        is_strip = index.column() == Column.STRIP and isinstance(row, Watched)
        if event.type() is QEvent.Type.ToolTip and is_strip:
            text = self.beat_text(row, event.pos(), option.rect)
            QToolTip.showText(event.globalPos(), text, view)
            return True
        return super().helpEvent(event, view, option, index)

    def _paint_focus(self, painter: QPainter, area: QRect, index: Index) -> None:
        """One frame around the whole row."""
        painter.setPen(QPen(self._view.palette().highlight().color(), 1))
        last = self._model.columnCount() - 1
        painter.drawLine(area.topLeft(), area.topRight())
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        if index.column() == 0:
            painter.drawLine(area.topLeft(), area.bottomLeft())
        if index.column() == last:
            painter.drawLine(area.topRight(), area.bottomRight())

    def _paint_band(
        self, painter: QPainter, area: QRect, band: Band, index: Index, *, is_selected: bool
    ) -> None:
        """The same row in every cell, shifted by where the cell begins and cut off there."""
        painter.fillRect(area, self._tokens.selected if is_selected else self._tokens.window)
        painter.setClipRect(area)
        start = self._view.visualRect(self._model.index(index.row(), 0)).x()
        middle = area.center().y()
        self._paint_fold(painter, QPoint(start + 10, middle), is_folded=band.is_folded)
        icon = self._icon(icons.icon_name(band.status))
        painter.drawPixmap(start + 22, middle - theme.ICON // 2 + 1, icon)
        x = start + 22 + theme.ICON + theme.CELL_PADDING
        painter.setFont(self._section)
        painter.setPen(self._tokens.text)
        width = QFontMetrics(self._section).horizontalAdvance(band.site.name)
        line = QRect(x, area.y(), width + 4, area.height())
        painter.drawText(line, _LEFT, band.site.name)
        painter.setFont(self._small)
        painter.setPen(self._tokens.text_2)
        rest = QRect(line.right() + theme.CELL_PADDING, area.y(), 2_000, area.height())
        counts = sentences.counts_text(band.counts)
        painter.drawText(rest, _LEFT, counts)

    def _paint_fold(self, painter: QPainter, centre: QPoint, *, is_folded: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._tokens.text_2, 1.4))
        x, y = centre.x(), centre.y()
        points = (
            [QPoint(x - 2, y - 4), QPoint(x + 2, y), QPoint(x - 2, y + 4)]
            if is_folded
            else [QPoint(x - 4, y - 2), QPoint(x, y + 2), QPoint(x + 4, y - 2)]
        )
        painter.drawPolyline(points)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_cell(self, painter: QPainter, area: QRect, row: Watched, column: Column) -> None:
        inner = area.adjusted(theme.CELL_PADDING, 0, -theme.CELL_PADDING, 0)
        colours = self._tokens
        match column:
            case Column.MONITOR:
                self._paint_monitor(painter, inner, row)
            case Column.STRIP:
                self._paint_strip(painter, inner, row)
            case Column.DAY | Column.MONTH:
                is_day = column is Column.DAY
                share = row.uptime_day if is_day else row.uptime_month
                is_bad = is_day and share is not None and row.status is Status.DOWN
                colour = colours.down if is_bad else colours.text
                self._right(painter, inner, figures.uptime_text(share), colour)
            case Column.RESPONSE:
                is_slow = row.status is Status.DEGRADED
                colour = colours.degraded if is_slow else colours.text
                self._right(painter, inner, figures.response_text(row.response_ms), colour)
            case Column.NEXT:
                self._paint_next(painter, inner, row)

    def _paint_monitor(self, painter: QPainter, inner: QRect, row: Watched) -> None:
        left = INDENT if self._model.view.by_site else theme.CELL_PADDING
        x = inner.x() + left - theme.CELL_PADDING
        is_paused = row.status is Status.PAUSED
        colour = self._tokens.text_2 if is_paused else self._tokens.text
        text = QRect(inner)
        text.setLeft(x + theme.ICON + theme.CELL_PADDING)
        shown = row.monitor.name
        if row.maintenance is not None:
            shown = self._paint_flag(painter, text, shown)
        upper = self._lines(painter, text, shown, row.target, self._name, colour)
        icon_y = upper.center().y() - theme.ICON // 2 + 1
        painter.drawPixmap(x, icon_y, self._icon(icons.icon_name(row.status)))

    def _paint_flag(self, painter: QPainter, area: QRect, name: str) -> str:
        """A spanner after the name, which gives up room for it; as much of it as stays."""
        shown = _elided(name, self._name, area.width() - FLAG - theme.CELL_PADDING)
        x = area.x() + QFontMetrics(self._name).horizontalAdvance(shown) + theme.CELL_PADDING
        lower_height = 0 if self.is_compact else self._small_line
        middle = area.y() + (area.height() - lower_height) // 2
        flag = icons.pixmap(icons.MAINTENANCE, FLAG, self._view.devicePixelRatioF())
        painter.drawPixmap(x, middle - FLAG // 2, flag)
        return shown

    def _paint_next(self, painter: QPainter, inner: QRect, row: Watched) -> None:
        first, second = sentences.next_run_lines(row, self._model.now())
        font, colour = self._plain, self._tokens.text
        if row.is_checking:
            colour = self._tokens.link
        elif row.status is Status.DOWN and not row.follows:
            font, colour = self._strong, self._tokens.down
        elif row.status is Status.PAUSED:
            colour = self._tokens.text_2
        self._lines(painter, inner, first, second, font, colour)

    def _lines(
        self, painter: QPainter, area: QRect, first: str, second: str, font: QFont, colour: QColor
    ) -> QRect:
        """A fact over its reason; in a compact row the fact alone. Where the first one stands."""
        upper_height = self._line
        lower_height = 0 if self.is_compact else self._small_line
        top = area.y() + (area.height() - upper_height - lower_height) // 2
        upper = QRect(area.x(), top, area.width(), upper_height)
        painter.setFont(font)
        painter.setPen(colour)
        painter.drawText(upper, _LEFT, _elided(first, font, area.width()))
        if not self.is_compact:
            lower = QRect(area.x(), top + upper_height, area.width(), lower_height)
            painter.setFont(self._small)
            painter.setPen(self._tokens.text_2)
            shown = _elided(second, self._small, area.width())
            painter.drawText(lower, _LEFT, shown)
        return upper

    def _right(self, painter: QPainter, area: QRect, text: str, colour: QColor) -> None:
        painter.setFont(self._plain)
        painter.setPen(self._tokens.text_2 if text == figures.NOTHING else colour)
        painter.drawText(area, _RIGHT, text)

    # The strip of the last runs

    def _paint_strip(self, painter: QPainter, inner: QRect, row: Watched) -> None:
        ratio = self._view.devicePixelRatioF()
        newest = row.beats[-1].started_at if row.beats else 0
        is_dark = self._tokens is theme.DARK
        key = f"strip/{row.monitor.number}/{newest}/{inner.width()}/{is_dark}/{ratio}"
        strip = QPixmap()
        if not QPixmapCache.find(key, strip):
            strip = self._drawn_strip(row, inner.width(), ratio)
            QPixmapCache.insert(key, strip)
        painter.drawPixmap(inner.x(), inner.center().y() - STRIP_HEIGHT // 2, strip)

    def _drawn_strip(self, row: Watched, width: int, ratio: float) -> QPixmap:
        drawn = QPixmap(round(width * ratio), round(STRIP_HEIGHT * ratio))
        drawn.setDevicePixelRatio(ratio)
        drawn.fill(Qt.GlobalColor.transparent)
        painter = QPainter(drawn)
        room = width // BAR_STEP
        beats = list(row.beats)[-room:]
        for place in range(room):
            number = place - (room - len(beats))
            status = beats[number].status if number >= 0 else Status.PENDING
            height = _HEIGHTS.get(status, _TICK)
            is_tick = height == _TICK
            idle = self._tokens.line if status is Status.PENDING else self._tokens.hatch
            colour = idle if is_tick else theme.FILL[status]
            painter.fillRect(place * BAR_STEP, STRIP_HEIGHT - height, BAR, height, colour)
        painter.end()
        return drawn

    def beat_text(self, row: Watched, at: QPoint, area: QRect) -> str:
        """What the bar under the pointer stands for."""
        inner = area.adjusted(theme.CELL_PADDING, 0, -theme.CELL_PADDING, 0)
        room = inner.width() // BAR_STEP
        beats = list(row.beats)[-room:]
        number = (at.x() - inner.x()) // BAR_STEP - (room - len(beats))
        if not 0 <= number < len(beats):
            return ""
        beat = beats[number]
        parts = [
            figures.clock_text(beat.started_at, self._model.now()),
            sentences.status_word(beat.status),
        ]
        if beat.response_ms is not None:
            parts.append(figures.response_text(beat.response_ms))
        return " · ".join(parts)

    def _icon(self, name: str) -> QPixmap:
        return icons.pixmap(name, theme.ICON, self._view.devicePixelRatioF())


@lru_cache(maxsize=20_000)
def _elided(text: str, font: QFont, width: int) -> str:
    return QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, width)

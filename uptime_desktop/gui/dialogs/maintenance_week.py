"""A week to draw on: seven columns, the hours down, and windows as blocks on it.

It shows what it is given and tells what hands want; what that means is for its owner to say.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from uptime_desktop.domain.status import Status
from uptime_desktop.gui import theme
from uptime_desktop.i18n import tr

STEP: Final = 15
"""The minutes that hands snap to."""
DAY: Final = 24 * 60
WEEK: Final = 7 * DAY
_HOURS: Final = 24
_EDGE: Final = 5
_BAR: Final = 3
_SHADE: Final = 72


@dataclass(frozen=True, slots=True)
class Block:
    """Minutes from the beginning of the week, and how many."""

    start: int
    minutes: int

    @property
    def end(self) -> int:
        return self.start + self.minutes


@dataclass(frozen=True, slots=True)
class Week:
    """What is on the sheet. A week that `repeats` goes on at its top where it ends."""

    titles: Sequence[str]
    blocks: Sequence[Block] = ()
    days: frozenset[int] = frozenset()
    repeats: bool = False


@dataclass(slots=True)
class _Grip:
    """What a hand has hold of: a block, or its end, or (None) a cell from which it draws."""

    at: int
    block: Block | None
    is_end: bool = False
    has_drawn: bool = False


class WeekGrid(QWidget):
    drawn = Signal(int, int, bool)
    """A new block: its first minute of the week, its minutes, and whether others stay."""
    moved = Signal(int, int)
    """The blocks go so many days and minutes further."""
    stretched = Signal(int)
    """They last so many minutes longer."""
    day_toggled = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.week = Week([""] * 7)
        self._can_draw = self._has_days = False
        self._grip: _Grip | None = None
        self._day = 0
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Week"))

    def show_week(self, week: Week, *, can_draw: bool, has_days: bool = False) -> None:
        """Show this; whether hands can draw on it, and choose days by their names."""
        self._can_draw, self._has_days = can_draw, has_days
        takes_keys = Qt.FocusPolicy.StrongFocus if can_draw else Qt.FocusPolicy.NoFocus
        self.setFocusPolicy(takes_keys)
        if week != self.week:
            self.week = week
            self.update()

    # Where things are

    def sizeHint(self) -> QSize:  # noqa: N802
        line = QFontMetrics(self._small()).lineSpacing()
        return QSize(self._gutter() + 7 * self._widest() + 1, self._head() + _HOURS * line)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(self.sizeHint().width(), self._head() + _HOURS * 8)

    def point_of(self, minute: int) -> QPoint:
        """Where a minute of the week begins, in the middle of its column."""
        day, of_day = divmod(minute, DAY)
        return QPoint((self._x(day) + self._x(day + 1)) // 2, self._y(of_day))

    def title_point(self, day: int) -> QPoint:
        return QPoint((self._x(day) + self._x(day + 1)) // 2, self._head() // 2)

    def _gutter(self) -> int:
        return QFontMetrics(self._tiny()).horizontalAdvance("00:00") + 8

    def _head(self) -> int:
        return self.fontMetrics().lineSpacing() + 10

    def _widest(self) -> int:
        metrics = QFontMetrics(theme.section(self.font()))
        times = QFontMetrics(self._tiny()).horizontalAdvance("00:00 –") + _BAR + 9
        return max(times, *(metrics.horizontalAdvance(title) + 12 for title in self.week.titles))

    def _x(self, day: int) -> int:
        gutter = self._gutter()
        return gutter + (self.width() - gutter - 1) * day // 7

    def _y(self, minute: int) -> int:
        head = self._head()
        return head + (self.height() - head - 1) * minute // DAY

    def _cell(self, at: QPoint) -> int:
        """The minute of the week that a step begins at, near a point that may lie outside."""
        gutter, head = self._gutter(), self._head()
        day = (at.x() - gutter) * 7 // max(1, self.width() - gutter - 1)
        minute = (at.y() - head) * DAY // max(1, self.height() - head - 1)
        minute = min(max(minute, 0), DAY - 1) // STEP * STEP
        return min(max(day, 0), 6) * DAY + minute

    def _parts(self, block: Block) -> Iterator[tuple[int, int, int]]:
        """The day, first and last minute of each column that a block goes through."""
        start = block.start
        while start < block.end:
            day, first = divmod(start, DAY)
            last = min(DAY, first + block.end - start)
            if self.week.repeats:
                yield day % 7, first, last
            elif 0 <= day < 7:
                yield day, first, last
            start += last - first

    def _area(self, part: tuple[int, int, int]) -> QRect:
        day, first, last = part
        left, top = self._x(day) + 2, self._y(first) + 1
        return QRect(left, top, self._x(day + 1) - 2 - left, max(3, self._y(last) - top))

    def _find(self, at: QPoint) -> tuple[Block, bool] | None:
        """The block at a point, and whether it is its end."""
        for block in self.week.blocks:
            areas = [self._area(part) for part in self._parts(block)]
            for area in areas:
                near = area.adjusted(0, 0, 0, _EDGE) if area is areas[-1] else area
                if near.contains(at):
                    is_end = area is areas[-1] and at.y() > area.bottom() - _EDGE
                    return block, is_end
        return None

    # Hands

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        at = event.position().toPoint()
        if not self._can_draw or event.button() is not Qt.MouseButton.LeftButton:
            return
        if at.x() < self._gutter():
            return
        if at.y() < self._head():
            if self._has_days:
                self._day = self._cell(at) // DAY
                self.day_toggled.emit(self._day)
            return
        found = self._find(at)
        if found is None:
            self._grip = _Grip(self._cell(at), None)
        else:
            self._grip = _Grip(self._cell(at), *found)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        at, grip = event.position().toPoint(), self._grip
        if grip is None:
            self._point(at)
            return
        cell = self._cell(at)
        if grip.block is None:
            adds = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            # A press alone draws nothing, but who comes back to its place has drawn a step.
            grip.has_drawn |= cell != grip.at
            if grip.has_drawn:
                self.drawn.emit(min(cell, grip.at), abs(cell - grip.at) + STEP, adds)
        elif cell != grip.at:
            days = cell // DAY - grip.at // DAY
            minutes = cell % DAY - grip.at % DAY
            grip.at = cell
            if grip.is_end:
                self.stretched.emit(days * DAY + minutes)
            else:
                self.moved.emit(days, minutes)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._grip = None
        self._point(event.position().toPoint())

    def _point(self, at: QPoint) -> None:
        """Show what a press would do here."""
        shape = Qt.CursorShape.ArrowCursor
        if self._can_draw and at.x() >= self._gutter():
            found = self._find(at)
            if at.y() < self._head():
                is_button = self._has_days
                shape = Qt.CursorShape.PointingHandCursor if is_button else shape
            elif found is None:
                shape = Qt.CursorShape.CrossCursor
            else:
                is_end = found[1]
                shape = Qt.CursorShape.SizeVerCursor if is_end else Qt.CursorShape.SizeAllCursor
        self.setCursor(shape)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        longer = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match event.key():
            case Qt.Key.Key_Up | Qt.Key.Key_Down if self._can_draw:
                minutes = -STEP if event.key() == Qt.Key.Key_Up else STEP
                if longer:
                    self.stretched.emit(minutes)
                else:
                    self.moved.emit(0, minutes)
            case Qt.Key.Key_Left | Qt.Key.Key_Right if self._can_draw:
                days = -1 if event.key() == Qt.Key.Key_Left else 1
                if self._has_days:
                    self._day = (self._day + days) % 7
                    self.update()
                else:
                    self.moved.emit(days, 0)
            case Qt.Key.Key_Space if self._has_days:
                self.day_toggled.emit(self._day)
            case _:
                super().keyPressEvent(event)

    # How it looks

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        top_left, bottom_right = QPoint(self._x(0), self._head()), QPoint(self._x(7), self._y(DAY))
        painter.fillRect(QRect(top_left, bottom_right), theme.tokens().base)
        self._paint_titles(painter)
        self._paint_hours(painter)
        self._paint_blocks(painter)
        painter.end()

    def _paint_titles(self, painter: QPainter) -> None:
        tokens = theme.tokens()
        for day, title in enumerate(self.week.titles):
            area = QRect(self._x(day), 0, self._x(day + 1) - self._x(day), self._head())
            is_chosen = day in self.week.days
            if is_chosen:
                painter.fillRect(area.adjusted(1, 0, 0, 0), tokens.selected)
            painter.setFont(theme.section(self.font()) if is_chosen else self.font())
            painter.setPen(tokens.text if is_chosen or not self._has_days else tokens.text_2)
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, title)
            if self._has_days and self.hasFocus() and day == self._day:
                painter.setPen(QPen(self.palette().highlight().color(), 1))
                painter.drawRect(area.adjusted(1, 0, -1, -1))

    def _paint_hours(self, painter: QPainter) -> None:
        tokens = theme.tokens()
        left, right, bottom = self._x(0), self._x(7), self._y(DAY)
        for hour in range(_HOURS + 1):
            colour = tokens.grid if hour % 6 else tokens.line
            painter.fillRect(left, self._y(hour * 60), right - left, 1, colour)
        for day in range(8):
            painter.fillRect(self._x(day), self._head(), 1, bottom - self._head(), tokens.line)
        painter.setFont(self._tiny())
        painter.setPen(tokens.text_2)
        height = QFontMetrics(self._tiny()).height()
        for hour in range(0, _HOURS, 3):
            top = max(self._head() - 2, self._y(hour * 60) - height // 2)
            area = QRect(0, top, self._gutter() - 6, height)
            painter.drawText(area, Qt.AlignmentFlag.AlignRight, f"{hour:02}:00")
        if self.hasFocus() and not self._has_days:
            painter.setPen(QPen(self.palette().highlight().color(), 1))
            painter.drawRect(QRect(left, self._head(), right - left, bottom - self._head()))

    def _paint_blocks(self, painter: QPainter) -> None:
        """The ground once where several overlap, then where each begins and when it is."""
        solid = theme.FILL[Status.PAUSED]
        shade = QColor(solid)
        shade.setAlpha(_SHADE)
        grounds, bars = QRegion(), QRegion()
        for block in self.week.blocks:
            for part in self._parts(block):
                area = self._area(part)
                grounds += QRegion(area)
                bars += QRegion(area.x(), area.y(), _BAR, area.height())
        for region, colour in ((grounds - bars, shade), (bars, solid)):
            painter.setClipRegion(region)
            painter.fillRect(self.rect(), colour)
        painter.setClipping(False)
        painter.setFont(self._tiny())
        painter.setPen(theme.tokens().text)
        for block in self.week.blocks:
            first = next(self._parts(block), None)
            if first is not None and first[0] == block.start // DAY:
                inside = self._area(first).adjusted(_BAR + 3, 0, -1, 0)
                painter.drawText(inside, Qt.AlignmentFlag.AlignTop, self._times(block, inside))

    def _times(self, block: Block, area: QRect) -> str:
        """When it is, as far as there is room."""
        metrics = QFontMetrics(self._tiny())
        start, end = (
            f"{minute % DAY // 60:02}:{minute % 60:02}" for minute in (block.start, block.end)
        )
        for lines in ((f"{start} – {end}",), (f"{start} –", end), (start,)):
            wide = max(map(metrics.horizontalAdvance, lines))
            if wide <= area.width() and metrics.height() * len(lines) <= area.height() + _EDGE:
                return "\n".join(lines)
        return ""

    def _small(self) -> QFont:
        return theme.small(self.font())

    def _tiny(self) -> QFont:
        return theme.tabular(theme.tiny(self.font()))

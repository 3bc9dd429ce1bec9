"""Where the time of a run went: one bar in as many parts as the run had, with a legend."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from uptime_desktop.gui import theme
from uptime_desktop.gui.figures import response_text
from uptime_desktop.gui.phases import phase_text
from uptime_desktop.i18n import tr

_BAR: Final = 8
_SWATCH: Final = 8
_GAP: Final = 9

_COLOURS: Final = {
    "dns": QColor("#5A8FBF"),
    "connect": QColor("#3B7DDD"),
    "proxy": QColor("#A0672A"),
    "starttls": QColor("#A0539B"),
    "tls": QColor("#7E6BC4"),
    "first_byte": QColor("#168F68"),
    "body": QColor("#7C8692"),
}
"""Told apart from both backgrounds; which is which stands in words beside it."""


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    duration_ms: float

    @property
    def text(self) -> str:
        return phase_text(self.name, self.duration_ms)


def parts_of(timings_ms: Sequence[tuple[str, float]]) -> tuple[list[Part], float]:
    """The phases and the total; what no phase accounts for was the body."""
    phases = [Part(name, spent) for name, spent in timings_ms if name != "total"]
    spent_ms = sum(part.duration_ms for part in phases)
    total_ms = dict(timings_ms).get("total", spent_ms)
    if phases and phases[-1].name == "first_byte" and total_ms > spent_ms:
        phases.append(Part("body", total_ms - spent_ms))
    return phases, total_ms


class TimingBar(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: list[Part] = []
        self._total_ms = 0.0
        self.setFont(theme.tabular(theme.tiny(self.font())))
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(tr("Timing"))

    def show_timings(self, timings_ms: Sequence[tuple[str, float]]) -> None:
        self._parts, self._total_ms = parts_of(timings_ms)
        words = [*(part.text for part in self._parts), self._total_text()]
        self.setAccessibleDescription(tr(", ").join(words))
        self.setVisible(bool(self._parts))
        self.updateGeometry()
        self.update()

    def _total_text(self) -> str:
        return tr("total {duration}").format(duration=response_text(self._total_ms))

    def hasHeightForWidth(self) -> bool:  # noqa: N802 - Qt's name
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802 - Qt's name
        return self._places(width)[-1].bottom() + 1

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(360, self.heightForWidth(360))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(120, self.heightForWidth(120) if self.width() < 120 else 0)

    def _places(self, width: int) -> list[QRect]:
        """Where the legend's words stand, line by line, the total at the right of the last."""
        metrics = QFontMetrics(self.font())
        line = metrics.lineSpacing()
        x, y = 0, _BAR + theme.CELL_PADDING
        places = []
        for part in self._parts:
            wide = _SWATCH + 4 + metrics.horizontalAdvance(part.text)
            if x and x + wide > width:
                x, y = 0, y + line
            places.append(QRect(x, y, wide, line))
            x += wide + _GAP
        wide = metrics.horizontalAdvance(self._total_text())
        if x and x + wide > width:
            y += line
        places.append(QRect(max(0, width - wide), y, wide, line))
        return places

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802, ARG002 - Qt's name
        tokens = theme.tokens()
        painter = QPainter(self)
        self._paint_bar(painter)
        *places, last = self._places(self.width())
        text_y = Qt.AlignmentFlag.AlignVCenter
        for part, place in zip(self._parts, places, strict=True):
            swatch = QRect(0, 0, _SWATCH, _SWATCH)
            swatch.moveCenter(place.center())
            swatch.moveLeft(place.left())
            painter.fillRect(swatch, _colour(part))
            painter.setPen(tokens.text_2)
            words = place.adjusted(_SWATCH + 4, 0, _SWATCH, 0)
            painter.drawText(words, text_y | Qt.AlignmentFlag.AlignLeft, part.text)
        painter.setPen(tokens.text)
        painter.drawText(last, text_y | Qt.AlignmentFlag.AlignRight, self._total_text())
        painter.end()

    def _paint_bar(self, painter: QPainter) -> None:
        spent_ms = sum(part.duration_ms for part in self._parts) or 1.0
        x = 0.0
        for part in self._parts:
            wide = self.width() * part.duration_ms / spent_ms
            # A pixel between the parts, so that they are told apart without colour.
            painter.fillRect(QRectF(x, 0, max(1.0, wide - 1), _BAR), _colour(part))
            x += wide


def _colour(part: Part) -> QColor:
    return _COLOURS.get(part.name, _COLOURS["body"])

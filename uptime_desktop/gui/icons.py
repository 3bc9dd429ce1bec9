"""Icons from the SVGs in `resources`, rendered once for each size, and the ones of the tray."""

from functools import cache
from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QIcon, QPainter, QPainterPath, QPixmap
from PySide6.QtSvg import QSvgRenderer

from uptime_desktop.config import resource
from uptime_desktop.domain.status import Status

CHECKING: Final = "status-checking"
MAINTENANCE: Final = "flag-maintenance"
_TRAY_SIZES: Final = (16, 22, 24, 32, 48, 64)
_MOST_COUNTED: Final = 9


def icon_name(status: Status) -> str:
    return f"status-{status.value}"


@cache
def pixmap(name: str, size: int, ratio: float = 1.0) -> QPixmap:
    """An SVG at so many logical pixels on a screen of this device pixel ratio."""
    drawn = QPixmap(QSize(round(size * ratio), round(size * ratio)))
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    _renderer(name).render(painter, QRectF(drawn.rect()))
    painter.end()
    drawn.setDevicePixelRatio(ratio)
    return drawn


@cache
def icon(name: str) -> QIcon:
    made = QIcon()
    for size in _TRAY_SIZES:
        made.addPixmap(pixmap(name, size))
    return made


def status_icon(status: Status) -> QIcon:
    return icon(icon_name(status))


@cache
def app_icon() -> QIcon:
    made = QIcon()
    for size in (16, 22, 24):
        made.addPixmap(pixmap("app-16", size))
    for size in (32, 48, 64, 128, 256):
        made.addPixmap(pixmap("app", size))
    return made


@cache
def tray_icon(status: Status, count: int, *, checking: bool = False, mono: bool = False) -> QIcon:
    """The shape of the worst status; how many are down stands in the octagon."""
    name = CHECKING if checking else icon_name(status)
    has_count = status is Status.DOWN and not checking and count > 0
    if has_count:
        name = "status-down-plain"
    if mono:
        name = f"mono/{name}-symbolic"
    made = QIcon()
    for size in _TRAY_SIZES:
        drawn = QPixmap(pixmap(name, size))
        if has_count:
            _write_count(drawn, count, cut_out=mono)
        made.addPixmap(drawn)
    made.setIsMask(mono)
    return made


@cache
def _renderer(name: str) -> QSvgRenderer:
    return QSvgRenderer(str(resource(f"icons/{name}.svg")))


def _write_count(drawn: QPixmap, count: int, *, cut_out: bool) -> None:
    text = str(count) if count <= _MOST_COUNTED else f"{_MOST_COUNTED}+"
    size = drawn.width()
    font = QFont()
    font.setPixelSize(round(size * (0.75 if len(text) == 1 else 0.62)))
    font.setWeight(QFont.Weight.ExtraBold)
    bounds = QFontMetricsF(font).tightBoundingRect(text)
    origin = QPointF(
        round((size - bounds.width()) / 2 - bounds.x()),
        round((size - bounds.height()) / 2 - bounds.y()),
    )
    path = QPainterPath()
    path.addText(origin, font, text)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if cut_out:
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationOut)
    painter.fillPath(path, QColor("white"))
    painter.end()

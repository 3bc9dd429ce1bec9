"""Colours, fonts and spaces. Status has colours of its own; all else is the platform's.

Only under Fusion, which has none, the palette is ours too.
"""

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from uptime_desktop.domain.status import Status

CELL_PADDING: Final = 6
MARGIN: Final = 16
ICON: Final = 16


@dataclass(frozen=True, slots=True)
class Tokens:
    """The colours of one theme, by what they are for."""

    window: QColor
    base: QColor
    alternate: QColor
    selected: QColor
    text: QColor
    text_2: QColor
    up: QColor
    degraded: QColor
    down: QColor
    paused: QColor
    link: QColor
    control_border: QColor
    line: QColor
    grid: QColor
    hatch: QColor
    accent: QColor

    def of_status(self, status: Status) -> QColor:
        """For words. Unknown and pending are never green and never red."""
        match status:
            case Status.UP:
                return self.up
            case Status.DEGRADED:
                return self.degraded
            case Status.DOWN:
                return self.down
            case Status.PAUSED:
                return self.paused
            case _:
                return self.text_2


LIGHT: Final = Tokens(
    *(
        QColor(name)
        for name in (
            "#F2F3F4 #FFFFFF #F8F9FA #E0EBFB #1D2125 #59616B #0C6E4E #8A4F00 #B3261E #4C5F85"
            " #1F5FBF #7F8790 #D8DCE0 #E8EBEE #B4BBC3 #2A6FDB"
        ).split()
    )
)
DARK: Final = Tokens(
    *(
        QColor(name)
        for name in (
            "#24272B #1B1D20 #202226 #1E2E46 #E6E8EA #A2AAB4 #4CC79A #F0A63C #FF8074 #9DB1D9"
            " #7FB2FF #6B747E #3A3F45 #2A2D32 #515962 #3370D4"
        ).split()
    )
)

FILL: Final = {
    Status.UP: QColor("#168F68"),
    Status.DEGRADED: QColor("#C26A00"),
    Status.DOWN: QColor("#DB3E2F"),
    Status.UNKNOWN: QColor("#7C8692"),
    Status.PENDING: QColor("#7C8692"),
    Status.PAUSED: QColor("#6B7FA3"),
}
"""For shapes: one set that can be told from the background in both themes and on any panel."""


class _Wish:
    """What was asked for where the platform itself does not know of light and dark."""

    scheme = Qt.ColorScheme.Unknown


def ask_for(scheme: Qt.ColorScheme, app: QApplication) -> None:
    """Be light or dark whatever the system is; `Unknown` follows the system again."""
    _Wish.scheme = scheme
    QGuiApplication.styleHints().setColorScheme(scheme)
    apply_palette(app)


def is_dark() -> bool:
    scheme = QGuiApplication.styleHints().colorScheme()
    if _Wish.scheme is not Qt.ColorScheme.Unknown:
        scheme = _Wish.scheme
    if scheme is Qt.ColorScheme.Unknown:
        return QGuiApplication.palette().window().color().lightness() < 128
    return scheme is Qt.ColorScheme.Dark


def tokens() -> Tokens:
    return DARK if is_dark() else LIGHT


def is_fusion(app: QApplication) -> bool:
    """Whether the platform has no style of its own."""
    style = app.style()
    return "fusion" in (style.name().lower(), style.objectName().lower())


def apply_palette(app: QApplication) -> None:
    """Give Fusion our colours; a native style keeps its own."""
    if not is_fusion(app):
        return
    now = tokens()
    palette = QPalette()
    for role, colour in (
        (QPalette.ColorRole.Window, now.window),
        (QPalette.ColorRole.Base, now.base),
        (QPalette.ColorRole.AlternateBase, now.alternate),
        (QPalette.ColorRole.Button, now.window),
        (QPalette.ColorRole.ToolTipBase, now.base),
        (QPalette.ColorRole.Text, now.text),
        (QPalette.ColorRole.WindowText, now.text),
        (QPalette.ColorRole.ButtonText, now.text),
        (QPalette.ColorRole.ToolTipText, now.text),
        (QPalette.ColorRole.PlaceholderText, now.text_2),
        (QPalette.ColorRole.Link, now.link),
        (QPalette.ColorRole.Highlight, now.accent),
        (QPalette.ColorRole.HighlightedText, QColor("#FFFFFF")),
        (QPalette.ColorRole.Accent, now.accent),
        (QPalette.ColorRole.Mid, now.line),
    ):
        palette.setColor(role, colour)
    for role in (
        QPalette.ColorRole.Text,
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.ButtonText,
    ):
        palette.setColor(QPalette.ColorGroup.Disabled, role, now.control_border)
    app.setPalette(palette)


def small(font: QFont) -> QFont:
    return _scaled(font, 0.92)


def tiny(font: QFont) -> QFont:
    """For the axes of charts only."""
    return _scaled(font, 0.85)


def title(font: QFont) -> QFont:
    """One in each view."""
    return section(_scaled(font, 1.23))


def section(font: QFont) -> QFont:
    heavier = QFont(font)
    heavier.setWeight(QFont.Weight.DemiBold)
    return heavier


def medium(font: QFont) -> QFont:
    heavier = QFont(font)
    heavier.setWeight(QFont.Weight.Medium)
    return heavier


def tabular(font: QFont) -> QFont:
    """Figures of one width, so that a countdown does not dance."""
    even = QFont(font)
    even.setFeature(QFont.Tag("tnum"), 1)
    return even


def mono() -> QFont:
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)


def _scaled(font: QFont, factor: float) -> QFont:
    scaled = QFont(font)
    if font.pointSizeF() > 0:
        scaled.setPointSizeF(font.pointSizeF() * factor)
    else:
        scaled.setPixelSize(round(font.pixelSize() * factor))
    return scaled

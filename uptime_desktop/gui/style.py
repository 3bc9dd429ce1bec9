"""Fusion with our lines: flat headers and tool bars, and room beside a header's words."""

from typing import Final

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QProxyStyle, QStyle, QStyleOption, QWidget

from uptime_desktop.gui import theme

_Metric = QStyle.PixelMetric
_Control = QStyle.ControlElement

_METRICS: Final = {
    _Metric.PM_HeaderMargin: theme.CELL_PADDING,
    _Metric.PM_ToolBarIconSize: theme.ICON,
    _Metric.PM_ToolBarItemSpacing: 4,
    _Metric.PM_ToolBarFrameWidth: 0,
    _Metric.PM_ToolBarItemMargin: 6,
    _Metric.PM_ButtonIconSize: theme.ICON,
}


class FlatFusion(QProxyStyle):
    def __init__(self) -> None:
        super().__init__("Fusion")
        self.setObjectName("fusion")

    def pixelMetric(  # noqa: N802
        self,
        metric: QStyle.PixelMetric,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> int:
        own = _METRICS.get(metric)
        return super().pixelMetric(metric, option, widget) if own is None else own

    def drawControl(  # noqa: N802
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if element is _Control.CE_HeaderSection:
            colours = theme.tokens()
            area = option.rect
            painter.fillRect(area, colours.window)
            painter.fillRect(area.x(), area.bottom(), area.width(), 1, colours.line)
            painter.fillRect(area.right(), area.y() + 6, 1, area.height() - 12, colours.line)
        elif element is _Control.CE_ToolBar:
            colours = theme.tokens()
            painter.fillRect(option.rect, colours.window)
            line = option.rect
            painter.fillRect(line.x(), line.bottom(), line.width(), 1, colours.line)
        else:
            super().drawControl(element, option, painter, widget)

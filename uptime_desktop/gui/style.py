"""Fusion with our lines: flat headers and tool bars, and borders that can be seen in the dark."""

from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import (
    QPlainTextEdit,
    QProxyStyle,
    QStyle,
    QStyleOption,
    QStyleOptionComplex,
    QWidget,
)

from uptime_desktop.gui import theme

_Complex = QStyle.ComplexControl
_Control = QStyle.ControlElement
_Metric = QStyle.PixelMetric
_Primitive = QStyle.PrimitiveElement
_State = QStyle.StateFlag

_METRICS: Final = {
    _Metric.PM_HeaderMargin: theme.CELL_PADDING,
    _Metric.PM_ToolBarIconSize: theme.ICON,
    _Metric.PM_ToolBarItemSpacing: 4,
    _Metric.PM_ToolBarFrameWidth: 0,
    _Metric.PM_ToolBarItemMargin: 6,
    _Metric.PM_ButtonIconSize: theme.ICON,
}
_ROUND: Final = 2.0


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
        colours, area = theme.tokens(), option.rect
        if element is _Control.CE_HeaderSection:
            painter.fillRect(area, colours.window)
            painter.fillRect(area.x(), area.bottom(), area.width(), 1, colours.line)
            painter.fillRect(area.right(), area.y() + 6, 1, area.height() - 12, colours.line)
        elif element is _Control.CE_ToolBar:
            painter.fillRect(area, colours.window)
            painter.fillRect(area.x(), area.bottom(), area.width(), 1, colours.line)
        else:
            super().drawControl(element, option, painter, widget)

    def drawPrimitive(  # noqa: N802
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        super().drawPrimitive(element, option, painter, widget)
        match element:
            case _Primitive.PE_FrameLineEdit:
                _frame(painter, option)
            case _Primitive.PE_IndicatorCheckBox:
                _frame(painter, option)
            case _Primitive.PE_Frame if isinstance(widget, QPlainTextEdit):
                _frame(painter, option)
            case _Primitive.PE_IndicatorRadioButton:
                _ring(painter, option)

    def drawComplexControl(  # noqa: N802
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        super().drawComplexControl(control, option, painter, widget)
        if control in (_Complex.CC_SpinBox, _Complex.CC_ComboBox):
            _frame(painter, option)


def _frame(painter: QPainter, option: QStyleOption) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(_border(option), 1))
    inside = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawRoundedRect(inside, _ROUND, _ROUND)
    painter.restore()


def _ring(painter: QPainter, option: QStyleOption) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(_border(option), 1))
    painter.drawEllipse(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5))
    painter.restore()


def _border(option: QStyleOption) -> QColor:
    """Of the accent where the keyboard is, pale where nothing can be done."""
    colours = theme.tokens()
    if not option.state & _State.State_Enabled:
        return colours.line
    has_focus = bool(option.state & _State.State_HasFocus)
    return option.palette.highlight().color() if has_focus else colours.control_border

"""The kinds of check, to choose one from."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionFocusRect,
    QStyleOptionViewItem,
    QWidget,
)

from uptime_desktop.checks.base import AnyKind
from uptime_desktop.checks.registry import KINDS
from uptime_desktop.gui import theme
from uptime_desktop.i18n import tr

_INDENT = theme.MARGIN - 3
_LEAST_HEIGHT = 30
_LEAST_WIDTH = 168


class KindList(QListWidget):
    """With `only`, the others are there to be seen but cannot be chosen."""

    chosen = Signal()

    def __init__(self, only: str | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Kind of check"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setItemDelegate(_RowDelegate(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for kind in KINDS.values():
            item = QListWidgetItem(tr(kind.label), self)
            if only not in (None, kind.name):
                item.setFlags(Qt.ItemFlag.NoItemFlags)
        self.setCurrentRow(0 if only is None else list(KINDS).index(only))
        metrics = self.fontMetrics()
        widest = max(metrics.horizontalAdvance(tr(kind.label)) for kind in KINDS.values())
        self.setFixedWidth(max(_LEAST_WIDTH, round(widest * 1.1) + 2 * theme.MARGIN))
        self.currentRowChanged.connect(lambda _: self.chosen.emit())

    @property
    def kind(self) -> AnyKind:
        return list(KINDS.values())[self.currentRow()]

    def choose(self, name: str) -> None:
        self.setCurrentRow(list(KINDS).index(name))


class _RowDelegate(QStyledItemDelegate):
    """The chosen row in our colour; its words keep theirs."""

    def sizeHint(  # noqa: N802
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        size = super().sizeHint(option, index)
        size.setHeight(max(_LEAST_HEIGHT, option.fontMetrics.lineSpacing() + 12))
        return size

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        plain = QStyleOptionViewItem(option)
        state, rect, widget = plain.state, QRect(plain.rect), plain.widget
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme.tokens().selected)
            plain.font = theme.section(plain.font)
        hidden = QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_HasFocus
        plain.state = state & ~hidden & ~QStyle.StateFlag.State_MouseOver
        plain.rect = rect.adjusted(_INDENT, 0, 0, 0)
        super().paint(painter, plain, index)
        if state & QStyle.StateFlag.State_HasFocus:
            frame = QStyleOptionFocusRect()
            frame.initFrom(widget)
            frame.rect = rect.adjusted(1, 1, -1, -1)
            style = widget.style()
            style.drawPrimitive(QStyle.PrimitiveElement.PE_FrameFocusRect, frame, painter, widget)

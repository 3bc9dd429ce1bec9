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
_MOST_CHARACTERS = 24


class KindList(QListWidget):
    """With `only`, the others are there to be seen but cannot be chosen."""

    chosen = Signal()

    def __init__(self, only: str | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Kind of check"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setItemDelegate(_RowDelegate(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._kinds = list(KINDS.values())
        for kind in self._kinds:
            item = QListWidgetItem(tr(kind.label), self)
            item.setToolTip(tr(kind.label))
            if only not in (None, kind.name):
                item.setFlags(Qt.ItemFlag.NoItemFlags)
        self.choose(self._kinds[0].name if only is None else only)
        self.setFixedWidth(self._width())
        self.currentRowChanged.connect(lambda _: self.chosen.emit())

    @property
    def kind(self) -> AnyKind:
        return self._kinds[self.currentRow()]

    def choose(self, name: str) -> None:
        self.setCurrentRow(self._kinds.index(KINDS[name]))

    def _width(self) -> int:
        """Room for every name, unless a foreign one goes on and on."""
        metrics = self.fontMetrics()
        widest = max(metrics.horizontalAdvance(tr(kind.label)) for kind in self._kinds)
        widest = min(widest, metrics.averageCharWidth() * _MOST_CHARACTERS)
        return max(_LEAST_WIDTH, round(widest * 1.1) + 2 * theme.MARGIN)


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

"""The names of the pages, one under the other; the one that is shown is marked as rows are."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from uptime_desktop.gui import theme
from uptime_desktop.i18n import tr

_PADDING = 7
_LEAST_CHARACTERS = 18


class PageList(QListWidget):
    def __init__(self, titles: Sequence[str]) -> None:
        super().__init__()
        self.setAccessibleName(tr("Pages"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_NameDelegate(self))
        self.addItems(titles)
        metrics = self.fontMetrics()
        widest = max(metrics.horizontalAdvance(title) for title in titles)
        least = metrics.averageCharWidth() * _LEAST_CHARACTERS
        self.setFixedWidth(max(widest, least) + 2 * theme.MARGIN)


class _NameDelegate(QStyledItemDelegate):
    def sizeHint(  # noqa: N802
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        size = super().sizeHint(option, index)
        return QSize(size.width(), option.fontMetrics.lineSpacing() + 2 * _PADDING)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        tokens = theme.tokens()
        is_shown = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if is_shown:
            painter.fillRect(option.rect, tokens.selected)
        if is_shown and option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(option.palette.color(QPalette.ColorRole.Accent))
            painter.drawRect(option.rect.adjusted(0, 0, -1, -1))
        painter.setFont(theme.section(option.font) if is_shown else option.font)
        painter.setPen(tokens.text)
        painter.drawText(
            option.rect.adjusted(theme.MARGIN, 0, -theme.CELL_PADDING, 0),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading,
            str(index.data(Qt.ItemDataRole.DisplayRole)),
        )
        painter.restore()

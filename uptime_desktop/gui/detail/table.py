"""The small tables of the panel: rows of cells that are given, never asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
)
from PySide6.QtGui import QIcon, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from uptime_desktop.domain.status import Status
from uptime_desktop.gui import icons, theme

_Row = TypeVar("_Row")
Index = QModelIndex | QPersistentModelIndex

SMALL_ICON: Final = 14
_PADDING: Final = 3
"""What a style leaves at the sides of a cell is as much again."""


@dataclass(frozen=True, slots=True)
class Column:
    title: str
    is_number: bool = False
    grows: bool = False


class RowsModel(QAbstractTableModel, Generic[_Row]):
    """A list of rows; what a cell says is up to `text` and `icon`."""

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self.rows: list[_Row] = []

    def text(self, row: int, column: int) -> str:
        raise NotImplementedError

    def icon(self, row: int) -> QIcon:
        raise NotImplementedError

    def tooltip(self, row: int, column: int) -> str:
        return self.text(row, column)

    def sentence(self, row: int) -> str:
        """The whole row for whoever hears it."""
        titles = (column.title for column in self.columns)
        texts = (self.text(row, column) for column in range(len(self.columns)))
        return ", ".join(f"{title} {text}" for title, text in zip(titles, texts, strict=True))

    def reset(self, rows: Sequence[_Row]) -> None:
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:  # noqa: N802 - Qt's name
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:  # noqa: N802 - Qt's name
        return 0 if parent is not None and parent.isValid() else len(self.columns)

    def headerData(  # noqa: N802 - Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section].title
        return (
            _alignment(self.columns[section]) if role == Qt.ItemDataRole.TextAlignmentRole else None
        )

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = index.row(), index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.text(row, column)
            case Qt.ItemDataRole.DecorationRole if column == 0:
                return self.icon(row)
            case Qt.ItemDataRole.ToolTipRole:
                return self.tooltip(row, column)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(self.columns[column])
            case Qt.ItemDataRole.AccessibleTextRole if column == 0:
                return self.sentence(row)
        return None


def small_status_icon(status: Status) -> QIcon:
    return small_icon(icons.icon_name(status))


@cache
def small_icon(name: str) -> QIcon:
    """One that selection does not tint."""
    made = QIcon()
    for ratio in (1.0, 1.5, 2.0, 3.0):
        drawn = icons.pixmap(name, SMALL_ICON, ratio)
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):
            made.addPixmap(drawn, mode)
    return made


def _alignment(column: Column) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column.is_number else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class _Padded(QStyledItemDelegate):
    """Cells with room between them; the selection goes through."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, option.palette.highlight())
        inner = QStyleOptionViewItem(option)
        inner.rect = option.rect.adjusted(_PADDING, 0, -_PADDING, 0)
        super().paint(painter, inner, index)


def paint_instead(view: QTableView, sentence: str) -> None:
    """Say why a table shows no rows, where they would be."""
    painter = QPainter(view.viewport())
    painter.setPen(theme.tokens().text_2)
    area = view.viewport().rect().adjusted(0, 4 * theme.CELL_PADDING, 0, 0)
    painter.drawText(area, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, sentence)
    painter.end()


class Table(QTableView):
    """Tab leaves it, and what is selected keeps its colours."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setItemDelegate(_Padded(self))
        self.setFont(theme.tabular(theme.small(self.font())))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setIconSize(QSize(SMALL_ICON, SMALL_ICON))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.fontMetrics().lineSpacing() + 8)
        titles = self.horizontalHeader()
        titles.setHighlightSections(False)
        titles.setSectionsClickable(False)
        titles.setFont(theme.medium(theme.small(self.font())))
        self._colour()

    def show_model(self, model: RowsModel[_Row], widths: Sequence[str]) -> None:
        """Show a model; a column is as wide as this text, if it does not grow."""
        self.setModel(model)
        titles = self.horizontalHeader()
        for number, (column, widest) in enumerate(zip(model.columns, widths, strict=True)):
            if column.grows:
                titles.setSectionResizeMode(number, QHeaderView.ResizeMode.Stretch)
                continue
            width = max(
                self.fontMetrics().horizontalAdvance(widest),
                titles.fontMetrics().horizontalAdvance(column.title),
            )
            room = SMALL_ICON + theme.CELL_PADDING if number == 0 else 0
            self.setColumnWidth(number, width + room + 3 * theme.CELL_PADDING)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """No higher than it has to be; it grows where there is room."""
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def height_of(self, rows: int) -> int:
        """How high it is with so many rows in sight."""
        titles = self.horizontalHeader().sizeHint().height()
        return titles + rows * self.verticalHeader().defaultSectionSize() + 2 * self.frameWidth()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._colour()

    def _colour(self) -> None:
        """Selection is a tint: the text on it keeps its colour."""
        tokens, palette = theme.tokens(), self.palette()
        if palette.color(QPalette.ColorRole.Highlight) != tokens.selected:
            palette.setColor(QPalette.ColorRole.Highlight, tokens.selected)
            palette.setColor(QPalette.ColorRole.HighlightedText, tokens.text)
            self.setPalette(palette)

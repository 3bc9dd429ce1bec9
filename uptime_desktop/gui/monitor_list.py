"""The list itself: a table view that keeps its selection by monitor and folds its sites."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from uptime_desktop.gui.cells import BAR_STEP, Cells, row_height
from uptime_desktop.gui.detail.table import paint_instead
from uptime_desktop.gui.monitor_table import Band, Column, Index, MonitorTable
from uptime_desktop.gui.theme import CELL_PADDING, tokens
from uptime_desktop.gui.watch import Key, Watched
from uptime_desktop.i18n import tr

_WIDTHS: Final = {
    Column.MONITOR: 266,
    Column.STRIP: 28 * BAR_STEP + 2 * CELL_PADDING + 6,
    Column.DAY: 70,
    Column.MONTH: 72,
    Column.RESPONSE: 100,
    Column.NEXT: 200,
}
_GIVEN_UP_FIRST: Final = (Column.MONTH, Column.DAY, Column.RESPONSE)


class MonitorList(QTableView):
    """`chosen` tells the one monitor to show in detail, or None; the rest are wishes."""

    chosen = Signal(object)
    selected_anew = Signal()
    menu_asked = Signal(QPoint)
    opened = Signal(object)
    moved = Signal(list, str)

    def __init__(self, table: MonitorTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = table
        self.can_move = True
        self.cells = Cells(table, self)
        self.setModel(table)
        self.setItemDelegate(self.cells)
        self.setAccessibleName(tr("Monitors"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._prepare_header()
        self.use_compact(compact=False)
        table.modelAboutToBeReset.connect(self._remember)
        table.modelReset.connect(self._recall)
        self._kept: list[Key | str] = []
        self._current: Key | str | None = None
        self._scrolled_to = 0
        self._told: list[Watched] = []
        self.selectionModel().selectionChanged.connect(lambda *_: self._tell_chosen())

    # What is selected

    def selected(self) -> Sequence[Watched]:
        """The selected monitors in the order they are shown; of a selected site, all of its own."""
        rows = {self.table.row_at(index.row()) for index in self.selectionModel().selectedRows()}
        if not rows:
            return []
        sites = {row.site.id for row in rows if isinstance(row, Band)}
        return [one for one in self.table.shown if one in rows or one.monitor.site_id in sites]

    def select(self, key: Key) -> None:
        """Select this one, be its site folded or not."""
        if self.table.place_of(key) is None:
            self.table.fold(key[0], folded=False)
        place = self.table.place_of(key)
        if place is not None:
            self.selectRow(place)
            self.scrollTo(self.table.index(place, 0))

    def _remember(self) -> None:
        """What is selected, also while a filter hides it."""
        rows = [self.table.row_at(index.row()) for index in self.selectionModel().selectedRows()]
        if rows:
            self._kept = [row.key for row in rows]
        current = self.currentIndex()
        if current.isValid():
            self._current = self.table.row_at(current.row()).key
        self._scrolled_to = self.verticalScrollBar().value()

    def _selected_rows(self) -> list[Watched]:
        rows = [self.table.row_at(index.row()) for index in self.selectionModel().selectedRows()]
        return [row for row in rows if isinstance(row, Watched)]

    def _recall(self) -> None:
        places = [self.table.place_of(key) for key in self._kept]
        selection = QItemSelection()
        for place in places:
            if place is not None:
                left, right = self.table.index(place, 0), self.table.index(place, Column.NEXT)
                selection.select(left, right)
        model = self.selectionModel()
        current = None if self._current is None else self.table.place_of(self._current)
        if current is not None:
            keep = QItemSelectionModel.SelectionFlag.NoUpdate
            model.setCurrentIndex(self.table.index(current, 0), keep)
        model.select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        # Making a row the current one scrolls to it; nobody asked for that.
        self.verticalScrollBar().setValue(self._scrolled_to)
        self._tell_chosen()

    def _tell_chosen(self) -> None:
        self.selected_anew.emit()
        rows = self._selected_rows()
        if rows != self._told:
            self._told = rows
            self.chosen.emit(rows[0] if len(rows) == 1 else None)

    # How it looks

    def use_compact(self, *, compact: bool) -> None:
        self.cells.is_compact = compact
        self.verticalHeader().setDefaultSectionSize(row_height(self.font(), compact=compact))

    def restyle(self) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Base, tokens().base)
        self.setPalette(palette)
        self.cells.restyle()
        self.viewport().update()

    def dataChanged(  # noqa: N802
        self, first: Index, last: Index, roles: Sequence[int] = ()
    ) -> None:
        """Repaint what is seen of these rows; without this the whole view would be."""
        del roles
        top, bottom = self.visualRect(first), self.visualRect(last)
        self.viewport().update(top.united(bottom) & self.viewport().rect())

    def refresh_countdowns(self) -> None:
        """Time went on: the last column says something else."""
        x = self.columnViewportPosition(Column.NEXT)
        self.viewport().update(x, 0, self.columnWidth(Column.NEXT), self.viewport().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        room = event.size().width()
        for column in reversed(_GIVEN_UP_FIRST):
            needed = sum(
                _WIDTHS[one]
                for one in Column
                if one is column or one not in _GIVEN_UP_FIRST or one in _after(column)
            )
            self.setColumnHidden(column, room < needed)

    def _prepare_header(self) -> None:
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.sortIndicatorChanged.connect(self.table.sort)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setMinimumSectionSize(48)
        for column, width in _WIDTHS.items():
            self.setColumnWidth(column, width)
        header.setSectionResizeMode(Column.MONITOR, QHeaderView.ResizeMode.Stretch)

    # Hands

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        index = self.currentIndex()
        row = self.table.row_at(index.row()) if index.isValid() else None
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right if isinstance(row, Band):
                self._fold(row, folded=event.key() == Qt.Key.Key_Left)
            case Qt.Key.Key_Left if isinstance(row, Watched) and self.table.view.by_site:
                self._go_to_band(row)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if isinstance(row, Band):
                self._fold(row, folded=not row.is_folded)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if isinstance(row, Watched):
                self.opened.emit(row)
            case _:
                super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        if not self.table.rows:
            paint_instead(self, tr("No monitor matches. Esc clears the search."))

    def currentChanged(self, now: Index, before: Index) -> None:  # noqa: N802
        """The frame is around the whole row."""
        super().currentChanged(now, before)
        self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """At the pointer or, by key, at the row that the keyboard is on."""
        at = event.pos()
        if event.reason() is QContextMenuEvent.Reason.Keyboard and self.currentIndex().isValid():
            at = self.visualRect(self.currentIndex().siblingAtColumn(0)).center()
        self.menu_asked.emit(at)

    def keyboardSearch(self, search: str) -> None:  # noqa: N802
        """Off: single letters are acts here."""

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        index = self.indexAt(event.position().toPoint())
        row = self.table.row_at(index.row()) if index.isValid() else None
        on_arrow = event.position().x() < 22
        if event.button() is Qt.MouseButton.LeftButton and isinstance(row, Band) and on_arrow:
            self._fold(row, folded=not row.is_folded)
            return
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        index = self.indexAt(event.position().toPoint())
        row = self.table.row_at(index.row()) if index.isValid() else None
        if isinstance(row, Band):
            self._fold(row, folded=not row.is_folded)
        elif isinstance(row, Watched):
            self.opened.emit(row)

    def _fold(self, band: Band, *, folded: bool) -> None:
        site_id = band.site.id
        self.table.fold(site_id, folded=folded)
        for place, row in enumerate(self.table.rows):
            if isinstance(row, Band) and row.site.id == site_id:
                self.selectRow(place)

    def _go_to_band(self, watched: Watched) -> None:
        for place, row in enumerate(self.table.rows):
            if isinstance(row, Band) and row.site.id == watched.monitor.site_id:
                self.selectRow(place)

    # Dragging monitors into another site

    def startDrag(self, actions: Qt.DropAction) -> None:  # noqa: N802
        if self.can_move and self._selected_rows():
            super().startDrag(actions)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        self._accept(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:  # noqa: N802
        self._accept(event)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        site_id = self._site_at(event.position().toPoint())
        dragged = self._selected_rows()
        if event.source() is self and site_id is not None and dragged:
            event.setDropAction(Qt.DropAction.IgnoreAction)
            event.accept()
            self.moved.emit([one.key for one in dragged], site_id)

    def _accept(self, event: QDropEvent) -> None:
        if event.source() is self and self._site_at(event.position().toPoint()) is not None:
            event.acceptProposedAction()
        else:
            event.ignore()

    def _site_at(self, at: QPoint) -> str | None:
        index: QModelIndex = self.indexAt(at)
        if not index.isValid() or not self.table.view.by_site:
            return None
        row = self.table.row_at(index.row())
        return row.site.id if isinstance(row, Band) else row.monitor.site_id


def _after(column: Column) -> tuple[Column, ...]:
    """What is given up later than this one."""
    return _GIVEN_UP_FIRST[_GIVEN_UP_FIRST.index(column) + 1 :]

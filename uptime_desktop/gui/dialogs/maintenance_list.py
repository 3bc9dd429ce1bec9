"""The rows of the list of maintenance windows, and the table that shows them."""

from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QItemSelectionModel, QObject, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QWidget

from uptime_desktop.app import App
from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.status import Status
from uptime_desktop.gui import icons, theme
from uptime_desktop.gui.detail.table import (
    SMALL_ICON,
    Column,
    Index,
    RowsModel,
    Table,
    small_icon,
    small_status_icon,
)
from uptime_desktop.gui.dialogs.maintenance_words import (
    Stage,
    Standing,
    mode_help,
    mode_text,
    scope_text,
    standing,
    standing_text,
    when_text,
)
from uptime_desktop.i18n import tr

_MODE, _STATE = 3, 4


@dataclass(frozen=True, slots=True)
class Row:
    window: Window
    stands: Standing
    texts: tuple[str, ...]


class WindowsModel(RowsModel[Row]):
    """In force first, then what comes next, then what is off or over."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column(tr("Name"), grows=True),
                Column(tr("When"), grows=True),
                Column(tr("For"), grows=True),
                Column(tr("Mode")),
                Column(tr("State")),
            ),
            parent,
        )

    def show_windows(self, app: App) -> None:
        now, zone = app.clock.wall(), app.clock.zone()
        monitors = {job.monitor.id: job.monitor.name for job in app.jobs}
        rows = []
        for window in app.windows.values():
            stands = standing(window, now, zone)
            texts = (
                window.name,
                when_text(window.when, now),
                scope_text(window, app.sites, monitors),
                mode_text(window.mode),
                standing_text(stands, now),
            )
            rows.append(Row(window, stands, texts))
        rows.sort(key=_order)
        if rows != self.rows:
            self.reset(rows)

    def text(self, row: int, column: int) -> str:
        return self.rows[row].texts[column]

    def tooltip(self, row: int, column: int) -> str:
        if column == _MODE:
            return mode_help(self.rows[row].window.mode)
        return self.text(row, column)

    def icon(self, row: int) -> QIcon:
        match self.rows[row].stands.stage:
            case Stage.IN_FORCE:
                return small_icon(icons.MAINTENANCE)
            case Stage.OFF:
                return small_status_icon(Status.PAUSED)
            case _:
                return _nothing()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.ForegroundRole:
            stage = self.rows[index.row()].stands.stage
            if stage in (Stage.OFF, Stage.OVER):
                return theme.tokens().text_2
            if stage is Stage.IN_FORCE and index.column() == _STATE:
                return theme.tokens().paused
        return super().data(index, role)


class WindowsTable(Table):
    """Several can be chosen; Enter opens one, Delete takes them out."""

    opened = Signal()
    removed = Signal()
    switched = Signal()

    def __init__(self, model: WindowsModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("Maintenance windows"), parent)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        widest = tr("in force until {time}").format(time="00 MMM 00:00")
        self.show_model(model, ("", "", "", tr("silence"), widest))
        self.doubleClicked.connect(lambda _: self.opened.emit())
        self._model = model

    def chosen(self) -> list[Window]:
        places = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self._model.rows[place].window for place in places]

    def choose(self, ids: frozenset[str]) -> None:
        """Select these, as far as they are there."""
        self.clearSelection()
        flags = QItemSelectionModel.SelectionFlag
        for place, row in enumerate(self._model.rows):
            if row.window.id in ids:
                index = self._model.index(place, 0)
                self.selectionModel().setCurrentIndex(index, flags.Select | flags.Rows)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.opened.emit()
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace:
                self.removed.emit()
            case Qt.Key.Key_Space:
                self.switched.emit()
            case _:
                super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        if not self._model.rows:
            painter = QPainter(self.viewport())
            painter.setPen(theme.tokens().text_2)
            room = (
                self.viewport()
                .rect()
                .adjusted(theme.MARGIN, theme.MARGIN, -theme.MARGIN, -theme.MARGIN)
            )
            middle = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
            text = tr("No maintenance is planned yet.")
            painter.drawText(room, middle | Qt.TextFlag.TextWordWrap, text)
            painter.end()


def _order(row: Row) -> tuple[int, int, str]:
    stage = row.stands.stage
    at = -row.stands.at if stage is Stage.OVER else row.stands.at
    return stage, at, row.window.name.lower()


@cache
def _nothing() -> QIcon:
    """As wide as the others, so that all names begin at one line."""
    drawn = QPixmap(SMALL_ICON, SMALL_ICON)
    drawn.fill(Qt.GlobalColor.transparent)
    return QIcon(drawn)

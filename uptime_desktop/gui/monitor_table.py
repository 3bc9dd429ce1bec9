"""The rows of the list: sites as bands with their monitors below, in one flat model.

The model is given what there is to show; it asks nobody. Filtering, sorting and folding rebuild
one list of rows, which is what stays quick with ten thousand of them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from html import escape
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from uptime_desktop.domain.model import Site
from uptime_desktop.domain.status import Status, worst
from uptime_desktop.gui import figures, sentences
from uptime_desktop.gui.watch import Key, Watched
from uptime_desktop.i18n import told, tr

Index = QModelIndex | QPersistentModelIndex

ROW_ROLE: Final = Qt.ItemDataRole.UserRole + 1
"""The row itself: a `Band` or a `Watched`."""

_MANY: Final = 50
# Asked for with every cell that is painted.
_USABLE: Final = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_DRAGGED: Final = _USABLE | Qt.ItemFlag.ItemIsDragEnabled
_DROPPED_ON: Final = _USABLE | Qt.ItemFlag.ItemIsDropEnabled
_RANK: Final = {status: place for place, status in enumerate(Status)}


class Column(IntEnum):
    MONITOR = 0
    STRIP = 1
    DAY = 2
    MONTH = 3
    RESPONSE = 4
    NEXT = 5


@dataclass(slots=True, eq=False)
class Band:
    """A site between its monitors."""

    site: Site
    counts: Counter[Status]
    is_folded: bool = False

    @property
    def key(self) -> str:
        """What stays the same of it however the rows are arranged, as the key of a monitor."""
        return self.site.id

    @property
    def status(self) -> Status:
        return worst(self.counts)


Row = Band | Watched


@dataclass(slots=True)
class View:
    """What of it is shown, and in which order."""

    text: str = ""
    status: Status | None = None
    tag: str = ""
    by_site: bool = True
    folded: set[str] = field(default_factory=set)
    sort: Column | None = None
    is_descending: bool = False

    @property
    def is_filtered(self) -> bool:
        return bool(self.text or self.status or self.tag)


class MonitorTable(QAbstractTableModel):
    def __init__(self, now: Callable[[], int], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.now = now
        self.view = View()
        self.rows: list[Row] = []
        self._row_of: dict[Key | str, int] | None = None
        self.shown: list[Watched] = []
        self._sites: list[Site] = []
        self._ordered: list[Watched] = []
        self._by_key: dict[Key, Watched] = {}
        self._search: dict[int, str] | None = None
        self._counts: dict[str, Counter[Status]] = {}
        self._shown_status: dict[Key, Status] = {}
        self._order: dict[Key, tuple[int, str, int]] = {}
        self.tags: list[str] = []

    # What is shown

    def show(self, sites: Iterable[Site], monitors: Iterable[Watched]) -> None:
        """Show these from now on."""
        self._sites = list(sites)
        self._ordered = list(monitors)
        self._by_key = {one.key: one for one in self._ordered}
        self._search = None
        tags = {one.job.monitor.tags for one in self._ordered}
        self.tags = sorted({tag for some in tags for tag in some})
        self._counts = {site.id: Counter() for site in self._sites}
        self._shown_status, self._order = {}, {}
        self._stand(self._ordered)
        self._sort()
        self.arrange()

    def refresh(self, keys: frozenset[Key]) -> None:
        """These look different; if one stands differently, it may have to move."""
        news = [one for key in keys if (one := self._by_key.get(key)) is not None]
        moved = [one for one in news if self._shown_status[one.key] is not one.status]
        if moved:
            self._stand(moved)
            self._sort()
            self.arrange()
            return
        if len(news) > _MANY:
            spans = [(0, len(self.rows) - 1)] if self.rows else []
        else:
            places = [self.place_of(one.key) for one in news]
            spans = [(place, place) for place in places if place is not None]
        for first, last in spans:
            self.dataChanged.emit(self.index(first, 0), self.index(last, Column.NEXT))

    def arrange(self) -> None:
        """Make the list of rows anew from what is to be seen."""
        self.beginResetModel()
        view = self.view
        shown = self._ordered
        if view.text:
            text, search = view.text, self._searched()
            shown = [one for one in shown if text in search[id(one)]]
        if view.status is not None:
            shown = [one for one in shown if one.status is view.status]
        if view.tag:
            shown = [one for one in shown if view.tag in one.monitor.tags]
        self.shown = shown
        self.rows = self._in_bands(shown) if view.by_site else list(shown)
        self._row_of = None
        self.endResetModel()

    def fold(self, site_id: str, *, folded: bool) -> None:
        if folded:
            self.view.folded.add(site_id)
        else:
            self.view.folded.discard(site_id)
        self.arrange()

    def place_of(self, name: Key | str) -> int | None:
        """Where a monitor is, by its key, or a site, by its id."""
        if self._row_of is None:
            self._row_of = {row.key: place for place, row in enumerate(self.rows)}
        return self._row_of.get(name)

    def row_at(self, place: int) -> Row:
        return self.rows[place]

    @property
    def counts(self) -> Counter[Status]:
        """Of all monitors, whatever is filtered out."""
        return sum(self._counts.values(), Counter())

    # Qt asks

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008
        return 0 if parent.isValid() else len(Column)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        column = Column(index.column())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._sentence(row, column)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.ToolTipRole and isinstance(row, Watched):
            return _tool_tip(row, column, self.now())
        return None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return header_text(Column(section))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            right = Column(section) in (Column.DAY, Column.MONTH, Column.RESPONSE)
            side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        return _DRAGGED if isinstance(self.rows[index.row()], Watched) else _DROPPED_ON

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Inside each site; a column of -1 is the order of how bad it is."""
        self.view.sort = None if column < 0 else Column(column)
        self.view.is_descending = order is Qt.SortOrder.DescendingOrder
        self._sort()
        self.arrange()

    # Inside

    def _searched(self) -> dict[int, str]:
        """What is looked through for a text, made when it is first looked for."""
        if self._search is None:
            names = {site.id: site.name for site in self._sites}
            self._search = {
                id(one): "\n".join(
                    (one.monitor.name, one.target, names[one.monitor.site_id], *one.monitor.tags)
                ).lower()
                for one in self._ordered
            }
        return self._search

    def _in_bands(self, shown: list[Watched]) -> list[Row]:
        inside: dict[str, list[Watched]] = {site.id: [] for site in self._sites}
        for one in shown:
            inside[one.key[0]].append(one)
        rows: list[Row] = []
        for site in self._sites:
            counts = self._counts[site.id]
            if not inside[site.id] and (self.view.is_filtered or not counts):
                continue
            is_folded = site.id in self.view.folded and not self.view.is_filtered
            rows.append(Band(site, counts, is_folded))
            if not is_folded:
                rows.extend(inside[site.id])
        return rows

    def _stand(self, monitors: Sequence[Watched]) -> None:
        """Count these, and know their place in the order, by how they stand now."""
        shown, now = self._shown_status, {one.key: one.job.state.status for one in monitors}
        self._count({key: shown[key] for key in now if key in shown}, -1)
        self._count(now, 1)
        shown |= now
        self._order |= {
            one.key: (_RANK[now[one.key]], one.sort_name, one.job.monitor.number)
            for one in monitors
        }

    def _count(self, statuses: Mapping[Key, Status], sign: int) -> None:
        found = Counter((key[0], status) for key, status in statuses.items())
        for (site_id, status), n in found.items():
            counts = self._counts[site_id]
            counts[status] += sign * n
            if not counts[status]:
                del counts[status]

    def _sort(self) -> None:
        order = self._order
        self._ordered.sort(key=lambda one: order[one.key])
        key = _SORT_KEYS.get(self.view.sort) if self.view.sort is not None else None
        if key is not None:
            self._ordered.sort(key=key, reverse=self.view.is_descending)

    def _text(self, row: Row, column: Column) -> str:
        if isinstance(row, Band):
            return row.site.name if column is Column.MONITOR else ""
        match column:
            case Column.MONITOR:
                return row.monitor.name
            case Column.STRIP:
                return ""
            case Column.DAY:
                return figures.uptime_text(row.uptime_day)
            case Column.MONTH:
                return figures.uptime_text(row.uptime_month)
            case Column.RESPONSE:
                return figures.response_text(row.response_ms)
            case Column.NEXT:
                return sentences.next_run_lines(row, self.now())[0]

    def _sentence(self, row: Row, column: Column) -> str:
        if isinstance(row, Band):
            return f"{row.site.name}: {sentences.counts_text(row.counts)}"
        match column:
            case Column.MONITOR:
                return sentences.row_sentence(row, self.now())
            case Column.STRIP:
                return strip_sentence(row)
            case _:
                return f"{header_text(column)}: {self._text(row, column)}"


def header_text(column: Column) -> str:
    match column:
        case Column.MONITOR:
            return tr("Monitor")
        case Column.STRIP:
            return tr("Last runs")
        case Column.DAY:
            return tr("24 h")
        case Column.MONTH:
            return tr("30 d")
        case Column.RESPONSE:
            return tr("Response")
        case Column.NEXT:
            return tr("Next run")


def strip_sentence(row: Watched) -> str:
    counts = Counter(beat.status for beat in row.beats)
    if not counts:
        return tr("not checked yet")
    return tr("last {n} runs: {counts}").format(
        n=counts.total(), counts=sentences.counts_text(counts)
    )


def _tool_tip(row: Watched, column: Column, now: int) -> str | None:
    if column is not Column.MONITOR:
        return None
    planned = sentences.maintenance_sentence(row, now)
    lines = (row.monitor.name, row.target, told(row.job.reason), planned)
    # Qt would take a name with a tag in it for rich text.
    return "".join(f"<div>{escape(line)}</div>" for line in lines if line)


def _by_trouble(one: Watched) -> tuple[int, str, int]:
    return _RANK[one.status], one.sort_name, one.monitor.number


_SORT_KEYS: Final[dict[Column, Callable[[Watched], Any]]] = {
    Column.MONITOR: lambda one: one.sort_name,
    Column.STRIP: _by_trouble,
    Column.DAY: lambda one: 2.0 if one.uptime_day is None else one.uptime_day,
    Column.MONTH: lambda one: 2.0 if one.uptime_month is None else one.uptime_month,
    Column.RESPONSE: lambda one: -1.0 if one.response_ms is None else one.response_ms,
    Column.NEXT: lambda one: one.state.next_run_at or 1 << 62,
}

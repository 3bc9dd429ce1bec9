"""Other monitors, to choose some of them: a list with boxes to tick, and a line to filter it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QSizePolicy,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop.checks.base import FieldSpec
from uptime_desktop.domain.model import Setting
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.fields import Field
from uptime_desktop.gui.dialogs.labels import Hint
from uptime_desktop.i18n import ntr, tr

Index = QModelIndex | QPersistentModelIndex
_NAME, _SITE = 0, 1
_MOST_ROWS: Final = 6
_LEAST_ROWS: Final = 3
_LEAST_HEIGHT: Final = 24


@dataclass(frozen=True, slots=True)
class Choice:
    """A monitor, or a whole site, that can be chosen; one that is chosen but no longer there has
    no site."""

    id: str
    name: str
    site: str | None = None
    is_site: bool = False

    @property
    def site_text(self) -> str:
        return tr("missing") if self.site is None else self.site


class MonitorsField(Field):
    """The ids of those that are ticked, in the order in which they were chosen."""

    def __init__(self, spec: FieldSpec, choices: Iterable[Choice] = ()) -> None:
        self._whole = QWidget()
        self._whole.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        super().__init__(spec.key, tr(spec.title), self._whole, tr(spec.help))
        self.choices = Choices(choices, self)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(tr("Filter by name or site"))
        self.filter.setAccessibleName(tr("Filter {field}").format(field=self.title))
        self.filter.setClearButtonEnabled(True)
        self.count = Hint()
        self.view = self._make_view()
        self._lay_out()
        self.setFocusProxy(self.filter)
        self.filter.textChanged.connect(self.choices.show_matching)
        self.filter.installEventFilter(self)
        self.choices.ticked.connect(self._chosen)
        self._count()

    def _make_view(self) -> QTreeView:
        view = QTreeView()
        view.setModel(self.choices)
        view.setAccessibleName(self.title)
        view.setAccessibleDescription(tr("Space chooses a monitor or leaves it out"))
        view.setHeaderHidden(True)
        view.setRootIsDecorated(False)
        view.setUniformRowHeights(True)
        view.setAllColumnsShowFocus(True)
        view.setTabKeyNavigation(False)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.header().setStretchLastSection(False)
        view.header().setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        view.header().setSectionResizeMode(_SITE, QHeaderView.ResizeMode.ResizeToContents)
        self.choices.row_height = max(_LEAST_HEIGHT, view.fontMetrics().lineSpacing() + 8)
        rows = min(max(_LEAST_ROWS, self.choices.rowCount()), _MOST_ROWS)
        view.setFixedHeight(self.choices.row_height * rows + 2 * view.frameWidth())
        return view

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.filter, 1)
        top.addWidget(self.count)
        layout = QVBoxLayout(self._whole)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(top)
        layout.addWidget(self.view)

    def given(self) -> Setting | None:
        return tuple(self.choices.chosen) or None

    def fill(self, value: Setting) -> None:
        self.choices.choose(value if isinstance(value, tuple) else (str(value),))
        self._chosen()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """From the filter, Down goes on into the list."""
        is_down = (
            watched is self.filter
            and event.type() is QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Down
        )
        if is_down and self.choices.rowCount():
            self.view.setFocus()
            self.view.setCurrentIndex(self.choices.index(0, _NAME))
            return True
        return super().eventFilter(watched, event)

    def _chosen(self) -> None:
        self._count()
        self.changed.emit()

    def _count(self) -> None:
        n = len(self.choices.chosen)
        self.count.setText(ntr("{n} chosen", "{n} chosen", n).format(n=n))


class Choices(QAbstractTableModel):
    """Those that are chosen when it is filled stand first, and none moves while one ticks."""

    ticked = Signal()

    def __init__(self, choices: Iterable[Choice], parent: QObject) -> None:
        super().__init__(parent)
        self.chosen: dict[str, None] = {}
        self.is_fixed = False
        self.row_height = _LEAST_HEIGHT
        self._all = sorted(choices, key=_order)
        self._shown = self._all

    def choose(self, ids: Iterable[str]) -> None:
        self.beginResetModel()
        self.chosen = dict.fromkeys(ids)
        known = {one.id: one for one in self._all if one.site is not None}
        first = [known.get(id_) or Choice(id_, id_) for id_ in self.chosen]
        rest = [one for id_, one in known.items() if id_ not in self.chosen]
        self._all = self._shown = [*first, *rest]
        self.endResetModel()

    def show_matching(self, text: str) -> None:
        self.beginResetModel()
        wanted = text.strip().lower()
        self._shown = [
            one
            for one in self._all
            if wanted in one.name.lower() or wanted in one.site_text.lower()
        ]
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008
        return 0 if parent.isValid() else 2

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        can_tick = index.column() == _NAME and not self.is_fixed
        return flags | Qt.ItemFlag.ItemIsUserCheckable if can_tick else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        one, is_name = self._shown[index.row()], index.column() == _NAME
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return one.name if is_name else one.site_text
            case Qt.ItemDataRole.CheckStateRole if is_name:
                is_chosen = one.id in self.chosen
                return Qt.CheckState.Checked if is_chosen else Qt.CheckState.Unchecked
            case Qt.ItemDataRole.ForegroundRole if not is_name or one.site is None:
                tokens = theme.tokens()
                return tokens.down if one.site is None else tokens.text_2
            case Qt.ItemDataRole.SizeHintRole if is_name:
                return QSize(0, self.row_height)
            case Qt.ItemDataRole.ToolTipRole:
                return one.id
            case Qt.ItemDataRole.AccessibleTextRole:
                return tr("{name}, {site}").format(name=one.name, site=one.site_text)
        return None

    def setData(  # noqa: N802
        self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole:
            return False
        id_ = self._shown[index.row()].id
        if Qt.CheckState(value) is Qt.CheckState.Checked:
            self.chosen[id_] = None
        else:
            self.chosen.pop(id_, None)
        self.dataChanged.emit(index, index)
        self.ticked.emit()
        return True


def _order(one: Choice) -> tuple[bool, str, str]:
    """Sites first."""
    return not one.is_site, one.site_text.lower(), one.name.lower()

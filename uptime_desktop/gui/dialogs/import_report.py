"""The second page of an import: what is in the file, and what will become of every field."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QIcon, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop.exchange.report import Fate, Line
from uptime_desktop.gui import icons, theme
from uptime_desktop.gui.detail.table import (
    Column,
    Index,
    RowsModel,
    Table,
    paint_instead,
    small_icon,
)
from uptime_desktop.gui.dialogs.import_words import fate_icon, fate_status
from uptime_desktop.gui.figures import capitalised
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.i18n import ntr, told, tr
from uptime_desktop.slices import in_slices

_FIELD, _VALUE, _BECAME, _HOW = range(4)
_INDENT: Final = 12
_TYPING_S: Final = 0.15
_VALUE_WIDTH: Final = 22
"""In characters; the rest of a long value is in its tool tip."""


@dataclass(frozen=True, slots=True)
class Thing:
    """The head of what belongs together: a monitor, a channel, the file itself."""

    name: str
    note: str


@dataclass(frozen=True, slots=True)
class Told:
    """A line in words, and in lower case to be found by."""

    line: Line
    texts: tuple[str, ...]
    found_by: str


@dataclass(frozen=True, slots=True)
class ToldLines:
    """All of them, those of a thing one after the other, and how many there are."""

    lines: Sequence[Told] = ()
    of_thing: Mapping[str, int] = field(default_factory=dict)
    of_fate: Mapping[Fate, int] = field(default_factory=dict)


Row = Thing | Told


class ReportModel(RowsModel[Row]):
    """What was asked for of the lines, each under the head of what it belongs to."""

    def __init__(self) -> None:
        super().__init__(
            (
                Column(tr("Field"), grows=True),
                Column(tr("Value")),
                Column(tr("Became")),
                Column(tr("How"), grows=True),
            )
        )
        self.all = ToldLines()
        self.here: frozenset[str] = frozenset()
        """The names of things that are left alone, for they are here already."""
        self.fate: Fate | None = None
        self.wanted = ""

    async def arrange(self) -> None:
        rows: list[Row] = []
        above: str | None = None
        async for one in in_slices(self.all.lines):
            if self._is_wanted(one):
                thing = one.line.thing
                if thing != above:
                    rows.append(Thing(thing or tr("The file itself"), self._note(thing)))
                    above = thing
                rows.append(one)
        self.reset(rows)

    def text(self, row: int, column: int) -> str:
        one = self.rows[row]
        if isinstance(one, Thing):
            return one.name if column == _FIELD else ""
        return one.texts[column]

    def sentence(self, row: int) -> str:
        one = self.rows[row]
        return f"{one.name}, {one.note}" if isinstance(one, Thing) else super().sentence(row)

    def icon(self, row: int) -> QIcon:
        one = self.rows[row]
        return QIcon() if isinstance(one, Thing) else small_icon(fate_icon(one.line.fate))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        one = self.rows[index.row()]
        if role == Qt.ItemDataRole.ForegroundRole and isinstance(one, Told):
            tokens = theme.tokens()
            if index.column() == _BECAME:
                return tokens.of_status(fate_status(one.line.fate))
            return tokens.text_2 if index.column() == _VALUE else None
        return super().data(index, role)

    def _is_wanted(self, one: Told) -> bool:
        return self.fate in (None, one.line.fate) and self.wanted in one.found_by

    def _note(self, thing: str) -> str:
        n = self.all.of_thing[thing]
        said = [ntr("{n} field", "{n} fields", n).format(n=n)]
        if thing in self.here:
            said.append(tr("here already, stays as it is"))
        return tr(", ").join(said)


class ReportTable(QWidget):
    """The lines, with a button for each fate and a search."""

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._arranging: asyncio.Task[object] | None = None
        self.model = ReportModel()
        self.table = _LinesTable(tr("What becomes of every field"))
        self.table.show_model(self.model, ("", "0" * _VALUE_WIDTH, tr("not supported"), ""))
        self.table.setItemDelegate(_Rows(self.table))
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search field, value, monitor"))
        self.search.setAccessibleName(tr("Search"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._search)
        self.filters: dict[Fate | None, QToolButton] = {}
        self._group = QButtonGroup(self)
        top = QHBoxLayout()
        top.setSpacing(4)
        for fate in (None, *Fate):
            top.addWidget(self._filter(fate))
        top.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(top)
        layout.addWidget(self.search)
        layout.addWidget(self.table, 1)
        self._count()

    async def show_lines(self, lines: ToldLines, here: Iterable[str]) -> None:
        self.filters[None].setChecked(True)
        self.search.clear()
        self.stop()
        self.model.all, self.model.here, self.model.fate = lines, frozenset(here), None
        self._count()
        await self.model.arrange()

    def stop(self) -> None:
        if self._arranging is not None:
            self._arranging.cancel()

    def _count(self) -> None:
        told = self.model.all
        for fate, button in self.filters.items():
            n = len(told.lines) if fate is None else told.of_fate.get(fate, 0)
            name = "" if fate is None else capitalised(tr(fate))
            text = tr("All {n}") if fate is None else tr("{name} {n}")
            button.setText(text.format(name=name, n=n))
            button.setEnabled(bool(n) or fate is None)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        # Who looks through the lines has not agreed yet to have them imported.
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def _filter(self, fate: Fate | None) -> QToolButton:
        button = self.filters[fate] = QToolButton()
        button.setCheckable(True)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        if fate is not None:
            button.setIcon(icons.icon(fate_icon(fate)))
        button.clicked.connect(lambda: self._choose(fate))
        self._group.addButton(button)
        return button

    def _choose(self, fate: Fate | None) -> None:
        self.model.fate = fate
        self._arrange(after_s=0)

    def _search(self, text: str) -> None:
        self.model.wanted = text.strip().lower()
        self._arrange(after_s=_TYPING_S)

    def _arrange(self, after_s: float) -> None:
        self.stop()
        self._arranging = self._tasks.start(self._arrange_after(after_s))

    async def _arrange_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self.model.arrange()


class _LinesTable(Table):
    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        if not self.model().rowCount():
            paint_instead(self, tr("No field matches."))


class _Rows(QStyledItemDelegate):
    """Heads go across all columns; the rest is painted as in other tables."""

    def __init__(self, view: QTableView) -> None:
        super().__init__(view)
        self._view = view
        self._plain = view.itemDelegate()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        assert isinstance(model, ReportModel)
        one = model.rows[index.row()]
        if isinstance(one, Told):
            self._plain.paint(painter, option, index)
            return
        tokens, area = theme.tokens(), QRect(option.rect)
        painter.save()
        painter.setClipRect(area)
        painter.fillRect(area, tokens.window)
        across = QRect(
            self._view.columnViewportPosition(0) + theme.CELL_PADDING,
            area.y(),
            self._view.viewport().width() - 2 * theme.CELL_PADDING,
            area.height(),
        )
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setFont(theme.section(option.font))
        painter.setPen(tokens.text)
        painter.drawText(across, middle, one.name)
        width = painter.fontMetrics().horizontalAdvance(one.name)
        painter.setFont(theme.small(option.font))
        painter.setPen(tokens.text_2)
        painter.drawText(across.adjusted(width + _INDENT, 0, 0, 0), middle, one.note)
        painter.restore()


def told_lines(lines: Iterable[Line]) -> ToldLines:
    """Put into words, which takes a while where there are many."""
    found: dict[str, list[Told]] = {}
    for line in lines:
        texts = (line.path, line.value, tr(line.fate), told(line.how))
        one = Told(line, texts, " ".join((line.thing, *texts)).lower())
        found.setdefault(line.thing, []).append(one)
    return ToldLines(
        tuple(chain.from_iterable(found.values())),
        {thing: len(own) for thing, own in found.items()},
        Counter(one.line.fate for own in found.values() for one in own),
    )

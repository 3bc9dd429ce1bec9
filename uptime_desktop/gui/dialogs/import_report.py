"""The second page of an import: what is in the file, and what will become of every field."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QIcon, QKeyEvent, QPainter
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
from uptime_desktop.gui.detail.table import Column, Index, RowsModel, Table, small_icon
from uptime_desktop.gui.dialogs.import_words import fate_icon, fate_status
from uptime_desktop.gui.figures import capitalised
from uptime_desktop.i18n import ntr, told, tr

_FIELD, _VALUE, _BECAME, _HOW = range(4)
_INDENT: Final = 12
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
        self._all: dict[str, list[Told]] = {}
        self._here: frozenset[str] = frozenset()
        self.fate: Fate | None = None
        self.wanted = ""

    def show_lines(self, lines: Iterable[Told], here: Iterable[str]) -> None:
        """`here` are the names of things that are left alone, for they are here already."""
        self._all, self._here = {}, frozenset(here)
        for one in lines:
            self._all.setdefault(one.line.thing, []).append(one)
        self.arrange()

    def arrange(self) -> None:
        rows: list[Row] = []
        for thing, lines in self._all.items():
            shown = [one for one in lines if self._is_wanted(one)]
            if shown:
                rows.append(Thing(thing or tr("The file itself"), self._note(thing, lines)))
                rows += shown
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

    def _note(self, thing: str, lines: Sequence[Told]) -> str:
        n = len(lines)
        said = [ntr("{n} field", "{n} fields", n).format(n=n)]
        if thing in self._here:
            said.append(tr("here already, stays as it is"))
        return tr(", ").join(said)


class ReportTable(QWidget):
    """The lines, with a button for each fate and a search."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ReportModel()
        self.table = Table(tr("What becomes of every field"))
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
        top.addWidget(self.search)
        self.search.setMinimumWidth(self.fontMetrics().averageCharWidth() * 32)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(top)
        layout.addWidget(self.table, 1)
        self.show_lines((), ())

    def show_lines(self, lines: Sequence[Told], here: Iterable[str]) -> None:
        counts = Counter(one.line.fate for one in lines)
        for fate, button in self.filters.items():
            n = len(lines) if fate is None else counts[fate]
            name = "" if fate is None else capitalised(tr(fate))
            text = tr("All {n}") if fate is None else tr("{name} {n}")
            button.setText(text.format(name=name, n=n))
            button.setEnabled(bool(n) or fate is None)
        self.filters[None].setChecked(True)
        self.model.fate = None
        self.search.clear()
        self.model.show_lines(lines, here)

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
        self.model.arrange()

    def _search(self, text: str) -> None:
        self.model.wanted = text.strip().lower()
        self.model.arrange()


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


def told_lines(lines: Iterable[Line]) -> list[Told]:
    """Put into words, which takes a while where there are many."""
    found = []
    for line in lines:
        texts = (line.path, line.value, tr(line.fate), told(line.how))
        found.append(Told(line, texts, " ".join((line.thing, *texts)).lower()))
    return found

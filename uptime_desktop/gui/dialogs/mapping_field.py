"""A table of names and values, such as headers: a row each, and always an empty one to go on."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from uptime_desktop.checks.base import FieldSpec
from uptime_desktop.checks.credentials import refers
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.gui.dialogs.fields import Field, is_kept
from uptime_desktop.i18n import tr


@dataclass(slots=True, eq=False)
class _Row:
    widget: QWidget
    name: QLineEdit
    value: QLineEdit
    remove: QPushButton
    kept: str = ""

    @property
    def is_empty(self) -> bool:
        return not (self.name.text().strip() or self.value.text() or self.kept)


class MappingField(Field):
    """Values of names that speak of secrets are typed unseen; stored ones are kept as they are."""

    def __init__(self, spec: FieldSpec) -> None:
        self._table = QWidget()
        super().__init__(spec.key, tr(spec.title), self._table, tr(spec.help))
        self.spec = spec
        self._rows: list[_Row] = []
        self._layout = QVBoxLayout(self._table)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)
        self._append()

    def given(self) -> Setting | None:
        pairs = {row.name.text().strip(): row.value.text() or row.kept for row in self._filled()}
        return pairs or None

    def sample(self) -> Setting | None:
        pairs = {row.name.text().strip(): row.value.text() or "kept" for row in self._filled()}
        return pairs or None

    def own_refusal(self) -> Refused | None:
        names = [row.name.text().strip() for row in self._filled()]
        for name in names:
            if names.count(name) > 1:
                return Refused(self.key, "{name} is given twice", "each name once", name=name)
        return None

    def fill(self, value: Setting) -> None:
        if not isinstance(value, Mapping):
            value = self.spec.parse(value)
        for name, text in dict(value).items():  # type: ignore[arg-type]
            row = self._rows[-1]
            row.name.setText(name)
            if is_kept(text):
                row.kept = text
                row.value.setPlaceholderText(tr("kept; type to replace it"))
            else:
                row.value.setText(text)
            self._grow()

    def rows(self) -> list[tuple[QLineEdit, QLineEdit, QPushButton]]:
        """The editors as they stand, the empty row last."""
        return [(row.name, row.value, row.remove) for row in self._rows]

    def _filled(self) -> list[_Row]:
        return [row for row in self._rows if not row.is_empty]

    def _append(self) -> None:
        widget = QWidget()
        row = _Row(widget, QLineEdit(), QLineEdit(), QPushButton(tr("Remove")))
        row.name.setPlaceholderText(tr("Name"))
        row.value.setPlaceholderText(tr("value"))
        number = len(self._rows) + 1
        row.name.setAccessibleName(tr("{field}, name {n}").format(field=self.title, n=number))
        row.value.setAccessibleName(tr("{field}, value {n}").format(field=self.title, n=number))
        row.remove.setAccessibleName(tr("Remove {field} {n}").format(field=self.title, n=number))
        line = QHBoxLayout(widget)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        line.addWidget(row.name, 2)
        line.addWidget(row.value, 3)
        line.addWidget(row.remove)
        row.name.textChanged.connect(lambda _: self._edited(row))
        row.value.textChanged.connect(lambda _: self._edited(row))
        row.remove.clicked.connect(lambda: self._drop(row))
        row.remove.setEnabled(False)
        self._layout.addWidget(widget)
        before = [self._rows[-1].remove] if self._rows else []
        for stop, following in pairwise((*before, row.name, row.value, row.remove)):
            QWidget.setTabOrder(stop, following)
        self._rows.append(row)
        self.setFocusProxy(self._rows[0].name)

    def _edited(self, row: _Row) -> None:
        # The name of a secret is none.
        hides = self.spec.hides(row.name.text()) and not refers(row.value.text())
        row.value.setEchoMode(QLineEdit.EchoMode.Password if hides else QLineEdit.EchoMode.Normal)
        self._grow()
        self.changed.emit()

    def _grow(self) -> None:
        if not self._rows[-1].is_empty:
            self._append()
        for row in self._rows[:-1]:
            row.remove.setEnabled(True)

    def _drop(self, row: _Row) -> None:
        self._rows.remove(row)
        self._layout.removeWidget(row.widget)
        row.widget.hide()
        row.widget.deleteLater()
        self.setFocusProxy(self._rows[0].name)
        self._rows[0].name.setFocus()
        self.changed.emit()

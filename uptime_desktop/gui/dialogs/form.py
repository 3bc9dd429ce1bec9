"""Rows of labelled fields, folds for the less common ones, and the form of a kind of check."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop.checks.base import AnyKind, FieldSpec, FieldType
from uptime_desktop.domain.model import Setting
from uptime_desktop.gui.dialogs.fields import ChoiceField, Field, FlagField, is_kept
from uptime_desktop.gui.dialogs.file_field import FileField
from uptime_desktop.gui.dialogs.labels import Hint
from uptime_desktop.gui.dialogs.mapping_field import MappingField
from uptime_desktop.gui.dialogs.monitors_field import Choice, MonitorsField
from uptime_desktop.gui.dialogs.written_fields import (
    ItemsField,
    LinesField,
    PasswordField,
    TextField,
    WrittenField,
    is_short,
)
from uptime_desktop.i18n import tr

_RIGHT = Qt.AlignmentFlag.AlignRight
_TOP = Qt.AlignmentFlag.AlignTop


class Form(QWidget):
    """Labels right-aligned on the left, fields beside them, complaints under their row. A field of
    ours has room around it; between others a wider gap is due."""

    def __init__(self, parent: QWidget | None = None, *, gap: int = 2) -> None:
        super().__init__(parent)
        self.labels: list[QLabel] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(gap)
        self._grid.setColumnStretch(1, 1)
        self._filled = 0

    def add(self, label: str, *parts: QWidget | str, indent: int = 0) -> QWidget:
        """A row. A text before a field is its label, a text at the end a hint."""
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(indent, 0, 0, 0)
        line.setSpacing(6)
        fields = [part for part in parts if isinstance(part, Field)]
        stretches = False
        for place, part in enumerate(parts):
            if isinstance(part, QWidget):
                line.addWidget(part)
                policy = part.editor.sizePolicy() if isinstance(part, Field) else part.sizePolicy()
                is_fixed = isinstance(part, Field) and (
                    part.editor.minimumWidth() == part.editor.maximumWidth()
                )
                grows = policy.horizontalPolicy() is QSizePolicy.Policy.Expanding
                stretches |= grows and not is_fixed
                continue
            following = parts[place + 1] if place + 1 < len(parts) else None
            text: QLabel = Hint(part) if following is None else QLabel(part)
            if isinstance(following, QWidget):
                text.setBuddy(following)
            else:
                text.setWordWrap(True)
                text.setMinimumWidth(text.fontMetrics().horizontalAdvance("0") * 16)
            line.addWidget(text, 1 if following is None else 0)
            stretches |= following is None
        if not stretches:
            line.addStretch(1)
        self._place(label, row, fields[0] if fields else None)
        for field in fields:
            self._grid.addWidget(field.complaint, self._filled, 1)
            self._filled += 1
        return row

    def add_wide(self, widget: QWidget) -> None:
        """Something across both columns."""
        self._grid.addWidget(widget, self._filled, 0, 1, 2)
        self._filled += 1

    def _place(self, text: str, row: QWidget, buddy: QWidget | None) -> None:
        if text:
            label = QLabel(text)
            # As high as a line of the field beside it, so that both stand on one line.
            label.setMinimumHeight(row.sizeHint().height() if row.sizeHint().height() < 40 else 30)
            if buddy is not None:
                label.setBuddy(buddy)
            self.labels.append(label)
            self._grid.addWidget(label, self._filled, 0, _RIGHT | _TOP)
        self._grid.addWidget(row, self._filled, 1)
        self._filled += 1

    def align(self, width: int) -> None:
        self._grid.setColumnMinimumWidth(0, width)


def tab_stops(widget: QWidget) -> Iterator[QWidget]:
    """What the keyboard can go to in it, in the order in which it was put there."""
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    for child in widget.findChildren(QWidget, options=direct):
        if child.focusPolicy() & Qt.FocusPolicy.TabFocus:
            yield child
        else:
            yield from tab_stops(child)


def align(forms: Iterable[Form]) -> None:
    """Let the fields of several forms begin at one line."""
    forms = list(forms)
    widths = [label.sizeHint().width() for form in forms for label in form.labels]
    for form in forms:
        form.align(max(widths, default=0))


class Fold(QWidget):
    """Something less common, behind its name until it is asked for."""

    def __init__(self, title: str, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = content
        self.button = QToolButton()
        self.button.setText(title)
        self.button.setAutoRaise(True)
        self.button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.clicked.connect(lambda: self._turn(not self.is_open))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(content)
        self._turn(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        # Enter on a tool button is otherwise for the button that ends the dialog.
        if self.button.hasFocus() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.button.click()
        else:
            super().keyPressEvent(event)

    @property
    def is_open(self) -> bool:
        return not self.content.isHidden()

    def open(self) -> None:
        self._turn(True)

    def _turn(self, is_open: bool) -> None:
        self.content.setVisible(is_open)
        arrow = Qt.ArrowType.DownArrow if is_open else Qt.ArrowType.RightArrow
        self.button.setArrowType(arrow)
        said = tr("shown, press to fold away") if is_open else tr("folded away, press to show")
        self.button.setAccessibleDescription(said)


def field_for(spec: FieldSpec, monitors: Sequence[Choice] = ()) -> Field:
    """The field in which this setting is answered; `monitors` are those there are."""
    match spec.type:
        case FieldType.CHOICE:
            return ChoiceField(spec)
        case FieldType.FLAG:
            return FlagField(spec)
        case FieldType.MAPPING:
            return MappingField(spec)
        case FieldType.MONITORS:
            return MonitorsField(spec, monitors)
        case FieldType.LINES:
            return ItemsField(spec)
        case FieldType.TEXT if spec.is_password:
            return PasswordField(spec)
        case FieldType.TEXT if spec.is_file:
            return FileField(spec)
        case FieldType.TEXT if spec.has_lines:
            return LinesField(spec)
        case _:
            return TextField(spec)


class KindForm(QWidget):
    """What a kind of check wants to know; its target stands apart, in `target_form`."""

    changed = Signal()
    pasted = Signal(str)
    """An address came into the target at once."""

    def __init__(
        self, kind: AnyKind, monitors: Sequence[Choice] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.kind = kind
        self.fields: dict[str, Field] = {}
        self.folds: dict[str, Fold] = {}
        self.target_form = Form()
        self._form = Form()
        grouped: dict[str, Form] = {}
        for spec in kind.fields:
            field = self.fields[spec.key] = field_for(spec, monitors)
            field.changed.connect(self.changed)
            if spec.is_target:
                _add_row(self.target_form, spec, field, mnemonic=True)
            elif not spec.group:
                _add_row(self._form, spec, field)
            else:
                _add_row(grouped.setdefault(spec.group, Form()), spec, field)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self._form)
        for group, form in grouped.items():
            fold = self.folds[group] = Fold(tr(group), form)
            layout.addWidget(fold)
        self.forms = (self.target_form, self._form, *grouped.values())
        if isinstance(self.target, TextField):
            self.target.pasted.connect(self.pasted)

    @property
    def target(self) -> Field | None:
        """The field for the address or what stands in its place; a foreign kind may have none."""
        targets = (self.fields[spec.key] for spec in self.kind.fields if spec.is_target)
        return next(targets, None)

    def given(self) -> dict[str, Setting]:
        return _answers({key: field.given() for key, field in self.fields.items()})

    def sample(self) -> dict[str, Setting]:
        return _answers({key: field.sample() for key, field in self.fields.items()})

    def fill(self, settings: Mapping[str, Setting], target: str) -> None:
        """Show what is stored; `target` is what may be seen of an address that holds a secret."""
        for spec in self.kind.fields:
            if spec.key not in settings:
                continue
            value, field = settings[spec.key], self.fields[spec.key]
            if isinstance(field, WrittenField) and is_kept(value):
                field.keep(value, target if spec.is_target else "")
            elif isinstance(field, MappingField):
                field.fill(value)
            else:
                field.fill(spec.parse(value))
            if spec.group:
                self.folds[spec.group].open()

    def reveal(self, field: Field) -> None:
        """Unfold what holds this field."""
        for fold in self.folds.values():
            if fold.content.isAncestorOf(field):
                fold.open()


def _add_row(form: Form, spec: FieldSpec, field: Field, *, mnemonic: bool = False) -> None:
    if isinstance(field, FlagField):
        form.add("", field)
        return
    title = tr(spec.title)
    label = title
    if mnemonic:
        label = f"&{title}" if title.isascii() else f"{title}(&{spec.title[0]})"
    if spec.type in (FieldType.WHOLE, FieldType.DURATION) or is_short(spec):
        form.add(label, field, tr(spec.help))
    else:
        form.add(label, field)


def _answers(values: Mapping[str, Setting | None]) -> dict[str, Setting]:
    return {key: value for key, value in values.items() if value is not None}

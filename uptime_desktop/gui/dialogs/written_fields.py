"""Fields in which something is written: a line, a password, some lines, a list of texts."""

from itertools import takewhile
from typing import Final, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QPushButton

from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.checks.credentials import refers
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.fields import STRETCH, Field, widen
from uptime_desktop.i18n import tr

_WIDTHS: Final = {FieldType.WHOLE: 9, FieldType.DURATION: 9, FieldType.LIST: 20}
_SHORT_TEXT: Final = 12
_LINES: Final = 4
_LEAST_ITEMS: Final = 2
_MOST_ITEMS: Final = 8
_SEVERAL: Final = (FieldType.LIST, FieldType.LINES)
_STAND_IN: Final = "kept"


class WrittenField(Field):
    """A text. A secret that is stored is not shown: it is kept until something else is typed."""

    def __init__(self, spec: FieldSpec, editor: QLineEdit | QPlainTextEdit) -> None:
        super().__init__(spec.key, tr(spec.title), editor, tr(spec.help))
        self.spec = spec
        self.written = editor
        self._kept: Setting | None = None
        self._kept_sample: Setting = _STAND_IN
        self._placeholder = _placeholder(spec)
        self.forget = QPushButton(tr("Forget"))
        self.forget.setToolTip(tr("Remove what is kept"))
        self.forget.setAccessibleName(tr("Forget {field}").format(field=self.title))
        self.forget.hide()
        self.forget.clicked.connect(self._let_go)
        row = cast(QHBoxLayout, self.layout())
        row.addWidget(self.forget, 0, Qt.AlignmentFlag.AlignTop)
        editor.setPlaceholderText(self._placeholder)
        editor.textChanged.connect(lambda *_: self.changed.emit())

    def text(self) -> str:
        raise NotImplementedError

    def given(self) -> Setting | None:
        text = self.text()
        if self.spec.type is not FieldType.TEXT or self.spec.is_target:
            text = text.strip()
        if not text:
            return self._kept
        try:
            return self.spec.parse(text) if self.spec.type in _SEVERAL else text
        except Refused:
            # What it is not can be said only of what was written.
            return text

    def sample(self) -> Setting | None:
        is_kept_now = self._kept is not None and not self.text()
        return self._kept_sample if is_kept_now else self.given()

    def keep(self, mark: Setting, sample: str = "") -> None:
        """Leave a stored secret as it is; `sample` is what may be seen of it."""
        self._kept, self._kept_sample = mark, sample or _STAND_IN
        hint = tr("kept; type to replace it")
        if sample:
            hint = tr("{target} (kept; type to replace it)").format(target=sample)
        self.written.setPlaceholderText(hint)
        self.forget.setVisible(not self.spec.is_required)

    def set_placeholder(self, text: str) -> None:
        """Show what holds while nothing is typed."""
        self._placeholder = text
        if self._kept is None:
            self.written.setPlaceholderText(text)

    def _let_go(self) -> None:
        self._kept = None
        self.written.setPlaceholderText(self._placeholder)
        self.forget.hide()
        self.written.setFocus()
        self.changed.emit()


class TextField(WrittenField):
    """One line, so many characters wide; a number, a duration and a list are written in one."""

    pasted = Signal(str)
    """More than a character came at once; this is the whole text now."""

    def __init__(self, spec: FieldSpec, width: int | None = None) -> None:
        self.line = QLineEdit()
        super().__init__(spec, self.line)
        self._before = ""
        self._is_pasted = False
        self.line.textEdited.connect(self._note_edit)
        self.line.textChanged.connect(self._tell_paste)
        widen(self.line, _width_of(spec) if width is None else width)

    def text(self) -> str:
        return self.line.text()

    def fill(self, value: Setting) -> None:
        self.line.setText(as_text(self.spec, value))
        self.line.setCursorPosition(0)

    def _note_edit(self, text: str) -> None:
        self._is_pasted = _inserted(self._before, text) > 1

    def _tell_paste(self, text: str) -> None:
        # Whoever hears of changes has been told of this one before.
        self._before = text
        if self._is_pasted:
            self._is_pasted = False
            self.pasted.emit(text)


class PasswordField(TextField):
    """Typed unseen, and seen only while that is asked for."""

    def __init__(self, spec: FieldSpec) -> None:
        super().__init__(spec)
        self.line.setEchoMode(QLineEdit.EchoMode.Password)
        self.show_typed = QPushButton(tr("Show"))
        self.show_typed.setCheckable(True)
        self.show_typed.setToolTip(tr("Show what is typed"))
        self.show_typed.setAccessibleName(tr("Show {field}").format(field=self.title))
        self.show_typed.hide()
        self.show_typed.toggled.connect(self._show_or_hide)
        row = cast(QHBoxLayout, self.layout())
        row.insertWidget(1, self.show_typed)
        self.line.textChanged.connect(self._follow_text)

    def _follow_text(self, text: str) -> None:
        self.show_typed.setVisible(bool(text) and not refers(text))
        if not text:
            self.show_typed.setChecked(False)
        self._show_or_hide()

    def _show_or_hide(self) -> None:
        """The name of a secret is none."""
        is_seen = self.show_typed.isChecked() or refers(self.text())
        mode = QLineEdit.EchoMode.Normal if is_seen else QLineEdit.EchoMode.Password
        self.line.setEchoMode(mode)


class LinesField(WrittenField):
    """A text of several lines."""

    def __init__(self, spec: FieldSpec) -> None:
        self.lines = QPlainTextEdit()
        super().__init__(spec, self.lines)
        self.lines.setTabChangesFocus(True)
        self.lines.setFont(theme.mono())
        self._set_height(_LINES)

    def text(self) -> str:
        return self.lines.toPlainText()

    def fill(self, value: Setting) -> None:
        self.lines.setPlainText(as_text(self.spec, value))

    def _set_height(self, lines: int) -> None:
        spare = 2 * (self.lines.frameWidth() + round(self.lines.document().documentMargin()))
        # A line may be laid out a fraction higher than the metrics say.
        self.lines.setFixedHeight((self.lines.fontMetrics().lineSpacing() + 1) * lines + spare)


class ItemsField(LinesField):
    """Several texts, one a line; it grows with them."""

    def __init__(self, spec: FieldSpec) -> None:
        super().__init__(spec)
        self.lines.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.lines.blockCountChanged.connect(self._grow)
        self._grow(1)

    def _grow(self, count: int) -> None:
        self._set_height(min(max(_LEAST_ITEMS, count), _MOST_ITEMS))


def as_text(spec: FieldSpec, value: Setting) -> str:
    """A stored or default value the way a person writes it."""
    if isinstance(value, tuple):
        return ("\n" if spec.type is FieldType.LINES else ", ").join(value)
    return str(spec.written(value))


def _placeholder(spec: FieldSpec) -> str:
    """The default, an example, or for a text what it is for."""
    if spec.default not in (None, ()):
        assert spec.default is not None
        return as_text(spec, spec.default)
    if spec.type is FieldType.LINES:
        return _example(spec) or tr(spec.help)
    return tr(spec.help) if spec.type is FieldType.TEXT else ""


def _example(spec: FieldSpec) -> str:
    """What the help ends with; it is the same in every language."""
    return spec.help.partition("as in ")[2].partition(";")[0]


def is_short(spec: FieldSpec) -> bool:
    """Whether a text is a word or two."""
    return spec.type is FieldType.TEXT and spec.highest <= _SHORT_TEXT


def _width_of(spec: FieldSpec) -> int:
    return _WIDTHS[FieldType.WHOLE] if is_short(spec) else _WIDTHS.get(spec.type, STRETCH)


def _inserted(before: str, after: str) -> int:
    """How many characters one edit put in."""
    kept = _shared(before, after)
    return len(after) - kept - _shared(before[kept:][::-1], after[kept:][::-1])


def _shared(one: str, other: str) -> int:
    """How many characters they have in common at the beginning."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in pairs)

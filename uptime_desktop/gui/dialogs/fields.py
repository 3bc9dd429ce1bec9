"""Form fields, one class for each way to answer, made from field specs.

A field gives what was written, as a file or a flag would; what that means is for the domain and
the kind of check to say. A refusal is shown under the field it is about.
"""

from collections.abc import Iterable, Sequence
from typing import Final, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.checks.credentials import secret_names
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status
from uptime_desktop.gui import icons, theme
from uptime_desktop.gui.dialogs.calm import keep_calm
from uptime_desktop.gui.dialogs.labels import ThemeLabel
from uptime_desktop.i18n import tr

STRETCH: Final = 0
"""The width, in characters, of a field that takes all there is."""
_FRAME: Final = 2
_WIDTHS: Final = {FieldType.WHOLE: 9, FieldType.DURATION: 9, FieldType.LIST: 20}
_LINES: Final = 4
_STAND_IN: Final = "kept"


class Complaint(QWidget):
    """What is wrong with a field, in a line under it; not there while nothing is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = QLabel(self)
        self._icon.setPixmap(
            icons.pixmap(icons.icon_name(Status.DOWN), 14, self.devicePixelRatioF())
        )
        self._text = ThemeLabel("", lambda tokens: tokens.down, self)
        self._text.setFont(theme.small(self.font()))
        self._text.setWordWrap(True)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(_FRAME, 0, 0, 2)
        layout.setSpacing(6)
        layout.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self._text, 1)
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def say(self, sentence: str) -> None:
        self._text.setText(sentence)
        self.setVisible(bool(sentence))


class Field(QWidget):
    """One answer. `given` is None where nothing was said, and the default holds."""

    changed = Signal()

    def __init__(self, key: str, title: str, editor: QWidget, help_text: str = "") -> None:
        super().__init__()
        self.key = key
        self.title = title
        self.editor = editor
        self.complaint = Complaint()
        self._help = help_text
        editor.setAccessibleName(title)
        editor.setAccessibleDescription(help_text)
        editor.setToolTip(help_text)
        self.setFocusProxy(editor)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(_FRAME, _FRAME, _FRAME, _FRAME)
        layout.setSpacing(8)
        layout.addWidget(editor)

    def given(self) -> Setting | None:
        raise NotImplementedError

    def sample(self) -> Setting | None:
        """As `given`, with something of its kind in place of a secret that is not known here."""
        return self.given()

    def fill(self, value: Setting) -> None:
        raise NotImplementedError

    def own_refusal(self) -> Refused | None:
        """What cannot be said with `given` and yet is wrong."""
        return None

    def refuse(self, refused: Refused | None) -> None:
        """Say why the answer cannot be used, or that nothing is wrong with it."""
        sentence = ""
        if refused is not None:
            sentence = tr("{field}: {problem}").format(field=self.title, problem=refused.text(tr))
        if sentence != self.complaint.text:
            self.complaint.say(sentence)
            (self.focusProxy() or self.editor).setAccessibleDescription(sentence or self._help)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """A frame around what is wrong; the editor itself stays as the platform draws it."""
        super().paintEvent(event)
        if self.complaint.text:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.tokens().down, _FRAME))
            painter.drawRoundedRect(self.editor.geometry().adjusted(-1, -1, 1, 1), 3, 3)
            painter.end()


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
        return self.spec.parse(text) if self.spec.type is FieldType.LIST else text

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

    def __init__(self, spec: FieldSpec, width: int | None = None) -> None:
        self.line = QLineEdit()
        super().__init__(spec, self.line)
        if spec.hides(spec.key):
            self.line.setEchoMode(QLineEdit.EchoMode.Password)
        _widen(self.line, _WIDTHS.get(spec.type, STRETCH) if width is None else width)

    def text(self) -> str:
        return self.line.text()

    def fill(self, value: Setting) -> None:
        self.line.setText(as_text(self.spec, value))
        self.line.setCursorPosition(0)


class LinesField(WrittenField):
    """A text of several lines."""

    def __init__(self, spec: FieldSpec) -> None:
        self.lines = QPlainTextEdit()
        super().__init__(spec, self.lines)
        self.lines.setTabChangesFocus(True)
        self.lines.setFont(theme.mono())
        spare = 2 * (self.lines.frameWidth() + round(self.lines.document().documentMargin()))
        self.lines.setFixedHeight(self.lines.fontMetrics().lineSpacing() * _LINES + spare)

    def text(self) -> str:
        return self.lines.toPlainText()

    def fill(self, value: Setting) -> None:
        self.lines.setPlainText(str(value))


class ChoiceField(Field):
    """One of a few words. With `always`, the default is said too."""

    def __init__(
        self,
        spec: FieldSpec,
        words: Sequence[tuple[str, str]] | None = None,
        *,
        always: bool = False,
    ) -> None:
        self.combo = CalmCombo()
        super().__init__(spec.key, tr(spec.title), self.combo, tr(spec.help))
        self._default = None if always else spec.default
        for value, text in words or [(choice, tr(choice)) for choice in spec.choices]:
            self.combo.addItem(text, value)
        if spec.default is not None:
            self.fill(spec.default)
        self.combo.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.combo.currentIndexChanged.connect(lambda _: self.changed.emit())

    @property
    def value(self) -> str:
        return str(self.combo.currentData())

    def given(self) -> Setting | None:
        return None if self.value == self._default else self.value

    def fill(self, value: Setting) -> None:
        self.combo.setCurrentIndex(max(0, self.combo.findData(str(value))))


class FlagField(Field):
    """Yes or no; its name stands beside the box."""

    def __init__(self, spec: FieldSpec) -> None:
        self.box = QCheckBox(tr(spec.title))
        super().__init__(spec.key, tr(spec.title), self.box, tr(spec.help))
        self.spec = spec
        self.box.setChecked(bool(spec.default))
        self.box.toggled.connect(lambda _: self.changed.emit())

    def given(self) -> Setting | None:
        return None if self.box.isChecked() == bool(self.spec.default) else self.box.isChecked()

    def fill(self, value: Setting) -> None:
        self.box.setChecked(bool(self.spec.parse(value)))


class CalmCombo(QComboBox):
    """Does not change because someone scrolls past it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        keep_calm(self)


class SiteField(Field):
    """One of the sites there are, or a new one by its name."""

    def __init__(self, sites: Iterable[tuple[str, str]]) -> None:
        self.combo = CalmCombo()
        super().__init__(
            "site",
            tr("Site"),
            self.combo,
            tr("the group it belongs to; type a new name to make one"),
        )
        self.combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        for site_id, name in sites:
            self.combo.addItem(name, site_id)
        line = QLineEdit()
        line.setAccessibleName(self.title)
        self.combo.setLineEdit(line)
        _widen(self.combo, 18)
        self.combo.editTextChanged.connect(lambda _: self.changed.emit())

    def given(self) -> str:
        text = self.combo.currentText().strip()
        at = self.combo.findText(text, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchCaseSensitive)
        return text if at < 0 else str(self.combo.itemData(at))

    def fill(self, value: Setting) -> None:
        at = self.combo.findData(str(value))
        self.combo.setEditText(str(value) if at < 0 else self.combo.itemText(at))


def as_text(spec: FieldSpec, value: Setting) -> str:
    """A stored or default value the way a person writes it."""
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(spec.written(value))


def _placeholder(spec: FieldSpec) -> str:
    """The default, or for a text that may be left out what it is for."""
    if spec.default is not None:
        return as_text(spec, spec.default)
    is_optional_text = spec.type is FieldType.TEXT and not spec.is_required
    return tr(spec.help) if is_optional_text else ""


def is_kept(value: Setting) -> bool:
    """Whether this stands for a secret that is stored elsewhere."""
    return bool(secret_names({"": value}))


def _widen(editor: QWidget, characters: int) -> None:
    """So many characters wide, or as wide as there is room."""
    if characters == STRETCH:
        editor.setMinimumWidth(editor.fontMetrics().horizontalAdvance("0") * 12)
        return
    editor.setFixedWidth(editor.fontMetrics().horizontalAdvance("0") * characters + 24)

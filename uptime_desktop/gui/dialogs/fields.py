"""Form fields, one class for each way to answer, made from field specs.

A field gives what was written, as a file or a flag would; what that means is for the domain and
the kind of check to say. A refusal is shown under the field it is about.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QWidget,
)

from uptime_desktop.checks.base import FieldSpec
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
        # As it hands the focus on, it is a stop to Qt, which orders only what says that it is one.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
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
        widen(self.combo, 18)
        self.combo.editTextChanged.connect(lambda _: self.changed.emit())

    def given(self) -> str:
        text = self.combo.currentText().strip()
        at = self.combo.findText(text, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchCaseSensitive)
        return text if at < 0 else str(self.combo.itemData(at))

    def fill(self, value: Setting) -> None:
        at = self.combo.findData(str(value))
        self.combo.setEditText(str(value) if at < 0 else self.combo.itemText(at))


def is_kept(value: Setting) -> bool:
    """Whether this stands for a secret that was typed here and is stored elsewhere; what a
    person gave a name, and refers to by that, can be seen."""
    return any("/" in name for name in secret_names({"": value}))


def widen(editor: QWidget, characters: int) -> None:
    """So many characters wide, or as wide as there is room."""
    if characters == STRETCH:
        editor.setMinimumWidth(editor.fontMetrics().horizontalAdvance("0") * 12)
        return
    editor.setFixedWidth(editor.fontMetrics().horizontalAdvance("0") * characters + 24)

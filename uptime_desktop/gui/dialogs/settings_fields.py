"""One control for one setting, which it knows as the text that a configuration file has."""

import re
from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import QLocale, QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QDoubleSpinBox,
    QLineEdit,
    QSizePolicy,
    QSpinBox,
    QWidget,
)

from uptime_desktop.config import COUNT_RANGES
from uptime_desktop.domain.model import MAX_JITTER_PPM, Setting
from uptime_desktop.domain.notation import fraction_notation, parse_duration
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.gui.dialogs.calm import keep_calm
from uptime_desktop.gui.dialogs.fields import CalmCombo, Field
from uptime_desktop.gui.dialogs.labels import Hint
from uptime_desktop.gui.dialogs.settings_changes import NO, YES
from uptime_desktop.i18n import tr

_PPM_OF_PERCENT: Final = 10_000
_SHORTEST: Final = QLocale.FloatingPointPrecisionOption.FloatingPointShortest.value
_WIDTH: Final = 10
_MNEMONIC: Final = re.compile(r"\(&\w\)|&")


class SettingField(Field):
    """With its range or effect in words. `typed` may still be going on; `chosen` is final."""

    typed = Signal()
    chosen = Signal()

    def __init__(self, key: str, label: str, editor: QWidget) -> None:
        super().__init__(key, _MNEMONIC.sub("", label), editor)
        self.label = label
        self.harmless: tuple[QWidget, ...] = ()
        """Those of its controls that change nothing."""
        self.hint = Hint()
        self.hint.setWordWrap(True)

    def given(self) -> str:
        raise NotImplementedError

    def say(self, hint: str) -> None:
        self.hint.setText(hint)
        self.editor.setAccessibleDescription(self.complaint.text or hint)

    def refuse(self, refused: Refused | None) -> None:
        super().refuse(refused)
        self.say(self.hint.text())


class DurationField(SettingField):
    """What is typed stays as it was typed: `60s` does not become `1m` under the cursor."""

    def __init__(self, key: str, label: str) -> None:
        self.line = QLineEdit()
        super().__init__(key, label, self.line)
        _narrow(self.line)
        self.line.textEdited.connect(lambda _: self.typed.emit())
        self.line.editingFinished.connect(self.chosen)

    def given(self) -> str:
        return self.line.text().replace(" ", "")

    def fill(self, value: Setting) -> None:
        if not self._means(str(value)):
            self.line.setText(str(value))

    def _means(self, text: str) -> bool:
        try:
            return parse_duration(self.key, self.given()) == parse_duration(self.key, text)
        except Refused:
            return False


class CountField(SettingField):
    def __init__(self, key: str, label: str) -> None:
        self.spin = _CalmSpin()
        super().__init__(key, label, self.spin)
        _narrow(self.spin)
        self.spin.setRange(*COUNT_RANGES[key])
        self.spin.valueChanged.connect(lambda _: self.typed.emit())
        self.spin.editingFinished.connect(self.chosen)

    def given(self) -> str:
        return str(self.spin.value())

    def fill(self, value: Setting) -> None:
        with QSignalBlocker(self.spin):
            self.spin.setValue(int(str(value)))


class PercentField(SettingField):
    """A fraction, shown in percent."""

    def __init__(self, key: str, label: str) -> None:
        self.spin = _CalmPercent()
        super().__init__(key, label, self.spin)
        _narrow(self.spin)
        self.spin.setDecimals(4)
        self.spin.setRange(0, MAX_JITTER_PPM / _PPM_OF_PERCENT)
        self.spin.setSuffix(tr(" %"))
        self.spin.valueChanged.connect(lambda _: self.typed.emit())
        self.spin.editingFinished.connect(self.chosen)

    def given(self) -> str:
        return fraction_notation(round(self.spin.value() * _PPM_OF_PERCENT))

    def fill(self, value: Setting) -> None:
        with QSignalBlocker(self.spin):
            self.spin.setValue(float(str(value)) * 100)


class ChoiceField(SettingField):
    def __init__(self, key: str, label: str, choices: Iterable[tuple[str, str]]) -> None:
        self.combo = CalmCombo()
        super().__init__(key, label, self.combo)
        for value, words in choices:
            self.combo.addItem(words, value)
        self.combo.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.combo.setMinimumWidth(_width(self.combo))
        self.combo.activated.connect(lambda _: self.chosen.emit())

    def given(self) -> str:
        return str(self.combo.currentData())

    def fill(self, value: Setting) -> None:
        self.combo.setCurrentIndex(self.combo.findData(value))


class SwitchField(SettingField):
    """Yes or no; its name stands beside the box."""

    def __init__(self, key: str, label: str) -> None:
        self.box = QCheckBox(label)
        super().__init__(key, label, self.box)
        self.box.clicked.connect(lambda _: self.chosen.emit())

    def given(self) -> str:
        return YES if self.box.isChecked() else NO

    def fill(self, value: Setting) -> None:
        self.box.setChecked(value == YES)


class _CalmSpin(QSpinBox):
    """Does not change because someone scrolls past it."""

    def __init__(self) -> None:
        super().__init__()
        keep_calm(self)


class _CalmPercent(QDoubleSpinBox):
    """The same, with only as many decimals as there are."""

    def __init__(self) -> None:
        super().__init__()
        keep_calm(self)

    def textFromValue(self, value: float) -> str:  # noqa: N802
        return self.locale().toString(value, "f", _SHORTEST)


def _narrow(editor: QLineEdit | QAbstractSpinBox) -> None:
    editor.setFixedWidth(_width(editor))


def _width(editor: QWidget) -> int:
    return editor.fontMetrics().horizontalAdvance("0") * _WIDTH + 24

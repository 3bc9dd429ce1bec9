"""Where jobs report, and the key by which those we do not know yet may."""

import secrets
from typing import cast

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from uptime_desktop.config import parse_listen
from uptime_desktop.domain.model import Setting
from uptime_desktop.gui import theme
from uptime_desktop.gui.copying import copy_text
from uptime_desktop.gui.dialogs.calm import keep_calm
from uptime_desktop.gui.dialogs.fields import CalmCombo
from uptime_desktop.gui.dialogs.settings_fields import SettingField
from uptime_desktop.gui.own_addresses import (
    ALL,
    LOOPBACK,
    LOOPBACK_6,
    network_addresses,
)
from uptime_desktop.i18n import tr

_MOST_PORT = 65_535
_KEY_BYTES = 16
_LEAST_CHARACTERS = 12
_SHRINKING = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon


class ListenField(SettingField):
    """An address of this computer and a port on it."""

    def __init__(self, key: str, label: str) -> None:
        whole = QWidget()
        super().__init__(key, label, whole)
        self.combo = CalmCombo()
        self.combo.setAccessibleName(self.title)
        self.combo.setSizeAdjustPolicy(_SHRINKING)
        self.combo.setMinimumContentsLength(_LEAST_CHARACTERS)
        self.port = QSpinBox()
        keep_calm(self.port)
        self.port.setRange(0, _MOST_PORT)
        self.port.setSpecialValueText(tr("any that is free"))
        self.port.setAccessibleName(tr("Port"))
        label_of_port = QLabel(tr("&Port"))
        label_of_port.setBuddy(self.port)
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.combo, 1)
        row.addWidget(label_of_port)
        row.addWidget(self.port)
        whole.setFocusProxy(self.combo)
        self.setFocusProxy(self.combo)
        self._offer()
        self.combo.activated.connect(lambda _: self.chosen.emit())
        self.port.valueChanged.connect(lambda _: self.typed.emit())
        self.port.editingFinished.connect(self.chosen)

    @property
    def host(self) -> str:
        return str(self.combo.currentData())

    def given(self) -> str:
        host = self.host
        return f"{f'[{host}]' if ':' in host else host}:{self.port.value()}"

    def fill(self, value: Setting) -> None:
        host, port = parse_listen(str(value))
        if self.combo.findData(host) < 0:
            # It was there when it was chosen, and may come back.
            self.combo.addItem(host, host)
        self.combo.setCurrentIndex(self.combo.findData(host))
        with QSignalBlocker(self.port):
            self.port.setValue(port)

    def _offer(self) -> None:
        for address, words in (
            (LOOPBACK, tr("This computer only")),
            (LOOPBACK_6, tr("This computer only, by IPv6")),
            (ALL, tr("All addresses")),
            *network_addresses(),
        ):
            self.combo.addItem(f"{words} ({address})", address)


class PingKeyField(SettingField):
    """Made up here, or brought along from elsewhere."""

    def __init__(self, key: str, label: str) -> None:
        self.line = QLineEdit()
        super().__init__(key, label, self.line)
        self.line.setFont(theme.mono())
        self.line.setPlaceholderText(tr("none"))
        width = self.line.fontMetrics().horizontalAdvance("0") * _LEAST_CHARACTERS
        self.line.setMinimumWidth(width)
        self.generate = QPushButton(tr("&Generate"))
        self.generate.setToolTip(tr("Make up a new key"))
        self.generate.clicked.connect(self._generate)
        self.copy = QPushButton(tr("Cop&y"))
        self.copy.setAccessibleName(tr("Copy the ping key"))
        self.copy.clicked.connect(lambda: copy_text(self.line.text()))
        self.remove = QPushButton(tr("Re&move"))
        self.remove.setAccessibleName(tr("Remove the ping key"))
        self.remove.clicked.connect(lambda: self._use(""))
        self.harmless = (self.copy,)
        row = cast(QHBoxLayout, self.layout())
        for button in (self.generate, self.copy, self.remove):
            row.addWidget(button)
        self.line.textEdited.connect(lambda _: self.typed.emit())
        self.line.textChanged.connect(lambda _: self._follow())
        self.line.editingFinished.connect(self.chosen)
        self._follow()

    def given(self) -> str:
        return self.line.text().strip()

    def fill(self, value: Setting) -> None:
        if self.line.text() != str(value):
            self.line.setText(str(value))

    def _generate(self) -> None:
        self._use(secrets.token_urlsafe(_KEY_BYTES))

    def _use(self, key: str) -> None:
        self.line.setText(key)
        self.chosen.emit()

    def _follow(self) -> None:
        for button in (self.copy, self.remove):
            button.setEnabled(bool(self.line.text()))

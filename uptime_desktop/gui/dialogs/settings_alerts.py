"""When people are told of trouble: how soon, how often, and at what hours not."""

from PySide6.QtCore import QSignalBlocker, QTime, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QTimeEdit, QWidget

from uptime_desktop.config import COUNT_RANGES
from uptime_desktop.domain.model import MAX_REPEAT_MS, MIN_REPEAT_MS, Setting
from uptime_desktop.domain.wording import duration_text
from uptime_desktop.gui.dialogs.calm import keep_calm
from uptime_desktop.gui.dialogs.fields import CalmCombo
from uptime_desktop.gui.dialogs.labels import Hint
from uptime_desktop.gui.dialogs.settings_fields import (
    CountField,
    DurationField,
    SettingField,
    SwitchField,
)
from uptime_desktop.gui.dialogs.settings_form import SettingsPage
from uptime_desktop.i18n import ntr, tr

_NIGHT = "22:00-07:00"
_FORMAT = "HH:mm"
_NEVER, _DAILY = 0, 1


class QuietHoursField(SettingField):
    """Never, or from one time of the day to another."""

    def __init__(self, key: str, label: str) -> None:
        whole = QWidget()
        super().__init__(key, label, whole)
        self.combo = CalmCombo()
        self.combo.addItems((tr("never"), tr("every day from")))
        self.combo.setAccessibleName(self.title)
        self.start, self.end = _time_edit(tr("Quiet from")), _time_edit(tr("Quiet until"))
        self._to = QLabel(tr("to"))
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for part in (self.combo, self.start, self._to, self.end):
            row.addWidget(part)
        row.addStretch(1)
        whole.setFocusProxy(self.combo)
        self.setFocusProxy(self.combo)
        self._show_times(_NIGHT)
        self.combo.activated.connect(self._choose)
        for edit in (self.start, self.end):
            edit.timeChanged.connect(lambda _: self.typed.emit())
            edit.editingFinished.connect(self.chosen)

    def given(self) -> str:
        if self.combo.currentIndex() == _NEVER:
            return ""
        times = (edit.time().toString(_FORMAT) for edit in (self.start, self.end))
        return "-".join(times)

    def fill(self, value: Setting) -> None:
        self.combo.setCurrentIndex(_DAILY if value else _NEVER)
        if value:
            self._show_times(str(value))
        self._follow()

    def _choose(self) -> None:
        self._follow()
        self.chosen.emit()

    def _follow(self) -> None:
        for part in (self.start, self._to, self.end):
            part.setVisible(self.combo.currentIndex() == _DAILY)

    def _show_times(self, hours: str) -> None:
        for edit, text in zip((self.start, self.end), hours.split("-"), strict=True):
            with QSignalBlocker(edit):
                edit.setTime(QTime.fromString(text, _FORMAT))


class AlertsPage(SettingsPage):
    test_asked = Signal()

    def build(self) -> None:
        self.section(tr("When"), tr("unless a monitor or its site says otherwise"))
        self._after = self.add(CountField("alert_after", tr("&After")))
        self._repeat = self.add(DurationField("repeat_alerts", tr("A&gain every")))
        self._quiet = self.add_tall(QuietHoursField("quiet_hours", tr("&Quiet hours")))
        self.section(tr("On this computer"))
        self.add(
            SwitchField("notifications", tr("Show &notifications")),
            tr("When a monitor goes down or works badly. Off: only the tray icon tells."),
        )
        self._sound = self.add(
            SwitchField("sound", tr("With a &sound")),
            tr("The one of the system for notifications."),
        )
        self._add_test()
        self.section(tr("When it is over"))
        self.add(
            SwitchField("notify_recovery", tr("Also tell when it is &up again")),
            tr("With how long it was down, wherever it was told."),
        )

    def _add_test(self) -> None:
        self._test = QPushButton(tr("Send &test"))
        self._test.clicked.connect(lambda _: self.test_asked.emit())
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(2, 2, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self._test)
        self._test_hint = Hint()
        self._test_hint.setWordWrap(True)
        layout.addWidget(self._test_hint, 1)
        self.add_wide(row)

    def explain(self) -> None:
        now = self._changes.settings
        lowest, highest = COUNT_RANGES["alert_after"]
        n = now.alert_after
        runs = ntr(
            "failed run. {lowest} to {highest}; 1 tells at once.",
            "failed runs in a row. {lowest} to {highest}; 1 tells at once.",
            n,
        )
        self._after.say(runs.format(lowest=lowest, highest=highest))
        shortest, longest = duration_text(MIN_REPEAT_MS, tr), duration_text(MAX_REPEAT_MS, tr)
        repeats = tr("{lowest} to {highest}, until it is acknowledged. 0s: only once.")
        self._repeat.say(repeats.format(lowest=shortest, highest=longest))
        self._quiet.say(
            tr("What is still down at their end is then told in one message.")
            if now.quiet_hours
            else tr("Trouble is told at any hour.")
        )
        self._sound.editor.setEnabled(now.notifications)
        self._test.setEnabled(now.notifications)
        self._test_hint.setText(
            tr("Shows one as it will look.")
            if now.notifications
            else tr("Turn notifications on first.")
        )
        self._test.setAccessibleDescription(self._test_hint.text())


def _time_edit(name: str) -> QTimeEdit:
    edit = QTimeEdit()
    keep_calm(edit)
    edit.setDisplayFormat(_FORMAT)
    edit.setAccessibleName(name)
    return edit

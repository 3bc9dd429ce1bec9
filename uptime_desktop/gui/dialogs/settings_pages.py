"""The pages that only ask: general things and notifications."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from uptime_desktop.gui.dialogs.labels import Hint
from uptime_desktop.gui.dialogs.settings_changes import START_AT_LOGIN
from uptime_desktop.gui.dialogs.settings_fields import ChoiceField, SwitchField
from uptime_desktop.gui.dialogs.settings_form import SettingsPage
from uptime_desktop.i18n import LANGUAGES, tr


class GeneralPage(SettingsPage):
    def build(self) -> None:
        languages = [("", tr("System")), *LANGUAGES.items()]
        self.add(
            ChoiceField("language", tr("&Language"), languages),
            tr("For the window, the tray and notifications."),
        )
        self.section(tr("Start"))
        self.add(
            SwitchField(START_AT_LOGIN, tr("&Start when I log in")),
            tr("In the tray, without the window."),
        )
        self.add(
            SwitchField("start_minimised", tr("Start without the &window")),
            tr("Also when I start it myself: only the tray icon shows."),
        )
        self.section(tr("Look"))
        self.add(
            SwitchField("mono_icons", tr("Tray &icons in one colour")),
            tr("The shape alone tells the status, in the colour of the panel."),
        )
        self.add(
            SwitchField("compact_rows", tr("&One line for each monitor")),
            tr("Without the address and the reason for the next run."),
        )

    def explain(self) -> None:
        """Each field says it all already."""


class NotificationsPage(SettingsPage):
    test_asked = Signal()

    def build(self) -> None:
        self.section(tr("On this computer"))
        self.add(
            SwitchField("notifications", tr("Show &notifications")),
            tr("When a monitor goes down or works badly. Off: only the tray icon tells."),
        )
        self._depending = [
            self.add(
                SwitchField("notify_recovery", tr("Also when it is &up again")),
                tr("With how long it was down."),
            ),
            self.add(
                SwitchField("sound", tr("With a &sound")),
                tr("The one of the system for notifications."),
            ),
        ]
        self._test = QPushButton(tr("Send &test"))
        self._test.setAutoDefault(False)
        self._test.clicked.connect(lambda _: self.test_asked.emit())
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(2, 8, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self._test)
        self._test_hint = Hint()
        self._test_hint.setWordWrap(True)
        layout.addWidget(self._test_hint, 1)
        self.add_wide(row)

    def explain(self) -> None:
        is_on = self._changes.settings.notifications
        for field in self._depending:
            field.editor.setEnabled(is_on)
        self._test.setEnabled(is_on)
        self._test_hint.setText(
            tr("Shows one as it will look.") if is_on else tr("Turn notifications on first.")
        )
        self._test.setAccessibleDescription(self._test_hint.text())

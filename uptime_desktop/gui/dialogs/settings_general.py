"""How the program starts, speaks and looks."""

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

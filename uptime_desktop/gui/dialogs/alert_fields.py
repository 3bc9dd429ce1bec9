"""What a monitor depends on, and whom trouble with it is told: what every kind is asked."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from uptime_desktop.app import App
from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.domain.alert_rules import completed
from uptime_desktop.domain.definition import ALERT_KEYS
from uptime_desktop.domain.model import AlertRule, Setting
from uptime_desktop.domain.wording import duration_text
from uptime_desktop.gui.dialogs.channels_field import ChannelsField
from uptime_desktop.gui.dialogs.fields import ChoiceField, Field
from uptime_desktop.gui.dialogs.form import Fold, Form
from uptime_desktop.gui.dialogs.monitors_field import Choice, MonitorsField
from uptime_desktop.gui.dialogs.written_fields import TextField
from uptime_desktop.i18n import tr

KEYS = ("depends_on", *ALERT_KEYS)
_AS_FOR_ALL = ""
_HINT_INDENT = 4


class AlertFields(QWidget):
    """One fold. `upstream` are the monitors and sites that it could depend on."""

    changed = Signal()

    def __init__(self, app: App, upstream: Sequence[Choice]) -> None:
        super().__init__()
        self._app = app
        self.depends_on = depends_on_field(upstream)
        self.after = TextField(
            FieldSpec("alert_after", FieldType.WHOLE, "", label=tr("Alert after"))
        )
        self.repeat = TextField(
            FieldSpec("repeat_every", FieldType.DURATION, "", label=tr("Again every"))
        )
        self.recovery = ChoiceField(
            FieldSpec("recovery_notice", FieldType.CHOICE, "", _AS_FOR_ALL, label=tr("Recovery")),
            ((_AS_FOR_ALL, tr("as set for all")), ("yes", tr("tell")), ("no", tr("do not tell"))),
        )
        self.channels = ChannelsField(app.channels.known)
        own: tuple[Field, ...] = (
            self.depends_on,
            self.after,
            self.repeat,
            self.recovery,
            self.channels,
        )
        self.fields: dict[str, Field] = {field.key: field for field in own}
        self.form = Form()
        self.form.add(self.depends_on.title, self.depends_on)
        weighs = tr("While one of these is down, its own trouble weighs little.")
        self.form.add("", weighs, indent=_HINT_INDENT)
        self.form.add(self.after.title, self.after, tr("failed runs in a row"))
        self.form.add(self.repeat.title, self.repeat, tr("while it lasts; 0: only once"))
        self.form.add(self.recovery.title, self.recovery)
        self.form.add(self.channels.title, self.channels)
        self.fold = Fold(tr("Dependencies and alerts"), self.form)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.fold)
        for field in own:
            field.changed.connect(self.changed)

    def given(self) -> dict[str, Setting]:
        answers = ((key, field.given()) for key, field in self.fields.items())
        return {key: value for key, value in answers if value is not None}

    def fill(self, keys: Mapping[str, Setting]) -> None:
        """Show what is stored, unfolded if there is anything."""
        for key, field in self.fields.items():
            if key in keys:
                field.fill(keys[key])
                self.fold.open()

    def reveal(self, field: Field) -> None:
        if self.fold.content.isAncestorOf(field):
            self.fold.open()

    def show_effective(self, site_id: str) -> None:
        """What holds while nothing is written: as the site has it, or as for all."""
        site, settings = self._app.sites.get(site_id), self._app.settings
        for_all = AlertRule(settings.alert_after, settings.repeat_alerts_ms)
        rule = completed(for_all if site is None else site.alert, for_all)
        self.after.set_placeholder(str(rule.after))
        repeat = duration_text(rule.repeat_ms, tr) if rule.repeat_ms else tr("never")
        self.repeat.set_placeholder(repeat)


def depends_on_field(upstream: Sequence[Choice]) -> MonitorsField:
    spec = FieldSpec("depends_on", FieldType.MONITORS, "", highest=200, label=tr("Depends on"))
    return MonitorsField(spec, upstream)

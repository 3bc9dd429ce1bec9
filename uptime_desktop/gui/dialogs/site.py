"""Change a site: its name, what all of its monitors depend on, and whom their trouble is told."""

from dataclasses import replace
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from uptime_desktop.app import App
from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.domain.definition import describe_alert_rule, parse_alert_rule
from uptime_desktop.domain.model import Site
from uptime_desktop.domain.notation import parse_name
from uptime_desktop.domain.refusal import Refused, UserError
from uptime_desktop.gui import theme
from uptime_desktop.gui.declared import where_to_edit
from uptime_desktop.gui.dialogs.alert_fields import AlertFields
from uptime_desktop.gui.dialogs.fields import STRETCH, Field
from uptime_desktop.gui.dialogs.form import Form, align
from uptime_desktop.gui.dialogs.labels import ResultLine
from uptime_desktop.gui.dialogs.read_only import DeclaredNote, make_read_only
from uptime_desktop.gui.dialogs.upstream import in_names, upstream_choices
from uptime_desktop.gui.dialogs.written_fields import TextField
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.i18n import tr

_WIDTH: Final = 74
"""In characters of the font in use."""


class SiteDialog(QDialog):
    saved = Signal(object)
    """The site as it is from now on."""

    def __init__(self, app: App, tasks: Tasks, site: Site, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._tasks = tasks
        self._site = site
        self._is_saving = False
        self._why_not = where_to_edit(app)
        self.setWindowTitle(tr("View site") if self._why_not else tr("Edit site"))
        self.name = TextField(FieldSpec("name", FieldType.TEXT, "", label=tr("Name")), STRETCH)
        self.name.fill(site.name)
        self.alerts = AlertFields(app, upstream_choices(app, but_site=site.id))
        self.alerts.fill({"depends_on": site.depends_on, **describe_alert_rule(site.alert)})
        self.alerts.show_effective("")
        self.fields: dict[str, Field] = {"name": self.name, **self.alerts.fields}
        self.problem = ResultLine()
        self.problem.hide()
        self._make_buttons()
        self._lay_out()
        for field in self.fields.values():
            field.changed.connect(self._judge)
        if self._why_not:
            for part in (self.name, self.alerts):
                make_read_only(part, self._why_not)
        self.name.line.selectAll()
        self.name.setFocus()

    def _make_buttons(self) -> None:
        save, cancel = QDialogButtonBox.StandardButton.Save, QDialogButtonBox.StandardButton.Cancel
        self.buttons = QDialogButtonBox(save | cancel)
        self.save_button = self.buttons.button(save)
        self.save_button.setText(tr("Save"))
        self.save_button.setDefault(True)
        self.save_button.setVisible(not self._why_not)
        self.buttons.button(cancel).setText(tr("Close") if self._why_not else tr("Cancel"))
        self.buttons.accepted.connect(self.save)
        self.buttons.rejected.connect(self.reject)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self.save)

    def _lay_out(self) -> None:
        common = Form()
        common.add(tr("&Name"), self.name)
        align((common, self.alerts.form))
        content = QVBoxLayout()
        content.setContentsMargins(theme.MARGIN, theme.MARGIN, theme.MARGIN, 12)
        content.setSpacing(6)
        content.addWidget(common)
        content.addWidget(self.alerts)
        content.addStretch(1)
        content.addWidget(self.problem)
        content.addWidget(self.buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(DeclaredNote(self._app))
        layout.addLayout(content, 1)
        self.alerts.fold.open()
        self.resize(self.fontMetrics().averageCharWidth() * _WIDTH, self.sizeHint().height())

    def save(self) -> None:
        """Store it if it can be; otherwise go to the first thing that is wrong."""
        if self._is_saving or self._why_not:
            return
        site = self._judge()
        if site is None:
            next(field for field in self.fields.values() if field.complaint.text).setFocus()
            return
        self._set_saving(True)
        self._tasks.start(self._save(site))

    async def _save(self, site: Site) -> None:
        try:
            await self._app.change_site(site)
        except UserError as error:
            self._set_saving(False)
            self._tell(error)
            return
        self._set_saving(False)
        self.saved.emit(site)
        self.accept()

    def _tell(self, error: UserError) -> None:
        if isinstance(error, Refused) and error.field in self.fields:
            field = self.fields[error.field]
            field.refuse(in_names(self._app, error))
            field.setFocus()
        else:
            self.problem.show_problem(error.text(tr))
            self.problem.show()

    def _judge(self) -> Site | None:
        """The site that the fields make, or None with every reason beside its field."""
        self.problem.hide()
        given, refused = self.alerts.given(), dict[str, Refused]()
        depends_on = given.get("depends_on", ())
        for key in self.alerts.fields:
            try:
                parse_alert_rule({key: given[key]} if key in given else {})
            except Refused as wrong:
                refused[wrong.field] = wrong
        try:
            name = parse_name("name", self.name.text().strip())
        except Refused as wrong:
            refused["name"] = wrong
        for key, field in self.fields.items():
            field.refuse(refused.get(key))
        self.save_button.setEnabled(not refused and not self._is_saving)
        if refused:
            return None
        rule = parse_alert_rule(given)
        upstream = depends_on if isinstance(depends_on, tuple) else ()
        now = self._app.sites.get(self._site.id, self._site)
        return replace(now, name=name, depends_on=upstream, alert=rule)

    def _set_saving(self, is_saving: bool) -> None:
        self._is_saving = is_saving
        for part in (self.name, self.alerts, self.buttons):
            part.setEnabled(not is_saving)

    def reject(self) -> None:
        if not self._is_saving:
            super().reject()

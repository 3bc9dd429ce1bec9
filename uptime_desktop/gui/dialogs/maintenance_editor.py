"""Plan maintenance, or plan it differently: when, for whom, and what becomes of the checks."""

from dataclasses import replace
from itertools import pairwise
from typing import Final

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop.app import App
from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.domain.maintenance import Mode, Window
from uptime_desktop.domain.maintenance_definition import describe_window, parse_when, parse_window
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.notation import parse_name
from uptime_desktop.domain.refusal import Refused, UserError
from uptime_desktop.gui import theme
from uptime_desktop.gui.declared import where_to_edit
from uptime_desktop.gui.dialogs.fields import Field
from uptime_desktop.gui.dialogs.form import Form, align, tab_stops
from uptime_desktop.gui.dialogs.labels import ResultLine, Separator
from uptime_desktop.gui.dialogs.maintenance_fields import ScopeFields
from uptime_desktop.gui.dialogs.maintenance_preview import MaintenancePreview
from uptime_desktop.gui.dialogs.maintenance_when import WhenFields
from uptime_desktop.gui.dialogs.maintenance_words import mode_help, mode_text
from uptime_desktop.gui.dialogs.monitors_field import Choice
from uptime_desktop.gui.dialogs.read_only import DeclaredNote, make_read_only
from uptime_desktop.gui.dialogs.sheet import Sheet
from uptime_desktop.gui.dialogs.written_fields import TextField
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.i18n import tr
from uptime_desktop.maintenance_acts import id_for

_SIZE: Final = (1020, 620)
_DRAFT: Final = "draft"


class MaintenanceEditor(QDialog):
    """Without a window it makes a new one. What is wrong is said beside its field."""

    saved = Signal(object)
    """The window as it holds from now on."""

    def __init__(
        self, app: App, tasks: Tasks, window: Window | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._app = app
        self._tasks = tasks
        self._window = window
        self._is_saving = False
        self._why_not = where_to_edit(app)
        self.refused: dict[str, Refused] = {}
        edits = tr("View maintenance") if self._why_not else tr("Edit maintenance")
        self.setWindowTitle(tr("Plan maintenance") if window is None else edits)
        self._make_fields()
        self._make_bottom()
        self._lay_out()
        if window is not None:
            self._fill(window)
        self._connect()
        self.judge()
        if self._why_not:
            for part in (self._content, self.preview):
                make_read_only(part, self._why_not)
        wanted = QSize(max(_SIZE[0], self.sizeHint().width()), _SIZE[1])
        self.resize(wanted.boundedTo(self.screen().availableSize()))
        self.name.setFocus()

    def choose(self, sites: frozenset[str], monitors: frozenset[str]) -> None:
        """Begin with these as what it is for."""
        self.scope.fill(sites, monitors)

    @property
    def fields(self) -> dict[str, Field]:
        """Those in use, in reading order."""
        return {"name": self.name, **self.when.fields, **self.scope.fields}

    # How it looks

    def _make_fields(self) -> None:
        app, clock = self._app, self._app.clock
        self.name = TextField(FieldSpec("name", FieldType.TEXT, "", label=tr("Name")))
        self.name.set_placeholder(tr("Maintenance"))
        self.when = WhenFields(clock.wall(), clock.zone())
        self.scope = ScopeFields(_sites(app), _monitors(app))
        self.modes = {mode: QRadioButton(mode_text(mode)) for mode in Mode}
        self.modes[Mode.SILENCE].setChecked(True)
        self.preview = MaintenancePreview(app, self.when)

    def _make_bottom(self) -> None:
        self.problem = ResultLine()
        save, cancel = QDialogButtonBox.StandardButton.Save, QDialogButtonBox.StandardButton.Cancel
        self.buttons = QDialogButtonBox(save | cancel)
        self.save_button = self.buttons.button(save)
        self.save_button.setText(tr("Save"))
        self.save_button.setDefault(True)
        self.save_button.setVisible(not self._why_not)
        self.buttons.button(cancel).setText(tr("Close") if self._why_not else tr("Cancel"))

    def _lay_out(self) -> None:
        naming, choosing = Form(), self._mode_form()
        naming.add(tr("&Name"), self.name)
        align((naming, *self.when.forms, self.scope.form, choosing))
        content = self._content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(theme.MARGIN, theme.MARGIN, theme.MARGIN, theme.MARGIN)
        column.setSpacing(6)
        for part in (naming, Separator(), self.when, Separator(), self.scope, Separator()):
            column.addWidget(part)
        column.addWidget(choosing)
        column.addStretch(1)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        sheet = Sheet()
        sheet.setWidget(content)
        middle.addWidget(sheet, 1)
        middle.addWidget(Separator(upright=True))
        middle.addWidget(self.preview)
        bottom = QHBoxLayout()
        bottom.setContentsMargins(theme.MARGIN, 10, theme.MARGIN, 12)
        bottom.addWidget(self.problem, 1)
        bottom.addWidget(self.buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        note = DeclaredNote(self._app)
        layout.addWidget(note)
        layout.addLayout(middle, 1)
        layout.addWidget(Separator())
        layout.addLayout(bottom)
        parts = (note, content, self.preview, self.buttons)
        for before, after in pairwise(stop for part in parts for stop in tab_stops(part)):
            QWidget.setTabOrder(before, after)

    def _mode_form(self) -> Form:
        form, group = Form(), QButtonGroup(self)
        width = max(radio.sizeHint().width() for radio in self.modes.values())
        for mode, radio in self.modes.items():
            radio.setMinimumWidth(width)
            radio.setAccessibleDescription(mode_help(mode))
            group.addButton(radio)
            form.add(tr("&Mode") if mode is Mode.SILENCE else "", radio, mode_help(mode))
        form.labels[0].setBuddy(self.modes[Mode.SILENCE])
        return form

    def _fill(self, window: Window) -> None:
        self.name.fill(window.name)
        self.when.fill(describe_window(window))
        self.scope.fill(window.sites, window.monitors)
        self.modes[window.mode].setChecked(True)

    def _connect(self) -> None:
        for part in (self.name, self.when, self.scope):
            part.changed.connect(self._edited)
        self.buttons.accepted.connect(self.save)
        self.buttons.rejected.connect(self.reject)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self.save)

    # What follows from what is typed

    @property
    def mode(self) -> Mode:
        return next(mode for mode, radio in self.modes.items() if radio.isChecked())

    def given(self) -> dict[str, Setting]:
        """The keys as a file would give them, without an id."""
        name = self.name.text().strip() or self.name.line.placeholderText()
        scope = self.scope.given()
        return {"name": name, "mode": self.mode.value, **self.when.given(), **scope}

    def _edited(self) -> None:
        self.problem.clear()
        self.judge()

    def judge(self) -> None:
        """Find what is wrong, say it where it is, and show what the rest comes to."""
        now, is_new = self._app.clock.wall(), self._window is None
        self.refused = {}
        self._note(self.when.own_refusal(now, is_new=is_new))
        self._note(self.scope.own_refusal())
        given = self.given()
        try:
            parse_name("name", str(given["name"]))
        except Refused as refused:
            self._note(refused)
        try:
            when = parse_when(self.when.given(), now, is_new=is_new)
        except Refused as refused:
            self._note(refused)
        for key, field in self.fields.items():
            field.refuse(self.refused.get(key))
        wrong = [field for key, field in self.when.fields.items() if key in self.refused]
        if wrong:
            sentence = tr("No preview: {field} is not valid.").format(field=wrong[0].title)
            self.preview.withhold(sentence)
        else:
            self.preview.follow(Window(_DRAFT, _DRAFT, when))
        self.save_button.setEnabled(not self.refused and not self._is_saving)

    def _note(self, refused: Refused | None) -> None:
        if refused is not None:
            self.refused.setdefault(refused.field, refused)

    # Save

    def save(self) -> None:
        """Store it if it can be; otherwise go to the first thing that is wrong."""
        if self._is_saving or self._why_not:
            return
        self.judge()
        if self.refused:
            next(field for key, field in self.fields.items() if key in self.refused).setFocus()
            return
        self._set_saving(True)
        self._tasks.start(self._save())

    async def _save(self) -> None:
        try:
            window = self._made()
            await self._app.save_window(window)
        except UserError as error:
            self._set_saving(False)
            self.problem.show_problem(error.text(tr))
            return
        self._set_saving(False)
        self.saved.emit(window)
        self.accept()

    def _made(self) -> Window:
        """The window that the fields describe."""
        given, old, now = self.given(), self._window, self._app.clock.wall()
        if old is None:
            return parse_window({**given, "id": id_for(self._app, str(given["name"]))}, now)
        made = parse_window({**given, "id": old.id}, now, is_new=False)
        # What was ended early stays ended, unless its times are others now.
        off_until = old.off_until if made.when == old.when else None
        return replace(made, is_on=old.is_on, off_until=off_until)

    def _set_saving(self, is_saving: bool) -> None:
        self._is_saving = is_saving
        self.buttons.setEnabled(not is_saving)
        self.save_button.setEnabled(not self.refused and not is_saving)

    def reject(self) -> None:
        if not self._is_saving:
            super().reject()


def _sites(app: App) -> list[Choice]:
    return [Choice(site.id, site.name, "") for site in app.sites.values()]


def _monitors(app: App) -> list[Choice]:
    monitors = (job.monitor for job in app.jobs)
    return [Choice(one.id, one.name, app.sites[one.site_id].name) for one in monitors]

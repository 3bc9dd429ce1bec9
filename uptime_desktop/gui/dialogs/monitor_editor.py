"""Add a monitor, or change one: what to check, when, and what that will come to."""

import asyncio
from itertools import pairwise
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop.app import App, Job, NoPlace
from uptime_desktop.checks.registry import kind_for
from uptime_desktop.domain.model import Monitor
from uptime_desktop.domain.refusal import Refused, UserError
from uptime_desktop.gui import theme
from uptime_desktop.gui.declared import where_to_edit
from uptime_desktop.gui.dialogs.draft import fits
from uptime_desktop.gui.dialogs.form import tab_stops
from uptime_desktop.gui.dialogs.kind_list import KindList
from uptime_desktop.gui.dialogs.labels import AllowFileButton, ResultLine, Separator
from uptime_desktop.gui.dialogs.monitor_form import MonitorForm
from uptime_desktop.gui.dialogs.read_only import DeclaredNote, make_read_only
from uptime_desktop.gui.dialogs.schedule_preview import SchedulePreview
from uptime_desktop.gui.dialogs.upstream import in_names
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.i18n import tr

_SIZE: Final = (940, 566)


class MonitorEditor(QDialog):
    """Without a monitor it makes a new one. What is wrong is said beside its field. While a file
    decides, it only shows and tries what is there."""

    saved = Signal(object)
    """The monitor as it is watched from now on."""

    def __init__(
        self, app: App, tasks: Tasks, monitor: Job | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._app = app
        self._tasks = tasks
        self._job = monitor
        self._shown = None if monitor is None else monitor.monitor
        self._is_saving = False
        self._why_not = where_to_edit(app)
        self._has_chosen_kind = False
        self._testing: asyncio.Task[object] | None = None
        edits = tr("View monitor") if self._why_not else tr("Edit monitor")
        self.setWindowTitle(tr("Add monitor") if monitor is None else edits)
        self.kinds = KindList(None if monitor is None else monitor.monitor.kind)
        self.form = MonitorForm(app, monitor)
        self.preview = SchedulePreview(app, tasks)
        self._make_bottom()
        self._lay_out()
        self._connect()
        self._show_kind()
        self.destroyed.connect(app.on_redefined(self._follow_file))
        if self._why_not:
            make_read_only(self.form, self._why_not)
        self.resize(max(_SIZE[0], self.sizeHint().width()), _SIZE[1])
        self.form.target.setFocus()

    def set_target(self, target: str) -> None:
        """Begin with this address, and with the kind that it looks like."""
        self._use_kind_for(target)
        self.form.target.fill(target)
        self.form.target.setFocus()

    # How it looks

    def _make_bottom(self) -> None:
        self.test_button = QPushButton()
        self._name_test_button()
        self.outcome = ResultLine()
        self.problem = ResultLine()
        self.allow_file = AllowFileButton()
        save, cancel = QDialogButtonBox.StandardButton.Save, QDialogButtonBox.StandardButton.Cancel
        self.buttons = QDialogButtonBox(save | cancel)
        self.save_button = self.buttons.button(save)
        self.save_button.setText(tr("Save"))
        self.save_button.setDefault(True)
        self.save_button.setVisible(not self._why_not)
        self.buttons.button(cancel).setText(tr("Close") if self._why_not else tr("Cancel"))

    def _lay_out(self) -> None:
        aside = self._aside = QScrollArea()
        aside.setFrameShape(QFrame.Shape.NoFrame)
        aside.setWidgetResizable(True)
        aside.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        aside.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        aside.setWidget(self.preview)
        aside.setFixedWidth(self.preview.minimumWidth())
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.kinds)
        middle.addWidget(Separator(upright=True))
        middle.addWidget(self.form, 1)
        self._aside_line = Separator(upright=True)
        middle.addWidget(self._aside_line)
        middle.addWidget(aside)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self._note = DeclaredNote(self._app)
        layout.addWidget(self._note)
        layout.addLayout(middle, 1)
        layout.addWidget(Separator())
        layout.addLayout(self._bottom())

    def _bottom(self) -> QVBoxLayout:
        self.problem_row = QWidget()
        problem = QHBoxLayout(self.problem_row)
        problem.setContentsMargins(0, 0, 0, 0)
        problem.addWidget(self.problem, 1)
        problem.addWidget(self.allow_file)
        self.problem_row.hide()
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.test_button)
        row.addWidget(self.outcome, 1)
        row.addWidget(self.buttons)
        bottom = QVBoxLayout()
        bottom.setContentsMargins(theme.MARGIN, 10, theme.MARGIN, 12)
        bottom.addWidget(self.problem_row)
        bottom.addLayout(row)
        return bottom

    def _connect(self) -> None:
        self.kinds.chosen.connect(self._choose_kind)
        self.form.changed.connect(self._edited)
        self.form.pasted.connect(self._follow_paste)
        self.test_button.clicked.connect(self._test_or_stop)
        self.allow_file.clicked.connect(self._agree_to_file)
        self.buttons.accepted.connect(self.save)
        self.buttons.rejected.connect(self.reject)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self.save)

    # Which kind it is

    def _choose_kind(self) -> None:
        self._has_chosen_kind = True
        self._show_kind()

    def _show_kind(self) -> None:
        self._stop_test()
        kind = self.kinds.kind
        self.form.use_kind(kind)
        # Nothing is planned for what follows others, and nothing can be looked at.
        for part in (self._aside, self._aside_line, self.test_button, self.outcome):
            part.setVisible(not kind.is_passive)
        # What was made last does not come last.
        bottom = (self.test_button, *tab_stops(self.problem_row), *tab_stops(self.buttons))
        top = (*tab_stops(self._note), self.kinds)
        stops = (*top, *self.form.tab_stops(), *tab_stops(self.preview), *bottom)
        for before, after in pairwise(stops):
            QWidget.setTabOrder(before, after)

    def _use_kind_for(self, target: str) -> None:
        has_chosen = self._has_chosen_kind
        self.kinds.choose(kind_for(target).name)
        self._has_chosen_kind = has_chosen

    def _follow_paste(self, target: str) -> None:
        """An address says what kind it is, unless a person said it and the address fits."""
        kind = kind_for(target)
        if self._job is not None or kind is self.kinds.kind or not fits(kind, target):
            return
        can_stay = fits(self.kinds.kind, target) or "://" not in target
        if self._has_chosen_kind and can_stay:
            return
        self.set_target(target)

    # What follows from what is typed

    def _edited(self) -> None:
        self.problem_row.hide()
        self.form.judge()
        self._follow_refusals()
        if self.form.kind.is_passive:
            return
        monitor = self.form.timed()
        if monitor is None:
            field = self.form.wrong_time()
            self.preview.withhold(tr("No preview: {field} is not valid.").format(field=field))
            return
        planned_at = None
        if self._job is not None and self._job.monitor.schedule == monitor.schedule:
            planned_at = self._job.state.next_run_at
        self.preview.follow(monitor, planned_at)

    def _follow_refusals(self) -> None:
        self.save_button.setEnabled(not self.form.refused and not self._is_saving)
        self.test_button.setEnabled(self._testing is not None or self.form.can_be_tested())

    def _follow_file(self) -> None:
        """What is shown is not what the file says any more."""
        if self._job is None or self._app.declared_in is None:
            return
        file = self._app.declared_in.name
        if self._job not in self._app.jobs:
            self._stop_test()
            self.test_button.setEnabled(False)
            self.problem.show_note(
                tr("{file} does not name this monitor any more.").format(file=file)
            )
        elif self._job.monitor != self._shown:
            text = tr("{file} says something else by now. Close this and open it again to see it.")
            self.problem.show_note(text.format(file=file))
        else:
            return
        self.allow_file.hide()
        self.problem_row.show()

    # Save

    def save(self) -> None:
        """Store it if it can be; otherwise go to the first thing that is wrong."""
        if self._is_saving or self._why_not:
            return
        self.form.insist()
        self._follow_refusals()
        if not self.form.refused:
            self._set_saving(True)
            self._tasks.start(self._save())

    async def _save(self) -> None:
        given = self.form.given()
        try:
            if self._job is None:
                (monitor,) = await self._app.add([given], self.form.site_id)
            else:
                monitor = await self._app.edit(self._job, given)
        except UserError as error:
            self._set_saving(False)
            self._tell(error)
            return
        self._set_saving(False)
        self.saved.emit(monitor)
        self.accept()

    def _set_saving(self, is_saving: bool) -> None:
        self._is_saving = is_saving
        for part in (self.kinds, self.form, self.buttons):
            part.setEnabled(not is_saving)
        self._follow_refusals()

    def _tell(self, error: UserError) -> None:
        """Beside its field if it has one here; what was typed stays."""
        if isinstance(error, Refused) and error.field in self.form.fields:
            error = in_names(self._app, error)
            field = self.form.fields[error.field]
            field.refuse(error)
            self.form.go_to(field)
            return
        self.problem.show_problem(error.text(tr))
        self.allow_file.setVisible(isinstance(error, NoPlace))
        self.problem_row.show()

    def _agree_to_file(self) -> None:
        try:
            self._app.agree_to_secret_file()
        except UserError as error:
            self._tell(error)
            return
        self.problem_row.hide()
        self.save()

    # Test

    def _test_or_stop(self) -> None:
        if self._testing is not None:
            self._stop_test()
            return
        self.outcome.show_checking()
        self._testing = self._tasks.start(self._test(self.form.once()))
        self._name_test_button()

    async def _test(self, once: Monitor) -> None:
        try:
            outcome = await self._app.check_once(once)
        except UserError as error:
            self.outcome.show_problem(error.text(tr))
        else:
            self.outcome.show_outcome(outcome)
            if outcome.response_ms is not None:
                self.preview.took(outcome.response_ms)
        self._testing = None
        self._name_test_button()
        self._follow_refusals()

    def _stop_test(self) -> None:
        if self._testing is not None:
            self._testing.cancel()
            self._testing = None
            self.outcome.clear()
            self._name_test_button()
            self._follow_refusals()

    def _name_test_button(self) -> None:
        self.test_button.setText(tr("Te&st now") if self._testing is None else tr("&Stop test"))
        # A mnemonic alone does nothing where the platform has none.
        self.test_button.setShortcut(QKeySequence("Alt+S"))

    # The end

    def reject(self) -> None:
        if not self._is_saving:
            super().reject()

    def done(self, result: int) -> None:
        self._stop_test()
        self.preview.close_down()
        super().done(result)

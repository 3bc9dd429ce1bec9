"""Taking over from another program, or from a backup: choose, see what will be, have it done."""

import asyncio
from pathlib import Path
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from uptime_desktop.app import App, NoPlace
from uptime_desktop.archive import is_backup
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.exchange.counting import counted_text
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.import_choice import ChoicePage
from uptime_desktop.gui.dialogs.import_pages import Backup, ReportPage, ResultPage
from uptime_desktop.gui.dialogs.import_report import told_lines
from uptime_desktop.gui.dialogs.labels import AllowFileButton, ResultLine, Separator
from uptime_desktop.gui.dialogs.roomy import RoomyDialog
from uptime_desktop.gui.figures import capitalised
from uptime_desktop.gui.tasks import Tasks, unexpected
from uptime_desktop.gui.watch import Key
from uptime_desktop.i18n import tr
from uptime_desktop.importing import Sighted

_WIDTH: Final = 122
_HEIGHT: Final = 34
"""The size it opens with, in characters and lines of the font in use."""


class ImportDialog(RoomyDialog):
    shown = Signal(object)
    """The keys of the monitors that came, which are to be seen."""

    def __init__(self, app: App, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._tasks = tasks
        self._seen: Sighted | Backup | None = None
        self._came: tuple[Key, ...] = ()
        self._working: asyncio.Task[object] | None = None
        self.setWindowTitle(tr("Import"))
        self.choice = ChoicePage()
        self.report = ReportPage(tasks)
        self.last_page = ResultPage()
        self._pages = QStackedWidget()
        self._make_bottom()
        self._lay_out()
        self._connect()
        metrics = self.fontMetrics()
        self.resize(metrics.averageCharWidth() * _WIDTH, metrics.lineSpacing() * _HEIGHT)
        self._turn_to(self.choice)

    # How it looks

    def _make_bottom(self) -> None:
        self.back = QPushButton(tr("&Back"))
        self.go_on = QPushButton()
        self.leave = QPushButton(tr("Close"))
        self.go_on.setDefault(True)
        self.problem = ResultLine()
        self.allow_file = AllowFileButton()

    def _lay_out(self) -> None:
        for page in (self.choice, self.report, self.last_page):
            self._pages.addWidget(page)
        self._problem_row = QWidget()
        problem = QHBoxLayout(self._problem_row)
        problem.setContentsMargins(0, 0, 0, 0)
        problem.addWidget(self.problem, 1)
        problem.addWidget(self.allow_file)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.leave)
        row.addStretch(1)
        row.addWidget(self.back)
        row.addWidget(self.go_on)
        bottom = QVBoxLayout()
        bottom.setContentsMargins(theme.MARGIN, 10, theme.MARGIN, 12)
        bottom.setSpacing(8)
        bottom.addWidget(self._problem_row)
        bottom.addLayout(row)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._pages, 1)
        layout.addWidget(Separator())
        layout.addLayout(bottom)

    def _connect(self) -> None:
        self.choice.edited.connect(self._edited)
        self.choice.taken.connect(self.look)
        self.go_on.clicked.connect(self._go_on)
        self.back.clicked.connect(lambda: self._turn_to(self.choice))
        self.leave.clicked.connect(self.reject)
        self.allow_file.clicked.connect(self._agree_to_file)
        self.last_page.progress.cancel_asked.connect(self.cancel)

    @property
    def page(self) -> QWidget:
        return self._pages.currentWidget() or self.choice

    def _turn_to(self, page: QWidget) -> None:
        is_at_work = self._working is not None
        is_over = page is self.last_page and not is_at_work
        self._problem_row.hide()
        self._pages.setCurrentWidget(page)
        self.back.setVisible(page is self.report)
        self.go_on.setVisible(page is not self.last_page or is_over)
        self.leave.setEnabled(page is not self.last_page or is_over)
        if page is self.choice:
            self.go_on.setText(tr("&Next"))
        elif page is self.report:
            is_backup_file = isinstance(self._seen, Backup)
            self.go_on.setText(tr("&Restore") if is_backup_file else tr("&Import"))
        else:
            self.go_on.setText(tr("&Show monitors"))
        self._edited()
        if page is self.choice:
            page.setFocus()
        elif is_at_work:
            self.last_page.progress.cancel.setFocus()
        else:
            (self.go_on if self.go_on.isEnabled() else self.back).setFocus()

    def _edited(self) -> None:
        """Another file than the one that is being looked into is wanted."""
        if self.page is not self.choice:
            is_too_late = isinstance(self._seen, Backup) and not self._app.is_empty()
            self.go_on.setEnabled(self.page is not self.report or not is_too_late)
            return
        self._stop()
        self.go_on.setEnabled(self.choice.path is not None)

    def _go_on(self) -> None:
        if self.page is self.choice:
            self.look()
        elif self.page is self.report:
            self.bring_in()
        else:
            self.accept()
            self.shown.emit(self._came)

    # What is in the file

    def look(self) -> None:
        """Read the file beside all else; nothing is changed by that."""
        path = self.choice.path
        if path is not None and self._working is None:
            self.go_on.setEnabled(False)
            self.choice.show_reading()
            self._working = self._tasks.start(self._look(path, self.choice.chosen_program))
            self._working.add_done_callback(self._looked)

    async def _look(self, path: Path, program: str | None) -> None:
        try:
            if program is None and await asyncio.to_thread(is_backup, path):
                found = await self._app.look_into_backup(path)
                self._seen = Backup(path, found.made_at, found.rows)
                now, is_empty = self._app.clock.wall(), self._app.is_empty()
                self.report.show_backup(self._seen, now, can_be_restored=is_empty)
            else:
                self._seen = seen = await self._app.look_into(path, program)
                lines = await asyncio.to_thread(told_lines, seen.found.report.lines)
                await self.report.show_sighted(path.name, seen, lines)
        except UserError as error:
            self._end_looking(capitalised(error.text(tr)))
            return
        self._working = None
        self.choice.outcome.clear()
        self._turn_to(self.report)

    def _looked(self, work: "asyncio.Task[object]") -> None:
        if work is self._working and not work.cancelled() and isValid(self):
            self._end_looking(unexpected(work))

    def _end_looking(self, problem: str) -> None:
        self._working = None
        self.choice.outcome.show_problem(problem)
        self.choice.line.setFocus()
        self.go_on.setEnabled(True)

    # Having it

    def bring_in(self) -> None:
        if self._seen is not None and self._working is None:
            self._working = self._tasks.start(self._bring_in(self._seen))
            self._working.add_done_callback(self._ended)
            is_ours = isinstance(self._seen, Backup)
            self.last_page.show_working(tr("Restoring…") if is_ours else tr("Importing…"))
            self._turn_to(self.last_page)

    def cancel(self) -> None:
        """What has come by now goes again."""
        # A second time would end the taking back.
        if self._working is not None and not self._working.cancelling():
            self.last_page.progress.show_ending()
            self._working.cancel()

    async def _bring_in(self, seen: Sighted | Backup) -> None:
        progress = self.last_page.progress.show_progress
        try:
            if isinstance(seen, Backup):
                await self._app.restore(seen.path, progress)
                text = tr("Restored: {what}").format(what=counted_text(seen.rows))
                keys = tuple(job.key for job in self._app.jobs)
            else:
                brought = await self._app.bring_in(seen, progress)
                counts, text = brought.counts(), tr("There was nothing new to add.")
                if any(counts.values()):
                    text = tr("Added: {what}").format(what=counted_text(counts))
                keys = tuple((one.site_id, one.id) for one in brought.monitors)
        except UserError as error:
            self._end_without(capitalised(error.text(tr)), lacks_place=isinstance(error, NoPlace))
            return
        self._working = None
        self._came = keys
        self.last_page.show_done(text)
        self._turn_to(self.last_page)
        if not keys:
            self.go_on.setEnabled(False)
            self.leave.setFocus()

    def _ended(self, work: "asyncio.Task[object]") -> None:
        if work is self._working and isValid(self):
            self._end_without("" if work.cancelled() else unexpected(work))

    def _end_without(self, problem: str, *, lacks_place: bool = False) -> None:
        """It failed or, without a problem, was cancelled."""
        self._working = None
        self._turn_to(self.report)
        if problem:
            self.problem.show_problem(problem)
        else:
            self.problem.show_note(tr("Cancelled. Nothing was changed."))
        self.allow_file.setVisible(lacks_place)
        self._problem_row.show()

    def _agree_to_file(self) -> None:
        try:
            self._app.agree_to_secret_file()
        except UserError as error:
            self.problem.show_problem(error.text(tr))
            return
        self.bring_in()

    # The end

    def reject(self) -> None:
        if self.page is self.last_page and self._working is not None:
            self.cancel()
        else:
            super().reject()

    def done(self, result: int) -> None:
        self._stop()
        self.report.lines.stop()
        super().done(result)

    def _stop(self) -> None:
        if self._working is not None:
            self._working.cancel()
            self._working = None

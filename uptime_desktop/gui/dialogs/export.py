"""Writing what is known to a file: the configuration, everything, or the runs as a table."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QStyle,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from uptime_desktop.app import App
from uptime_desktop.config import path_of
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.exchange.reading import is_file
from uptime_desktop.gui import theme
from uptime_desktop.gui.declared import opening_problem
from uptime_desktop.gui.dialogs.fields import CalmCombo
from uptime_desktop.gui.dialogs.form import Form
from uptime_desktop.gui.dialogs.labels import Hint, LinkButton, ResultLine, Separator
from uptime_desktop.gui.dialogs.progress_line import ProgressLine
from uptime_desktop.gui.dialogs.roomy import RoomyDialog
from uptime_desktop.gui.tasks import Tasks, unexpected
from uptime_desktop.i18n import ntr, tr
from uptime_desktop.long_work import Progress

_WIDTH: Final = 82
"""In characters of the font in use."""


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write it. A file that is there is `kept`, as far as it still holds."""

    title: str
    about: str
    file_name: str
    write: Callable[[Path, Progress], Coroutine[Any, Any, None]]
    is_kept: bool = False


class ExportDialog(RoomyDialog):
    """`chosen` are the numbers of the monitors that are selected."""

    def __init__(
        self, app: App, tasks: Tasks, chosen: Sequence[int] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._app = app
        self._tasks = tasks
        self._chosen = tuple(chosen)
        self._working: asyncio.Task[object] | None = None
        self._may_replace: Path | None = None
        self._written: Path | None = None
        self.setWindowTitle(tr("Export"))
        self.formats = self._formats()
        self.radios = [QRadioButton(one.title) for one in self.formats]
        self.radios[0].setChecked(True)
        self.whose = CalmCombo()
        self.line = QLineEdit()
        self.browse = QPushButton(tr("Choose…"))
        self.progress = ProgressLine(tr("Progress of the export"))
        self.outcome = ResultLine()
        self.open_folder = LinkButton(tr("Open folder"))
        self.leave = QPushButton(tr("Close"))
        self.write = QPushButton(tr("&Export"))
        self._prepare()
        self._lay_out()
        self._connect()
        self._choose_format()

    @property
    def format(self) -> Format:
        return next(
            one for one, radio in zip(self.formats, self.radios, strict=True) if radio.isChecked()
        )

    @property
    def path(self) -> Path | None:
        text = self.line.text().strip()
        return path_of(text) if text else None

    def _formats(self) -> list[Format]:
        app = self._app
        return [
            Format(
                tr("&Configuration (TOML)"),
                tr(
                    "What is watched and how, to be read, edited and kept under version control."
                    " A file that is there keeps its comments."
                ),
                "uptime.toml",
                lambda path, _: app.export_toml(path),
                is_kept=True,
            ),
            Format(
                tr("Full &backup with history (JSON)"),
                tr("To keep safe or to move to another computer. Passwords are not in it."),
                "uptime-desktop-backup.json",
                app.back_up,
            ),
            Format(
                tr("&Runs as a table (CSV)"),
                tr("Every single check that is still kept, for spreadsheets and other programs."),
                "runs.csv",
                lambda path, told: app.export_runs(path, self._monitors(), told),
            ),
        ]

    def _monitors(self) -> Sequence[int] | None:
        return self._chosen if self.whose.currentIndex() == 1 else None

    # How it looks

    def _prepare(self) -> None:
        self.whose.setAccessibleName(tr("Runs of"))
        self.whose.addItem(tr("of all monitors"))
        n = len(self._chosen)
        if n:
            text = ntr("of the selected monitor", "of the {n} selected monitors", n)
            self.whose.addItem(text.format(n=n))
        self.line.setAccessibleName(tr("File"))
        self.browse.setAccessibleName(tr("Choose where to write it"))
        for radio, one in zip(self.radios, self.formats, strict=True):
            radio.setAccessibleDescription(one.about)
        self.write.setDefault(True)
        for part in (self.progress, self.outcome, self.open_folder):
            part.hide()

    def _lay_out(self) -> None:
        content = QVBoxLayout()
        content.setContentsMargins(theme.MARGIN, theme.MARGIN, theme.MARGIN, 12)
        content.setSpacing(2)
        indent = self.style().pixelMetric(QStyle.PixelMetric.PM_ExclusiveIndicatorWidth) + 6
        for radio, one in zip(self.radios, self.formats, strict=True):
            about = Hint(one.about)
            about.setWordWrap(True)
            about.setContentsMargins(indent, 0, 0, 8)
            content.addWidget(radio)
            content.addWidget(about)
        whose = QHBoxLayout()
        whose.setContentsMargins(indent, 0, 0, 8)
        whose.addWidget(self.whose)
        whose.addStretch(1)
        content.addLayout(whose)
        content.addSpacing(4)
        form = Form()
        form.add(tr("&File"), self.line, self.browse)
        form.labels[0].setBuddy(self.line)
        content.addWidget(form)
        content.addSpacing(6)
        content.addWidget(self.progress)
        said = QHBoxLayout()
        said.addWidget(self.outcome, 1)
        said.addWidget(self.open_folder)
        content.addLayout(said)
        content.addStretch(1)
        bottom = QHBoxLayout()
        bottom.setContentsMargins(theme.MARGIN, 10, theme.MARGIN, 12)
        bottom.setSpacing(8)
        bottom.addWidget(self.leave)
        bottom.addStretch(1)
        bottom.addWidget(self.write)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(content, 1)
        layout.addWidget(Separator())
        layout.addLayout(bottom)
        self.resize(self.fontMetrics().averageCharWidth() * _WIDTH, self.sizeHint().height())

    def _connect(self) -> None:
        for radio in self.radios:
            radio.toggled.connect(lambda is_on: self._choose_format() if is_on else None)
        self.line.textChanged.connect(lambda _: self._edited())
        self.browse.clicked.connect(self._browse)
        self.write.clicked.connect(self.export)
        self.leave.clicked.connect(self.reject)
        self.progress.cancel_asked.connect(self.cancel)
        self.open_folder.clicked.connect(self._open_folder)

    # What is asked for

    def _choose_format(self) -> None:
        """Where the other would have gone, by the name that this one has."""
        self.whose.setEnabled(self.radios[-1].isChecked() and bool(self._chosen))
        named = self.path
        ours = {one.file_name for one in self.formats}
        if named is None or named.name in ours:
            folder = _documents() if named is None else named.parent
            self.line.setText(str(folder / self.format.file_name))
        self._edited()

    def _edited(self) -> None:
        self._may_replace = None
        self.write.setText(tr("&Export"))
        self.write.setEnabled(self.path is not None and self._working is None)
        self.outcome.hide()
        self.open_folder.hide()

    def _browse(self) -> None:
        dialog = QFileDialog(self, tr("Export"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite, self.format.is_kept)
        if self.path is not None and self.path.parent.is_dir():
            dialog.setDirectory(str(self.path.parent))
            dialog.selectFile(self.path.name)
        dialog.fileSelected.connect(self.take)
        dialog.open()

    def take(self, path: str) -> None:
        """Write it there; that a file which is there goes was agreed to with the choice."""
        self.line.setText(path)
        self._may_replace = self.path

    # What is done

    def export(self) -> None:
        path = self.path
        if path is None or self._working is not None:
            return
        self._working = self._tasks.start(self._export(path, self.format))
        self._working.add_done_callback(self._ended)
        self._show_working()

    def cancel(self) -> None:
        """Nothing of it stays."""
        if self._working is not None and not self._working.cancelling():
            self.progress.show_ending()
            self._working.cancel()

    async def _export(self, path: Path, wanted: Format) -> None:
        try:
            is_there = await asyncio.to_thread(is_file, path)
            if is_there and not wanted.is_kept and path != self._may_replace:
                self._ask_to_replace(path)
                return
            await wanted.write(path, self.progress.show_progress)
        except UserError as error:
            self._end(self.line)
            self.outcome.show_problem(error.text(tr))
            return
        self._end(self.leave)
        self._written = path
        self.open_folder.show()
        self.outcome.show_good(tr("Written to {path}").format(path=path))

    def _ended(self, work: "asyncio.Task[object]") -> None:
        if work is not self._working or not isValid(self):
            return
        self._end(self.write)
        if work.cancelled():
            self.outcome.show_note(tr("Cancelled. Nothing was written."))
        else:
            self.outcome.show_problem(unexpected(work))

    def _ask_to_replace(self, path: Path) -> None:
        self._end(self.browse)
        self._may_replace = path
        self.write.setText(tr("&Replace it"))
        self.outcome.show_note(tr("{file} is there already.").format(file=path.name))

    def _end(self, focus: QWidget) -> None:
        self._working = None
        self._let_choose(is_possible=True)
        focus.setFocus()
        self.progress.hide()
        self.write.setText(tr("&Export"))
        self.outcome.show()

    def _show_working(self) -> None:
        self.progress.begin()
        self.progress.show()
        self.progress.cancel.setFocus()
        self.outcome.hide()
        self.open_folder.hide()
        self._let_choose(is_possible=False)

    def _let_choose(self, *, is_possible: bool) -> None:
        for part in (*self.radios, self.line, self.browse, self.write, self.leave):
            part.setEnabled(is_possible)
        is_runs = self.radios[-1].isChecked() and bool(self._chosen)
        self.whose.setEnabled(is_runs and is_possible)

    def _open_folder(self) -> None:
        if self._written is not None:
            problem = opening_problem(self._written.parent)
            if problem:
                self.outcome.show_problem(problem)

    # The end

    def reject(self) -> None:
        if self._working is not None:
            self.cancel()
        else:
            super().reject()


def _documents() -> Path:
    place = QStandardPaths.StandardLocation.DocumentsLocation
    return Path(QStandardPaths.writableLocation(place) or Path.home())

"""The later pages of an import: what is in the file and will be, then how far it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from uptime_desktop.exchange.counting import counted_text
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.import_report import ReportTable, ToldLines
from uptime_desktop.gui.dialogs.import_words import will_be_text
from uptime_desktop.gui.dialogs.labels import ResultLine, ThemeLabel
from uptime_desktop.gui.dialogs.progress_line import ProgressLine
from uptime_desktop.gui.figures import clock_text
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.i18n import tr
from uptime_desktop.importing import Sighted


@dataclass(frozen=True, slots=True)
class Backup:
    """A file of our own, with everything in it."""

    path: Path
    made_at: int
    rows: Mapping[str, int]


class ReportPage(QWidget):
    """Before anything is changed: what is in it, what will be, and every field."""

    def __init__(self, tasks: Tasks) -> None:
        super().__init__()
        self.title = QLabel()
        self.title.setFont(theme.title(self.title.font()))
        self.counts = ThemeLabel("", lambda tokens: tokens.text)
        self.will_be = ThemeLabel("", lambda tokens: tokens.text_2)
        self.lines = ReportTable(tasks)
        self._room = QWidget()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.MARGIN, theme.MARGIN, theme.MARGIN, 12)
        layout.setSpacing(6)
        for label in (self.title, self.counts, self.will_be):
            label.setWordWrap(True)
            layout.addWidget(label)
        layout.addSpacing(4)
        layout.addWidget(self.lines, 1)
        layout.addWidget(self._room, 1)

    def show_backup(self, backup: Backup, now: int, *, can_be_restored: bool) -> None:
        self._show_table(is_there=False)
        made, at = tr("{file}, a backup of {time}"), clock_text(backup.made_at, now)
        self.title.setText(made.format(file=backup.path.name, time=at))
        self.counts.setText(counted_text(backup.rows))
        if can_be_restored:
            will_be = tr("All of it is restored, but for passwords: those are in no backup.")
        else:
            will_be = tr("A backup is only restored where nothing is set up.")
        self.will_be.setText(will_be)

    async def show_sighted(self, name: str, seen: Sighted, lines: ToldLines) -> None:
        self._show_table(is_there=True)
        found = seen.found
        self.title.setText(tr("{file}, from {program}").format(file=name, program=found.program))
        self.counts.setText(counted_text(seen.found.counts()))
        self.will_be.setText(will_be_text(seen))
        twins = [one for one in found.monitors if one["id"] in seen.twins]
        here = (str(one.get("name", one["id"])) for one in twins)
        await self.lines.show_lines(lines, here)

    def _show_table(self, *, is_there: bool) -> None:
        self.lines.setVisible(is_there)
        self._room.setVisible(not is_there)


class ResultPage(QWidget):
    """How far it is, and in the end what came of it."""

    def __init__(self) -> None:
        super().__init__()
        self.title = QLabel()
        self.title.setFont(theme.title(self.title.font()))
        self.progress = ProgressLine(tr("Progress of the import"))
        self.outcome = ResultLine()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.MARGIN, theme.MARGIN, theme.MARGIN, theme.MARGIN)
        layout.setSpacing(12)
        layout.addWidget(self.title)
        layout.addWidget(self.progress)
        layout.addWidget(self.outcome)
        layout.addStretch(1)

    def show_working(self, title: str) -> None:
        self.title.setText(title)
        self.outcome.clear()
        self.outcome.hide()
        self.progress.begin()
        self.progress.show()

    def show_done(self, text: str) -> None:
        self.title.setText(tr("Done"))
        self.progress.hide()
        self.outcome.show_good(text)
        self.outcome.show()

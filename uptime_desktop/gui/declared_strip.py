"""A slim line above the list while a file says what is watched: where to edit, and the way out."""

import asyncio
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QPushButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from uptime_desktop import autostart
from uptime_desktop.app import App, NoPlace
from uptime_desktop.domain.alerts import Fault
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.gui import theme
from uptime_desktop.gui.declared import opening_problem
from uptime_desktop.gui.deletions import UNDO_S
from uptime_desktop.gui.dialogs.labels import AllowFileButton, LinkButton, Separator, ThemeLabel
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.i18n import told, tr

_BESIDE: Final = QBoxLayout.Direction.LeftToRight
_BELOW: Final = QBoxLayout.Direction.TopToBottom


class DeclaredStrip(QFrame):
    """It says what is wrong with the file and, for a while after it was given up, undoes that."""

    problem = Signal(str)

    def __init__(self, app: App, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._tasks = tasks
        self._former: Path | None = None
        self._forgetting: asyncio.TimerHandle | None = None
        self._undoing: asyncio.Task[object] | None = None
        self.sentence = ThemeLabel("", lambda tokens: tokens.text)
        self.allow_file = AllowFileButton()
        self.open_file = LinkButton(tr("Open file"))
        self.take_over = LinkButton(tr("Take over into the database"))
        self.undo = LinkButton(tr("Undo"))
        self._row = _Row(self.sentence, self.allow_file, self.open_file, self.take_over, self.undo)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._row)
        layout.addWidget(Separator())
        self.allow_file.clicked.connect(self._allow_file)
        self.open_file.clicked.connect(self._open)
        self.take_over.clicked.connect(self._give_up)
        self.undo.clicked.connect(self._undo)
        self.follow()

    def follow(self) -> None:
        """Be there while a file decides, and a little longer."""
        path = self._app.declared_in
        if path is not None:
            self._forget()
            self._say(path)
        elif self._former is not None:
            self._say_taken_over(self._former)
        self.open_file.setVisible(path is not None)
        self.take_over.setVisible(path is not None)
        self.undo.setVisible(self._former is not None)
        self.setVisible(path is not None or self._former is not None)
        self._row.fit()

    def _say(self, path: Path) -> None:
        fault, error = self._app.faults.get(Fault.FILE), self._app.file_error
        self.allow_file.setVisible(isinstance(error, NoPlace))
        self.open_file.setToolTip(str(path))
        after = tr("What is watched stays and can be edited here; {file} is no longer followed.")
        self.take_over.setToolTip(after.format(file=path.name))
        if fault is None or error is None:
            said = tr("Monitors come from {file}. Edit them there.").format(file=path.name)
            self.sentence.setText(said)
            self.sentence.setToolTip(str(path))
            self.sentence.use(lambda tokens: tokens.text)
        else:
            self.sentence.setText(told(fault))
            self.sentence.setToolTip("\n".join(error.lines(tr)))
            self.sentence.use(lambda tokens: tokens.down)

    def _say_taken_over(self, path: Path) -> None:
        said = tr(
            "What is watched can be edited here now. {file} is no longer followed, until the next"
            " start with --config."
        )
        self.allow_file.hide()
        self.sentence.setText(said.format(file=path.name))
        self.sentence.setToolTip(str(path))
        self.sentence.use(lambda tokens: tokens.text)

    def _allow_file(self) -> None:
        try:
            self._app.agree_to_secret_file()
        except UserError as error:
            self.problem.emit(error.text(tr))

    def _open(self) -> None:
        if self._app.declared_in is not None:
            problem = opening_problem(self._app.declared_in)
            if problem:
                self.problem.emit(problem)

    def _give_up(self) -> None:
        self._former = self._app.declared_in
        self._forgetting = asyncio.get_running_loop().call_later(UNDO_S, self._let_go)
        self._app.take_over()
        self._tasks.start(self._start_likewise())
        self.undo.setFocus()

    def _undo(self) -> None:
        # A second click while the first is at work would ask for what it does.
        if self._undoing is None or self._undoing.done():
            self._undoing = self._tasks.start(self._follow_again())

    async def _follow_again(self) -> None:
        """Refused, it stays as it is: something was edited, or the file is wrong."""
        if self._former is not None:
            await self._app.follow_again(self._former)
            await self._start_likewise()

    async def _start_likewise(self) -> None:
        """Have whoever starts at login follow the file if we do, and only then."""
        await asyncio.to_thread(autostart.change_options, self._app.start_options)

    def _let_go(self) -> None:
        # The window may have been made anew, in another language.
        if isValid(self):
            self._forget()
            self.follow()

    def _forget(self) -> None:
        if self._forgetting is not None:
            self._forgetting.cancel()
        self._former = self._forgetting = None


class _Row(QWidget):
    """A sentence and, beside it, buttons; where they would take most of the width, below it, and
    where they would take more than that, below each other."""

    def __init__(self, sentence: QLabel, *buttons: QPushButton) -> None:
        super().__init__()
        sentence.setWordWrap(True)
        self._acts = QWidget()
        acts = self._buttons = QBoxLayout(_BESIDE, self._acts)
        acts.setContentsMargins(0, 0, 0, 0)
        acts.setSpacing(theme.CELL_PADDING)
        for button in buttons:
            acts.addWidget(button)
        acts.addStretch(1)
        self._layout = QBoxLayout(_BESIDE, self)
        self._layout.setContentsMargins(theme.CELL_PADDING * 2, 2, theme.CELL_PADDING, 2)
        self._layout.setSpacing(theme.CELL_PADDING)
        self._layout.addWidget(sentence, 1)
        self._layout.addWidget(self._acts)

    def fit(self) -> None:
        self._buttons.setDirection(_BESIDE)
        wanted, margins = self._acts.sizeHint().width(), self._layout.contentsMargins()
        room = self.width() - margins.left() - margins.right()
        self._layout.setDirection(_BELOW if 2 * wanted > room else _BESIDE)
        self._buttons.setDirection(_BELOW if wanted > room else _BESIDE)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.fit()


class DeclaredEmpty(QWidget):
    """Stands where the list will be, while the file declares no monitors."""

    def __init__(self, app: App, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        heading = QLabel(tr("Nothing is watched yet"))
        heading.setFont(theme.title(heading.font()))
        self.hint = ThemeLabel("", lambda tokens: tokens.text_2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.MARGIN, theme.MARGIN, theme.MARGIN, theme.MARGIN)
        layout.setSpacing(8)
        layout.addStretch(2)
        for label in (heading, self.hint):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setWordWrap(True)
            layout.addWidget(label)
        layout.addStretch(3)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        path = self._app.declared_in
        if path is not None:
            text = tr("{file} names no monitors. What is added to it appears here by itself.")
            self.hint.setText(text.format(file=path.name))

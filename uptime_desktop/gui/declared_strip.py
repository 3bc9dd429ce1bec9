"""A slim line above the list while a file says what is watched: where to edit, and the way out."""

import asyncio
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop import autostart
from uptime_desktop.app import App, NoPlace
from uptime_desktop.domain.alerts import Fault
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.gui import theme
from uptime_desktop.gui.declared import opening_problem
from uptime_desktop.gui.dialogs.labels import AllowFileButton, LinkButton, Separator, ThemeLabel
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.i18n import told, tr

_BESIDE: Final = QBoxLayout.Direction.LeftToRight
_BELOW: Final = QBoxLayout.Direction.TopToBottom


class DeclaredStrip(QFrame):
    """It says what is wrong with the file, and asks in its own place before it is given up."""

    problem = Signal(str)

    def __init__(self, app: App, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._tasks = tasks
        self.sentence = ThemeLabel("", lambda tokens: tokens.text)
        self.allow_file = AllowFileButton()
        self.open_file = LinkButton(tr("Open file"))
        self.take_over = LinkButton(tr("Take over into the database…"))
        self.question = ThemeLabel("", lambda tokens: tokens.text)
        self.keep = QPushButton(tr("Keep following it"))
        self.agree = QPushButton(tr("Take over"))
        self._told = _Row(self.sentence, self.allow_file, self.open_file, self.take_over)
        self._asked = _Row(self.question, self.keep, self.agree)
        self._lay_out()
        self.allow_file.clicked.connect(self._allow_file)
        self.open_file.clicked.connect(self._open)
        self.take_over.clicked.connect(self._ask)
        self.keep.clicked.connect(self._keep)
        self.agree.clicked.connect(self._give_up)
        self.follow()

    def follow(self) -> None:
        """Be there while a file decides, and only then."""
        path = self._app.declared_in
        self.setVisible(path is not None)
        if path is None:
            self._show_question(is_asked=False)
            return
        self._say(path)
        self.open_file.setToolTip(str(path))
        asks = tr(
            "Take over? What is watched now stays, and can be edited here from then on. {file} is"
            " no longer followed, until the next start with --config."
        )
        self.question.setText(asks.format(file=path.name))
        self._show_question(is_asked=not self._asked.isHidden())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.matches(QKeySequence.StandardKey.Cancel) and self._asked.isVisible():
            self._keep()
        else:
            super().keyPressEvent(event)

    def _say(self, path: Path) -> None:
        fault, error = self._app.faults.get(Fault.FILE), self._app.file_error
        self.allow_file.setVisible(isinstance(error, NoPlace))
        if fault is None or error is None:
            said = tr("Monitors come from {file}. Edit them there.").format(file=path.name)
            self.sentence.setText(said)
            self.sentence.setToolTip(str(path))
            self.sentence.use(lambda tokens: tokens.text)
        else:
            self.sentence.setText(told(fault))
            self.sentence.setToolTip("\n".join(error.lines(tr)))
            self.sentence.use(lambda tokens: tokens.down)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._told)
        layout.addWidget(self._asked)
        layout.addWidget(Separator())
        self._asked.hide()

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

    def _ask(self) -> None:
        self._show_question(is_asked=True)
        self.keep.setFocus()

    def _give_up(self) -> None:
        self._app.take_over()
        self._tasks.start(self._start_without())

    async def _start_without(self) -> None:
        """Nobody follows the file any more, nor shall who starts at login."""
        await asyncio.to_thread(autostart.change_options, self._app.start_options)

    def _keep(self) -> None:
        self._show_question(is_asked=False)
        self.take_over.setFocus()

    def _show_question(self, *, is_asked: bool) -> None:
        # What is wrong with the file is part of the question.
        self._told.setVisible(not is_asked or Fault.FILE in self._app.faults)
        self._told.acts.setVisible(not is_asked)
        self._asked.setVisible(is_asked)
        for row in (self._told, self._asked):
            row.fit()


class _Row(QWidget):
    """A sentence and, beside it, buttons; where they would take most of the width, below it, and
    where they would take more than that, below each other."""

    def __init__(self, sentence: QLabel, *buttons: QPushButton) -> None:
        super().__init__()
        sentence.setWordWrap(True)
        self.acts = QWidget()
        acts = self._buttons = QBoxLayout(_BESIDE, self.acts)
        acts.setContentsMargins(0, 0, 0, 0)
        acts.setSpacing(theme.CELL_PADDING)
        for button in buttons:
            acts.addWidget(button)
        acts.addStretch(1)
        self._layout = QBoxLayout(_BESIDE, self)
        self._layout.setContentsMargins(theme.CELL_PADDING * 2, 2, theme.CELL_PADDING, 2)
        self._layout.setSpacing(theme.CELL_PADDING)
        self._layout.addWidget(sentence, 1)
        self._layout.addWidget(self.acts)

    def fit(self) -> None:
        self._buttons.setDirection(_BESIDE)
        wanted, margins = self.acts.sizeHint().width(), self._layout.contentsMargins()
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

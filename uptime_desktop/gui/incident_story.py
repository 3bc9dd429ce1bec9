"""One incident: how it stands, all that happened in it, and what can be done about it."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop.app import App
from uptime_desktop.domain.model import HOUR_MS
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.gui import icons, incident_words, theme
from uptime_desktop.gui.detail.latest import Latest
from uptime_desktop.gui.detail.section import TonedLabel, breakable
from uptime_desktop.gui.detail.table import SMALL_ICON
from uptime_desktop.gui.figures import capitalised, seconds_clock_text
from uptime_desktop.gui.targets import known_as
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.history import Entry, Incident
from uptime_desktop.i18n import tr


class IncidentStory(QWidget):
    """Not there until an incident is to be shown."""

    closed = Signal()

    def __init__(
        self, app: App, tasks: Tasks, parent: QWidget | None = None, *, can_close: bool = False
    ) -> None:
        super().__init__(parent)
        self._app = app
        self._tasks = tasks
        self._called = partial(known_as, app)
        self._request = Latest(tasks, self)
        self._number: int | None = None
        self._name = ""
        self._incident: Incident | None = None
        self.headline = TonedLabel(theme.section(self.font()), lambda tokens: tokens.text)
        self.cause = TonedLabel(self.font())
        for label in (self.headline, self.cause):
            label.setWordWrap(True)
        self.shape = QLabel()
        self.close_button = QToolButton()
        self.close_button.setText("×")
        self.close_button.setAutoRaise(True)
        self.close_button.setToolTip(tr("Close the story"))
        self.close_button.setAccessibleName(tr("Close the story"))
        self.close_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.close_button.setVisible(can_close)
        # On the first line of the headline, beside which the button may be higher.
        heights = [SMALL_ICON, self.headline.fontMetrics().lineSpacing()]
        heights += [self.close_button.sizeHint().height()] if can_close else []
        self.shape.setFixedHeight(max(heights))
        self.close_button.clicked.connect(self._close)
        self.story = StoryLines()
        self._make_buttons()
        self._lay_out()
        self.hide()

    @property
    def number(self) -> int | None:
        """Of the incident that is shown."""
        return self._number

    def show_incident(self, number: int | None, name: str = "") -> None:
        """Show this one of the monitor with this name, or none."""
        if number != self._number:
            self._leave_note()
        self._number, self._name = number, name
        if number is None:
            self._request.cancel()
            self.hide()
        else:
            self._request.start(self._load(number))

    def tick(self) -> None:
        """Time went on."""
        if self._incident is not None and self.isVisible():
            now = self._app.clock.wall()
            self.headline.setText(incident_words.headline(self._name, self._incident, now))

    def _make_buttons(self) -> None:
        self.acknowledge = QPushButton(tr("Acknowledge"))
        self.acknowledge.clicked.connect(self._acknowledge)
        self.snooze = QPushButton(tr("Snooze 1 h"))
        self.snooze.clicked.connect(lambda: self._snooze(HOUR_MS))
        self.snooze_all_along = QPushButton(tr("Snooze until it recovers"))
        self.snooze_all_along.clicked.connect(lambda: self._snooze(None))
        self.add_note = QPushButton(tr("Add note…"))
        self.add_note.clicked.connect(self._begin_note)
        self.note = NoteLine()
        self.note.setPlaceholderText(tr("What is known, or what was done"))
        self.note.setAccessibleName(tr("Note"))
        self.note.returnPressed.connect(self._write_note)
        self.note.left.connect(self._leave_note)
        self.keep_note = QPushButton(tr("Add"))
        self.keep_note.setAccessibleName(tr("Add the note"))
        self.keep_note.clicked.connect(self._write_note)
        self.note.textChanged.connect(lambda text: self.keep_note.setEnabled(bool(text.strip())))
        self.keep_note.setEnabled(False)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(theme.CELL_PADDING)
        top.addWidget(self.shape, 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(self.headline, 1)
        top.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        acts = QHBoxLayout()
        acts.setSpacing(theme.CELL_PADDING)
        for button in (self.acknowledge, self.snooze, self.snooze_all_along, self.add_note):
            acts.addWidget(button)
        acts.addStretch(1)
        note = QHBoxLayout()
        note.setSpacing(theme.CELL_PADDING)
        note.addWidget(self.note, 1)
        note.addWidget(self.keep_note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.CELL_PADDING)
        layout.addLayout(top)
        layout.addWidget(self.cause)
        layout.addWidget(self.story)
        layout.addLayout(acts)
        layout.addLayout(note)
        self._leave_note()

    async def _load(self, number: int) -> None:
        try:
            incident, entries = await self._app.history.incident(number)
        except UserError:
            # The monitor was removed meanwhile, with all that it had been through.
            self.show_incident(None)
            return
        self._show(incident, entries)

    def _show(self, incident: Incident, entries: Sequence[Entry]) -> None:
        self._incident = incident
        now = self._app.clock.wall()
        name = icons.icon_name(incident.kind)
        self.shape.setPixmap(icons.pixmap(name, SMALL_ICON, self.devicePixelRatioF()))
        self.headline.setText(incident_words.headline(self._name, incident, now))
        self.cause.setText(incident_words.cause_sentence(incident, self._called))
        self.cause.setVisible(bool(self.cause.text()))
        began = incident.opened_at, incident_words.what_text(incident)
        told = [(one.at, incident_words.entry_text(one, self._called)) for one in entries]
        over = [] if incident.resolved_at is None else [(incident.resolved_at, tr("Over"))]
        self.story.show_lines(sorted([began, *told, *over], key=lambda line: line[0]), now)
        is_open = incident.resolved_at is None
        self.acknowledge.setEnabled(is_open and incident.acknowledged_at is None)
        self.snooze.setEnabled(is_open)
        self.snooze_all_along.setEnabled(is_open and not incident.is_snoozed_until_recovery)
        for button in (self.acknowledge, self.snooze, self.snooze_all_along):
            button.setVisible(is_open)
        self.show()

    def _acknowledge(self) -> None:
        if self._number is not None:
            self._tasks.start(self._app.acknowledge_incident(self._number))

    def _snooze(self, for_ms: int | None) -> None:
        if self._number is not None:
            self._tasks.start(self._app.snooze_incident(self._number, for_ms))

    def _begin_note(self) -> None:
        self._show_note(True)
        self.note.setFocus()

    def _write_note(self) -> None:
        if self._number is not None and self.note.text().strip():
            self._tasks.start(self._app.write_note(self._number, self.note.text()))
            self._leave_note()

    def _leave_note(self) -> None:
        had_focus = self.note.hasFocus() or self.keep_note.hasFocus()
        self.note.clear()
        self._show_note(False)
        if had_focus:
            self.add_note.setFocus()

    def _show_note(self, is_shown: bool) -> None:
        for part in (self.note, self.keep_note):
            part.setVisible(is_shown)
        self.add_note.setEnabled(not is_shown)

    def _close(self) -> None:
        self.show_incident(None)
        self.closed.emit()


class NoteLine(QLineEdit):
    left = Signal()
    """Escape: there is nothing to write down after all."""

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class StoryLines(QWidget):
    """Times, and beside each what happened then."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels: list[QLabel] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(1, 1)

    @property
    def texts(self) -> list[str]:
        """What happened, oldest first."""
        return [label.accessibleName() for label in self._labels[1::2]]

    def show_lines(self, lines: Sequence[tuple[int, str]], now: int) -> None:
        for old in self._labels:
            self._grid.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._labels = []
        for row, (at, text) in enumerate(lines):
            font = theme.tabular(theme.small(self.font()))
            time = TonedLabel(font, text=capitalised(seconds_clock_text(at, now)))
            said = TonedLabel(font, lambda tokens: tokens.text, breakable(text))
            said.setAccessibleName(text)
            said.setWordWrap(True)
            said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._grid.addWidget(time, row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(said, row, 1)
            self._labels += [time, said]

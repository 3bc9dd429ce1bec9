"""The top of the panel: how the monitor stands, in sentences, and what can be done about it."""

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from uptime_desktop.domain.model import HOUR_MS, PauseReason
from uptime_desktop.gui import icons, theme
from uptime_desktop.gui.detail.section import TonedLabel, breakable
from uptime_desktop.gui.figures import clock_text
from uptime_desktop.gui.moments import tomorrow_morning
from uptime_desktop.gui.sentences import (
    maintenance_sentence,
    schedule_sentence,
    status_sentence,
    status_word,
)
from uptime_desktop.gui.watch import Watched
from uptime_desktop.history import Incident
from uptime_desktop.i18n import told, tr

_ICON = 22
_FLAG = 12
_NOT_RESUMED = (PauseReason.SITE, PauseReason.FINISHED, PauseReason.MAINTENANCE)


class Header(QWidget):
    """Only asks for acts; whoever hears it does them."""

    check_asked = Signal(object)
    acknowledge_asked = Signal(object)
    snooze_asked = Signal(object, object)
    """For so many milliseconds, or with None until it recovers."""
    pause_asked = Signal(object, object)
    """Until an instant, or with None until it is resumed."""
    resume_asked = Signal(object)
    edit_asked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._watched: Watched | None = None
        self._site = ""
        self._now = 0
        self._open: Sequence[Incident] = ()
        self.icon = QLabel()
        self.title = TonedLabel(theme.title(self.font()), lambda tokens: tokens.text)
        self.status = QLabel()
        self.status.setTextFormat(Qt.TextFormat.RichText)
        self.status.setFont(theme.tabular(self.font()))
        self.cause = TonedLabel(self.font())
        self.schedule = TonedLabel(theme.tabular(self.font()))
        self.maintenance = TonedLabel(theme.tabular(self.font()), lambda tokens: tokens.paused)
        self._flag = QLabel()
        self._planned = QWidget()
        self.target = QLabel()
        self.target.setTextFormat(Qt.TextFormat.RichText)
        self.target.setFont(theme.small(self.font()))
        self.target.setOpenExternalLinks(True)
        self.target.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        for label in (
            self.title,
            self.status,
            self.cause,
            self.schedule,
            self.maintenance,
            self.target,
        ):
            label.setWordWrap(True)
        self._make_buttons()
        self._lay_out()

    def _make_buttons(self) -> None:
        self.check = QPushButton(tr("Check now"))
        self.check.clicked.connect(lambda: self.check_asked.emit(self._watched))
        self.acknowledge = QPushButton(tr("Acknowledge"))
        self.acknowledge.clicked.connect(lambda: self.acknowledge_asked.emit(self._watched))
        self.snooze = QPushButton(tr("Snooze"))
        self.snooze.setMenu(self._snooze_menu())
        self.pause = QPushButton(tr("Pause"))
        self.pause.setMenu(self._pause_menu())
        self.resume = QPushButton(tr("Resume"))
        self.resume.clicked.connect(lambda: self.resume_asked.emit(self._watched))
        self.edit = QPushButton(tr("Edit…"))
        self.edit.clicked.connect(lambda: self.edit_asked.emit(self._watched))
        self.buttons = (
            self.check,
            self.acknowledge,
            self.snooze,
            self.pause,
            self.resume,
            self.edit,
        )

    def _snooze_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.addAction(tr("For {n} h").format(n=1)).triggered.connect(lambda: self._snooze(HOUR_MS))
        menu.addAction(tr("Until it recovers")).triggered.connect(lambda: self._snooze(None))
        return menu

    def _pause_menu(self) -> QMenu:
        menu = QMenu(self)
        hour = menu.addAction(tr("For {n} h").format(n=1))
        hour.triggered.connect(lambda: self._pause(self._now + HOUR_MS))
        self._until_tomorrow = menu.addAction("")
        self._until_tomorrow.triggered.connect(lambda: self._pause(tomorrow_morning(self._now)))
        menu.addAction(tr("Until resumed")).triggered.connect(lambda: self._pause(None))
        return menu

    def _snooze(self, for_ms: int | None) -> None:
        self.snooze_asked.emit(self._watched, for_ms)

    def _pause(self, until: int | None) -> None:
        self.pause_asked.emit(self._watched, until)

    @property
    def menu_actions(self) -> tuple[list[QAction], list[QAction]]:
        """Those of Snooze and those of Pause."""
        return self.snooze.menu().actions(), self.pause.menu().actions()

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(3)
        planned = QHBoxLayout(self._planned)
        planned.setContentsMargins(0, 0, 0, 0)
        planned.setSpacing(theme.CELL_PADDING)
        planned.addWidget(self._flag)
        planned.addWidget(self.maintenance, 1)
        for label in (self.title, self.status):
            words.addWidget(label)
        words.addWidget(self._planned)
        for label in (self.cause, self.schedule, self.target):
            words.addWidget(label)
        top = QHBoxLayout()
        top.setSpacing(10)
        top.addWidget(self.icon, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(words, 1)
        acts = QHBoxLayout()
        acts.setSpacing(theme.CELL_PADDING)
        for button in self.buttons:
            acts.addWidget(button)
        acts.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(top)
        layout.addLayout(acts)

    def show_monitor(self, watched: Watched, site: str, now: int) -> None:
        self._watched, self._site = watched, site
        self._open = ()
        self.refresh(now)

    def offer_edit(self, where: str) -> None:
        """To change it here or, if it is said `where` that is done, to look at it."""
        self.edit.setText(tr("View…") if where else tr("Edit…"))
        self.edit.setToolTip(where)

    def show_incidents(self, incidents: Sequence[Incident]) -> None:
        self._open = [one for one in incidents if one.resolved_at is None]
        self._enable()

    def refresh(self, now: int) -> None:
        """Say again how it stands: as time goes by, and when it changed."""
        self._now = now
        watched = self._watched
        if watched is None:
            return
        ratio = self.devicePixelRatioF()
        self.icon.setPixmap(icons.pixmap(icons.icon_name(watched.status), _ICON, ratio))
        self.icon.setAccessibleName(status_word(watched.status))
        self.title.setText(watched.monitor.name)
        self.status.setText(_status_markup(watched, now))
        self.cause.setText(tr("Low: caused by {cause}, which is down").format(cause=watched.cause))
        self.cause.setVisible(bool(watched.cause))
        self.schedule.setText(schedule_sentence(watched, now))
        self.schedule.setVisible(bool(self.schedule.text()))
        planned = maintenance_sentence(watched, now)
        self._flag.setPixmap(icons.pixmap(icons.MAINTENANCE, _FLAG, ratio))
        self.maintenance.setText(planned)
        for part in (self._planned, self.maintenance):
            part.setVisible(bool(planned))
        self.target.setText(_target_markup(watched, self._site))
        time = clock_text(tomorrow_morning(now), now)
        self._until_tomorrow.setText(tr("Until {time}").format(time=time))
        self._enable()

    def _enable(self) -> None:
        watched = self._watched
        if watched is None:
            return
        pause = watched.state.pause
        self.check.setEnabled(not watched.is_checking and not watched.reports)
        self.acknowledge.setEnabled(any(one.acknowledged_at is None for one in self._open))
        self.snooze.setEnabled(bool(self._open))
        self.pause.setVisible(pause is None)
        self.resume.setVisible(pause is not None)
        reason = None if pause is None else pause.reason
        self.resume.setEnabled(reason not in _NOT_RESUMED)
        self.resume.setToolTip(_why_not_resumed(reason))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.refresh(self._now)


def _why_not_resumed(reason: PauseReason | None) -> str:
    match reason:
        case PauseReason.SITE:
            return tr("The site is switched off with all its monitors.")
        case PauseReason.MAINTENANCE:
            return tr("It goes on when the maintenance ends.")
        case _:
            return ""


def _status_markup(watched: Watched, now: int) -> str:
    colour = theme.tokens().of_status(watched.status).name()
    sentence = escape(status_sentence(watched, now))
    reason = "" if watched.state.pause is not None else told(watched.job.reason)
    said = f'<span style="color:{colour};font-weight:600">{sentence}</span>'
    return f"{said} · {escape(reason)}" if reason else said


def _target_markup(watched: Watched, site: str) -> str:
    """The target, where it can be opened as a link, then where it belongs."""
    tokens = theme.tokens()
    target = watched.target
    shown = escape(breakable(target))
    if target.startswith(("http://", "https://")):
        style = f"color:{tokens.link.name()};text-decoration:none"
        shown = f'<a href="{escape(target)}" style="{style}">{shown}</a>'
    rest = [escape(site)]
    if tags := watched.monitor.tags:
        rest.append(escape(tr("tags: {tags}").format(tags=", ".join(tags))))
    quiet = "".join(f" · {one}" for one in rest if one)
    return f'{shown}<span style="color:{tokens.text_2.name()}">{quiet}</span>'

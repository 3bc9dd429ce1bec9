"""Settings: each valid change is in use at once, and can be undone; there is nothing to apply."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from uptime_desktop.app import App
from uptime_desktop.gui.dialogs.labels import Separator
from uptime_desktop.gui.dialogs.read_only import DeclaredNote
from uptime_desktop.gui.dialogs.settings_alerts import AlertsPage
from uptime_desktop.gui.dialogs.settings_changes import Changes
from uptime_desktop.gui.dialogs.settings_channels import ChannelsPage
from uptime_desktop.gui.dialogs.settings_footer import Footer
from uptime_desktop.gui.dialogs.settings_form import SettingsPage
from uptime_desktop.gui.dialogs.settings_general import GeneralPage
from uptime_desktop.gui.dialogs.settings_heartbeats import HeartbeatsPage
from uptime_desktop.gui.dialogs.settings_history import HistoryPage
from uptime_desktop.gui.dialogs.settings_intervals import IntervalsPage
from uptime_desktop.gui.dialogs.settings_page_list import PageList
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.i18n import language, tr

_WIDTH: Final = 102
_HEIGHT: Final = 36
"""The size it opens with, in characters and lines of the font in use."""

_CHANNELS: Final = 3


class SettingsDialog(QDialog):
    test_notification_asked = Signal()

    def __init__(self, app: App, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._tasks = tasks
        self._changes = Changes(app, tasks, self)
        self._changes.saved.connect(self._show_state)
        self._changes.made.connect(self._speak)
        self._changes.failed.connect(self._failed)
        for key, act in (
            (QKeySequence.StandardKey.Undo, self.undo),
            (QKeySequence.StandardKey.Redo, self.redo),
        ):
            QShortcut(key, self).activated.connect(act)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        metrics = self.fontMetrics()
        self.resize(metrics.averageCharWidth() * _WIDTH, metrics.lineSpacing() * _HEIGHT)
        self._body = self._build(row=0)
        self._layout.addWidget(self._body)

    @property
    def page(self) -> SettingsPage:
        return self._built[self._list.currentRow()]

    def show_page(self, row: int) -> None:
        self._list.setCurrentRow(row)

    def show_channels(self) -> None:
        self.show_page(_CHANNELS)

    def restore_defaults(self) -> None:
        """Of the page that is shown."""
        self.page.restore_defaults()

    def undo(self) -> None:
        """Take the last change back; what was typed since and is not in use goes first."""
        for page in self._built.values():
            page.drop_typed()
        self._changes.undo()

    def redo(self) -> None:
        self._changes.redo()

    def done(self, result: int) -> None:
        for page in self._built.values():
            page.flush()
        super().done(result)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            # It ends the typing, not the dialog; a button with the focus has had it already.
            event.accept()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() is QEvent.Type.LanguageChange:
            self._speak()

    def _build(self, row: int) -> QWidget:
        self.setWindowTitle(tr("Settings"))
        self._language = language()
        pages: dict[str, Callable[[], SettingsPage]] = {
            tr("General"): lambda: GeneralPage(self._changes),
            tr("Intervals"): lambda: IntervalsPage(self._changes, self._app.jobs),
            tr("Alerts"): self._alerts_page,
            tr("Channels"): lambda: ChannelsPage(self._changes, self._app, self._tasks),
            tr("Heartbeats"): lambda: HeartbeatsPage(self._changes, self._app),
            tr("History"): lambda: HistoryPage(self._changes),
        }
        self._makers = tuple(pages.values())
        self._built: dict[int, SettingsPage] = {}
        body = QWidget()
        self._list = PageList(list(pages))
        self._stack = QStackedWidget()
        self._note = DeclaredNote(self._app)
        self._footer = Footer()
        self._footer.restore_asked.connect(self.restore_defaults)
        self._footer.undo_asked.connect(self.undo)
        self._footer.close_asked.connect(self.accept)
        above = QHBoxLayout()
        above.setSpacing(0)
        above.addWidget(self._list)
        above.addWidget(Separator(upright=True))
        page = QVBoxLayout()
        page.setSpacing(0)
        page.addWidget(self._note)
        page.addWidget(self._stack, 1)
        above.addLayout(page, 1)
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(above, 1)
        layout.addWidget(Separator())
        layout.addWidget(self._footer)
        self._list.currentRowChanged.connect(self._turn_to)
        self._list.setCurrentRow(row)
        return body

    def _turn_to(self, row: int) -> None:
        page = self._built.get(row)
        if page is None:
            page = self._built[row] = self._makers[row]()
            page.setAccessibleName(self._list.item(row).text())
            page.state_changed.connect(self._show_state)
            self._stack.addWidget(page)
        self._stack.setCurrentWidget(page)
        self._show_state()

    def _alerts_page(self) -> SettingsPage:
        page = AlertsPage(self._changes)
        page.test_asked.connect(self.test_notification_asked)
        return page

    def _show_state(self) -> None:
        self._footer.show_restore(possible=self.page.can_change)
        self._note.setVisible(self.page.is_declared)
        self._footer.show_undo(possible=self._changes.can_undo)
        if any(page.has_unused for page in self._built.values()):
            self._footer.show_unused()
        else:
            self._footer.show_saved()

    def _failed(self, sentence: str) -> None:
        self._show_state()
        self._footer.show_problem(sentence)

    def _speak(self) -> None:
        """Say everything anew if another language is spoken than when it was built."""
        if self._language == language():
            return
        for page in self._built.values():
            page.flush()
        old, self._body = self._body, self._build(self._list.currentRow())
        self._layout.replaceWidget(old, self._body)
        old.hide()
        old.deleteLater()
        self._list.setFocus()

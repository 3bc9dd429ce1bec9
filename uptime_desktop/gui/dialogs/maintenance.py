"""All planned work in a list: what is in force, what comes, and what can be done about it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from uptime_desktop.app import App
from uptime_desktop.domain.maintenance import Window, active_span
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.domain.status import Status
from uptime_desktop.gui import icons, theme
from uptime_desktop.gui.acts import Acts
from uptime_desktop.gui.declared import where_to_edit
from uptime_desktop.gui.dialogs.labels import Hint, Separator
from uptime_desktop.gui.dialogs.maintenance_editor import MaintenanceEditor
from uptime_desktop.gui.dialogs.maintenance_list import WindowsModel, WindowsTable
from uptime_desktop.gui.dialogs.read_only import DeclaredNote
from uptime_desktop.gui.notice_line import NoticeLine
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.gui.watch import Watch
from uptime_desktop.i18n import ntr, tr
from uptime_desktop.maintenance_acts import end_now

Act = Callable[[Window], Awaitable[None]]

_WIDTH: Final = 110
_HEIGHT: Final = 26
"""The size it opens with, in characters and lines of the font in use."""


class MaintenanceDialog(QDialog):
    """Every act is done at once, and can be undone while the line that tells of it is there."""

    def __init__(
        self, app: App, watch: Watch, acts: Acts, tasks: Tasks, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._app = app
        self._acts = acts
        self._tasks = tasks
        self._why_not = where_to_edit(app)
        self._before: Sequence[Window] = ()
        self.setWindowTitle(tr("Maintenance"))
        self.model = WindowsModel(self)
        self.table = WindowsTable(self.model)
        self.notice = NoticeLine()
        self._make_buttons()
        self._lay_out()
        self._connect(watch)
        self.refresh()
        metrics = self.fontMetrics()
        self.resize(metrics.averageCharWidth() * _WIDTH, metrics.lineSpacing() * _HEIGHT)
        self.table.selectRow(0)
        self.table.setFocus()

    # How it looks

    def _make_buttons(self) -> None:
        self.add = QPushButton(tr("&Add…"))
        self.start = QPushButton(tr("&Start now"))
        self.start.setToolTip(tr("Silence everything from now on"))
        self.edit = QPushButton(tr("&View…") if self._why_not else tr("&Edit…"))
        self.switch = QPushButton(tr("Switch &off"))
        self.end = QPushButton(tr("End &now"))
        self.remove = QPushButton(tr("&Remove"))
        self.close_button = QPushButton(tr("&Close"))
        menu = QMenu(self.start)
        for text, until in self._acts.maintenance_ends():
            menu.addAction(text).triggered.connect(partial(self._start, until))
        self.start.setMenu(menu)
        self.close_button.setDefault(True)

    def _start(self, until: Callable[[], int]) -> None:
        self._acts.start_maintenance(until())

    def _lay_out(self) -> None:
        about = Hint(
            tr(
                "What fails while a window is in force is expected to fail: it opens no incident"
                " and nobody is alerted."
            )
        )
        about.setWordWrap(True)
        acts = QHBoxLayout()
        acts.setContentsMargins(theme.MARGIN, 10, theme.MARGIN, 12)
        acts.setSpacing(theme.CELL_PADDING)
        for button in (self.add, self.start, self.edit, self.switch, self.end, self.remove):
            acts.addWidget(button)
        acts.addStretch(1)
        acts.addWidget(self.close_button)
        content = QVBoxLayout()
        content.setContentsMargins(theme.MARGIN, 12, theme.MARGIN, 12)
        content.setSpacing(8)
        content.addWidget(about)
        content.addWidget(self.table, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(DeclaredNote(self._app))
        layout.addWidget(self.notice)
        layout.addLayout(content, 1)
        layout.addWidget(Separator())
        layout.addLayout(acts)

    def _connect(self, watch: Watch) -> None:
        watch.rebuilt.connect(self.refresh)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._follow())
        self.table.opened.connect(self.open_chosen)
        self.table.removed.connect(self.remove_chosen)
        self.table.switched.connect(self.switch_chosen)
        self.add.clicked.connect(self.plan)
        self.edit.clicked.connect(self.open_chosen)
        self.switch.clicked.connect(self.switch_chosen)
        self.end.clicked.connect(self.end_chosen)
        self.remove.clicked.connect(self.remove_chosen)
        self.close_button.clicked.connect(self.accept)
        for key, act in (
            (QKeySequence.StandardKey.New, self.plan),
            (QKeySequence.StandardKey.Undo, self.undo),
        ):
            QShortcut(key, self).activated.connect(act)

    # What is in it

    def refresh(self) -> None:
        """Something was planned differently, began or ended."""
        chosen, place = self.table.chosen(), self.table.currentIndex().row()
        self.model.show_windows(self._app)
        self.table.choose(frozenset(window.id for window in chosen))
        if chosen and not self.table.chosen():
            # Those are gone: the next one is in their place.
            self.table.selectRow(min(place, len(self.model.rows) - 1))
        self._follow()

    def _follow(self) -> None:
        """Offer what can be done to what is selected."""
        chosen = self.table.chosen()
        self.edit.setEnabled(len(chosen) == 1)
        self.remove.setEnabled(bool(chosen))
        self.switch.setEnabled(bool(chosen))
        self.switch.setText(tr("Switch &off") if _any_on(chosen) else tr("Switch &on"))
        self.end.setEnabled(any(self._is_in_force(window) for window in chosen))
        if self._why_not:
            for button in (self.add, self.start, self.switch, self.end, self.remove):
                button.setEnabled(False)
                button.setToolTip(self._why_not)

    def _is_in_force(self, window: Window) -> bool:
        clock = self._app.clock
        return active_span(window, clock.wall(), clock.zone()) is not None

    # What can be done

    def plan(self) -> None:
        if not self._why_not:
            self._edit(None)

    def open_chosen(self) -> None:
        chosen = self.table.chosen()
        if len(chosen) == 1:
            self._edit(chosen[0])

    def _edit(self, window: Window | None) -> None:
        editor = MaintenanceEditor(self._app, self._tasks, window, self)
        editor.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        editor.saved.connect(self._show_saved)
        editor.open()

    def _show_saved(self, window: Window) -> None:
        self.table.choose(frozenset({window.id}))
        self.notice.hide()

    def switch_chosen(self) -> None:
        """Off if one of them is on; switched on, one that was ended early is in force again."""
        chosen, n = self.table.chosen(), len(self.table.chosen())
        if _any_on(chosen):
            one = tr("{name} was switched off.")
            many = ntr("{n} window was switched off.", "{n} windows were switched off.", n)
            self._act(chosen, self._switch_off, one if n == 1 else many)
        elif chosen:
            one = tr("{name} was switched on.")
            many = ntr("{n} window was switched on.", "{n} windows were switched on.", n)
            self._act(chosen, self._switch_on, one if n == 1 else many)

    def end_chosen(self) -> None:
        """Those that are in force; the ones that recur come again at their next time."""
        chosen = [window for window in self.table.chosen() if self._is_in_force(window)]
        n = len(chosen)
        one, many = tr("{name} was ended."), ntr("{n} window ended.", "{n} windows ended.", n)
        self._act(chosen, self._end, one if n == 1 else many)

    def remove_chosen(self) -> None:
        chosen = self.table.chosen()
        n = len(chosen)
        one = tr("{name} was removed.")
        many = ntr("{n} window was removed.", "{n} windows were removed.", n)
        self._act(chosen, self._remove, one if n == 1 else many)

    def undo(self) -> None:
        """Have them as they were before the last act."""
        before, self._before = self._before, ()
        self.notice.hide()
        if before:
            self._tasks.start(self._do(before, self._app.save_window))

    # Inside

    def _act(self, chosen: Sequence[Window], act: Act, said: str) -> None:
        if chosen and not self._why_not:
            self._tasks.start(self._do_and_tell(chosen, act, said))

    async def _do_and_tell(self, chosen: Sequence[Window], act: Act, said: str) -> None:
        if await self._do(chosen, act):
            self._before = chosen
            text = said.format(name=chosen[0].name, n=len(chosen))
            self.notice.tell(text, icons.MAINTENANCE, tr("Undo"), self.undo)

    async def _do(self, chosen: Sequence[Window], act: Act) -> bool:
        """One after the other; the first that cannot be is told, and the rest left alone."""
        try:
            for window in chosen:
                await act(window)
        except UserError as error:
            self.notice.tell(error.text(tr), icons.icon_name(Status.DOWN))
            return False
        return True

    async def _switch_off(self, window: Window) -> None:
        await self._app.save_window(replace(window, is_on=False))

    async def _switch_on(self, window: Window) -> None:
        await self._app.save_window(replace(window, is_on=True, off_until=None))

    async def _end(self, window: Window) -> None:
        await end_now(self._app, window)

    async def _remove(self, window: Window) -> None:
        await self._app.remove_window(window.id)


def _any_on(windows: Sequence[Window]) -> bool:
    return any(window.is_on for window in windows)

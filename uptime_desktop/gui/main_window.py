"""The window: the list, the detail beside it, and every act by mouse and by key."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QMainWindow,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop.app import App
from uptime_desktop.domain.model import Monitor
from uptime_desktop.gui import icons
from uptime_desktop.gui.activity import Activity
from uptime_desktop.gui.acts import Acts
from uptime_desktop.gui.announcer import Announcer
from uptime_desktop.gui.bridge import Bridge
from uptime_desktop.gui.copying import copy_text
from uptime_desktop.gui.declared_strip import DeclaredEmpty, DeclaredStrip
from uptime_desktop.gui.detail.panel import DetailPanel
from uptime_desktop.gui.empty_state import EmptyState
from uptime_desktop.gui.filters import Filters
from uptime_desktop.gui.incidents_dock import IncidentsDock
from uptime_desktop.gui.menus import Menus
from uptime_desktop.gui.monitor_list import MonitorList
from uptime_desktop.gui.monitor_table import MonitorTable
from uptime_desktop.gui.notice_line import NoticeLine
from uptime_desktop.gui.notices import Notices
from uptime_desktop.gui.opening import Dialogs, fit
from uptime_desktop.gui.ping_lines import reachable_url
from uptime_desktop.gui.status_line import StatusLine
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.gui.ticking import Ticking
from uptime_desktop.gui.turns import Turn
from uptime_desktop.gui.watch import Key, Watch, Watched
from uptime_desktop.i18n import ntr, tr

SIZE: Final = QSize(1440, 896)
SMALLEST: Final = QSize(720, 420)
_NARROW: Final = 1_000
_UPTIMES_EVERY_S: Final = 60
_FIRST_UPTIMES_S: Final = 5
_JUST_NOW_S: Final = 0.5


class MainWindow(QMainWindow):
    """Closing it hides it, unless there is no tray to bring it back from: the owner decides."""

    close_asked = Signal()
    quit_asked = Signal()
    demo_asked = Signal()
    test_notification_asked = Signal()

    def __init__(self, app: App, bridge: Bridge, watch: Watch, acts: Acts, tasks: Tasks) -> None:
        super().__init__()
        self._app = app
        self._watch = watch
        self.acts = acts
        self._tasks = tasks
        self._left_at = 0.0
        self.setWindowTitle("Uptime Desktop")
        self.setWindowIcon(icons.app_icon())
        self.setMinimumSize(SMALLEST)
        fit(self, SIZE)
        self.table = MonitorTable(app.clock.wall, self)
        self.list = MonitorList(self.table)
        self.detail = DetailPanel(app, watch, tasks)
        self.empty = EmptyState(app, tasks)
        self.declared_empty = DeclaredEmpty(app)
        self.notice = NoticeLine()
        self.strip = DeclaredStrip(app, tasks)
        self.activity = Activity(watch, bridge, self)
        self.incidents = IncidentsDock(app, bridge, watch, tasks, self)
        self.filters = Filters(self.table)
        dialogs = Dialogs(app, watch, acts, tasks, self.list, self.notice, self)
        # What opens a dialog is theirs; the window offers it as its own.
        self.dialogs = dialogs
        self.add = dialogs.add
        self.edit = dialogs.edit
        self.edit_site = dialogs.edit_site
        self.open_settings = dialogs.open_settings
        self.open_channels = dialogs.open_channels
        self.open_maintenance = dialogs.open_maintenance
        self.plan_maintenance = dialogs.plan_maintenance
        self.open_import = dialogs.open_import
        self.open_export = dialogs.open_export
        self.menus = Menus(self)
        self._status = StatusLine(self.statusBar())
        self.ticking = Ticking(tasks, self._tick)
        self._page_turn = Turn(self._show_page)
        self._lay_out()
        self._connect(watch)
        Announcer(bridge, watch, app.clock.wall, self)
        self._rebuild()
        self.restyle()
        self.notices = Notices(app, self.notice, self._status, self.open_channels)
        self.strip.problem.connect(self.notices.say_problem)
        # Not the links above it, where Enter would open the file.
        self.list.setFocus()

    # What the owner tells

    def show_monitor(self, key: Key) -> None:
        """Come to the front with this one selected."""
        self.filters.clear()
        self.list.select(key)
        self.bring_to_front()

    @property
    def is_in_front(self) -> bool:
        """Whether a person looks at it; a click on the tray takes the focus away first."""
        if self.isMinimized() or not self.isVisible():
            return False
        return self.isActiveWindow() or time.monotonic() - self._left_at < _JUST_NOW_S

    def bring_to_front(self) -> None:
        self.show()
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.raise_()
        self.activateWindow()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        focused = self.focusWidget()
        if self.menus.withholds(event):
            self.notices.say_problem(self.acts.where_to_edit)
        elif isinstance(focused, QAbstractButton) and _is_enter(event):
            # As in dialogs, where buttons see to that by themselves.
            focused.click()
        else:
            super().keyPressEvent(event)

    def take_over(self, old: "MainWindow") -> None:
        """Stand where another window stood, with what was selected, shown and open in it."""
        self.setGeometry(old.geometry())
        self.table.view = old.table.view
        self.table.arrange()
        self.filters.show_view(old.table.view)
        self.menus.by_site.setChecked(old.table.view.by_site)
        for one in old.selected[:1]:
            self.list.select(one.key)
        self.activity.setVisible(old.activity.isVisible())
        self.incidents.setVisible(old.incidents.isVisible())
        if old.isVisible():
            self.show()
        self.dialogs.take_over(old)

    def restyle(self) -> None:
        self.list.restyle()

    # Selection and acts

    @property
    def counts_text(self) -> str:
        """What the status line says."""
        return self._status.counts_text

    @property
    def faults_text(self) -> str:
        return self._status.faults_text

    @property
    def selected(self) -> Sequence[Watched]:
        return self.list.selected()

    def _show_added(self, monitor: Monitor) -> None:
        """A new one is selected; of one that is to report, the address is what comes next."""
        self.filters.clear()
        self.list.select((monitor.site_id, monitor.id))
        url = self._app.ping_url_of(monitor)
        if url is not None:
            shown = reachable_url(url)
            text = tr("{name} is to report to {url}").format(name=monitor.name, url=shown)
            self.notice.tell(text, "status-pending", tr("Copy"), lambda: copy_text(shown))

    def _show_imported(self, keys: Sequence[Key]) -> None:
        self.filters.clear()
        for key in keys[:1]:
            self.list.select(key)
        self.list.setFocus()

    def delete(self) -> None:
        chosen = self.selected
        if not chosen:
            return
        self.acts.deletions.delete(chosen)
        text = tr("{name} was deleted.").format(name=chosen[0].monitor.name)
        if len(chosen) > 1:
            n = len(chosen)
            text = ntr("{n} monitor was deleted.", "{n} monitors were deleted.", n).format(n=n)
        self.notice.tell(text, "status-paused", tr("Undo"), self.undo)

    def undo(self) -> None:
        self.notice.hide()
        self.acts.deletions.undo()

    def paste(self) -> None:
        """Watch the addresses in the clipboard."""
        text = QGuiApplication.clipboard().text()
        if text.strip():
            self.acts.add(text)

    def group_by_site(self, *, on: bool) -> None:
        self.table.view.by_site = on
        self.table.arrange()

    def use_compact(self, *, on: bool) -> None:
        self._tasks.start(self._app.change_settings(replace(self._app.settings, compact_rows=on)))

    def next_pane(self) -> None:
        """F6: from the filters to the list, the detail, what is docked and around."""
        instead = (self.empty, self.empty), (self.declared_empty, self.strip.open_file)
        for page, first in instead:
            if page.isVisible():
                first.setFocus(Qt.FocusReason.TabFocusReason)
                return
        panes: list[QWidget] = [self.filters.search, self.list, self.detail]
        panes += [dock for dock in (self.activity, self.incidents) if dock.isVisible()]
        inside = (place for place, pane in enumerate(panes) if pane.isAncestorOf(_focus()))
        place = next(inside, panes.index(_focus()) if _focus() in panes else -1)
        panes[(place + 1) % len(panes)].setFocus(Qt.FocusReason.TabFocusReason)

    # Qt tells

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        event.ignore()
        self.close_asked.emit()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.ticking.start()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self.ticking.stop()
        self._page_turn.take(0)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and not self.isActiveWindow():
            self._left_at = time.monotonic()
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "list"):
            self.restyle()
        elif event.type() is QEvent.Type.WindowStateChange:
            if self.isMinimized():
                self.ticking.stop()
            elif self.isVisible():
                self.ticking.start()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        narrow = event.size().width() < _NARROW
        way = Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal
        if self._splitter.orientation() is not way:
            self._splitter.setOrientation(way)
            self.menus.use_room(is_narrow=narrow)

    # Inside

    def _lay_out(self) -> None:
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.list)
        self._splitter.addWidget(self.detail)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 2)
        self._splitter.setSizes([866, 574])
        self._pages = QStackedWidget()
        self._pages.addWidget(self._splitter)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.declared_empty)
        centre = QWidget()
        rows = QVBoxLayout(centre)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.notice)
        rows.addWidget(self.strip)
        rows.addWidget(self._pages, 1)
        self.setCentralWidget(centre)
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.activity)
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.incidents)
        self.tabifyDockWidget(self.activity, self.incidents)
        for dock in (self.activity, self.incidents):
            dock.hide()
            dock.visibilityChanged.connect(lambda _: self._follow_docks())
        self._follow_docks()
        self.menus.fill_bars(self.filters)

    def _follow_docks(self) -> None:
        """Qt moves the tabs of docks that are closed out of sight, where keys still go."""
        is_tabbed = not (self.activity.isHidden() or self.incidents.isHidden())
        policy = Qt.FocusPolicy.TabFocus if is_tabbed else Qt.FocusPolicy.NoFocus
        for tabs in self.findChildren(QTabBar):
            tabs.setFocusPolicy(policy)
            tabs.setAccessibleName(tr("Activity and incidents"))

    def _connect(self, watch: Watch) -> None:
        watch.rebuilt.connect(self._rebuild)
        watch.changed.connect(self._refresh)
        self.dialogs.added.connect(self._show_added)
        self.dialogs.imported.connect(self._show_imported)
        self.dialogs.test_notification_asked.connect(self.test_notification_asked)
        self.list.chosen.connect(self.detail.show_monitor)
        self.list.selected_anew.connect(self.menus.follow_selection)
        self.list.opened.connect(lambda _: self.detail.setFocus())
        self.list.moved.connect(self.acts.move)
        self.list.menu_asked.connect(self.menus.pop_up)
        self.incidents.opened.connect(self.show_monitor)
        self.empty.added.connect(lambda _: self.list.setFocus())
        self.empty.demo_asked.connect(self.demo_asked)
        self.empty.editor_asked.connect(self.add)
        self.empty.import_asked.connect(self.open_import)
        self.detail.check_asked.connect(self._with_one(self.acts.check))
        self.detail.acknowledge_asked.connect(self._with_one(self.acts.acknowledge))
        self.detail.snooze_asked.connect(lambda one, ms: self.acts.snooze([one], ms))
        self.detail.pause_asked.connect(lambda one, until: self.acts.pause([one], until))
        self.detail.resume_asked.connect(self._with_one(self.acts.resume))
        self.detail.edit_asked.connect(lambda _: self.edit())

    def _with_one(self, act: Callable[[Sequence[Watched]], None]) -> Callable[[Watched], None]:
        return lambda one: act([one])

    def _rebuild(self) -> None:
        monitors = self._watch.shown
        self.list.use_compact(compact=self._app.settings.compact_rows)
        self.menus.follow_settings(
            is_compact=self._app.settings.compact_rows,
            can_change=not self._app.declares("compact_rows"),
        )
        self.table.show(self._app.sites.values(), monitors)
        self.strip.follow()
        is_declared = self._app.declared_in is not None
        self.list.can_move = not is_declared
        self._page_turn.take(len(monitors) if self.isVisible() else 0)
        self._tell()

    def _show_page(self) -> None:
        """The list, or what to do where there is nothing to list."""
        empty = self.empty if self._app.declared_in is None else self.declared_empty
        self._pages.setCurrentWidget(self._splitter if self._watch.shown else empty)

    def _refresh(self, keys: frozenset[Key]) -> None:
        self.table.refresh(keys)
        self._tell()

    def _tell(self) -> None:
        """The filters and the status line, which count everything."""
        counts = self.table.counts
        self.filters.count(counts, self.table.tags)
        self.menus.follow_selection()
        self._status.show_counts(counts)

    def _tick(self, seconds: int) -> None:
        """A second went by, or a minute where nothing is due sooner."""
        self.list.refresh_countdowns()
        self.detail.tick()
        self.incidents.tick()
        self.notices.say_faults()
        jobs = (one.job for one in self._watch.shown if one.job.monitor.grace_ms is None)
        self._status.show_next(jobs, self._app.clock.wall())
        if seconds % _UPTIMES_EVERY_S == _FIRST_UPTIMES_S:
            self._tasks.start(self._watch.load_uptimes())


def _is_enter(event: QKeyEvent) -> bool:
    return event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def _focus() -> QWidget:
    focused = QGuiApplication.focusObject()
    return focused if isinstance(focused, QWidget) else QWidget()

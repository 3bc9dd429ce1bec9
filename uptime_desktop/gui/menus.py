"""Every act of the window once, with its keys: in the menu bar, the tool bar, the row menu."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QSignalBlocker, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from uptime_desktop import __version__
from uptime_desktop.gui.filters import Filters
from uptime_desktop.gui.monitor_table import Band
from uptime_desktop.gui.watch import Watched
from uptime_desktop.i18n import tr

if TYPE_CHECKING:
    from uptime_desktop.gui.main_window import MainWindow

Keys = QKeySequence.StandardKey


class Menus(QObject):
    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        acts, make = window.acts, self._make

        def chosen() -> Sequence[Watched]:
            return window.selected

        self.add = make(tr("Add…"), window.add, Keys.New)
        self.paste = make(tr("Add from clipboard"), window.paste, Keys.Paste, on_list=True)
        self.bring_in = make(tr("Import…"), window.open_import)
        self.write_out = make(tr("Export…"), window.open_export)
        self.check = make(tr("Check now"), lambda: acts.check(chosen()), "F5")
        self.check_all = make(tr("Check all now"), acts.check_all, "Shift+F5")
        self.pause_or_resume = make(
            tr("Pause or resume"), lambda: acts.pause_or_resume(chosen()), "Space", on_list=True
        )
        self.pause_hour = make(tr("Pause 1 h"), lambda: acts.pause_for_an_hour(chosen()))
        self.pause_tomorrow = make(
            tr("Pause until tomorrow"), lambda: acts.pause_until_tomorrow(chosen())
        )
        self.pause = make(tr("Pause until resumed"), lambda: acts.pause(chosen()))
        self.resume = make(tr("Resume"), lambda: acts.resume(chosen()))
        self.acknowledge = make(
            tr("Acknowledge"), lambda: acts.acknowledge(chosen()), "K", on_list=True
        )
        self.search_bar = QToolBar(tr("Search"))
        self.snooze = make(tr("Snooze 1 h"), lambda: acts.snooze(chosen()))
        self.snooze_menu = make(tr("Snooze"), self._pop_up_snoozes, "S", on_list=True)
        self.snooze_all_along = make(
            tr("Snooze until it recovers"), lambda: acts.snooze(chosen(), None)
        )
        self.plan = make(tr("Plan…"), window.plan_maintenance)
        self.maintenance = make(tr("Maintenance…"), window.open_maintenance, "Ctrl+M")
        self.hint = make(tr("Check every 10 s for the next hour"), lambda: acts.hint(chosen()))
        self.clear_hint = make(tr("Back to its schedule"), lambda: acts.clear_hint(chosen()))
        self.edit = make(tr("Edit…"), window.edit, "F2", "Ctrl+E")
        self.delete = make(tr("Delete"), window.delete, Keys.Delete, on_list=True)
        self.undo = make(tr("Undo delete"), window.undo, Keys.Undo)
        self.copy_curl = make(tr("Copy the curl line"), window.detail.copy_curl, "Ctrl+Shift+C")
        self.search = make(tr("Search"), window.filters.search.setFocus, Keys.Find)
        self.slash = make(tr("Search"), window.filters.search.setFocus, "/", on_list=True)
        self.settings = make(tr("Settings…"), window.open_settings, Keys.Preferences, "Ctrl+,")
        self.close = make(tr("Close to tray"), window.close, Keys.Close, "Ctrl+W")
        self.quit = make(tr("Quit"), window.quit_asked.emit, Keys.Quit, "Ctrl+Q")
        self.next_pane = make(tr("Next pane"), window.next_pane, "F6")
        self.activity = window.activity.toggleViewAction()
        self.activity.setText(tr("Activity"))
        self.activity.setShortcut(QKeySequence("Ctrl+Shift+A"))
        self.incidents = window.incidents.toggleViewAction()
        self.incidents.setText(tr("Incidents"))
        self.incidents.setShortcut(QKeySequence("Ctrl+Shift+I"))
        window.addActions([self.activity, self.incidents])
        self.by_site = self._toggle(tr("Group by site"), lambda on: window.group_by_site(on=on))
        self.by_site.setChecked(True)
        self.compact = self._toggle(tr("Compact rows"), lambda on: window.use_compact(on=on))
        self._on_monitors = (
            *(self.check, self.pause_or_resume, self.pause_hour, self.pause_tomorrow, self.pause),
            *(self.resume, self.hint, self.clear_hint, self.edit, self.delete),
        )
        self._defining = (self.add, self.paste, self.bring_in, self.delete)
        self._on_trouble = (
            *(self.acknowledge, self.snooze, self.snooze_all_along, self.snooze_menu),
        )
        self._pauses = self._menu(
            tr("Pause"), self.pause_hour, self.pause_tomorrow, self.pause, None, self.resume
        )
        self._snoozes = self._menu(tr("Snooze"), self.snooze, self.snooze_all_along)
        self._maintenances = self._menu(tr("Start maintenance"), *self._starts(), None, self.plan)

    def fill_bars(self, filters: Filters) -> None:
        """Make the menu bar and the tool bar."""
        window = self._window
        bar = window.menuBar()
        file = self._bar_menu(tr("&File"))
        self._add(file, self.add, self.paste, None, self.bring_in, self.write_out, None)
        self._add(file, self.settings, None, self.close, self.quit)
        monitor = self._bar_menu(tr("&Monitor"))
        self._fill_monitor(monitor)
        view = self._bar_menu(tr("&View"))
        self._add(view, self.search, *filters.actions.values(), None, self.by_site, self.compact)
        self._add(view, None, self.activity, self.incidents, self.next_pane)
        tools = bar.addMenu(tr("&Tools"))
        self._add(tools, self.check_all, self.maintenance, self.undo)
        about = bar.addMenu(tr("&Help"))
        version = about.addAction(f"Uptime Desktop {__version__}")
        version.setEnabled(False)
        window.addToolBar(self._tool_bar(filters))
        window.addToolBar(self._search_bar(filters))

    def pop_up(self, at: QPoint) -> None:
        """The row menu, by mouse or by the menu key."""
        self.row_menu(at).popup(self._window.list.viewport().mapToGlobal(at))

    def row_menu(self, at: QPoint) -> QMenu:
        """What can be done to the selection and, on a site, to that site."""
        shown = self._window.list
        index = shown.indexAt(at)
        row = shown.table.row_at(index.row()) if index.isValid() else None
        menu = QMenu(shown)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        if isinstance(row, Band):
            on = row.site.is_active
            text = tr("Switch the site off") if on else tr("Switch the site on")
            switch = menu.addAction(text)
            site_id = row.site.id
            switch.triggered.connect(
                lambda _checked=False: self._window.acts.switch_site(site_id, on=not on)
            )
            is_free = not self._window.acts.where_to_edit
            edit = menu.addAction(tr("Edit site…") if is_free else tr("View site…"))
            edit.triggered.connect(lambda _checked=False: self._window.edit_site(site_id))
            menu.addSeparator()
        self._fill_monitor(menu)
        return menu

    def _pop_up_snoozes(self) -> None:
        shown = self._window.list
        at = shown.visualRect(shown.currentIndex().siblingAtColumn(0)).center()
        self._snoozes.popup(shown.viewport().mapToGlobal(at))

    def follow_settings(self, *, is_compact: bool, can_change: bool) -> None:
        """Show what is set without setting it again."""
        with QSignalBlocker(self.compact):
            self.compact.setChecked(is_compact)
        self.compact.setEnabled(can_change)
        self.compact.setToolTip("" if can_change else self._window.acts.where_to_edit)

    def follow_selection(self) -> None:
        """Offer what can be done to what is selected."""
        chosen = self._window.selected
        for action in self._on_monitors:
            action.setEnabled(bool(chosen))
        has_trouble = any(one.state.incidents for one in chosen)
        for action in self._on_trouble:
            action.setEnabled(has_trouble)
        self._maintenances.setEnabled(bool(chosen))
        self.check.setEnabled(any(not one.reports for one in chosen))
        self.hint.setEnabled(any(not one.monitor.is_passive for one in chosen))
        self.resume.setEnabled(any(one.can_be_resumed for one in chosen))
        self.clear_hint.setEnabled(any(one.state.hint is not None for one in chosen))
        self.undo.setEnabled(self._window.acts.deletions.can_undo)
        self._follow_file(len(chosen))

    def _follow_file(self, n_chosen: int) -> None:
        """While a file says what is watched, one thing can be looked at and none be changed."""
        where = self._window.acts.where_to_edit
        for action in (*self._defining, self._maintenances.menuAction(), self.edit):
            action.setToolTip(where)
        self.edit.setText(tr("View…") if where else tr("Edit…"))
        for action in (self.add, self.paste, self.bring_in):
            action.setEnabled(not where)
        if where:
            self.delete.setEnabled(False)
            self._maintenances.setEnabled(False)
            self.edit.setEnabled(n_chosen == 1)

    def withholds(self, event: QKeyEvent) -> bool:
        """Whether these are the keys of something that only the file can change."""
        keys = QKeySequence(event.keyCombination())
        offered = (one for one in self._defining if not one.isEnabled())
        return bool(self._window.acts.where_to_edit) and any(
            keys in one.shortcuts() for one in offered
        )

    def _starts(self) -> list[QAction]:
        """Maintenance of what is selected, from now on."""
        ends = self._window.acts.maintenance_ends()
        return [self._make(text, partial(self._start_maintenance, until)) for text, until in ends]

    def _start_maintenance(self, until: Callable[[], int]) -> None:
        self._window.acts.start_maintenance(until(), self._window.selected)

    def _fill_monitor(self, menu: QMenu) -> None:
        self._add(menu, self.check, None, self.acknowledge)
        menu.addMenu(self._snoozes)
        menu.addMenu(self._pauses)
        menu.addMenu(self._maintenances)
        self._add(menu, self.pause_or_resume, self.hint, self.clear_hint, None)
        self._add(menu, self.edit, self.copy_curl, self.delete)

    def _tool_bar(self, filters: Filters) -> QToolBar:
        bar = QToolBar(tr("Tools"))
        bar.setObjectName("tools")
        bar.setMovable(False)
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._add(bar, self.add, self.check)
        pause = QToolButton()
        pause.setText(tr("Pause"))
        pause.setToolTip(tr("Pause the selected monitors"))
        pause.setMenu(self._pauses)
        pause.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        bar.addWidget(pause)
        bar.addAction(self.edit)
        bar.addSeparator()
        filters.add_to(bar)
        return bar

    def _search_bar(self, filters: Filters) -> QToolBar:
        bar = self.search_bar
        bar.setObjectName("search")
        bar.setMovable(False)
        room = QWidget()
        room.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        bar.addWidget(room)
        filters.add_search_to(bar)
        self._add(bar, self.incidents, self.activity)
        return bar

    def use_room(self, *, is_narrow: bool) -> None:
        """A row of its own for the search where there is no room for it beside the filters."""
        if is_narrow:
            self._window.insertToolBarBreak(self.search_bar)
        else:
            self._window.removeToolBarBreak(self.search_bar)

    def _make(
        self, text: str, act: Callable[[], object], *keys: Keys | str, on_list: bool = False
    ) -> QAction:
        """An act of the window; one of a single letter is the list's alone."""
        owner: QWidget = self._window.list if on_list else self._window
        action = QAction(text, self._window)
        action.setShortcuts(_sequences(keys))
        if on_list:
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda _checked=False: act())
        owner.addAction(action)
        return action

    def _toggle(self, text: str, act: Callable[[bool], object]) -> QAction:
        action = QAction(text, self._window)
        action.setCheckable(True)
        action.toggled.connect(act)
        return action

    def _bar_menu(self, title: str) -> QMenu:
        menu = self._window.menuBar().addMenu(title)
        menu.setToolTipsVisible(True)
        return menu

    def _menu(self, title: str, *actions: QAction | None) -> QMenu:
        menu = QMenu(title, self._window)
        menu.setToolTipsVisible(True)
        self._add(menu, *actions)
        return menu

    def _add(self, bar: QMenu | QToolBar, *actions: QAction | None) -> None:
        for action in actions:
            if action is None:
                bar.addSeparator()
            else:
                bar.addAction(action)


def _sequences(keys: tuple[Keys | str, ...]) -> list[QKeySequence]:
    """The platform's own keys first, each combination once."""
    found: list[QKeySequence] = []
    for key in keys:
        bindings = QKeySequence.keyBindings(key) if isinstance(key, Keys) else [QKeySequence(key)]
        found += [one for one in bindings if one not in found]
    return found

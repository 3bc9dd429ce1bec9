"""The menu of the tray icon: how it stands, what fails first, and what can be done about it."""

import asyncio
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from heapq import nsmallest
from operator import attrgetter
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QMenu

from uptime_desktop.domain.status import Status
from uptime_desktop.gui import icons, sentences
from uptime_desktop.gui.acts import Acts
from uptime_desktop.gui.figures import clock_text
from uptime_desktop.gui.tray import Tray, add_action
from uptime_desktop.gui.watch import Summary, Watch, Watched
from uptime_desktop.i18n import ntr, tr
from uptime_desktop.slices import MANY

MOST_FAILING: Final = 10
_MOST_LISTED: Final = 20
_LONGEST_FAULT: Final = 160
_LONGEST_LINE: Final = 100
_A_FEW: Final = 5


class TrayMenu(QObject):
    """Fills the menu anew before it is shown and when what it lists has changed; where only the
    counts have, it says those anew."""

    open_asked = Signal(object)
    """With the monitor to show, or None."""
    settings_asked = Signal()
    quit_asked = Signal()

    def __init__(
        self,
        tray: Tray,
        watch: Watch,
        acts: Acts,
        now: Callable[[], int],
        faults: Callable[[], Sequence[str]],
    ) -> None:
        super().__init__(tray)
        self._tray = tray
        self._menu = tray.menu
        self._watch = watch
        self._acts = acts
        self._now = now
        self._faults = faults
        self._counts: tuple[str, str] | None = None
        self._listed: list[object] = []
        self._status: QAction | None = None
        self._more: QAction | None = None
        self._is_stale = False
        self._submenus: dict[Hashable, QMenu] = {}
        self._former: dict[Hashable, QMenu] = {}
        self._spare: list[QMenu] = []
        self._unfilled: deque[Callable[[], None]] = deque()
        self._menu.aboutToShow.connect(self._prepare)
        self._menu.aboutToHide.connect(self._hidden)

    def refresh(self, summary: Summary) -> None:
        """Some hosts fetch the menu once and keep it: what fails has to be in it by itself."""
        counts, listed = self._counts_of(summary), self._listed_of(summary)
        if (counts, listed) == (self._counts, self._listed):
            return
        self._is_stale = self._menu.isVisible()
        if self._is_stale:
            return
        if listed == self._listed:
            self._say_counts(summary)
        else:
            self._fill(summary)

    def _hidden(self) -> None:
        """Nobody is about to click any more."""
        if self._is_stale:
            self._is_stale = False
            asyncio.get_running_loop().call_soon(self.fill)

    def _prepare(self) -> None:
        """It is about to be seen. As it is, it stays: who has it open may be about to click."""
        self.refresh(self._watch.summary())
        self._fill_submenus(len(self._unfilled))

    def fill(self) -> None:
        """Make all of it anew."""
        self._spare += self._submenus.values()
        self._submenus = {}
        self._fill(self._watch.summary())

    def _fill(self, summary: Summary) -> None:
        """List all of it anew; submenus that would be as they are stay as they are."""
        self._fill_submenus(len(self._unfilled))
        self._listed = self._listed_of(summary)
        menu = self._menu
        menu.clear()
        self._former, self._submenus = self._submenus, {}
        self._status = add_action(menu, "", lambda: self.open_asked.emit(None))
        for fault in self._faults():
            add_action(menu, self._tray.plain(_line(fault)), lambda: self.open_asked.emit(None))
        menu.addSeparator()
        for one in summary.failing[:MOST_FAILING]:
            self._add_monitor(menu, one, sentences.menu_line(one, self._now()))
        self._more = None
        if len(summary.failing) > MOST_FAILING:
            self._more = add_action(menu, "", lambda: self.open_asked.emit(None))
        self._say_counts(summary)
        if self._watch.shown:
            self._add_all(menu)
            menu.addSeparator()
            add_action(menu, tr("Check all now"), self._acts.check_all)
            self._submenu(menu, tr("Pause all"), self._fill_pauses_of_all)
            self._add_maintenance(menu)
            menu.addSeparator()
        add_action(menu, tr("Open Uptime Desktop"), lambda: self.open_asked.emit(None))
        add_action(menu, tr("Settings…"), self.settings_asked.emit)
        add_action(menu, tr("Quit"), self.quit_asked.emit)
        self._spare += self._former.values()
        self._former = {}
        # Where there are many to look after, some of the loop's turns are longer already.
        self._fill_submenus(_A_FEW if summary.total >= MANY else len(self._unfilled))

    def _fill_submenus(self, at_most: int) -> None:
        """The rest in turns to come."""
        for _ in range(min(at_most, len(self._unfilled))):
            self._unfilled.popleft()()
        if self._unfilled:
            asyncio.get_running_loop().call_soon(self._fill_submenus, _A_FEW)

    def _say_counts(self, summary: Summary) -> None:
        self._counts = self._counts_of(summary)
        status, more = self._counts
        if self._status is not None:
            self._status.setText(status)
            worst = summary.worst if summary.total else Status.PENDING
            self._status.setIcon(icons.status_icon(worst))
        if self._more is not None:
            self._more.setText(more)

    def _counts_of(self, summary: Summary) -> tuple[str, str]:
        """The lines that count: how it stands, and how many more fail than are listed."""
        return self._status_line(summary), _more_text(len(summary.failing) - MOST_FAILING)

    def _listed_of(self, summary: Summary) -> list[object]:
        """What all other entries depend on."""
        now = self._now()
        failing = summary.failing[:MOST_FAILING]
        return [
            self._faults(),
            self._end_line(),
            self._acts.where_to_edit,
            summary.total,
            len(summary.failing) > MOST_FAILING,
            [_entry_of(one, sentences.menu_line(one, now)) for one in failing],
            [_entry_of(one, one.monitor.name) for one in self._by_name()],
        ]

    def _status_line(self, summary: Summary) -> str:
        planned = sentences.maintenance_line(summary.in_maintenance, summary.total, self._now())
        return " · ".join(line for line in (status_line(summary), planned) if line)

    def _end_line(self) -> str:
        """How to end what is in force, or nothing if there is none."""
        until = self._watch.maintenance_until
        if until is None:
            return ""
        time = clock_text(until, self._now())
        return tr("End maintenance (until {time})").format(time=time)

    def _add_maintenance(self, menu: QMenu) -> None:
        starts = self._submenu(menu, tr("Start maintenance"), self._fill_maintenance)
        entries = [starts.menuAction()]
        if line := self._end_line():
            flag = icons.icon(icons.MAINTENANCE)
            entries.append(add_action(menu, line, self._acts.end_maintenance, flag))
        where = self._acts.where_to_edit
        for entry in entries:
            entry.setEnabled(not where)
            entry.setToolTip(where)

    def _fill_maintenance(self, menu: QMenu) -> None:
        for text, until in self._acts.maintenance_ends():
            add_action(menu, text, partial(self._start_maintenance, until))

    def _start_maintenance(self, until: Callable[[], int]) -> None:
        self._acts.start_maintenance(until())

    def _by_name(self) -> list[Watched]:
        return nsmallest(_MOST_LISTED, self._watch.shown, key=attrgetter("sort_name"))

    def _add_all(self, menu: QMenu) -> None:
        listed = self._submenu(menu, tr("All monitors"))
        for one in self._by_name():
            self._add_monitor(listed, one, one.monitor.name)
        more = len(self._watch.shown) - _MOST_LISTED
        if more > 0:
            add_action(listed, _more_text(more), lambda: self.open_asked.emit(None))

    def _add_monitor(self, menu: QMenu, one: Watched, text: str) -> None:
        # One that fails is there twice, each time by another text.
        is_failing = menu is self._menu
        in_trouble, is_paused = bool(one.state.incidents), one.state.pause is not None
        fill = partial(self._fill_monitor, one=one, in_trouble=in_trouble, is_paused=is_paused)
        icon = icons.status_icon(one.status)
        offers = is_failing, one, in_trouble, is_paused
        self._submenu(menu, self._tray.plain(text), fill, icon, offers)

    def _fill_monitor(
        self, menu: QMenu, one: Watched, *, in_trouble: bool, is_paused: bool
    ) -> None:
        add_action(menu, tr("Check now"), lambda: self._acts.check([one]))
        if in_trouble:
            add_action(menu, tr("Acknowledge"), lambda: self._acts.acknowledge([one]))
            add_action(menu, tr("Snooze 1 h"), lambda: self._acts.snooze([one]))
            add_action(menu, tr("Snooze until it recovers"), lambda: self._acts.snooze([one], None))
        menu.addSeparator()
        if is_paused:
            add_action(menu, tr("Resume"), lambda: self._acts.resume([one]))
        else:
            self._fill_pauses(menu, lambda: [one])
        menu.addSeparator()
        add_action(menu, tr("Open"), lambda: self.open_asked.emit(one))

    def _submenu(
        self,
        parent: QMenu,
        text: str,
        fill: Callable[[QMenu], None] = lambda _: None,
        icon: QIcon | None = None,
        offers: Hashable = None,
    ) -> QMenu:
        """The former one that offers the same, if there was one; it need not be filled again.

        Else any that is not in use: Python never lets go of those Qt deletes.
        """
        menu = None if offers is None else self._former.pop(offers, None)
        if menu is None:
            menu = self._spare.pop() if self._spare else QMenu()
            menu.clear()
            menu.menuAction().setEnabled(True)
            menu.menuAction().setToolTip("")
            self._unfilled.append(partial(fill, menu))
        self._submenus[object() if offers is None else offers] = menu
        menu.setTitle(text)
        menu.setIcon(icon or QIcon())
        parent.addMenu(menu)
        return menu

    def _fill_pauses_of_all(self, menu: QMenu) -> None:
        self._fill_pauses(menu, lambda: self._watch.shown)

    def _fill_pauses(self, menu: QMenu, monitors: Callable[[], Sequence[Watched]]) -> None:
        acts = self._acts
        add_action(menu, tr("Pause 1 h"), lambda: acts.pause_for_an_hour(monitors()))
        add_action(menu, tr("Pause until tomorrow"), lambda: acts.pause_until_tomorrow(monitors()))
        add_action(menu, tr("Pause until resumed"), lambda: acts.pause(monitors()))
        if all(one.state.pause is not None for one in monitors()):
            add_action(menu, tr("Resume"), lambda: acts.resume(monitors()))


def _entry_of(one: Watched, text: str) -> tuple[object, ...]:
    """What the entry of a single monitor depends on."""
    return one.key, text, one.status, bool(one.state.incidents)


def _more_text(more: int) -> str:
    return ntr("and {n} more…", "and {n} more…", more).format(n=more)


def status_line(summary: Summary) -> str:
    """`1 down, 1 degraded of 12`, or that all is well."""
    if not summary.total:
        return tr("Nothing is watched yet")
    troubled = {
        status: summary.counts[status]
        for status in (Status.DOWN, Status.DEGRADED, Status.UNKNOWN)
        if summary.counts[status]
    }
    if troubled:
        counts = sentences.counts_text(troubled)
        return tr("{counts} of {n}").format(counts=counts, n=summary.total)
    if summary.counts[Status.UP] == summary.total:
        return ntr("The one monitor is up", "All {n} monitors are up", summary.total).format(
            n=summary.total
        )
    return sentences.counts_text(summary.counts)


def tool_tip(summary: Summary, now: int, *faults: str) -> str:
    """The summary, and the worst in a line of its own; times of day, for it does not tick."""
    lines = ["Uptime Desktop", tr("Nothing is watched yet")]
    if summary.total:
        planned = sentences.maintenance_line(summary.in_maintenance, summary.total, now)
        counts = sentences.counts_text(summary.counts)
        lines[1] = " · ".join(line for line in (counts, planned) if line)
    lines += [sentences.tool_tip_line(one, now) for one in summary.failing[:1]]
    # A tool tip is no place for all that can be wrong in a file; the window says the rest.
    return "\n".join([*lines, *(_line(fault, _LONGEST_FAULT) for fault in faults)])


def _line(sentence: str, most: int = _LONGEST_LINE) -> str:
    return sentence if len(sentence) <= most else sentence[:most].rstrip() + "…"

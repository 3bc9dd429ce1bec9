"""The menu of the tray icon: how it stands, what fails first, and what can be done about it."""

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMenu

from uptime_desktop.domain.status import Status
from uptime_desktop.gui import icons, sentences
from uptime_desktop.gui.acts import Acts
from uptime_desktop.gui.tray import Tray, add_action
from uptime_desktop.gui.watch import Summary, Watch, Watched
from uptime_desktop.i18n import ntr, tr

MOST_FAILING: Final = 10
_MOST_LISTED: Final = 20


class TrayMenu(QObject):
    """Fills the menu anew before it is shown and when what fails has changed."""

    open_asked = Signal(object)
    """With the monitor to show, or None."""
    settings_asked = Signal()
    quit_asked = Signal()

    def __init__(self, tray: Tray, watch: Watch, acts: Acts, now: Callable[[], int]) -> None:
        super().__init__(tray)
        self._tray = tray
        self._menu = tray.menu
        self._watch = watch
        self._acts = acts
        self._now = now
        self._failing: list[tuple[str, Status]] | None = None
        self._menu.aboutToShow.connect(self.fill)

    def refresh(self, summary: Summary) -> None:
        """Some hosts fetch the menu once and keep it: what fails has to be in it by itself."""
        failing = [(one.monitor.name, one.status) for one in summary.failing]
        if failing != self._failing:
            self.fill()

    def fill(self) -> None:
        summary = self._watch.summary()
        self._failing = [(one.monitor.name, one.status) for one in summary.failing]
        menu = self._menu
        for old in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
            old.deleteLater()
        menu.clear()
        icon = icons.status_icon(summary.worst if summary.total else Status.PENDING)
        add_action(menu, status_line(summary), lambda: self.open_asked.emit(None), icon)
        menu.addSeparator()
        for one in summary.failing[:MOST_FAILING]:
            self._add_monitor(menu, one, self._failing_text(one))
        more = len(summary.failing) - MOST_FAILING
        if more > 0:
            text = ntr("and {n} more…", "and {n} more…", more).format(n=more)
            add_action(menu, text, lambda: self.open_asked.emit(None))
        if self._watch.monitors:
            self._add_all(menu)
            menu.addSeparator()
            add_action(menu, tr("Check all now"), self._acts.check_all)
            self._add_pauses(menu.addMenu(tr("Pause all")), list(self._watch.monitors.values()))
            menu.addSeparator()
        add_action(menu, tr("Open Uptime Desktop"), lambda: self.open_asked.emit(None))
        add_action(menu, tr("Settings…"), self.settings_asked.emit)
        add_action(menu, tr("Quit"), self.quit_asked.emit)

    def _failing_text(self, one: Watched) -> str:
        how = sentences.how(one, self._now())
        return tr("{name}: {how}").format(name=one.monitor.name, how=how)

    def _add_all(self, menu: QMenu) -> None:
        everything = sorted(self._watch.monitors.values(), key=lambda one: one.monitor.name.lower())
        listed = menu.addMenu(tr("All monitors"))
        for one in everything[:_MOST_LISTED]:
            self._add_monitor(listed, one, one.monitor.name)
        if len(everything) > _MOST_LISTED:
            more = len(everything) - _MOST_LISTED
            text = ntr("and {n} more…", "and {n} more…", more).format(n=more)
            add_action(listed, text, lambda: self.open_asked.emit(None))

    def _add_monitor(self, menu: QMenu, one: Watched, text: str) -> None:
        entry = menu.addMenu(icons.status_icon(one.status), self._tray.plain(text))
        add_action(entry, tr("Check now"), lambda: self._acts.check([one]))
        if one.state.incidents:
            add_action(entry, tr("Acknowledge"), lambda: self._acts.acknowledge([one]))
            add_action(entry, tr("Snooze 1 h"), lambda: self._acts.snooze([one]))
            add_action(
                entry, tr("Snooze until it recovers"), lambda: self._acts.snooze([one], None)
            )
        entry.addSeparator()
        if one.state.pause is None:
            self._add_pauses(entry, [one])
        else:
            add_action(entry, tr("Resume"), lambda: self._acts.resume([one]))
        entry.addSeparator()
        add_action(entry, tr("Open"), lambda: self.open_asked.emit(one))

    def _add_pauses(self, menu: QMenu, monitors: Sequence[Watched]) -> None:
        acts = self._acts
        add_action(menu, tr("Pause 1 h"), lambda: acts.pause_for_an_hour(monitors))
        add_action(menu, tr("Pause until tomorrow"), lambda: acts.pause_until_tomorrow(monitors))
        add_action(menu, tr("Pause until resumed"), lambda: acts.pause(monitors))
        if all(one.state.pause is not None for one in monitors):
            add_action(menu, tr("Resume"), lambda: acts.resume(monitors))


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


def tool_tip(summary: Summary, now: int) -> str:
    """The summary, and the worst in a line of its own; times of day, for it does not tick."""
    if not summary.total:
        return "Uptime Desktop\n" + tr("Nothing is watched yet")
    worst = [sentences.tool_tip_line(one, now) for one in summary.failing[:1]]
    return "\n".join(["Uptime Desktop", sentences.counts_text(summary.counts), *worst])

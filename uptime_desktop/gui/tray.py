"""The icon in the tray: the worst status as a shape, a menu, and patience with its host.

An icon made before there is a host may never appear, so one is made whenever a host comes.
"""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon

from uptime_desktop.domain.status import Status
from uptime_desktop.gui import icons
from uptime_desktop.gui.surroundings import Host, tray_host, watch_notifiers
from uptime_desktop.i18n import tr

if TYPE_CHECKING:
    # The icon is there before all this is loaded.
    from uptime_desktop.gui.watch import Summary

LOOK_EVERY_S: Final = 2.0
_LOOK_SELDOM_S: Final = 30.0
_LOOK_AGAIN_S: Final = (0.1, 0.5, 2.0)
_Reason = QSystemTrayIcon.ActivationReason


class Tray(QObject):
    """What a person does with the icon comes out as signals; what it shows goes in by `show`."""

    toggled = Signal()
    check_all_asked = Signal()
    host_changed = Signal(bool)
    balloon_clicked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.menu = QMenu()
        self.menu.addAction(tr("Starting…")).setEnabled(False)
        self._host = Host.NONE
        self._icon: QSystemTrayIcon | None = None
        self._shown: tuple[Status, int, bool, bool] = (Status.PENDING, 0, False, False)
        self._tool_tip = "Uptime Desktop"
        self._is_heard = False
        self._clicked_at = 0.0
        self._missed: QSystemTrayIcon.ActivationReason | None = None
        self.look_for_host()

    @property
    def has_host(self) -> bool:
        return self._icon is not None

    @property
    def tool_tip(self) -> str:
        return self._tool_tip

    def icon(self) -> QIcon:
        status, count, checking, mono = self._shown
        return icons.tray_icon(status, count, checking=checking, mono=mono)

    def look_for_host(self) -> None:
        """Appear where a host has come, and notice where it has gone."""
        host = tray_host()
        if host is self._host:
            return
        before, self._host = self._host, host
        self._vanish()
        if host is not Host.NONE:
            self._appear()
        if Host.NONE in (before, host):
            self.host_changed.emit(self.has_host)

    async def keep_looking(self) -> None:
        """For ever: often while there is no host, seldom while there is one."""
        self._notifiers = watch_notifiers(self._look_soon, self)
        while True:
            await asyncio.sleep(_LOOK_SELDOM_S if self.has_host else LOOK_EVERY_S)
            self.look_for_host()

    def _look_soon(self) -> None:
        """Someone came or went on the bus; who comes needs a moment to be a host."""
        for delay_s in _LOOK_AGAIN_S:
            asyncio.get_running_loop().call_later(delay_s, self.look_for_host)

    def show_summary(
        self, summary: "Summary", tool_tip: str, *, checking: bool, mono: bool
    ) -> None:
        """Draw the icon anew, if it would look different."""
        shown = (summary.worst, summary.counts[Status.DOWN], checking, mono)
        if summary.total == 0:
            shown = (Status.PENDING, 0, checking, mono)
        if shown != self._shown:
            self._shown = shown
            if self._icon is not None:
                self._icon.setIcon(self.icon())
        if tool_tip != self._tool_tip:
            self._tool_tip = tool_tip
            if self._icon is not None:
                self._icon.setToolTip(tool_tip)

    def listen(self) -> None:
        """Tell of clicks from now on, and of the last one that came while all was loading."""
        self._is_heard = True
        missed, self._missed = self._missed, None
        if missed is not None:
            self.icon_activated(missed)

    def balloon(self, title: str, text: str) -> bool:
        """A notice for who has no notification service; whether there was a place for it."""
        if self._icon is not None:
            self._icon.showMessage(title, text, self.icon())
        return self._icon is not None

    def close(self) -> None:
        self._vanish()
        self.menu.deleteLater()

    def _appear(self) -> None:
        self._icon = QSystemTrayIcon(self.icon(), self)
        self._icon.setToolTip(self._tool_tip)
        self._icon.setContextMenu(self.menu)
        self._icon.activated.connect(self.icon_activated)
        self._icon.messageClicked.connect(self.balloon_clicked)
        self._icon.show()

    def _vanish(self) -> None:
        if self._icon is not None:
            self._icon.hide()
            self._icon.deleteLater()
            self._icon = None

    def icon_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if not self._is_heard:
            self._missed = reason
            return
        match reason:
            case _Reason.Trigger if not self._is_second_click():
                self.toggled.emit()
            case _Reason.MiddleClick:
                self.check_all_asked.emit()

    def _is_second_click(self) -> bool:
        """Of a double click, which some hosts tell as two single ones."""
        before, self._clicked_at = self._clicked_at, time.monotonic()
        return (self._clicked_at - before) * 1_000 < QApplication.doubleClickInterval()

    def plain(self, text: str) -> str:
        """A text for the menu in which no letter is taken for a sign."""
        text = text.replace("&", "&&")
        return text.replace("_", "__") if self._host is Host.STATUS_NOTIFIER else text


def add_action(
    menu: QMenu, text: str, act: Callable[[], object], icon: QIcon | None = None
) -> QAction:
    """Plain words and perhaps an icon: the host draws it."""
    action = menu.addAction(text)
    if icon is not None:
        action.setIcon(icon)
    action.triggered.connect(lambda _checked=False: act())
    return action

"""What the desktop around us offers: a place for the tray icon, and someone to show notices.

Run as a module it prints both as JSON: Qt ends the process where it cannot reach a display, so
who only wants to know asks from another one.
"""

import json
import sys
from collections.abc import Callable
from enum import Enum, auto

from PySide6.QtCore import QObject
from PySide6.QtDBus import QDBusConnection, QDBusServiceWatcher
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

_NOTICES = "org.freedesktop.Notifications"
_STATUS_NOTIFIER = "org.kde.StatusNotifierWatcher"


class Host(Enum):
    """Who shows tray icons. An icon belongs to the kind of host it was made for."""

    NONE = auto()
    PLAIN = auto()
    STATUS_NOTIFIER = auto()


def tray_host() -> Host:
    """Who would show our icon; the icon itself says it is visible even without anyone."""
    if not QSystemTrayIcon.isSystemTrayAvailable():
        return Host.NONE
    if sys.platform in ("win32", "darwin"):
        return Host.PLAIN
    bus = QDBusConnection.sessionBus().interface()
    is_notifier = bus.isValid() and bus.isServiceRegistered(_STATUS_NOTIFIER).value()
    return Host.STATUS_NOTIFIER if is_notifier else Host.PLAIN


def watch_notifiers(tell: Callable[[], None], parent: QObject) -> QDBusServiceWatcher:
    """Tell when a host of the newer kind comes or goes; asking the bus often wakes computers."""
    watcher = QDBusServiceWatcher(
        _STATUS_NOTIFIER,
        QDBusConnection.sessionBus(),
        QDBusServiceWatcher.WatchModeFlag.WatchForOwnerChange,
        parent,
    )
    watcher.serviceOwnerChanged.connect(lambda *_: tell())
    return watcher


def shows_notices() -> bool:
    """Whether a notification service runs, or would be started for a notice."""
    if sys.platform in ("win32", "darwin"):
        return True
    bus = QDBusConnection.sessionBus().interface()
    if not bus.isValid():
        return False
    known = [*bus.registeredServiceNames().value(), *bus.activatableServiceNames().value()]
    return _NOTICES in known


def main() -> None:
    QApplication([])
    has_tray = tray_host() is not Host.NONE
    print(json.dumps({"tray": has_tray, "notices": shows_notices()}))


if __name__ == "__main__":
    main()

"""What the desktop around us offers: a place for the tray icon, and someone to show notices.

Run as a module it prints both as JSON: Qt ends the process where it cannot reach a display, so
who only wants to know asks from another one.
"""

import json
import sys

from PySide6.QtDBus import QDBusConnection
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

_NOTICES = "org.freedesktop.Notifications"


def has_tray() -> bool:
    """Whether a host would show our icon; the icon itself says it is visible even without one."""
    return QSystemTrayIcon.isSystemTrayAvailable()


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
    print(json.dumps({"tray": has_tray(), "notices": shows_notices()}))


if __name__ == "__main__":
    main()

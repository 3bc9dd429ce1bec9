"""As little as an application with a tray icon can be; prints what reaches it."""

import sys

from PySide6.QtCore import QTimer
from PySide6.QtDBus import QDBusConnection, QDBusInterface
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon

WATCHER = "org.kde.StatusNotifierWatcher"


class Sample:
    def __init__(self) -> None:
        self._menu = QMenu()
        self._menu.addAction("&Check now", lambda: say("check"))
        self._menu.addAction("Nothing").setEnabled(False)
        more = self._menu.addMenu("More")
        option = more.addAction("Quiet", lambda: say("quiet"))
        option.setCheckable(True)
        self._menu.addSeparator()
        self._menu.addAction("Quit", QApplication.quit)
        self._had_host = has_host()
        self._icon = self._show()
        self._timer = QTimer()
        self._timer.timeout.connect(self._look_for_host)
        self._timer.start(50)

    def _show(self) -> QSystemTrayIcon:
        picture = QPixmap(32, 32)
        picture.fill(QColor("red"))
        icon = QSystemTrayIcon(QIcon(picture))
        icon.setToolTip("All is well")
        icon.setContextMenu(self._menu)
        icon.activated.connect(lambda reason: say(reason.name))
        icon.show()
        return icon

    def _look_for_host(self) -> None:
        """An icon that is older than a StatusNotifier host never gets there."""
        has_one = has_host()
        if has_one and not self._had_host:
            self._icon = self._show()
        self._had_host = has_one


def has_host() -> bool:
    bus = QDBusConnection.sessionBus()
    if not bus.interface().isServiceRegistered(WATCHER).value():
        return False
    watcher = QDBusInterface(WATCHER, "/StatusNotifierWatcher", WATCHER, bus)
    return bool(watcher.property("IsStatusNotifierHostRegistered"))


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    application = QApplication(sys.argv)
    application.setQuitOnLastWindowClosed(False)
    sample = Sample()
    say("ready")
    sys.exit(application.exec())

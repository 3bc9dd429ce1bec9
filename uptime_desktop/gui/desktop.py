"""The desktop part of a running app: tray and window, made anew when the language changes.

The window is made when it is first wanted; who starts in the tray may never need it.
"""

import asyncio
import sys
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QByteArray, QObject, QProcess, QSettings
from PySide6.QtWidgets import QApplication

from uptime_desktop.alerts.desktop import DesktopNotices
from uptime_desktop.alerts.notice import Notifier
from uptime_desktop.app import App
from uptime_desktop.config import APP_NAME
from uptime_desktop.domain.alerts import Faults
from uptime_desktop.gui import theme
from uptime_desktop.gui.acts import Acts
from uptime_desktop.gui.bridge import Bridge
from uptime_desktop.gui.faults import fault_sentences
from uptime_desktop.gui.main_window import MainWindow
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.gui.translation import use_language
from uptime_desktop.gui.tray import Tray
from uptime_desktop.gui.tray_menu import TrayMenu, tool_tip
from uptime_desktop.gui.turns import Turn
from uptime_desktop.gui.watch import Key, Watch, Watched
from uptime_desktop.i18n import told

_AFTER_THE_WINDOW_S: Final = 0.1
_GEOMETRY: Final = "geometry"


class Desktop(QObject):
    """Owns what people see. `on_quit` is called when they have seen enough."""

    def __init__(
        self,
        qt: QApplication,
        app: App,
        tray: Tray,
        on_quit: Callable[[], None],
        notifier: Notifier | None = None,
    ) -> None:
        super().__init__()
        self._qt = qt
        self._app = app
        self._tray = tray
        self._on_quit = on_quit
        self._is_checking_all = False
        self._language = app.settings.language
        self._tray_turn = Turn(self._show_tray, _AFTER_THE_WINDOW_S)
        self._window: MainWindow | None = None
        self.tasks = Tasks(self._say_problem)
        self.bridge = Bridge(app, self)
        self.watch = Watch(app, self.bridge, self)
        self.acts = Acts(app, self.watch, self.tasks, self)
        self.tray_menu = TrayMenu(
            tray, self.watch, self.acts, app.clock.wall, lambda: fault_sentences(app)
        )
        self._connect()
        self.tray_menu.fill()
        self._show_tray()
        self._load_history(0)
        self.tasks.start(tray.keep_looking())
        app.start_alerts(
            notifier or DesktopNotices(), on_open=self._open_key, fallback=tray.balloon
        )

    @property
    def window(self) -> MainWindow:
        if self._window is None:
            self._window = self._make_window()
        return self._window

    def open(self) -> None:
        self.window.bring_to_front()

    def open_monitor(self, key: Key) -> None:
        self.window.show_monitor(key)

    def begin(self, *, minimised: bool) -> None:
        """Show the window, unless it is to stay in the tray and there is one."""
        if not self._tray.has_host:
            self.window.show()
            self.window.notices.say_no_tray()
        elif not minimised:
            self.open()
        for notice in self._app.notices:
            self._say_problem(told(notice))
        self._tray.listen()

    async def close(self) -> None:
        await self.acts.deletions.finish()
        self.bridge.close()
        self._leave_faults()
        self.watch.changed.disconnect(self._show_tray_soon)
        self.watch.rebuilt.disconnect(self._show_tray_soon)
        self._tray_turn.close()
        self.watch.close()
        self._tray.close()
        if self._window is not None:
            _window_memory().setValue(_GEOMETRY, self._window.saveGeometry())
            self._window.hide()
        await self.tasks.close()
        if self._window is not None:
            self._window.deleteLater()
        # Qt deletes what was told to go only when it is let run.
        await asyncio.sleep(0)

    def _load_history(self, first: int) -> None:
        self.tasks.start(self.watch.load_history(first))

    def _connect(self) -> None:
        self.watch.came.connect(self._load_history)
        self.bridge.redefined.connect(self._follow_language)
        self.watch.changed.connect(self._show_tray_soon)
        self.watch.rebuilt.connect(self._show_tray_soon)
        self.acts.checking_all.connect(self._checking_all)
        self.acts.deletions.failed.connect(self._say_problem)
        self._leave_faults = self._app.on_faults(self.faults_changed)
        self.tray_menu.open_asked.connect(self._open_asked)
        self.tray_menu.settings_asked.connect(self._open_settings)
        self.tray_menu.quit_asked.connect(self._on_quit)
        self._tray.toggled.connect(self._toggle)
        self._tray.check_all_asked.connect(self.acts.check_all)
        self._tray.balloon_clicked.connect(self.open)
        self._tray.host_changed.connect(self._host_changed)
        self._qt.styleHints().colorSchemeChanged.connect(self._restyle)

    def _make_window(self) -> MainWindow:
        window = MainWindow(self._app, self.bridge, self.watch, self.acts, self.tasks)
        window.close_asked.connect(self._close_window)
        window.quit_asked.connect(self._on_quit)
        window.test_notification_asked.connect(self._test_notification)
        window.demo_asked.connect(_start_demo)
        geometry = _window_memory().value(_GEOMETRY)
        if isinstance(geometry, QByteArray):
            window.restoreGeometry(geometry)
        return window

    def _show_tray_soon(self) -> None:
        """After the window, which has enough to do with all that changed."""
        self._tray_turn.take(len(self.watch.monitors))

    def _show_tray(self) -> None:
        summary = self.watch.summary()
        text = tool_tip(summary, self._app.clock.wall(), *fault_sentences(self._app))
        self._tray.show_summary(
            summary, text, checking=self._is_checking_all, mono=self._app.settings.mono_icons
        )
        self.tray_menu.refresh(summary)

    def _checking_all(self, is_checking: bool) -> None:
        self._is_checking_all = is_checking
        self._show_tray()

    def _toggle(self) -> None:
        """A left click shows the window, raises it, or hides it if it is in front."""
        if self.window.is_in_front:
            self.window.hide()
        else:
            self.open()

    def _close_window(self) -> None:
        """Into the tray if there is one, else into the task bar: it must stay reachable."""
        if self._tray.has_host:
            self.window.hide()
        else:
            self.window.showMinimized()

    def _host_changed(self, is_there: bool) -> None:
        if not is_there and not self.window.isVisible():
            self.window.showMinimized()
        if is_there:
            self.window.notices.say_tray_is_there()
        else:
            self.window.notices.say_no_tray()

    def _open_asked(self, one: Watched | None) -> None:
        self._open_key(None if one is None else one.key)

    def _open_key(self, key: Key | None) -> None:
        if key is None:
            self.open()
        else:
            self.open_monitor(key)

    def _open_settings(self) -> None:
        self.open()
        self.window.open_settings()

    def _say_problem(self, sentence: str) -> None:
        """In the window if one is open, else as a notice: a menu has no place for it."""
        if self._window is not None and self._window.isVisible():
            self._window.notices.say_problem(sentence)
        else:
            self._tray.balloon("Uptime Desktop", sentence)

    def _test_notification(self) -> None:
        self.tasks.start(self._app.test_alerts())

    def faults_changed(self, _: Faults) -> None:
        if self._window is not None:
            self._window.notices.say_faults()
            self._window.strip.follow()
        self._show_tray()

    def _restyle(self) -> None:
        theme.apply_palette(self._qt)

    def _follow_language(self) -> None:
        """All words anew if another language is to be spoken: the window is made again in the
        place of the old one."""
        if self._language == self._app.settings.language:
            return
        self._language = self._app.settings.language
        use_language(self._qt, self._language)
        self.watch.rebuild()
        old, self._window = self._window, None
        if old is not None:
            self.window.take_over(old)
            old.hide()
            old.deleteLater()
        self.tray_menu.fill()
        self._show_tray()


def _window_memory() -> QSettings:
    """Where the window was, for the next time; a file of Qt's own, as it is Qt's own concern."""
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, APP_NAME, "window")


def _start_demo() -> None:
    """In a program of its own, so that nothing of it gets into what is watched here."""
    QProcess.startDetached(sys.executable, ["-m", "uptime_desktop", "--demo"])

"""Tells a screen reader what changed, politely: now and then, and only in an active window."""

import time
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from uptime_desktop.domain.events import StatusChanged
from uptime_desktop.gui.bridge import Bridge
from uptime_desktop.gui.sentences import row_sentence
from uptime_desktop.gui.watch import Watch

_EVERY_S: Final = 5.0


class Announcer(QObject):
    def __init__(
        self, bridge: Bridge, watch: Watch, now: Callable[[], int], window: QWidget
    ) -> None:
        super().__init__(window)
        self._watch = watch
        self._now = now
        self._window = window
        self._announced_at = 0.0
        bridge.status_changed.connect(self._announce)

    def _announce(self, event: StatusChanged, _persisted: bool) -> None:
        one = self._watch.monitors.get((event.site_id, event.monitor_id))
        is_soon = time.monotonic() - self._announced_at < _EVERY_S
        if one is None or is_soon or not self._window.isActiveWindow():
            return
        self._announced_at = time.monotonic()
        text = row_sentence(one, self._now())
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._window, text))

"""Tells whoever listens what happened, once it is safe to say so."""

import logging
from collections.abc import Callable

from uptime_desktop.domain.events import Event

Listener = Callable[[Event, bool], None]
"""Called with an event and whether it is on disk."""

_log = logging.getLogger(__name__)


class Bus:
    """Listeners are called in order, on the loop; one that fails does not keep it from the rest."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Listen from now on; the function returned ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def publish(self, event: Event, persisted: bool) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(event, persisted)
            except Exception:  # noqa: BLE001 - a listener's bug is not the engine's
                _log.exception("A listener failed on %s", type(event).__name__)

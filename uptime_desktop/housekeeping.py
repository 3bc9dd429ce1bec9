"""What has to be done now and then: say that we are here, look after the file, forget the old."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Final

from uptime_desktop.config import Settings
from uptime_desktop.domain.model import HOUR_MS
from uptime_desktop.engine.clock import Clock
from uptime_desktop.engine.timer import Timer
from uptime_desktop.long_work import soon
from uptime_desktop.store.db import Store
from uptime_desktop.store.pruning import Retention, prune
from uptime_desktop.store.writer import Writer

_ALIVE_EVERY_MS: Final = 20_000
_PRUNE_EVERY_MS: Final = HOUR_MS
_PRUNE_PAUSE_MS: Final = 1_000


def retention_of(settings: Settings) -> Retention:
    """How long history is kept, finest first."""
    return Retention(
        settings.raw_history_ms, settings.five_minute_history_ms, settings.hourly_history_ms
    )


class Housekeeping:
    """`is_gone` says that somebody removed the database; `on_gone` is called when that changes."""

    def __init__(
        self,
        store: Store,
        writer: Writer,
        timer: Timer,
        clock: Clock,
        settings: Callable[[], Settings],
        on_gone: Callable[[], None],
    ) -> None:
        self._store = store
        self._writer = writer
        self._timer = timer
        self._clock = clock
        self._settings = settings
        self._on_gone = on_gone
        self.is_gone = False

    def start(self) -> None:
        self._say_alive()
        self._forget_old_history()

    def _say_alive(self) -> None:
        self._writer.touch_alive(self._clock.wall())
        was_gone, self.is_gone = self.is_gone, not self._store.path.exists()
        if self.is_gone is not was_gone:
            self._on_gone()
        self._timer.after(_ALIVE_EVERY_MS, self._say_alive)

    def _forget_old_history(self, forgotten: int = 0) -> None:
        """Forget a little of what is too old, more soon if there is more, else again in an hour."""

        def step() -> None:
            retention = retention_of(self._settings())
            done = self._writer.call(prune, self._clock.wall(), retention)
            done.add_done_callback(soon(self._forgot))

        self._timer.after(_PRUNE_PAUSE_MS if forgotten else _PRUNE_EVERY_MS, step)

    def _forgot(self, done: "Future[int]") -> None:
        self._forget_old_history(done.result() if done.exception() is None else 0)

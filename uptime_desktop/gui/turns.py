"""Showing thousands of monitors in several turns of the loop, with room between for people."""

import asyncio
from collections.abc import Callable
from typing import Final

from uptime_desktop.slices import MANY

SOON_S: Final = 0.02


class Turn:
    """Shows something at once or, with many monitors, soon, and once for all that led to it."""

    def __init__(self, show: Callable[[], None], after_s: float = SOON_S) -> None:
        self._show = show
        self._after_s = after_s
        self._handle: asyncio.TimerHandle | None = None

    def take(self, monitors: int) -> None:
        if monitors < MANY:
            self._come()
        elif self._handle is None:
            self._handle = asyncio.get_running_loop().call_later(self._after_s, self._come)

    def close(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _come(self) -> None:
        self.close()
        self._show()

"""Says on the screen what is wrong with the program itself: a disk that takes nothing, channels
that cannot be reached. Each is said once, and taken back when it is over."""

from collections.abc import Callable, Mapping
from typing import Final

from uptime_desktop.alerts.board import Board
from uptime_desktop.alerts.dispatch import NEVER, RETRY_MS
from uptime_desktop.alerts.health import Health
from uptime_desktop.alerts.lanes import Moment
from uptime_desktop.alerts.notice import channel_fault_notice, fault_notice, fault_over_notice
from uptime_desktop.config import Settings
from uptime_desktop.domain.model import SECOND_MS

FAULT_HELD_MS: Final = 5 * SECOND_MS
"""A disk that fails for a moment is not worth a notice."""

_PLACE: Final = "channel/"


class Complaints:
    def __init__(self, board: Board, clock: Moment, settings: Callable[[], Settings]) -> None:
        self._board = board
        self._clock = clock
        self._settings = settings
        self._fault: str | None = None
        self._fault_at = 0
        self._is_fault_told = False

    @property
    def next_at(self) -> int:
        """When there is something to say."""
        return NEVER if self._fault is None or self._is_fault_told else self._fault_at

    def hear_fault(self, sentence: str | None) -> None:
        if sentence is not None and self._fault is None:
            self._fault_at = self._clock.wall() + FAULT_HELD_MS
        self._fault = sentence

    async def tell_fault(self) -> None:
        """Of the disk."""
        if self._fault is None and self._is_fault_told:
            self._is_fault_told = False
            await self._board.show(None, fault_over_notice(), None)
        elif self._fault is not None and not self._is_fault_told:
            now = self._clock.wall()
            if now >= self._fault_at:
                self._fault_at = now + RETRY_MS
                if self._settings().notifications:
                    notice = fault_notice(self._fault)
                    self._is_fault_told = await self._board.show(None, notice, None) is None

    async def tell_channels(self, health: Health, names: Mapping[str, str]) -> None:
        """Of channels, by these names."""
        faults = health.faults
        for channel_id in health.untold():
            if self._settings().notifications:
                name = names.get(channel_id, channel_id)
                notice = channel_fault_notice(name, faults[channel_id])
                await self._board.show(_PLACE + channel_id, notice, None)
        for place in self._board.places:
            is_ours = isinstance(place, str) and place.startswith(_PLACE)
            if is_ours and str(place).removeprefix(_PLACE) not in faults:
                await self._board.clear(place)

"""Says on the screen what is wrong with the program itself: a disk that takes nothing, a file that
cannot be followed, channels that cannot be reached. Each is said once, and taken back when it is
over."""

from collections.abc import Callable, Mapping
from typing import Final

from uptime_desktop.alerts.board import Board
from uptime_desktop.alerts.dispatch import NEVER, RETRY_MS
from uptime_desktop.alerts.health import Health
from uptime_desktop.alerts.lanes import Moment
from uptime_desktop.alerts.notice import channel_fault_notice, fault_notice, fault_over_notice
from uptime_desktop.config import Settings
from uptime_desktop.domain.alerts import Fault, Faults
from uptime_desktop.domain.model import SECOND_MS

FAULT_HELD_MS: Final = 5 * SECOND_MS
"""A disk that fails for a moment is not worth a notice."""

_PLACE: Final = "channel/"


class Complaints:
    def __init__(self, board: Board, clock: Moment, settings: Callable[[], Settings]) -> None:
        self._board = board
        self._clock = clock
        self._settings = settings
        self._faults: Faults = {}
        self._due: dict[Fault, int] = {}
        self._told: set[Fault] = set()

    @property
    def next_at(self) -> int:
        """When there is something to say."""
        return min((self._due[one] for one in self._faults.keys() - self._told), default=NEVER)

    def hear_faults(self, faults: Faults) -> None:
        at = self._clock.wall() + FAULT_HELD_MS
        self._due |= dict.fromkeys(faults.keys() - self._faults.keys(), at)
        self._faults = faults

    async def tell_faults(self) -> None:
        """Of disk, file and listener."""
        for fault in self._told - self._faults.keys():
            self._told.discard(fault)
            await self._board.show(None, fault_over_notice(fault), None)
        for fault, sentence in tuple(self._faults.items()):
            now = self._clock.wall()
            if fault in self._told or now < self._due[fault]:
                continue
            self._due[fault] = now + RETRY_MS
            if self._settings().notifications:
                notice = fault_notice(fault, sentence)
                if await self._board.show(None, notice, None) is None:
                    self._told.add(fault)

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

"""Which channels cannot be reached, and that a person is told so once."""

from collections.abc import Mapping
from typing import Final

from uptime_desktop.domain.alerts import DESKTOP

TRIES: Final = 3
"""So many failed tries in a row and a channel counts as broken."""


class Health:
    def __init__(self) -> None:
        self._failures: dict[str, int] = {}
        self._faults: dict[str, str] = {}
        self._untold: set[str] = set()

    @property
    def faults(self) -> Mapping[str, str]:
        """Why channels cannot be reached, by their id."""
        return dict(self._faults)

    def note(self, channel_id: str, error: str | None) -> bool:
        """How a try ended; whether `faults` changed."""
        before = self._faults.get(channel_id)
        if error is None:
            self.forget(channel_id)
        else:
            self._failures[channel_id] = self._failures.get(channel_id, 0) + 1
            if self._failures[channel_id] >= TRIES:
                self._faults[channel_id] = error
                if before is None and channel_id != DESKTOP:
                    self._untold.add(channel_id)
        return before != self._faults.get(channel_id)

    def forget(self, channel_id: str) -> None:
        self._failures.pop(channel_id, None)
        self._faults.pop(channel_id, None)
        self._untold.discard(channel_id)

    def untold(self) -> tuple[str, ...]:
        """The broken channels that nobody was told of; they are from now on."""
        found, self._untold = tuple(sorted(self._untold)), set()
        return found

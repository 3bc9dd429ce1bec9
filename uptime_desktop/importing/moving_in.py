"""Looks into another program's file, and has all of it be ours or nothing."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from uptime_desktop.changes import Changes
from uptime_desktop.channel_book import ChannelBook
from uptime_desktop.config import Settings
from uptime_desktop.definitions import Definitions
from uptime_desktop.domain.model import Monitor
from uptime_desktop.engine.clock import Clock
from uptime_desktop.exchange.imported import Found
from uptime_desktop.housekeeping import retention_of
from uptime_desktop.importing.importable import Importable
from uptime_desktop.importing.pasts import Pasts
from uptime_desktop.importing.sieve import Sieve
from uptime_desktop.long_work import Progress, stoppable, unheard
from uptime_desktop.meanings import Meanings
from uptime_desktop.store.past import forget_pasts


@dataclass(frozen=True, slots=True)
class Sighted:
    """A file that was looked into. `twins` are the ids in it of monitors that are here already and
    are left alone."""

    found: Found
    twins: frozenset[str]


@dataclass(frozen=True, slots=True)
class Brought:
    """How much of each became ours."""

    monitors: tuple[Monitor, ...]
    sites: int
    channels: int
    windows: int
    pasts: int

    def counts(self) -> dict[str, int]:
        return {
            "monitors": len(self.monitors),
            "sites": self.sites,
            "channels": self.channels,
            "windows": self.windows,
            "pasts": self.pasts,
        }


class Importing:
    def __init__(
        self,
        definitions: Definitions,
        meanings: Meanings,
        channel_book: ChannelBook,
        clock: Clock,
        settings: Callable[[], Settings],
    ) -> None:
        self._definitions = definitions
        self._sieve = Sieve(definitions, meanings, channel_book, clock, settings)
        self._clock = clock
        self._settings = settings

    async def look_into(self, path: Path, program: str | None = None) -> Sighted:
        """What a file of another program (by default whichever it is) holds for us; refused in a
        sentence if nothing can be made of it."""
        found = await asyncio.to_thread(_read, path, program, self._clock.wall())
        ready = await self._sieve.sifted(found)
        for note in ready.notes:
            found.report.note(note.thing, "", "", note.fate, note.how)
        return Sighted(found, frozenset(ready.twins))

    async def bring_in(self, sighted: Sighted, progress: Progress = unheard) -> Brought:
        """Have all of it, or nothing if that fails or is cancelled."""
        async with self._definitions.changing():
            ready = await self._sieve.sifted(sighted.found)
            pasts = Pasts(sighted.found, ready, self._clock.wall(), retention_of(self._settings()))

            def change(told: Progress) -> Awaitable[list[Monitor]]:
                past = partial(pasts.keep, told)
                return self._definitions.change(replace(ready.changes(), past=past))

            added = await stoppable(change, progress, partial(self._undo, ready))
        progress(pasts.total, pasts.total)
        return Brought(
            tuple(added), len(ready.sites), len(ready.channels), len(ready.windows), pasts.kept
        )

    async def _undo(self, ready: Importable, added: Sequence[Monitor]) -> None:
        """Have it all gone again."""
        numbers = [monitor.number for monitor in added]
        await self._definitions.change(
            Changes(
                removed=added,
                removed_sites=[self._definitions.sites[one] for one in ready.sites],
                removed_windows=list(ready.windows),
                removed_channels=list(ready.channels.values()),
                past=lambda db, _: forget_pasts(db, numbers),
            )
        )


def _read(path: Path, program: str | None, now: int) -> Found:
    # Only who moves in needs all that knows other programs.
    from uptime_desktop.exchange.importers import recognising  # noqa: PLC0415

    return recognising.read(path, program, now)

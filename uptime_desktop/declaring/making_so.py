"""Plans what a configuration file asks for, makes it so, and writes what is set as a file."""

import asyncio
import re
from collections.abc import Callable
from operator import attrgetter
from typing import Final

from uptime_desktop.channel_book import ChannelBook
from uptime_desktop.config import Settings
from uptime_desktop.declaring.planning import Plan, planned
from uptime_desktop.declaring.understanding import Understanding
from uptime_desktop.definitions import Definitions
from uptime_desktop.domain.definition import What
from uptime_desktop.engine.clock import Clock
from uptime_desktop.exchange.declared.described import PERSONAL, described_settings
from uptime_desktop.exchange.declared.edited import below
from uptime_desktop.exchange.declared.file import read_declared
from uptime_desktop.exchange.declared.parts import read_in_parts
from uptime_desktop.exchange.declared.rewriting import rewritten
from uptime_desktop.exchange.declared.whole import Whole
from uptime_desktop.exchange.declared.writing import written
from uptime_desktop.meanings import Meanings
from uptime_desktop.slices import without_collections

_NO_KEYS: Final = re.compile(r"(?:[ \t\r]*(?:#[^\n]*)?(?:\n|\Z))*+")
_LETTERS_OF_ONE: Final = 100
"""About as long is a monitor in a file."""


class Declaring:
    def __init__(
        self,
        definitions: Definitions,
        meanings: Meanings,
        channel_book: ChannelBook,
        clock: Clock,
        current_settings: Callable[[], Settings],
    ) -> None:
        self._definitions = definitions
        self._meanings = meanings
        self._channels = channel_book
        self._understanding = Understanding(meanings, channel_book)
        self._clock = clock
        self._settings = current_settings

    async def plan(self, text: str, name: str) -> Plan:
        """What differs from this file; `RefusedFile` with all that is wrong in it."""
        return await self._planned(text, name, self.whole())

    async def _planned(self, text: str, name: str, stored: Whole) -> Plan:
        now = self._clock.wall()
        with without_collections(len(text) // _LETTERS_OF_ONE):
            document = await read_in_parts(text)
            declared, faults = await asyncio.to_thread(read_declared, text, name, document)
            found = await self._understanding.understood(declared, stored, now, faults)
            faults.raise_if_any()
            return await planned(declared, found, stored, self._meanings.secret)

    async def apply(self, text: str, name: str) -> Plan:
        """Make it so, all or nothing; what was different."""
        async with self._definitions.changing():
            plan = await self.plan(text, name)
            await self.carry_out(plan)
            return plan

    async def carry_out(self, plan: Plan) -> None:
        """Make a plan so; whoever calls it is `changing` and has been since it was made."""
        if plan.differences:
            await self._definitions.change(plan.changes)

    async def toml(self, before: tuple[str, str] | None = None) -> str:
        """What is set as a configuration file; given the text of one and its name, it is changed
        as little as can be."""
        (text, name), whole = before or ("", ""), self.whole()
        if _NO_KEYS.fullmatch(text):
            return below(text, await asyncio.to_thread(written, whole))
        differences = (await self._planned(text, name, whole)).differences
        settings = [one for one in differences if one.what is What.SETTING]
        if settings:
            # What monitors leave unsaid is as settings have it: those come first.
            text = await asyncio.to_thread(rewritten, text, whole, settings)
            differences = (await self._planned(text, name, whole)).differences
        return await asyncio.to_thread(rewritten, text, whole, differences)

    def whole(self) -> Whole:
        """All that is set now, in the order in which it was added; copies, for it may change while
        a file is understood."""
        monitors = sorted((job.monitor for job in self._definitions.jobs), key=attrgetter("number"))
        return Whole(
            self._settings(),
            {channel.id: channel for channel in self._channels.known},
            dict(self._definitions.sites),
            {monitor.id: monitor for monitor in monitors},
            dict(self._definitions.windows),
        )

    def is_empty(self) -> bool:
        """Whether there is nothing to watch, and nobody to tell."""
        whole = self.whole()
        return not (whole.channels or whole.sites or whole.monitors or whole.windows)

    def is_untouched(self) -> bool:
        """Whether nothing was ever set up; what is a matter of taste does not count."""
        return self.is_empty() and described_settings(self._settings()).keys() <= PERSONAL

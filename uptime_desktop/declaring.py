"""Makes what is watched be what a configuration file declares, and the other way round.

The file is understood completely before anything is compared, and compared completely before
anything is changed.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from uptime_desktop.changes import Changes
from uptime_desktop.channel_book import ChannelBook
from uptime_desktop.coherence import Everything, all_incoherent
from uptime_desktop.config import Settings, describe_settings, monitor_defaults
from uptime_desktop.definitions import Definitions
from uptime_desktop.domain.alerts import Channel
from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.model import Monitor, Setting, Site
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.drafting import Draft, drafted, parsed
from uptime_desktop.engine.clock import Clock
from uptime_desktop.exchange.declared.comparing import (
    declared_monitor,
    described_all,
    secret_changes,
    setting_differences,
    with_secrets,
)
from uptime_desktop.exchange.declared.described import (
    described_channel,
    described_monitor,
    described_site,
    described_window,
)
from uptime_desktop.exchange.declared.difference import Difference, KeyChange, What, compared
from uptime_desktop.exchange.declared.file import Declared, Faults, Table, read_declared
from uptime_desktop.exchange.declared.gathering import (
    gathered,
    readable,
    settings_of,
    site_of,
    window_of,
    yes_or_no,
)
from uptime_desktop.exchange.declared.rewriting import rewritten
from uptime_desktop.exchange.declared.writing import Whole, written
from uptime_desktop.meanings import Meanings
from uptime_desktop.slices import in_slices, without_collections
from uptime_desktop.store import channels, settings

_Thing = TypeVar("_Thing")


@dataclass(frozen=True, slots=True)
class Plan:
    """What differs from what is declared, and all that it takes to make it so.

    `channels` are those to store, `new_channels` which of them are new. `switches` are the sites
    whose switch is declared, `named` the settings.
    """

    differences: tuple[Difference, ...]
    changes: Changes
    settings: Settings
    channels: tuple[Channel, ...] = ()
    removed_channels: tuple[Channel, ...] = ()
    switches: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()


@dataclass
class _Understood:
    """What a file declares, as far as it makes sense."""

    settings: Settings
    channels: dict[str, Channel] = field(default_factory=dict)
    sites: dict[str, Site] = field(default_factory=dict)
    drafts: dict[str, Draft] = field(default_factory=dict)
    windows: dict[str, Window] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    """Those of channels."""
    readdressed: set[str] = field(default_factory=set)
    """Channels whose address is not the one that is kept."""


class Declaring:
    def __init__(
        self,
        definitions: Definitions,
        meanings: Meanings,
        channel_book: ChannelBook,
        clock: Clock,
        current_settings: Callable[[], Settings],
        use_settings: Callable[[Settings], None],
    ) -> None:
        self._definitions = definitions
        self._meanings = meanings
        self._channels = channel_book
        self._clock = clock
        self._settings = current_settings
        self._use_settings = use_settings

    async def plan(self, text: str, name: str) -> Plan:
        """What differs from this file; `RefusedFile` with all that is wrong in it."""
        with without_collections():
            declared, faults = await asyncio.to_thread(read_declared, text, name)
            understood = await self._understood(declared, faults)
            faults.raise_if_any()
            return await self._compared(declared, understood)

    async def apply(self, text: str, name: str) -> Plan:
        """Make it so, all or nothing; what was different."""
        async with self._definitions.changing():
            plan = await self.plan(text, name)
            await self.carry_out(plan)
            return plan

    async def carry_out(self, plan: Plan) -> None:
        """Make a plan so; whoever calls it is `changing` and has been since it was made."""
        if not plan.differences:
            return
        known = [
            partial(self._channels.know, plan.channels, plan.removed_channels),
            partial(self._use_settings, plan.settings),
        ]
        await self._definitions.change(replace(plan.changes, then=known))
        await self._channels.forget_former()

    async def toml(self, before: tuple[str, str] | None = None) -> str:
        """What is set as a configuration file; given the text of one and its name, it is changed
        as little as can be."""
        text, name = before or ("", "")
        if not text.strip():
            return await asyncio.to_thread(written, self.whole())
        differences = (await self.plan(text, name)).differences
        settings = [one for one in differences if one.what is What.SETTING]
        if settings:
            # What monitors leave unsaid is as settings have it: those come first.
            text = await asyncio.to_thread(rewritten, text, self.whole(), settings)
            differences = (await self.plan(text, name)).differences
        return await asyncio.to_thread(rewritten, text, self.whole(), differences)

    def whole(self) -> Whole:
        """All that is set, to be written to a file, in the order in which it was added."""
        monitors = (job.monitor for job in self._definitions.jobs)
        return Whole(
            self._settings(),
            tuple(self._channels.known),
            tuple(self._definitions.sites.values()),
            tuple(sorted(monitors, key=lambda monitor: monitor.number)),
            tuple(self._definitions.windows.values()),
        )

    def is_empty(self) -> bool:
        """Whether nothing was ever set up."""
        whole = self.whole()
        return not (whole.channels or whole.sites or whole.monitors or whole.windows)

    # What the file means

    async def _understood(self, declared: Declared, faults: Faults) -> _Understood:
        definitions = self._definitions
        found = _Understood(settings_of(declared.settings, self._settings(), faults))
        for table in declared.channels:
            drafted_channel = await self._channel(table, faults)
            if drafted_channel is not None:
                found.channels[table.id], secrets = drafted_channel
                found.secrets |= secrets
                found.readdressed |= {table.id} if secrets else set()
        for table in declared.sites:
            site = site_of(table, definitions.sites.get(table.id), faults)
            found.sites[table.id] = Site(0, table.id, table.id) if site is None else site
        await self._understand_monitors(declared, found, faults)
        for table in declared.windows:
            window = window_of(table, definitions.windows.get(table.id), faults)
            if window is not None:
                found.windows[table.id] = window
        self._note_incoherent(declared, found, faults)
        return found

    async def _channel(self, table: Table, faults: Faults) -> tuple[Channel, dict[str, str]] | None:
        keys = table.keys
        try:
            if "url" not in keys:
                raise Refused("url", "it is missing", "an Apprise address")
            return await self._channels.drafted(
                table.id,
                str(keys.get("name", table.id)),
                str(keys["url"]),
                is_on=yes_or_no(keys, "on"),
            )
        except Refused as refused:
            faults.note(table.way, table.title, refused)
            return None

    async def _understand_monitors(
        self, declared: Declared, found: _Understood, faults: Faults
    ) -> None:
        await self._meanings.fetch_secrets(table.keys for table in declared.monitors)
        stored = self._stored()
        defaults = monitor_defaults(found.settings)
        now = self._clock.wall()
        async for table in in_slices(declared.monitors):
            old = stored.get(table.id)

            def made(
                keys: Mapping[str, Setting], table: Table = table, old: Monitor | None = old
            ) -> Draft:
                site_id = str(table.keys["site"])
                monitor = parsed(
                    keys, site_id=site_id, monitor_id=table.id, now=now, defaults=defaults, old=old
                )
                if monitor == old and self._meanings.is_understood(old):
                    return Draft(monitor, {})
                return drafted(self._meanings, monitor)

            draft = gathered(readable(table, faults), faults, made)
            # One that is wrong is there all the same, for others to refer to.
            found.drafts[table.id] = draft or Draft(
                Monitor(str(table.keys["site"]), table.id, 0), {}
            )

    def _note_incoherent(self, declared: Declared, found: _Understood, faults: Faults) -> None:
        """Note what makes no sense beside the rest of the file."""
        definitions = self._definitions
        whole = Everything(
            {name: draft.monitor for name, draft in found.drafts.items()},
            found.sites,
            found.windows,
            tuple(found.channels.values()),
        )
        before = Everything(self._stored(), definitions.sites, definitions.windows)
        tables = {
            What.MONITOR: {table.id: table for table in declared.monitors},
            What.SITE: {table.id: table for table in declared.sites},
            What.WINDOW: {table.id: table for table in declared.windows},
        }
        for what, name, refused in all_incoherent(whole, before):
            table = tables[what][name]
            faults.note(table.way, table.title, refused)

    # What differs

    async def _compared(self, declared: Declared, found: _Understood) -> Plan:
        known = {channel.id: channel for channel in self._channels.known}
        stored = self._stored()
        sites, windows = self._definitions.sites, self._definitions.windows
        monitors, secrets = await self._monitor_differences(declared, stored, found)
        changed = {one.id for one in monitors}
        in_file = [draft.monitor for draft in found.drafts.values()]
        other_channels = [
            channel
            for name, channel in found.channels.items()
            if known.get(name) != channel or name in found.readdressed
        ]
        also = [
            *(partial(_store_channel, channel, channel.id in known) for channel in other_channels),
            *(partial(_remove_channel, one) for one in known if one not in found.channels),
        ]
        if found.settings != self._settings():
            also.append(partial(_store_settings, found.settings))
        return Plan(
            (
                *setting_differences(self._settings(), found.settings),
                *with_secrets(
                    What.CHANNEL,
                    compared(
                        What.CHANNEL,
                        described_all(described_channel, known),
                        described_all(described_channel, found.channels),
                    ),
                    {
                        one.id: (KeyChange("url", one.url, one.url),)
                        for one in other_channels
                        if one.id in known and one.id in found.readdressed
                    },
                ),
                *compared(
                    What.SITE,
                    described_all(described_site, sites),
                    described_all(described_site, found.sites),
                ),
                *monitors,
                *compared(
                    What.WINDOW,
                    described_all(described_window, windows),
                    described_all(described_window, found.windows),
                ),
            ),
            Changes(
                added=[one for one in in_file if one.id not in stored],
                edited={
                    (stored[one.id].site_id, one.id): one
                    for one in in_file
                    if one.id in stored and one.id in changed
                },
                removed=[one for one in stored.values() if one.id not in found.drafts],
                sites=_others(found.sites, sites),
                removed_sites=[one for one in sites.values() if one.id not in found.sites],
                windows=_others(found.windows, windows),
                removed_windows=[one for one in windows if one not in found.windows],
                secrets={**found.secrets, **secrets},
                also=also,
            ),
            found.settings,
            tuple(other_channels),
            tuple(one for one in known.values() if one.id not in found.channels),
            frozenset(table.id for table in declared.sites if "active" in table.keys),
            frozenset(declared.settings.keys),
        )

    async def _monitor_differences(
        self, declared: Declared, stored: Mapping[str, Monitor], found: _Understood
    ) -> tuple[list[Difference], dict[str, str]]:
        """How monitors differ, and the secrets that are new."""
        before: dict[str, Mapping[str, Setting]] = {}
        after: dict[str, Mapping[str, Setting]] = {}
        new_secrets: dict[str, str] = {}
        same: dict[str, Setting] = {}
        hidden: dict[str, tuple[KeyChange, ...]] = {}
        written = {table.id: table.keys for table in declared.monitors}
        async for name, draft in in_slices(found.drafts.items()):
            old = stored.get(name)
            fresh = {
                one: secret
                for one, secret in draft.secrets.items()
                if self._meanings.secret(one) != secret
            }
            new_secrets |= fresh
            if old == draft.monitor:
                before[name] = after[name] = same
            else:
                if old is not None:
                    before[name] = described_monitor(old)
                was = before.get(name, {})
                after[name] = declared_monitor(draft.monitor, written[name], was)
            if fresh and old is not None:
                hidden[name] = secret_changes(draft.monitor, fresh)
        async for name, one in in_slices(stored.items()):
            if name not in after:
                before[name] = described_monitor(one)
        differences = with_secrets(What.MONITOR, compared(What.MONITOR, before, after), hidden)
        return [one async for one in in_slices(differences)], new_secrets

    def _stored(self) -> dict[str, Monitor]:
        return {job.monitor.id: job.monitor for job in self._definitions.jobs}


def _others(things: Mapping[str, _Thing], known: Mapping[str, _Thing]) -> list[_Thing]:
    """Those that are new or not as they are known."""
    return [thing for name, thing in things.items() if known.get(name) != thing]


def _store_channel(channel: Channel, is_known: bool, db: Any) -> None:
    (channels.edit_channel if is_known else channels.add_channel)(db, channel)


def _remove_channel(channel_id: str, db: Any) -> None:
    channels.remove_channel(db, channel_id)


def _store_settings(changed: Settings, db: Any) -> None:
    for key, text in describe_settings(changed).items():
        settings.set_setting(db, key, text)

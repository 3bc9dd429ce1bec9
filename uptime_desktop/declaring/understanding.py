"""What a configuration file means: things as they may be stored, and all that is wrong noted."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from uptime_desktop.channel_book import ChannelBook
from uptime_desktop.checks.credentials import is_owned, secret_names
from uptime_desktop.coherence import Everything, all_incoherent
from uptime_desktop.config import Settings, monitor_defaults
from uptime_desktop.definitions import DEFAULT_SITE
from uptime_desktop.domain.alerts import Channel
from uptime_desktop.domain.definition import What
from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.model import Monitor, Setting, Site
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.drafting import Draft, drafted, parsed
from uptime_desktop.exchange.declared.file import Declared, Faults, Table
from uptime_desktop.exchange.declared.gathering import (
    channel_of,
    gathered,
    monitor_stand_ins,
    readable,
    settings_of,
    site_of,
    window_of,
)
from uptime_desktop.exchange.declared.whole import Whole
from uptime_desktop.meanings import Meanings
from uptime_desktop.slices import in_slices


@dataclass
class Understood:
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
    unnamed: set[str] = field(default_factory=set)
    """Sites whose id cannot be one."""


class Understanding:
    def __init__(self, meanings: Meanings, channel_book: ChannelBook) -> None:
        self._meanings = meanings
        self._channels = channel_book

    async def understood(
        self, declared: Declared, stored: Whole, now: int, faults: Faults
    ) -> Understood:
        """What the file means beside what is set now."""
        found = Understood(settings_of(declared.settings, stored.settings, faults))
        for table in declared.channels:
            drafted_channel = await self._channel(table, faults)
            if drafted_channel is not None:
                found.channels[table.id], secrets = drafted_channel
                found.secrets |= secrets
                found.readdressed |= {table.id} if secrets else set()
        for table in declared.sites:
            site = site_of(table, stored.sites.get(table.id), faults)
            if site is None:
                found.unnamed.add(table.id)
            found.sites[table.id] = site or Site(0, table.id, table.id)
        await self._understand_monitors(declared, found, stored, now, faults)
        for table in declared.windows:
            window = window_of(table, stored.windows.get(table.id), faults)
            if window is not None:
                found.windows[table.id] = window
        await asyncio.to_thread(_note_incoherent, declared, found, stored, faults)
        return found

    async def _channel(self, table: Table, faults: Faults) -> tuple[Channel, dict[str, str]] | None:
        name, is_on = channel_of(table, faults)
        try:
            if "url" not in table.keys:
                raise Refused("url", "it is missing", "an Apprise address")
            url = str(table.keys["url"])
            return await self._channels.drafted(table.id, name, url, is_on=is_on)
        except Refused as refused:
            faults.note(table.way, table.title, refused)
            return None

    async def _understand_monitors(
        self, declared: Declared, found: Understood, stored: Whole, now: int, faults: Faults
    ) -> None:
        await self._meanings.fetch_secrets(table.keys for table in declared.monitors)
        defaults = monitor_defaults(found.settings)
        async for table in in_slices(declared.monitors):
            old = stored.monitors.get(table.id)

            def made(
                keys: Mapping[str, Setting], table: Table = table, old: Monitor | None = old
            ) -> Draft:
                site_id = str(table.keys["site"])
                if site_id in found.unnamed:
                    # That was noted where the site stands.
                    site_id = DEFAULT_SITE
                monitor = parsed(
                    keys, site_id=site_id, monitor_id=table.id, now=now, defaults=defaults, old=old
                )
                if monitor == old and self._meanings.is_understood(old):
                    return Draft(monitor)
                return drafted(self._meanings, monitor)

            draft = gathered(readable(table, faults), faults, made, monitor_stand_ins(table))
            # One that is wrong is there all the same, for others to refer to.
            found.drafts[table.id] = draft or Draft(Monitor(str(table.keys["site"]), table.id, 0))
        self._note_shared(declared, found, faults)

    def _note_shared(self, declared: Declared, found: Understood, faults: Faults) -> None:
        """Note who refers to the secret of another monitor or channel that is to have a new one:
        nobody's secret becomes another's in passing."""
        brought = dict(found.secrets)
        for draft in found.drafts.values():
            brought |= draft.secrets
        others = {one for one, text in brought.items() if self._meanings.secret(one) != text}
        if not others:
            return
        for table in declared.monitors:
            for key, value in found.drafts[table.id].monitor.settings.items():
                for name in others.intersection(secret_names({key: value})):
                    if not is_owned(name, table.id):
                        faults.note(table.way, table.title, _shared(key, name))
        for table in declared.channels:
            channel = found.channels.get(table.id)
            name = "" if channel is None else channel.url.removeprefix("secret:")
            if name in others and table.id not in found.readdressed:
                faults.note(table.way, table.title, _shared("url", name))


def _shared(key: str, name: str) -> Refused:
    problem = "{value} belongs to another, which is to have a new one"
    allowed = "the secret itself, or one that was kept with: uptime-desktop secret set NAME"
    return Refused(key, problem, allowed, value=f"secret:{name}")


def _note_incoherent(declared: Declared, found: Understood, stored: Whole, faults: Faults) -> None:
    """Note what makes no sense beside the rest of the file."""
    whole = Everything(
        {name: draft.monitor for name, draft in found.drafts.items()},
        found.sites,
        found.windows,
        # One that is wrong is there all the same, for others to refer to.
        tuple(found.channels.get(one.id, Channel(one.id, one.id, "")) for one in declared.channels),
    )
    before = Everything(
        stored.monitors, stored.sites, stored.windows, tuple(stored.channels.values())
    )
    tables = {
        What.MONITOR: {table.id: table for table in declared.monitors},
        What.SITE: {table.id: table for table in declared.sites},
        What.WINDOW: {table.id: table for table in declared.windows},
    }
    for what, name, refused in all_incoherent(whole, before):
        table = tables[what][name]
        faults.note(table.way, table.title, refused)

"""What it takes to make what is set be what a file declares."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from uptime_desktop.changes import Changes
from uptime_desktop.declaring.understanding import Understood
from uptime_desktop.domain.definition import What
from uptime_desktop.domain.model import Setting
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
from uptime_desktop.exchange.declared.difference import Difference, KeyChange, compared
from uptime_desktop.exchange.declared.file import Declared
from uptime_desktop.exchange.declared.whole import Whole
from uptime_desktop.slices import in_slices

_Thing = TypeVar("_Thing")


@dataclass(frozen=True, slots=True)
class Plan:
    """What differs from what is declared, and all that it takes to make it so.

    `switches` are the sites whose switch is declared, `named` the settings.
    """

    differences: tuple[Difference, ...]
    changes: Changes
    switches: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()


async def planned(
    declared: Declared, found: Understood, stored: Whole, secret: Callable[[str], str | None]
) -> Plan:
    """The plan that makes what is stored what was found in a file; `secret` is the one that is
    kept by a name."""
    monitors, secrets = await _monitor_differences(declared, found, stored, secret)
    changed = {one.id for one in monitors}
    changes = await asyncio.to_thread(_changes, found, stored, changed, secrets)
    return Plan(
        (
            *setting_differences(stored.settings, found.settings),
            *_channel_differences(found, stored),
            *compared(
                What.SITE,
                described_all(described_site, stored.sites),
                described_all(described_site, found.sites),
            ),
            *monitors,
            *compared(
                What.WINDOW,
                described_all(described_window, stored.windows),
                described_all(described_window, found.windows),
            ),
        ),
        changes,
        frozenset(table.id for table in declared.sites if "active" in table.keys),
        frozenset(declared.settings.keys),
    )


def _changes(
    found: Understood,
    stored: Whole,
    changed: set[str],
    secrets: Mapping[str, str],
) -> Changes:
    known = stored.monitors
    in_file = [draft.monitor for draft in found.drafts.values()]
    return Changes(
        added=[one for one in in_file if one.id not in known],
        edited={
            (known[one.id].site_id, one.id): one
            for one in in_file
            if one.id in known and one.id in changed
        },
        removed=[one for one in known.values() if one.id not in found.drafts],
        sites=_others(found.sites, stored.sites),
        removed_sites=[one for one in stored.sites.values() if one.id not in found.sites],
        windows=_others(found.windows, stored.windows),
        removed_windows=[one for one in stored.windows if one not in found.windows],
        channels=[
            channel
            for name, channel in found.channels.items()
            if stored.channels.get(name) != channel or name in found.readdressed
        ],
        removed_channels=[one for one in stored.channels.values() if one.id not in found.channels],
        settings=None if found.settings == stored.settings else found.settings,
        secrets={**found.secrets, **secrets},
        meanings={name: draft.meaning for name, draft in found.drafts.items()},
    )


def _channel_differences(found: Understood, stored: Whole) -> Iterable[Difference]:
    hidden = {
        name: (KeyChange("url", found.channels[name].url, found.channels[name].url),)
        for name in sorted(found.readdressed & stored.channels.keys())
    }
    before = described_all(described_channel, stored.channels)
    after = described_all(described_channel, found.channels)
    return with_secrets(What.CHANNEL, compared(What.CHANNEL, before, after), hidden)


async def _monitor_differences(
    declared: Declared, found: Understood, stored: Whole, secret: Callable[[str], str | None]
) -> tuple[list[Difference], dict[str, str]]:
    """How monitors differ, and the secrets that are new."""
    before: dict[str, Mapping[str, Setting]] = {}
    after: dict[str, Mapping[str, Setting]] = {}
    new_secrets: dict[str, str] = {}
    same: dict[str, Setting] = {}
    hidden: dict[str, tuple[KeyChange, ...]] = {}
    written = {table.id: table.keys for table in declared.monitors}
    async for name, draft in in_slices(found.drafts.items()):
        old = stored.monitors.get(name)
        fresh = {one: text for one, text in draft.secrets.items() if secret(one) != text}
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
    async for name, one in in_slices(stored.monitors.items()):
        if name not in after:
            before[name] = described_monitor(one)
    differences = with_secrets(What.MONITOR, compared(What.MONITOR, before, after), hidden)
    return [one async for one in in_slices(differences)], new_secrets


def _others(things: Mapping[str, _Thing], known: Mapping[str, _Thing]) -> list[_Thing]:
    """Those that are new or not as they are known."""
    return [thing for name, thing in things.items() if known.get(name) != thing]

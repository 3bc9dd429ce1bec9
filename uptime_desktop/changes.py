"""What is to be different of all that is watched, stored in one transaction."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from uptime_desktop.config import Settings, describe_settings
from uptime_desktop.domain.alerts import Channel, Key
from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.model import Monitor, Site
from uptime_desktop.meanings import Meaning
from uptime_desktop.store import channels, monitors, settings, sites, windows
from uptime_desktop.stored import insert, row_of


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be different from now on.

    Of `edited` the key is what it had before; `paused` are ids of some that are `added`. A site
    with the number 0 is new. `secrets` are those that the new definitions refer to, `meanings` what
    is known of what these mean, by ids. `past` is written in the same transaction; it is given the
    new monitors with their numbers.
    """

    added: Sequence[Monitor] = ()
    paused: Collection[str] = ()
    edited: Mapping[Key, Monitor] = field(default_factory=dict)
    removed: Sequence[Monitor] = ()
    sites: Sequence[Site] = ()
    removed_sites: Sequence[Site] = ()
    windows: Sequence[Window] = ()
    removed_windows: Sequence[str] = ()
    channels: Sequence[Channel] = ()
    removed_channels: Sequence[Channel] = ()
    settings: Settings | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)
    meanings: Mapping[str, Meaning | None] = field(default_factory=dict)
    past: Callable[[Any, Sequence[Monitor]], None] = lambda _db, _added: None

    @property
    def size(self) -> int:
        """How many monitors are to be different."""
        return len(self.added) + len(self.edited) + len(self.removed)


class Changing(Protocol):
    """Whoever makes changes."""

    def changing(self, *, by_owner: bool = False) -> AbstractAsyncContextManager[None]:
        """One change after the other; refused if it is not for us to change anything now."""

    async def change(self, changes: Changes) -> Sequence[Monitor]:
        """Make all of it so, or nothing."""


def store_changes(db: Any, changes: Changes) -> tuple[list[Site], list[Monitor]]:
    """Store it all; the sites as they are now, and the new monitors with their numbers."""
    stored = [_stored_site(db, site) for site in changes.sites]
    for monitor in changes.edited.values():
        monitors.edit_monitor(db, row_of(monitor))
    if changes.removed:
        monitors.remove_monitors(db, [monitor.number for monitor in changes.removed])
    added = [replace(draft, number=insert(db, draft)) for draft in changes.added]
    for site in changes.removed_sites:
        sites.remove_site(db, site.number)
    for window in changes.windows:
        windows.save_window(db, window)
    for window_id in changes.removed_windows:
        windows.remove_window(db, window_id)
    for channel in changes.channels:
        channels.save_channel(db, channel)
    for channel in changes.removed_channels:
        channels.remove_channel(db, channel.id)
    if changes.settings is not None:
        for key, text in describe_settings(changes.settings).items():
            settings.set_setting(db, key, text)
    changes.past(db, added)
    return stored, added


def _stored_site(db: Any, site: Site) -> Site:
    known = site if site.number else sites.add_site(db, site.id, site.name)
    whole = replace(site, number=known.number)
    if whole != known or site.number:
        sites.edit_site(db, whole)
    return whole

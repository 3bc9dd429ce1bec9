"""What is to be different of all that is watched, stored in one transaction."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from uptime_desktop.domain.alerts import Key
from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.model import Monitor, Site
from uptime_desktop.meanings import Meaning
from uptime_desktop.store import monitors, sites, windows
from uptime_desktop.stored import insert, row_of


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be different from now on.

    Of `edited` the key is what it had before; `paused` are ids of some that are `added`. A site
    with the number 0 is new. `also` is written in the same transaction, and so is `past`, which is
    given the new monitors with their numbers; `then` is done once all is stored. `secrets` are
    those that the new definitions refer to, `meanings` what is known of what these mean, by ids.
    """

    added: Sequence[Monitor] = ()
    paused: Collection[str] = ()
    edited: Mapping[Key, Monitor] = field(default_factory=dict)
    removed: Sequence[Monitor] = ()
    sites: Sequence[Site] = ()
    removed_sites: Sequence[Site] = ()
    windows: Sequence[Window] = ()
    removed_windows: Sequence[str] = ()
    secrets: Mapping[str, str] = field(default_factory=dict)
    meanings: Mapping[str, Meaning | None] = field(default_factory=dict)
    also: Sequence[Callable[[Any], None]] = ()
    past: Callable[[Any, Sequence[Monitor]], None] = lambda _db, _added: None
    then: Sequence[Callable[[], None]] = ()

    @property
    def size(self) -> int:
        """How many monitors are to be different."""
        return len(self.added) + len(self.edited) + len(self.removed)


def store_changes(db: Any, changes: Changes) -> tuple[list[Site], list[Monitor]]:
    """Store it all; the sites as they are now, and the new monitors with their numbers."""
    stored = [_stored_site(db, site) for site in changes.sites]
    for monitor in changes.edited.values():
        monitors.edit_monitor(db, row_of(monitor))
    for monitor in changes.removed:
        monitors.remove_monitor(db, monitor.number)
    added = [replace(draft, number=insert(db, draft)) for draft in changes.added]
    for site in changes.removed_sites:
        sites.remove_site(db, site.number)
    for window in changes.windows:
        windows.save_window(db, window)
    for window_id in changes.removed_windows:
        windows.remove_window(db, window_id)
    for write in changes.also:
        write(db)
    changes.past(db, added)
    return stored, added


def _stored_site(db: Any, site: Site) -> Site:
    known = site if site.number else sites.add_site(db, site.id, site.name)
    whole = replace(site, number=known.number)
    if whole != known or site.number:
        sites.edit_site(db, whole)
    return whole

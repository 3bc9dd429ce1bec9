"""Everything the app can show, at once and for free: a throw-away database with a month of
history, and a server on loopback for its monitors to look at.

The database is an ordinary one. Whoever opens it needs to know nothing of the demo.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from uptime_desktop.demo.monitors import SITES, Watched, watched
from uptime_desktop.demo.past import Month
from uptime_desktop.demo.server import serving
from uptime_desktop.domain import plan
from uptime_desktop.domain.definition import parse_monitor
from uptime_desktop.domain.ids import free_id
from uptime_desktop.domain.model import Monitor
from uptime_desktop.domain.records import Change
from uptime_desktop.engine.clock import Clock, SystemClock
from uptime_desktop.store import outbox, rollups, sites
from uptime_desktop.store.connection import raw
from uptime_desktop.store.db import open_store
from uptime_desktop.stored import insert

_DATABASE: Final = "demo.db"
_MANY: Final = 100_000


@dataclass(frozen=True, slots=True)
class Demo:
    """`url` is where the server listens; `database` is there, and filled, while it does."""

    database: Path
    url: str
    monitors: int


@contextmanager
def demo(folder: Path | None = None, clock: Clock | None = None) -> Iterator[Demo]:
    """A demo until the block is left, after which nothing of it remains.

    Its files are in a new folder, made in `folder` or where the system has such. Making it takes
    about a second, and no loop has to run.
    """
    clock = clock or SystemClock()
    with (
        TemporaryDirectory(
            prefix="uptime-desktop-demo-", dir=folder, ignore_cleanup_errors=True
        ) as name,
        serving(clock.wall) as addresses,
    ):
        database = Path(name) / _DATABASE
        things = watched(addresses, database.parent)
        _fill(database, things, clock)
        yield Demo(database, addresses.url, len(things))


def _fill(database: Path, things: tuple[Watched, ...], clock: Clock) -> None:
    """Make the database as if the app had run on it for a month and ended just now."""
    now = clock.wall()
    store = open_store(database, now).store
    writer = store.start_writer(clock.wall)
    try:
        monitors = writer.call(_define, things, now).result()
        changes: list[Change] = []
        months: list[Month] = []
        for monitor, thing in zip(monitors, things, strict=True):
            if thing.past is None:
                state = plan.begin(monitor, now, clock.zone()).state
                changes.append(Change(monitor.number, state))
            else:
                month = Month(monitor, thing.past, now, clock.zone())
                months.append(month)
                changes += month.changes()
        # In the order it happened, as incidents are numbered in it.
        for change in sorted(changes, key=lambda change: change.state.saved_at):
            writer.submit(change)
        writer.call(_add_up, months, now).result()
        writer.touch_alive(now)
    finally:
        store.close()


def _define(db: Any, things: tuple[Watched, ...], now: int) -> list[Monitor]:
    for site_id, name in SITES.items():
        sites.add_site(db, site_id, name)
    found = []
    for thing in things:
        monitor_id = free_id(str(thing.keys["name"]), set(), {})
        draft = parse_monitor(
            thing.keys, site_id=thing.site, monitor_id=monitor_id, number=0, now=now
        )
        found.append(replace(draft, number=insert(db, draft)))
    return found


def _add_up(db: Any, months: list[Month], now: int) -> None:
    """Store the long past, have all of it added up, and let nobody be alerted of any of it."""
    connection = raw(db)
    for month in months:
        for resolution, tallies in month.tallies():
            rollups.keep_tallies(connection, resolution, tallies)
    while rollups.close_buckets(connection, now, _MANY):
        pass
    outbox.mark_all_told(db)

"""What is watched, as written down: the store keeps a definition and does not interpret it."""

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from peewee import SqliteDatabase

from uptime_desktop.domain.model import RuntimeState
from uptime_desktop.domain.uptime import Resolution
from uptime_desktop.store import states
from uptime_desktop.store.codes import RESOLUTION_CODE
from uptime_desktop.store.connection import raw
from uptime_desktop.store.documents import Json, json_object, json_text
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.tables import MonitorRecord, SiteRecord

_ADD: Final = "INSERT INTO monitors (id, site, name, kind, definition) VALUES (?, ?, ?, ?, ?)"
_EDIT: Final = (
    "UPDATE monitors SET id = ?, site = ?, name = ?, kind = ?, definition = ? WHERE number = ?"
)

_THESE: Final = "(SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True)
class MonitorRow:
    """One monitor. `definition` has the keys of a configuration file but `id`, `name`, `kind`."""

    number: int
    id: str
    site_id: str
    name: str
    kind: str
    definition: Mapping[str, Json]


def all_monitors(db: SqliteDatabase) -> tuple[MonitorRow, ...]:
    """In the order they were added."""
    wanted = MonitorRecord.select(
        MonitorRecord.number,
        MonitorRecord.id,
        SiteRecord.id,
        MonitorRecord.name,
        MonitorRecord.kind,
        MonitorRecord.definition,
    )
    rows = wanted.join(SiteRecord).order_by(MonitorRecord.number).tuples().execute(db)
    return tuple(
        MonitorRow(number, id, site_id, name, kind, json_object(text))
        for number, id, site_id, name, kind, text in rows  # noqa: A001
    )


def add_monitor(
    db: SqliteDatabase,
    *,
    id: str,  # noqa: A002
    site_id: str,
    name: str,
    kind: str,
    definition: Mapping[str, Json],
    state: RuntimeState | None = None,
) -> MonitorRow:
    """Add a monitor and, in the same transaction, what its schedule begins with."""
    row = (id, _site_number(db, site_id), name, kind, json_text(definition))
    try:
        # Thousands may come at once, and whoever watches the window waits meanwhile.
        number = raw(db).execute(_ADD, row).lastrowid
    except sqlite3.IntegrityError as error:
        raise StoreError("there is already a monitor {id}", id=id) from error
    assert number is not None
    if state is not None:
        states.save(db, number, state)
    return MonitorRow(number, id, site_id, name, kind, definition)


def edit_monitor(db: SqliteDatabase, row: MonitorRow, state: RuntimeState | None = None) -> None:
    """Make the stored monitor what this row says; its number names it, its history stays."""
    site = _site_number(db, row.site_id)
    values = (row.id, site, row.name, row.kind, json_text(row.definition), row.number)
    try:
        count = raw(db).execute(_EDIT, values).rowcount
    except sqlite3.IntegrityError as error:
        raise StoreError("there is already a monitor {id}", id=row.id) from error
    if not count:
        raise StoreError("there is no monitor {id} any more", id=row.id)
    if state is not None:
        states.save(db, row.number, state)


def remove_monitors(db: SqliteDatabase, numbers: Collection[int]) -> None:
    """Remove monitors with their history, all of them in one go: to look through it for each would
    take hours where there are thousands. Their finer roll-ups are left to age out: they are many,
    stored by time, and no number is ever given twice."""
    connection, these = raw(db), json_text(list(numbers))
    days = RESOLUTION_CODE[Resolution.DAY]
    connection.execute(f"DELETE FROM open_buckets WHERE monitor IN {_THESE}", (these,))
    connection.execute(
        f"DELETE FROM rollups WHERE resolution = ? AND monitor IN {_THESE}", (days, these)
    )
    connection.execute(f"DELETE FROM monitors WHERE number IN {_THESE}", (these,))


def _site_number(db: SqliteDatabase, site_id: str) -> int:
    for (number,) in raw(db).execute("SELECT number FROM sites WHERE id = ?", (site_id,)):
        return int(number)
    raise StoreError("there is no site {id}", id=site_id)

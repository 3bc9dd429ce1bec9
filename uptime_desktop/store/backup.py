"""Everything a database holds in one file, history included, and back again.

Passwords are not in it: the database has none, only where to find them.
"""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, Final

from peewee import SqliteDatabase

from uptime_desktop.domain.refusal import UserError
from uptime_desktop.long_work import Progress, unheard
from uptime_desktop.store.backup_format import (
    ROWS_A_PART,
    TABLES,
    BackupReader,
    BackupWriter,
    Row,
    Table,
    tables_of,
)
from uptime_desktop.store.connection import raw, transaction
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.load import load
from uptime_desktop.store.meta import Meta
from uptime_desktop.store.migrations import STEPS

_DEFINED: Final = ("monitors", "sites", "windows", "channels")
_KEPT: Final = {
    "meta": f"key <> '{Meta.IN_USE}'",
    # Of a removed monitor they are left to age out; elsewhere its number may be given again.
    "rollups": "monitor IN (SELECT number FROM monitors)",
}
"""Which rows of a table go into a backup, where not all do."""

_Batches = Iterable[tuple[Table, list[Row]]]


@dataclass(frozen=True, slots=True)
class Summary:
    """What is in a backup: when it was made, and how many rows each table has."""

    made_at: int
    rows: Mapping[str, int]


def write_backup(db: SqliteDatabase, file: BinaryIO, made_at: int, progress: Progress) -> None:
    """Write all there is at this moment; what `progress` raises leaves the file unfinished."""
    connection = raw(db)
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    total = sum(
        connection.execute(f"SELECT count(*) FROM {table}{_where(table)}").fetchone()[0]
        for table in tables_of(schema)
    )
    backup = BackupWriter(file, schema, made_at)
    progress(0, total)
    for table, rows in _stored(connection, schema):
        backup.add(table, rows)
        progress(backup.rows, total)
    backup.finish()


def verify_backup(file: BinaryIO) -> Summary:
    """Read a backup to its end; `StoreError` if it cannot be restored."""
    backup = BackupReader(file)
    rows = dict.fromkeys(backup.tables, 0)
    for table, part in backup.parts(unheard):
        rows[table.name] += len(part)
    return Summary(backup.made_at, rows)


def restore_backup(db: SqliteDatabase, file: BinaryIO, progress: Progress) -> None:
    """Make a database with nothing defined in it what the backup holds, settings included.

    Must run in a transaction that is undone by what this raises: it checks as it goes.
    """
    connection = raw(db)
    if any(connection.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone() for name in _DEFINED):
        raise StoreError(
            "a backup can only be restored where there are no sites, monitors, maintenance windows"
            " and channels; remove them or start with a new database"
        )
    backup = BackupReader(file)
    for name in reversed(TABLES):
        connection.execute(f"DELETE FROM {name}{_where(name) if name == 'meta' else ''}")
    with contextlib.ExitStack() as stack:
        batches: _Batches = backup.parts(progress)
        if backup.schema < len(STEPS):
            batches = stack.enter_context(_brought_up_to_date(batches, backup.schema))
        _pour(batches, connection)
    _require_readable(db)


def _where(table: str) -> str:
    return f" WHERE {_KEPT[table]}" if table in _KEPT else ""


def _stored(connection: sqlite3.Connection, schema: int) -> Iterator[tuple[Table, list[Row]]]:
    """All rows of a database that go into a backup, a few at a time."""
    for table in tables_of(schema).values():
        columns = ", ".join(table.columns)
        cursor = connection.execute(f"SELECT {columns} FROM {table.name}{_where(table.name)}")
        while rows := cursor.fetchmany(ROWS_A_PART):
            yield table, rows


def _pour(batches: _Batches, connection: sqlite3.Connection) -> None:
    for table, rows in batches:
        columns, places = ", ".join(table.columns), ", ".join("?" * len(table.columns))
        statement = f"INSERT INTO {table.name} ({columns}) VALUES ({places})"
        try:
            connection.executemany(statement, rows)
        except sqlite3.IntegrityError as error:
            contradiction = "this backup contradicts itself in the table {table}: {detail}"
            raise StoreError(contradiction, table=table.name, detail=str(error)) from error


@contextlib.contextmanager
def _brought_up_to_date(batches: _Batches, schema: int) -> Iterator[_Batches]:
    """The same rows as migration makes them, by way of a database of their day that has no name
    and is gone at the end."""
    with contextlib.closing(sqlite3.connect("", isolation_level=None)) as old:
        with transaction(old):
            for step in STEPS[:schema]:
                step(old)
            _pour(batches, old)
            for step in STEPS[schema:]:
                step(old)
        yield _stored(old, len(STEPS))


def _require_readable(db: SqliteDatabase) -> None:
    """Refuse what the program could not start with."""
    try:
        load(db)
    except (UserError, ValueError, TypeError, LookupError, RecursionError) as error:
        unreadable = "this backup holds a definition that cannot be read: {detail}"
        raise StoreError(unreadable, detail=str(error)) from error

"""What can still be read of a damaged file, carried over into its successor."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Final

from uptime_desktop.store.connection import transaction
from uptime_desktop.store.errors import DATABASE_ERRORS
from uptime_desktop.store.files import open_unchanged

_TABLES: Final = (
    *("sites", "monitors", "settings", "states", "incidents"),
    *("windows", "channels", "meta"),
)
"""What is small and cannot be had again, each after what it refers to. History stays behind."""


def salvage(connection: sqlite3.Connection, damaged: Path, version: int) -> int:
    """Copy what is readable; how many monitors that was. A row out of reach ends its table.

    The damaged file is only read. SQLite would delete the log of an empty one even then.
    """
    if damaged.stat().st_size:
        with contextlib.suppress(*DATABASE_ERRORS), open_unchanged(damaged) as source:
            (found,) = source.execute("PRAGMA user_version").fetchone()
            for table in _TABLES if found == version else ():
                _copy(source, connection, table)
    (monitors,) = connection.execute("SELECT count(*) FROM monitors").fetchone()
    return int(monitors)


def _copy(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> None:
    rows: list[tuple[object, ...]] = []
    # What was read before the damage counts.
    with contextlib.suppress(*DATABASE_ERRORS):
        rows.extend(source.execute(f"SELECT * FROM {table}"))
    for row in rows:
        places = ", ".join("?" * len(row))
        with contextlib.suppress(sqlite3.IntegrityError), transaction(target):
            target.execute(f"INSERT OR IGNORE INTO {table} VALUES ({places})", row)

"""What can still be read of a damaged file, carried over into its successor."""

import sqlite3
from pathlib import Path
from typing import Final

from uptime_desktop.store.connection import transaction

_TABLES: Final = ("sites", "monitors", "settings", "states", "incidents", "meta")
"""What is small and cannot be had again, each after what it refers to. History stays behind."""


def salvage(connection: sqlite3.Connection, damaged: Path, version: int) -> int:
    """Copy what is readable; how many monitors that was. A row out of reach ends its table."""
    try:
        connection.execute("ATTACH DATABASE ? AS damaged", (str(damaged),))
    except sqlite3.DatabaseError:
        return 0
    try:
        (found,) = connection.execute("PRAGMA damaged.user_version").fetchone()
        if found == version:
            for table in _TABLES:
                _copy(connection, table)
    except sqlite3.DatabaseError:
        return 0
    finally:
        connection.execute("DETACH DATABASE damaged")
    (monitors,) = connection.execute("SELECT count(*) FROM monitors").fetchone()
    return int(monitors)


def _copy(connection: sqlite3.Connection, table: str) -> None:
    rows = []
    try:
        for row in connection.execute(f"SELECT * FROM damaged.{table}"):
            rows.append(row)  # noqa: PERF402, what was read before the damage counts
    except sqlite3.DatabaseError:
        pass
    for row in rows:
        places = ", ".join("?" * len(row))
        try:
            with transaction(connection):
                connection.execute(f"INSERT OR IGNORE INTO {table} VALUES ({places})", row)
        except sqlite3.IntegrityError:
            continue

"""Schema 2: a reason knows when it was last used.

An index from reasons to their runs, only there to find unused ones, was two fifths of what
history grew by.
"""

import sqlite3
from typing import Final

_CHANGES: Final = (
    "ALTER TABLE reasons ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0",
    """
    UPDATE reasons SET used_at = coalesce(
        (SELECT max(started_at) FROM runs WHERE runs.reason = reasons.number), 0)
    """,
    "DROP INDEX runs_reason",
    """
    CREATE TABLE slim_runs (
        monitor INTEGER NOT NULL REFERENCES monitors (number) ON DELETE CASCADE,
        started_at INTEGER NOT NULL,
        status INTEGER NOT NULL,
        response_tenths INTEGER,
        wait_ms INTEGER NOT NULL,
        attempts INTEGER NOT NULL,
        source INTEGER NOT NULL,
        reason INTEGER,
        PRIMARY KEY (monitor, started_at)
    ) WITHOUT ROWID
    """,
    "INSERT INTO slim_runs SELECT * FROM runs",
    "DROP TABLE runs",
    "ALTER TABLE slim_runs RENAME TO runs",
)


def upgrade(connection: sqlite3.Connection) -> None:
    for statement in _CHANGES:
        connection.execute(statement)

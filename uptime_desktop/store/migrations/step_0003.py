"""Schema 3: jobs that report, what depends on what, maintenance, and where alerts go."""

import sqlite3
from typing import Final

_CHANGES: Final = (
    "ALTER TABLE states ADD COLUMN beat TEXT",
    "ALTER TABLE sites ADD COLUMN depends_on TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE sites ADD COLUMN alert TEXT NOT NULL DEFAULT '{}'",
    """
    CREATE TABLE pings (
        number INTEGER PRIMARY KEY,
        monitor INTEGER NOT NULL REFERENCES monitors (number) ON DELETE CASCADE,
        at INTEGER NOT NULL,
        signal TEXT NOT NULL,
        run_id TEXT NOT NULL,
        exit_code INTEGER,
        took_ms REAL,
        message TEXT NOT NULL,
        body TEXT NOT NULL
    )
    """,
    "CREATE INDEX pings_monitor ON pings (monitor, number)",
    """
    CREATE TABLE windows (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        definition TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE incident_entries (
        number INTEGER PRIMARY KEY,
        incident INTEGER NOT NULL REFERENCES incidents (number) ON DELETE CASCADE,
        at INTEGER NOT NULL,
        act TEXT NOT NULL,
        text TEXT NOT NULL
    )
    """,
    "CREATE INDEX incident_entries_incident ON incident_entries (incident)",
    "DROP INDEX outbox_pending",
    "ALTER TABLE outbox RENAME COLUMN next_try_at TO held_until",
    "ALTER TABLE outbox DROP COLUMN attempts",
    "ALTER TABLE outbox DROP COLUMN last_error",
    "ALTER TABLE outbox ADD COLUMN occasion INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE outbox ADD COLUMN fate INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE outbox ADD COLUMN decided_at INTEGER",
    "ALTER TABLE outbox ADD COLUMN digest INTEGER",
    "UPDATE outbox SET fate = 1, decided_at = sent_at WHERE sent_at IS NOT NULL",
    "CREATE INDEX outbox_undecided ON outbox (number) WHERE fate = 0",
    "CREATE INDEX outbox_happened ON outbox (happened_at)",
    "CREATE INDEX outbox_remarks ON outbox (number) WHERE occasion IN (2, 3)",
    """
    CREATE TABLE deliveries (
        number INTEGER PRIMARY KEY,
        alert INTEGER NOT NULL REFERENCES outbox (number) ON DELETE CASCADE,
        channel TEXT NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        next_try_at INTEGER NOT NULL,
        sent_at INTEGER,
        last_error TEXT NOT NULL DEFAULT '',
        UNIQUE (alert, channel)
    )
    """,
    "CREATE INDEX deliveries_pending ON deliveries (next_try_at) WHERE sent_at IS NULL",
    """
    CREATE TABLE channels (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        url TEXT NOT NULL,
        is_on INTEGER NOT NULL
    )
    """,
)


def upgrade(connection: sqlite3.Connection) -> None:
    for statement in _CHANGES:
        connection.execute(statement)

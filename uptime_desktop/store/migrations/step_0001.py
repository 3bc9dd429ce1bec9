"""Schema 1, the first."""

import sqlite3
from typing import Final

_SCHEMA: Final = """
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE sites (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    is_active INTEGER NOT NULL
);

CREATE TABLE monitors (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    site INTEGER NOT NULL REFERENCES sites (number),
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    definition TEXT NOT NULL
);
CREATE INDEX monitors_site ON monitors (site);

CREATE TABLE states (
    monitor INTEGER PRIMARY KEY REFERENCES monitors (number) ON DELETE CASCADE,
    health INTEGER NOT NULL,
    backoff_attempt INTEGER NOT NULL,
    consecutive_failures INTEGER NOT NULL,
    next_run_at INTEGER,
    planned_slot_at INTEGER,
    source INTEGER NOT NULL,
    last_attempt_at INTEGER,
    running_since INTEGER,
    pause_reason INTEGER,
    pause_until INTEGER,
    hint_expires_at INTEGER,
    hint_interval_ms INTEGER,
    hint_run_at INTEGER,
    incidents INTEGER NOT NULL,
    plan_version INTEGER NOT NULL,
    saved_at INTEGER NOT NULL
);

CREATE TABLE reasons (
    number INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
);

CREATE TABLE runs (
    monitor INTEGER NOT NULL REFERENCES monitors (number) ON DELETE CASCADE,
    started_at INTEGER NOT NULL,
    status INTEGER NOT NULL,
    response_tenths INTEGER,
    wait_ms INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    source INTEGER NOT NULL,
    reason INTEGER REFERENCES reasons (number),
    PRIMARY KEY (monitor, started_at)
) WITHOUT ROWID;
CREATE INDEX runs_reason ON runs (reason) WHERE reason IS NOT NULL;

CREATE TABLE evidence (
    number INTEGER PRIMARY KEY,
    monitor INTEGER NOT NULL REFERENCES monitors (number) ON DELETE CASCADE,
    is_good INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    document BLOB NOT NULL,
    UNIQUE (monitor, is_good, started_at)
);

CREATE TABLE incidents (
    number INTEGER PRIMARY KEY,
    monitor INTEGER NOT NULL REFERENCES monitors (number) ON DELETE CASCADE,
    kind INTEGER NOT NULL,
    severity INTEGER NOT NULL,
    opened_at INTEGER NOT NULL,
    resolved_at INTEGER,
    reason TEXT NOT NULL,
    cascade_reason TEXT,
    acknowledged_at INTEGER,
    snoozed_until INTEGER,
    is_snoozed_until_recovery INTEGER NOT NULL DEFAULT 0,
    note TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX incidents_open ON incidents (monitor, kind) WHERE resolved_at IS NULL;
CREATE INDEX incidents_monitor ON incidents (monitor, opened_at);
CREATE INDEX incidents_opened ON incidents (opened_at);

CREATE TABLE outbox (
    number INTEGER PRIMARY KEY,
    incident INTEGER NOT NULL REFERENCES incidents (number) ON DELETE CASCADE,
    is_recovery INTEGER NOT NULL,
    happened_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    next_try_at INTEGER NOT NULL,
    sent_at INTEGER,
    last_error TEXT NOT NULL DEFAULT ''
);
CREATE INDEX outbox_pending ON outbox (next_try_at) WHERE sent_at IS NULL;
CREATE INDEX outbox_incident ON outbox (incident);

CREATE TABLE rollups (
    resolution INTEGER NOT NULL,
    bucket INTEGER NOT NULL,
    monitor INTEGER NOT NULL,
    up INTEGER NOT NULL,
    degraded INTEGER NOT NULL,
    down INTEGER NOT NULL,
    unknown INTEGER NOT NULL,
    fastest_tenths INTEGER,
    slowest_tenths INTEGER,
    total_tenths INTEGER NOT NULL,
    histogram BLOB,
    PRIMARY KEY (resolution, bucket, monitor)
) WITHOUT ROWID;

CREATE TABLE open_buckets (
    resolution INTEGER NOT NULL,
    bucket INTEGER NOT NULL,
    monitor INTEGER NOT NULL,
    PRIMARY KEY (resolution, bucket, monitor)
) WITHOUT ROWID;
"""


def upgrade(connection: sqlite3.Connection) -> None:
    for statement in _SCHEMA.split(";"):
        if statement.strip():
            connection.execute(statement)

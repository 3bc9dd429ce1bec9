"""What jobs that report said: the last pings of each, with what they sent along."""

import sqlite3
from typing import Final

from peewee import SqliteDatabase

from uptime_desktop.domain.heartbeats import Ping, Signal
from uptime_desktop.store.tables import PingRecord

KEPT: Final = 100
"""Per monitor; older ones go."""

_SAVE: Final = (
    "INSERT INTO pings (monitor, at, signal, run_id, exit_code, took_ms, message, body)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_PRUNE: Final = """
DELETE FROM pings WHERE monitor = ?1 AND number < (
    SELECT number FROM pings WHERE monitor = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
"""


def keep(connection: sqlite3.Connection, monitor_number: int, ping: Ping) -> None:
    """Store a ping and drop what is then too old."""
    connection.execute(
        _SAVE,
        (
            monitor_number,
            ping.at,
            ping.signal.value,
            ping.run_id,
            ping.exit_code,
            ping.took_ms,
            ping.message,
            ping.body,
        ),
    )
    connection.execute(_PRUNE, (monitor_number, KEPT - 1))


def newest_pings(db: SqliteDatabase, monitor_number: int, limit: int = KEPT) -> tuple[Ping, ...]:
    """Newest first."""
    wanted = PingRecord.select().where(PingRecord.monitor == monitor_number)
    rows = wanted.order_by(PingRecord.number.desc()).limit(limit).execute(db)
    return tuple(
        Ping(
            Signal(row.signal),
            row.at,
            row.run_id,
            row.exit_code,
            row.message,
            row.took_ms,
            row.body,
        )
        for row in rows
    )

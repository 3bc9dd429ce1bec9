"""Forgets old history in small steps, so that results never wait long for it."""

import sqlite3
from dataclasses import dataclass
from typing import Final

from peewee import SqliteDatabase

from uptime_desktop.domain.model import DAY_MS
from uptime_desktop.domain.uptime import Resolution
from uptime_desktop.store.codes import MERGED, RESOLUTION_CODE
from uptime_desktop.store.connection import raw
from uptime_desktop.store.transitions import REASON_USED_WITHIN_MS

_FIVE: Final = Resolution.FIVE_MINUTES
_RUNS: Final = """
DELETE FROM runs WHERE (monitor, started_at) IN (
    SELECT old.monitor, old.started_at FROM monitors CROSS JOIN runs AS old
        ON old.monitor = monitors.number AND old.started_at < ? LIMIT ?)
"""
_ROLLUPS: Final = """
DELETE FROM rollups WHERE (resolution, bucket, monitor) IN (
    SELECT resolution, bucket, monitor FROM rollups WHERE resolution = ? AND bucket < ? LIMIT ?)
"""
_REASONS: Final = """
DELETE FROM reasons WHERE number IN (SELECT number FROM reasons WHERE used_at < ? LIMIT ?)
"""
_ALERTS: Final = """
DELETE FROM outbox WHERE number IN (SELECT number FROM outbox WHERE sent_at < ? LIMIT ?)
"""


@dataclass(frozen=True, slots=True)
class Retention:
    """How long history is kept. Days, and incidents, are kept for ever."""

    runs_ms: int = 14 * DAY_MS
    five_minutes_ms: int = 14 * DAY_MS
    hours_ms: int = 365 * DAY_MS


def prune(
    db: SqliteDatabase, now: int, retention: Retention | None = None, limit: int = 1_000
) -> int:
    """Forget at most about `limit` rows of what is too old; how many. Call until it is none."""
    kept = retention or Retention()
    connection = raw(db)
    runs_before = min(now - kept.runs_ms, _added_up_until(connection))
    fives_before = (now - kept.five_minutes_ms) // _FIVE.value
    steps: tuple[tuple[str, tuple[int, ...]], ...] = (
        (_RUNS, (runs_before,)),
        (_ROLLUPS, (RESOLUTION_CODE[_FIVE], fives_before)),
        (_ROLLUPS, (MERGED, fives_before)),
        (
            _ROLLUPS,
            (RESOLUTION_CODE[Resolution.HOUR], Resolution.HOUR.bucket_of(now - kept.hours_ms)),
        ),
        (_ALERTS, (now - kept.runs_ms,)),
        (_REASONS, (runs_before - REASON_USED_WITHIN_MS,)),
    )
    for statement, bounds in steps:
        removed = connection.execute(statement, (*bounds, limit)).rowcount
        if removed:
            return removed
    return 0


def _added_up_until(connection: sqlite3.Connection) -> int:
    """Raw runs from here on may still be needed to be added up."""
    oldest = connection.execute(
        "SELECT min(bucket) FROM open_buckets WHERE resolution = ?", (RESOLUTION_CODE[_FIVE],)
    ).fetchone()[0]
    return 1 << 62 if oldest is None else int(oldest) * _FIVE.value

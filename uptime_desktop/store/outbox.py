"""Alerts to send, stored with the change that caused them and sent at least once.

Claiming an alert puts its next try off by a lease: if the process dies while sending, the
alert becomes due again by itself.
"""

import sqlite3
from dataclasses import dataclass
from typing import Final

from peewee import SqliteDatabase

from uptime_desktop.domain.model import MINUTE_MS, SECOND_MS
from uptime_desktop.store.incidents import Incident, one_incident
from uptime_desktop.store.tables import IncidentRecord, OutboxRecord

LEASE_MS: Final = MINUTE_MS
MEMORY_LEASE_MS: Final = 5 * MINUTE_MS
"""How long an alert told from memory, its change not on disk, is left to whoever was told."""

_FIRST_RETRY_MS: Final = 10 * SECOND_MS
_LONGEST_RETRY_MS: Final = 15 * MINUTE_MS


@dataclass(frozen=True, slots=True)
class PendingAlert:
    """That an incident began or, as `is_recovery`, ended. `attempts` counts this one."""

    number: int
    incident: Incident
    is_recovery: bool
    happened_at: int
    attempts: int


def enqueue(
    connection: sqlite3.Connection,
    incident_number: int,
    happened_at: int,
    *,
    is_recovery: bool,
    told_from_memory_at: int | None,
) -> None:
    """Store an alert as due now, or as claimed by whoever was told while the disk failed."""
    attempts, next_try_at = 0, happened_at
    if told_from_memory_at is not None:
        attempts, next_try_at = 1, told_from_memory_at + MEMORY_LEASE_MS
    connection.execute(
        "INSERT INTO outbox (incident, is_recovery, happened_at, attempts, next_try_at)"
        " VALUES (?, ?, ?, ?, ?)",
        (incident_number, is_recovery, happened_at, attempts, next_try_at),
    )


def claim(db: SqliteDatabase, now: int, limit: int = 100) -> tuple[PendingAlert, ...]:
    """Take the alerts that are due, oldest first. Each must then be marked sent or failed."""
    wanted = OutboxRecord.select().where(
        OutboxRecord.sent_at.is_null(), OutboxRecord.next_try_at <= now
    )
    rows = list(wanted.order_by(OutboxRecord.number).limit(limit).execute(db))
    numbers = [row.number for row in rows]
    taken = OutboxRecord.update(attempts=OutboxRecord.attempts + 1, next_try_at=now + LEASE_MS)
    taken.where(OutboxRecord.number.in_(numbers)).execute(db)
    return tuple(
        PendingAlert(
            row.number,
            one_incident(db, row.incident_id),
            row.is_recovery,
            row.happened_at,
            row.attempts + 1,
        )
        for row in rows
    )


def next_alert_at(db: SqliteDatabase) -> int | None:
    """When the next alert is due."""
    wanted = OutboxRecord.select(OutboxRecord.next_try_at).where(OutboxRecord.sent_at.is_null())
    for (at,) in wanted.order_by(OutboxRecord.next_try_at).limit(1).tuples().execute(db):
        return int(at)
    return None


def mark_sent(db: SqliteDatabase, number: int, now: int) -> None:
    OutboxRecord.update(sent_at=now).where(OutboxRecord.number == number).execute(db)


def mark_failed(db: SqliteDatabase, number: int, now: int, error: str) -> int | None:
    """Put an alert off after a failed try; when it is next due, None if it was sent after all."""
    wanted = OutboxRecord.select(OutboxRecord.attempts).where(
        OutboxRecord.number == number, OutboxRecord.sent_at.is_null()
    )
    for (attempts,) in wanted.tuples().execute(db):
        next_try_at = now + retry_delay_ms(attempts)
        changed = OutboxRecord.update(next_try_at=next_try_at, last_error=error)
        changed.where(OutboxRecord.number == number).execute(db)
        return next_try_at
    return None


def mark_sent_from_memory(
    db: SqliteDatabase,
    monitor_number: int,
    happened_at: int,
    now: int,
    *,
    is_recovery: bool,
) -> None:
    """Mark alerts sent that went out before their change was on disk."""
    incidents = IncidentRecord.select(IncidentRecord.number).where(
        IncidentRecord.monitor == monitor_number
    )
    OutboxRecord.update(sent_at=now).where(
        OutboxRecord.sent_at.is_null(),
        OutboxRecord.incident.in_(incidents),
        OutboxRecord.happened_at == happened_at,
        OutboxRecord.is_recovery == is_recovery,
    ).execute(db)


def retry_delay_ms(attempts: int) -> int:
    """10 s after the first failed try, doubling to 15 min."""
    doublings = min(max(attempts - 1, 0), 16)
    return min(_FIRST_RETRY_MS << doublings, _LONGEST_RETRY_MS)

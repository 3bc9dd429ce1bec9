"""Alerts to decide on, stored with the change that caused them, and what was decided.

An alert is undecided until it is told, or not: then its channels get deliveries, or nobody ever
hears of it. Until `held_until` nothing is decided.
"""

import sqlite3
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, Final

from peewee import SqliteDatabase

from uptime_desktop.domain.alerting import FLAP_MS
from uptime_desktop.domain.alerts import Alert, Decision, Occasion, Told, Waiting
from uptime_desktop.domain.model import MINUTE_MS
from uptime_desktop.domain.status import Status
from uptime_desktop.store.codes import STATUS, STATUS_CODE
from uptime_desktop.store.connection import raw

MEMORY_LEASE_MS: Final = 5 * MINUTE_MS
"""How long an alert told from memory, its change not on disk, is left to whoever was told."""

HELD_AT_MOST_MS: Final = 10 * MINUTE_MS
"""How long an alert is held if nobody releases it."""


class Fate(IntEnum):
    """As stored: never renumber. A void alert is not even a change that counts."""

    UNDECIDED = 0
    TOLD = 1
    SILENT = 2
    VOID = 3


OCCASION_CODE: Final = {
    Occasion.CHANGED: 0,
    Occasion.LASTING: 1,
    Occasion.FLAPPING: 2,
    Occasion.STABLE: 3,
}
_OCCASION: Final = {code: occasion for occasion, code in OCCASION_CODE.items()}

# When people were last told of an incident. If even its beginning was forgotten, they were.
_TOLD_AT: Final = """
coalesce(
    (SELECT max(told.decided_at) FROM outbox AS told
        WHERE told.incident = incidents.number AND told.fate = 1
        AND NOT told.is_recovery AND told.occasion <> 2),
    CASE WHEN EXISTS (SELECT 1 FROM outbox AS begun
        WHERE begun.incident = incidents.number AND NOT begun.is_recovery)
        THEN NULL ELSE incidents.opened_at END)
"""
_INCIDENT: Final = f"""
incidents.number, incidents.monitor, incidents.kind, incidents.opened_at, incidents.resolved_at,
incidents.reason, incidents.acknowledged_at IS NOT NULL,
CASE WHEN incidents.is_snoozed_until_recovery THEN incidents.resolved_at IS NULL
    ELSE coalesce(incidents.snoozed_until, 0) > :now END,
incidents.cascade_reason IS NOT NULL, {_TOLD_AT}
"""
ALERTS: Final = f"""
SELECT outbox.number, outbox.occasion, outbox.is_recovery, outbox.happened_at, outbox.held_until,
    outbox.decided_at, outbox.digest, {_INCIDENT}
FROM outbox JOIN incidents ON incidents.number = outbox.incident
"""
"""What `alert_of` reads; `:now` is to be given."""

_UNDECIDED: Final = f"{ALERTS} WHERE outbox.fate = 0 ORDER BY outbox.number"
_LASTING: Final = f"""
SELECT NULL, 0, 0, incidents.opened_at, 0, NULL, NULL, {_INCIDENT}
FROM incidents WHERE incidents.resolved_at IS NULL
"""
_OPENING: Final = f"{_LASTING} AND incidents.monitor = :monitor AND incidents.kind = :kind"
_CHANGES: Final = """
SELECT monitor, happened_at FROM outbox JOIN incidents ON incidents.number = outbox.incident
WHERE happened_at > ? AND occasion = 0 AND fate IN (1, 2)
"""
_FLAPPING: Final = """
SELECT monitor, occasion, max(outbox.number)
FROM outbox JOIN incidents ON incidents.number = outbox.incident
WHERE occasion IN (2, 3) GROUP BY monitor
"""
_LAST_CHANGE: Final = """
SELECT max(happened_at) FROM incidents JOIN outbox ON outbox.incident = incidents.number
WHERE monitor = ? AND occasion = 0 AND fate IN (1, 2)
"""
_NEWEST_INCIDENT: Final = """
SELECT number FROM incidents WHERE monitor = ?
ORDER BY resolved_at IS NOT NULL, kind, opened_at DESC LIMIT 1
"""
_DECIDED: Final = """
UPDATE outbox SET fate = :fate, decided_at = :now, digest = :digest, sent_at = :sent_at
WHERE number = :number AND fate = 0 AND (held_until <= :now OR :fate <> 1)
"""


def enqueue(
    connection: sqlite3.Connection,
    incident_number: int,
    happened_at: int,
    *,
    is_recovery: bool,
    told_from_memory_at: int | None = None,
    is_held: bool = False,
    is_suppressed: bool = False,
) -> None:
    """Store an alert to be decided on now, or left to whoever was told while the disk failed.

    One that is held waits for `release`; one that is suppressed is not told unless released.
    """
    held_until, fate, decided_at = 0, Fate.UNDECIDED, None
    if told_from_memory_at is not None:
        held_until = told_from_memory_at + MEMORY_LEASE_MS
    elif is_held:
        held_until = happened_at + HELD_AT_MOST_MS
    if is_suppressed:
        fate, decided_at = Fate.VOID, happened_at
    connection.execute(
        "INSERT INTO outbox (incident, is_recovery, happened_at, held_until, fate, decided_at,"
        " sent_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (incident_number, is_recovery, happened_at, held_until, fate, decided_at, decided_at),
    )


# What lies upstream


def hold(db: SqliteDatabase, incident_number: int, until: int) -> None:
    """Nobody is told of an incident before this instant, unless it is released."""
    raw(db).execute(
        "UPDATE outbox SET held_until = ? WHERE incident = ? AND fate = 0", (until, incident_number)
    )


def suppress(db: SqliteDatabase, incident_number: int, now: int) -> None:
    """Nobody is told of an incident, nor of its end, unless somebody was told already."""
    raw(db).execute(
        "UPDATE outbox SET fate = ?, decided_at = ?, sent_at = ? WHERE incident = ? AND fate = 0",
        (Fate.VOID, now, now, incident_number),
    )


def release(db: SqliteDatabase, incident_number: int, now: int) -> None:
    """Tell of an incident that was held or suppressed after all, if it is not over."""
    raw(db).execute(
        "UPDATE outbox SET held_until = ?, fate = 0, decided_at = NULL, sent_at = NULL"
        " WHERE incident = ? AND fate IN (?, ?) AND occasion = 0 AND NOT is_recovery"
        " AND incident IN (SELECT number FROM incidents WHERE resolved_at IS NULL)",
        (now, incident_number, Fate.UNDECIDED, Fate.VOID),
    )


# Deciding


def waiting(db: SqliteDatabase, now: int) -> Waiting:
    """All that has to be decided on."""
    connection = raw(db)
    alerts = tuple(map(alert_of, connection.execute(_UNDECIDED, {"now": now})))
    lasting = tuple(map(alert_of, connection.execute(_LASTING, {"now": now})))
    changes: dict[int, list[int]] = {}
    for monitor, at in connection.execute(_CHANGES, (now - FLAP_MS,)):
        changes.setdefault(monitor, []).append(at)
    flapping = set()
    for monitor, occasion, _ in connection.execute(_FLAPPING).fetchall():
        if _OCCASION[occasion] is Occasion.FLAPPING:
            flapping.add(monitor)
            (last_at,) = connection.execute(_LAST_CHANGE, (monitor,)).fetchone()
            changes.setdefault(monitor, []).append(last_at or 0)
    return Waiting(alerts, lasting, changes, frozenset(flapping))


def opening(db: SqliteDatabase, monitor_number: int, kind: Status, now: int) -> Alert | None:
    """How the trouble of this kind began that is not over."""
    values = {"now": now, "monitor": monitor_number, "kind": STATUS_CODE[kind]}
    row = raw(db).execute(_OPENING, values).fetchone()
    return None if row is None else alert_of(row)


def decide(db: SqliteDatabase, decision: Decision, now: int) -> None:
    """Keep a decision. What was held or suppressed meanwhile is left as it is."""
    connection = raw(db)
    digest = min((one.alert.number or 0 for one in decision.told if one.is_digest), default=None)
    for one in decision.told:
        number = _settle(connection, one.alert, Fate.TOLD, now, digest if one.is_digest else None)
        if number is not None:
            _deliver(connection, number, one.channels, now)
    for fate, alerts in ((Fate.SILENT, decision.silent), (Fate.VOID, decision.void)):
        for alert in alerts:
            _settle(connection, alert, fate, now, None)
    for alert in decision.added:
        _add(connection, alert)


def mark_told(db: SqliteDatabase, told: Sequence[Told], now: int) -> None:
    """These were told before their change was on disk, and still have to reach these channels."""
    connection = raw(db)
    for one in told:
        numbers = connection.execute(
            "UPDATE outbox SET fate = ?, decided_at = ?, sent_at = ? WHERE fate = 0"
            " AND happened_at = ? AND is_recovery = ? AND occasion = ? AND incident IN"
            " (SELECT number FROM incidents WHERE monitor = ?) RETURNING number",
            (
                Fate.TOLD,
                now,
                None if one.channels else now,
                one.alert.happened_at,
                one.alert.is_recovery,
                OCCASION_CODE[one.alert.occasion],
                one.alert.monitor_number,
            ),
        ).fetchall()
        for (number,) in numbers:
            _deliver(connection, number, one.channels, now)


def mark_all_told(db: SqliteDatabase) -> None:
    """People know of all that has happened so far."""
    raw(db).execute(
        "UPDATE outbox SET fate = ?, decided_at = happened_at, sent_at = happened_at"
        " WHERE fate = 0",
        (Fate.TOLD,),
    )


def alert_of(row: Sequence[Any]) -> Alert:
    number, occasion, is_recovery, happened_at, held_until, decided_at, digest, *rest = row
    incident, monitor, kind, opened_at, resolved_at, reason, *flags, told_at = rest
    is_acknowledged, is_snoozed, is_cascade = flags
    return Alert(
        monitor,
        STATUS[kind],
        bool(is_recovery),
        happened_at,
        opened_at,
        resolved_at,
        reason,
        is_acknowledged=bool(is_acknowledged),
        is_snoozed=bool(is_snoozed),
        number=number,
        occasion=_OCCASION[occasion],
        incident=incident,
        is_cascade=bool(is_cascade),
        told_at=told_at,
        not_before=held_until,
        decided_at=decided_at,
        digest=digest,
    )


def _settle(
    connection: sqlite3.Connection, alert: Alert, fate: Fate, now: int, digest: int | None
) -> int | None:
    """The number of the alert, unless somebody else decided on it."""
    sent_at = None if fate is Fate.TOLD else now
    values = {"fate": fate, "now": now, "digest": digest, "sent_at": sent_at}
    changed = connection.execute(_DECIDED, values | {"number": alert.number})
    return alert.number if changed.rowcount else None


def _deliver(
    connection: sqlite3.Connection, number: int, channels: Sequence[str], now: int
) -> None:
    connection.executemany(
        "INSERT INTO deliveries (alert, channel, next_try_at) VALUES (?, ?, ?)",
        [(number, channel, now) for channel in channels],
    )


def _add(connection: sqlite3.Connection, alert: Alert) -> None:
    incident: int | None = alert.incident
    if incident is None:
        found = connection.execute(_NEWEST_INCIDENT, (alert.monitor_number,)).fetchone()
        incident = None if found is None else int(found[0])
    if incident is not None:
        connection.execute(
            "INSERT INTO outbox (incident, occasion, is_recovery, happened_at, held_until)"
            " VALUES (?, ?, ?, ?, 0)",
            (incident, OCCASION_CODE[alert.occasion], alert.is_recovery, alert.happened_at),
        )

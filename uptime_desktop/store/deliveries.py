"""Alerts on their way, one row for each channel, each sent at least once.

Claiming a delivery puts its next try off by a lease: if the process dies while sending, it
becomes due again by itself.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from peewee import SqliteDatabase

from uptime_desktop.domain.alerts import Alert, Delivery, Occasion
from uptime_desktop.domain.model import MINUTE_MS, SECOND_MS, Unmet
from uptime_desktop.store import evidence, outbox, runs
from uptime_desktop.store.connection import raw

LEASE_MS: Final = MINUTE_MS
_FIRST_RETRY_MS: Final = 10 * SECOND_MS
_LONGEST_RETRY_MS: Final = 15 * MINUTE_MS
_CLAIMED: Final = f"{outbox.ALERTS} WHERE outbox.number = :number"
_MOST: Final = 1_000


def claim(db: SqliteDatabase, now: int, busy: Collection[str] = ()) -> tuple[Delivery, ...]:
    """Take all that waits for a channel for which something is due, oldest first. Each must then
    be marked sent or failed."""
    connection = raw(db)
    due = connection.execute(
        "SELECT number, alert, channel FROM deliveries WHERE sent_at IS NULL AND channel IN"
        " (SELECT channel FROM deliveries WHERE sent_at IS NULL AND next_try_at <= ?)"
        f" AND channel NOT IN ({_places(busy)}) ORDER BY number LIMIT ?",
        (now, *busy, _MOST),
    ).fetchall()
    connection.executemany(
        "UPDATE deliveries SET attempts = attempts + 1, next_try_at = ? WHERE number = ?",
        [(now + LEASE_MS, number) for number, _, _ in due],
    )
    alerts = {number: _alert(db, number, now) for number in {number for _, number, _ in due}}
    return tuple(Delivery(channel, alerts[alert], number) for number, alert, channel in due)


def next_delivery_at(db: SqliteDatabase, busy: Collection[str] = ()) -> int | None:
    """When the next one is due."""
    (at,) = (
        raw(db)
        .execute(
            "SELECT min(next_try_at) FROM deliveries WHERE sent_at IS NULL"
            f" AND channel NOT IN ({_places(busy)})",
            tuple(busy),
        )
        .fetchone()
    )
    return None if at is None else int(at)


def mark_sent(db: SqliteDatabase, numbers: Sequence[int], now: int) -> None:
    """Never claim these again; an alert is done once every channel had it."""
    connection = raw(db)
    for number in numbers:
        connection.execute("UPDATE deliveries SET sent_at = ? WHERE number = ?", (now, number))
        connection.execute(
            "UPDATE outbox SET sent_at = :now WHERE sent_at IS NULL"
            " AND number = (SELECT alert FROM deliveries WHERE number = :number) AND NOT EXISTS"
            " (SELECT 1 FROM deliveries WHERE alert = outbox.number AND sent_at IS NULL)",
            {"now": now, "number": number},
        )


def mark_failed(db: SqliteDatabase, numbers: Sequence[int], now: int, error: str) -> None:
    """Put deliveries off after a failed try, and all else that waits for their channels."""
    connection = raw(db)
    connection.executemany(
        "UPDATE deliveries SET last_error = ? WHERE number = ? AND sent_at IS NULL",
        [(error, number) for number in numbers],
    )
    tried = connection.execute(
        "SELECT channel, max(attempts) FROM deliveries WHERE sent_at IS NULL AND channel IN"
        f" (SELECT channel FROM deliveries WHERE number IN ({_places(numbers)})) GROUP BY channel",
        tuple(numbers),
    ).fetchall()
    for channel, attempts in tried:
        connection.execute(
            "UPDATE deliveries SET next_try_at = ? WHERE channel = ? AND sent_at IS NULL",
            (now + retry_delay_ms(attempts), channel),
        )


def retry_delay_ms(attempts: int) -> int:
    """10 s after the first failed try, doubling to 15 min."""
    doublings = min(max(attempts - 1, 0), 16)
    return min(_FIRST_RETRY_MS << doublings, _LONGEST_RETRY_MS)


def _alert(db: SqliteDatabase, number: int, now: int) -> Alert:
    row = raw(db).execute(_CLAIMED, {"number": number, "now": now}).fetchone()
    alert = outbox.alert_of(row)
    if alert.is_recovery or alert.occasion not in (Occasion.CHANGED, Occasion.LASTING):
        return alert
    tries, unmet = _findings(db, alert)
    return replace(alert, tries=tries, unmet=unmet)


def _findings(db: SqliteDatabase, alert: Alert) -> tuple[int, Unmet | None]:
    """How often the run tried that found the trouble, the last to start before it was known, and
    what it missed first."""
    number = alert.monitor_number
    before = (alert.opened_at or alert.happened_at) + 1
    found = runs.newest_runs(db, number, before=before, limit=1)
    if not found:
        return 1, None
    seen = evidence.evidence_of(db, number, found[0].started_at)
    unmet = seen.unmet if seen is not None else ()
    return found[0].attempts, next(iter(unmet), None)


def _places(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)

"""Incidents: from the first bad run to the first good one, and what people did about them."""

import sqlite3
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final

from peewee import SqliteDatabase

from uptime_desktop.domain.events import IncidentOpened, IncidentResolved
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status
from uptime_desktop.store.codes import STATUS, STATUS_CODE
from uptime_desktop.store.tables import IncidentEntryRecord, IncidentRecord


class Severity(IntEnum):
    """As stored: never renumber."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2


class Act(StrEnum):
    """What was done about an incident, as its story tells."""

    ACKNOWLEDGED = "acknowledged"
    SNOOZED = "snoozed"
    WOKEN = "woken"
    NOTED = "noted"
    FOLLOWS = "follows"
    STANDS = "stands"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of an incident's story."""

    at: int
    act: Act
    text: str


_SEVERITY: Final = {Status.DOWN: Severity.HIGH, Status.DEGRADED: Severity.MEDIUM}


@dataclass(frozen=True, slots=True)
class Incident:
    number: int
    monitor_number: int
    kind: Status
    severity: Severity
    opened_at: int
    resolved_at: int | None
    reason: str
    cascade_reason: str | None
    acknowledged_at: int | None
    snoozed_until: int | None
    is_snoozed_until_recovery: bool
    note: str

    def is_snoozed(self, now: int) -> bool:
        if self.is_snoozed_until_recovery:
            return self.resolved_at is None
        return self.snoozed_until is not None and now < self.snoozed_until


def severity_of(kind: Status, cascade_reason: str | None) -> Severity:
    """What only follows from other trouble weighs little."""
    return Severity.LOW if cascade_reason is not None else _SEVERITY.get(kind, Severity.LOW)


def opened(
    connection: sqlite3.Connection, monitor_number: int, event: IncidentOpened
) -> int | None:
    """Store that trouble began; the incident's number, or None if one of the kind is open."""
    row = connection.execute(
        "INSERT INTO incidents (monitor, kind, severity, opened_at, reason, cascade_reason)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING number",
        (
            monitor_number,
            STATUS_CODE[event.kind],
            severity_of(event.kind, event.cascade_reason).value,
            event.timestamp,
            event.reason,
            event.cascade_reason,
        ),
    ).fetchone()
    return None if row is None else int(row[0])


def resolved(
    connection: sqlite3.Connection, monitor_number: int, event: IncidentResolved
) -> int | None:
    """Store that trouble ended; the incident's number, or None if none of the kind was open."""
    row = connection.execute(
        "UPDATE incidents SET resolved_at = ?"
        " WHERE monitor = ? AND kind = ? AND resolved_at IS NULL RETURNING number",
        (event.timestamp, monitor_number, STATUS_CODE[event.kind]),
    ).fetchone()
    return None if row is None else int(row[0])


def newest_incidents(
    db: SqliteDatabase,
    monitor_number: int | None = None,
    *,
    only_open: bool = False,
    before: int | None = None,
    limit: int = 100,
) -> tuple[Incident, ...]:
    """Newest first, of one monitor or of all. `before` is the last number of the page before."""
    wanted = IncidentRecord.select()
    if monitor_number is not None:
        wanted = wanted.where(IncidentRecord.monitor == monitor_number)
    if only_open:
        wanted = wanted.where(IncidentRecord.resolved_at.is_null())
    if before is not None:
        # Numbers tell the order only of what we saw ourselves, not of what was imported.
        last = IncidentRecord.select(IncidentRecord.opened_at).where(
            IncidentRecord.number == before
        )
        opened_at, is_lower = IncidentRecord.opened_at, IncidentRecord.number < before
        wanted = wanted.where((opened_at < last) | ((opened_at == last) & is_lower))
    newest_first = IncidentRecord.opened_at.desc(), IncidentRecord.number.desc()
    rows = wanted.order_by(*newest_first).limit(limit).execute(db)
    return tuple(_incident_of(row) for row in rows)


def following_monitors(db: SqliteDatabase) -> tuple[int, ...]:
    """The monitors with open trouble that only follows from trouble upstream."""
    wanted = IncidentRecord.select(IncidentRecord.monitor).where(
        IncidentRecord.resolved_at.is_null(), IncidentRecord.cascade_reason.is_null(False)
    )
    return tuple(number for (number,) in wanted.distinct().tuples().execute(db))


def incidents_between(
    db: SqliteDatabase, since: int, until: int, monitor_number: int | None = None
) -> tuple[Incident, ...]:
    """All that were open at some moment of a stretch of time, oldest first."""
    wanted = IncidentRecord.select().where(
        IncidentRecord.opened_at < until,
        IncidentRecord.resolved_at.is_null() | (IncidentRecord.resolved_at > since),
    )
    if monitor_number is not None:
        wanted = wanted.where(IncidentRecord.monitor == monitor_number)
    rows = wanted.order_by(IncidentRecord.opened_at, IncidentRecord.number).execute(db)
    return tuple(_incident_of(row) for row in rows)


def acknowledge(db: SqliteDatabase, number: int, now: int) -> Incident:
    """A person has seen it. Seeing it again changes nothing."""
    unseen = (IncidentRecord.number == number) & IncidentRecord.acknowledged_at.is_null()
    if IncidentRecord.update(acknowledged_at=now).where(unseen).execute(db):
        write_down(db, number, now, Act.ACKNOWLEDGED)
    return one_incident(db, number)


def snooze(db: SqliteDatabase, number: int, until: int | None, now: int) -> Incident:
    """No more alerts about it until an instant or, with None, until it is over."""
    changed = _changed(db, number, snoozed_until=until, is_snoozed_until_recovery=until is None)
    write_down(db, number, now, Act.SNOOZED, "" if until is None else str(until))
    return changed


def unsnooze(db: SqliteDatabase, number: int, now: int) -> Incident:
    changed = _changed(db, number, snoozed_until=None, is_snoozed_until_recovery=False)
    write_down(db, number, now, Act.WOKEN)
    return changed


def write_note(db: SqliteDatabase, number: int, note: str, now: int) -> Incident:
    """Keep the newest note with the incident, and all of them in its story."""
    changed = _changed(db, number, note=note)
    write_down(db, number, now, Act.NOTED, note)
    return changed


def write_down(db: SqliteDatabase, number: int, at: int, act: Act, text: str = "") -> None:
    """Add a line to the story of an incident."""
    IncidentEntryRecord.insert(incident=number, at=at, act=act.value, text=text).execute(db)


def story(db: SqliteDatabase, number: int) -> tuple[Entry, ...]:
    """What was done about an incident, oldest first."""
    wanted = IncidentEntryRecord.select().where(IncidentEntryRecord.incident == number)
    rows = wanted.order_by(IncidentEntryRecord.number).execute(db)
    return tuple(Entry(row.at, Act(row.act), row.text) for row in rows)


def set_cascade(db: SqliteDatabase, number: int, cascade_reason: str | None) -> Incident:
    """Say whether it only follows from trouble upstream."""
    severity = severity_of(one_incident(db, number).kind, cascade_reason)
    return _changed(db, number, severity=severity.value, cascade_reason=cascade_reason)


def one_incident(db: SqliteDatabase, number: int) -> Incident:
    for row in IncidentRecord.select().where(IncidentRecord.number == number).execute(db):
        return _incident_of(row)
    allowed = "the number of one, as the list shows it"
    raise Refused("incident", "there is no incident {number}", allowed, number=number)


def _changed(db: SqliteDatabase, number: int, **values: object) -> Incident:
    IncidentRecord.update(**values).where(IncidentRecord.number == number).execute(db)
    return one_incident(db, number)


def _incident_of(row: IncidentRecord) -> Incident:
    return Incident(
        row.number,
        row.monitor,
        STATUS[row.kind],
        Severity(row.severity),
        row.opened_at,
        row.resolved_at,
        row.reason,
        row.cascade_reason,
        row.acknowledged_at,
        row.snoozed_until,
        row.is_snoozed_until_recovery,
        row.note,
    )

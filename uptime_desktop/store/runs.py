"""Runs: the raw history, a few bytes each."""

from dataclasses import dataclass
from typing import Final

from peewee import JOIN, SqliteDatabase

from uptime_desktop.domain.model import Source
from uptime_desktop.domain.records import Run
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution
from uptime_desktop.store.codes import (
    INTERRUPTED,
    RESOLUTION_CODE,
    SOURCE,
    SOURCE_CODE,
    STATUS,
    STATUS_CODE,
)
from uptime_desktop.store.connection import raw
from uptime_desktop.store.tables import ReasonRecord, RunRecord

RunColumns = tuple[int, int, int, int | None, int, int, int, int | None]

SAVE: Final = f"INSERT OR REPLACE INTO runs VALUES ({', '.join('?' * 8)})"

_STRIPS: Final = """
SELECT runs.monitor, runs.started_at, runs.status, runs.response_tenths
FROM monitors CROSS JOIN runs ON runs.monitor = monitors.number AND runs.started_at >= coalesce(
    (SELECT started_at FROM runs AS nth WHERE nth.monitor = monitors.number
     ORDER BY started_at DESC LIMIT 1 OFFSET ?), 0)
WHERE monitors.number >= ?
ORDER BY runs.monitor, runs.started_at
"""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as history tells it; one that a crash cut short is `interrupted`, status unknown."""

    monitor_number: int
    started_at: int
    status: Status
    response_ms: float | None
    wait_ms: int
    attempts: int
    source: Source
    reason: str
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Beat:
    """The least of a run that a strip of bars shows."""

    started_at: int
    status: Status
    response_ms: float | None


def tenths_of(response_ms: float | None) -> int | None:
    return None if response_ms is None else max(0, round(response_ms * 10))


def row_of(monitor_number: int, run: Run, reason_number: int | None) -> RunColumns:
    """The columns of `runs`, in order."""
    outcome = run.outcome
    return (
        monitor_number,
        run.started_at,
        STATUS_CODE[outcome.status],
        tenths_of(outcome.response_ms),
        run.wait_ms,
        outcome.attempts,
        SOURCE_CODE[run.source],
        reason_number,
    )


def newest_runs(
    db: SqliteDatabase, monitor_number: int, *, before: int | None = None, limit: int = 100
) -> tuple[RunRow, ...]:
    """Newest first. For the next page, `before` is when the last run of this one started."""
    wanted = RunRecord.select(RunRecord, ReasonRecord.text).join(
        ReasonRecord, JOIN.LEFT_OUTER, on=RunRecord.reason == ReasonRecord.number
    )
    wanted = wanted.where(RunRecord.monitor == monitor_number)
    if before is not None:
        wanted = wanted.where(RunRecord.started_at < before)
    rows = wanted.order_by(RunRecord.started_at.desc()).limit(limit).tuples().execute(db)
    return tuple(_run_of(row) for row in rows)


def strips(db: SqliteDatabase, count: int, first: int) -> dict[int, tuple[Beat, ...]]:
    """The last runs of every monitor from the number `first` on that has any, oldest first, in one
    query."""
    found: dict[int, list[Beat]] = {}
    for number, started_at, status, tenths in raw(db).execute(_STRIPS, (count - 1, first)):
        found.setdefault(number, []).append(Beat(started_at, status_of(status), _ms_of(tenths)))
    return {number: tuple(beats) for number, beats in found.items()}


def status_of(code: int) -> Status:
    return Status.UNKNOWN if code == INTERRUPTED else STATUS[code]


def record_interrupted(db: SqliteDatabase) -> None:
    """Give every run that was under way when the last process ended a row of its own."""
    connection = raw(db)
    connection.execute(
        "INSERT OR IGNORE INTO runs"
        " SELECT monitor, running_since, ?, NULL, 0, 1, source, NULL"
        " FROM states WHERE running_since IS NOT NULL",
        (INTERRUPTED,),
    )
    finest = Resolution.FIVE_MINUTES
    connection.execute(
        "INSERT OR IGNORE INTO open_buckets SELECT ?, running_since / ?, monitor"
        " FROM states WHERE running_since IS NOT NULL",
        (RESOLUTION_CODE[finest], finest.value),
    )


def _run_of(row: tuple[int, int, int, int | None, int, int, int, int | None, str | None]) -> RunRow:
    number, started_at, status, tenths, wait_ms, attempts, source, _, reason = row
    return RunRow(
        number,
        started_at,
        status_of(status),
        _ms_of(tenths),
        wait_ms,
        attempts,
        SOURCE[source],
        reason or "",
        status == INTERRUPTED,
    )


def _ms_of(tenths: int | None) -> float | None:
    return None if tenths is None else tenths / 10

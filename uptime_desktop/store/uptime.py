"""Uptime and response times over a stretch of time, from roll-ups and the runs not yet in them."""

import sqlite3
from typing import Final

from peewee import SqliteDatabase

from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import (
    Resolution,
    Segment,
    Tally,
    edge_resolution,
    segments,
    tally_of,
    total,
)
from uptime_desktop.store.codes import MERGED, RESOLUTION_CODE
from uptime_desktop.store.connection import raw
from uptime_desktop.store.rollups import raw_tally, rolled
from uptime_desktop.store.runs import status_of

_FOREVER: Final = 1 << 62
_SUMS: Final = """
SELECT monitor, sum(up), sum(degraded), sum(down), sum(unknown), min(fastest_tenths),
    max(slowest_tenths), sum(total_tenths)
FROM rollups WHERE resolution = ? AND bucket >= ? AND bucket < ? GROUP BY monitor
"""
_RAW: Final = """
SELECT runs.monitor, runs.status, runs.response_tenths
FROM monitors CROSS JOIN runs
    ON runs.monitor = monitors.number AND runs.started_at >= ? AND runs.started_at < ?
"""


def tally_between(
    db: SqliteDatabase, monitor_number: int, since: int, until: int, now: int
) -> Tally:
    """All runs of one monitor that started in a stretch of time, percentiles included.

    The further back an edge lies, the more coarsely it is cut (`edge_resolution`), because
    finer history is not kept for ever.
    """
    connection = raw(db)
    return total(
        _tally_of_segment(connection, monitor_number, segment)
        for segment in _segments(connection, since, until, now)
    )


def tallies_between(db: SqliteDatabase, since: int, until: int, now: int) -> dict[int, Tally]:
    """Counts and bounds for every monitor with runs in a stretch of time, without histograms."""
    connection = raw(db)
    found: dict[int, Tally] = {}
    for segment in _segments(connection, since, until, now):
        for number, tally in _tallies_of_segment(connection, segment):
            found[number] = found[number] + tally if number in found else tally
    known = {number for (number,) in connection.execute("SELECT number FROM monitors")}
    return {number: tally for number, tally in found.items() if number in known}


def tallies_by_bucket(
    db: SqliteDatabase, monitor_number: int, resolution: Resolution, since: int, until: int
) -> dict[int, Tally]:
    """The closed buckets of one monitor by the instant they begin: what a chart shows."""
    first, end = resolution.bucket_of(since), -(-until // resolution.value)
    found = rolled(raw(db), RESOLUTION_CODE[resolution], first, end, monitor_number)
    return {bucket * resolution.value: tally for bucket, tally in found.items()}


def _segments(
    connection: sqlite3.Connection, since: int, until: int, now: int
) -> tuple[Segment, ...]:
    return segments(_cut(since, now), _cut(until, now), _rolled_until(connection))


def _cut(at: int, now: int) -> int:
    """An edge in the last day stays as it is; an older one moves back to where a bucket begins."""
    age_ms = now - at
    if age_ms <= Resolution.DAY.value:
        return at
    resolution = edge_resolution(age_ms)
    return resolution.bucket_of(at) * resolution.value


def _rolled_until(connection: sqlite3.Connection) -> dict[Resolution, int]:
    """Before which instant the roll-ups of each resolution are complete."""
    complete: dict[Resolution, int] = {}
    so_far = _FOREVER
    for resolution in Resolution:
        row = connection.execute(
            "SELECT min(bucket) FROM open_buckets WHERE resolution = ?",
            (RESOLUTION_CODE[resolution],),
        ).fetchone()
        if row[0] is not None:
            so_far = min(so_far, row[0] * resolution.value)
        complete[resolution] = so_far
    return complete


def _tally_of_segment(
    connection: sqlite3.Connection, monitor_number: int, segment: Segment
) -> Tally:
    if segment.resolution is None:
        return raw_tally(connection, monitor_number, segment.since, segment.until)
    unit, code = segment.resolution.value, RESOLUTION_CODE[segment.resolution]
    first, end = segment.since // unit, segment.until // unit
    return total(rolled(connection, code, first, end, monitor_number).values())


def _tallies_of_segment(
    connection: sqlite3.Connection, segment: Segment
) -> list[tuple[int, Tally]]:
    if segment.resolution is not None:
        unit, code = segment.resolution.value, RESOLUTION_CODE[segment.resolution]
        bounds = (code, segment.since // unit, segment.until // unit)
        return [(number, Tally(*sums)) for number, *sums in connection.execute(_SUMS, bounds)]
    unit = Resolution.FIVE_MINUTES.value
    merged = (MERGED, -(-segment.since // unit), -(-segment.until // unit))
    found = [(number, Tally(*sums)) for number, *sums in connection.execute(_SUMS, merged)]
    runs: dict[int, list[tuple[Status, int | None]]] = {}
    for number, status, tenths in connection.execute(_RAW, (segment.since, segment.until)):
        runs.setdefault(number, []).append((status_of(status), tenths))
    return [*found, *((number, tally_of(its)) for number, its in runs.items())]

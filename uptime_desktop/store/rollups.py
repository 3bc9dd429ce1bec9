"""History added up: five minutes from raw runs, an hour from those, a day from its hours.

A bucket that has runs not yet added up is marked in `open_buckets`, in the transaction that
stored the runs. So nothing is forgotten in a crash, and a run that arrives late (or a
backlog of hours) opens its bucket again: closing one always counts anew.
"""

import sqlite3
from collections.abc import Mapping
from typing import Final

import msgspec

from uptime_desktop.domain.uptime import Resolution, Tally, tally_of, total
from uptime_desktop.store.codes import MERGED, RESOLUTION_CODE
from uptime_desktop.store.runs import status_of

MARK: Final = "INSERT OR IGNORE INTO open_buckets VALUES (?, ?, ?)"
COLUMNS: Final = (
    "up, degraded, down, unknown, fastest_tenths, slowest_tenths, total_tenths, histogram"
)

_FINEST: Final = Resolution.FIVE_MINUTES
_FINER: Final = {Resolution.HOUR: Resolution.FIVE_MINUTES, Resolution.DAY: Resolution.HOUR}
_COARSER: Final = {finer: coarser for coarser, finer in _FINER.items()}
_SAVE: Final = f"INSERT OR REPLACE INTO rollups VALUES ({', '.join('?' * 11)})"
_RAW: Final = (
    "SELECT status, response_tenths FROM runs"
    " WHERE monitor = ? AND started_at >= ? AND started_at < ?"
)
_BUCKETS: Final = f"""
WITH RECURSIVE wanted (bucket) AS (
    VALUES (?) UNION ALL SELECT bucket + 1 FROM wanted WHERE bucket + 1 < ?)
SELECT rollups.bucket, {COLUMNS} FROM wanted CROSS JOIN rollups
    ON resolution = ? AND rollups.bucket = wanted.bucket AND monitor = ?
"""

TallyColumns = tuple[int, int, int, int, int | None, int | None, int, bytes | None]


def close_buckets(connection: sqlite3.Connection, now: int, limit: int) -> bool:
    """Add up at most `limit` buckets that are over by now; whether there may be more.

    Finest first, because each closed bucket opens the coarser one around it.
    """
    for resolution in Resolution:
        due = connection.execute(
            "SELECT bucket, monitor FROM open_buckets WHERE resolution = ? AND bucket < ? LIMIT ?",
            (RESOLUTION_CODE[resolution], resolution.bucket_of(now), limit),
        ).fetchall()
        for bucket, monitor_number in due:
            _close(connection, resolution, bucket, monitor_number)
        if due:
            return True
    return False


def merge_counts(connection: sqlite3.Connection, tallies: Mapping[tuple[int, int], Tally]) -> None:
    """Add runs that have no rows of their own, by monitor and bucket of five minutes."""
    for (monitor_number, bucket), tally in tallies.items():
        already = rolled(connection, MERGED, bucket, bucket + 1, monitor_number)
        save_tally(connection, MERGED, bucket, monitor_number, total((*already.values(), tally)))
        connection.execute(MARK, (RESOLUTION_CODE[_FINEST], bucket, monitor_number))


def keep_tallies(
    connection: sqlite3.Connection, resolution: Resolution, tallies: Mapping[tuple[int, int], Tally]
) -> None:
    """Store history that comes already added up, by monitor and bucket of this resolution."""
    code, coarser = RESOLUTION_CODE[resolution], _COARSER.get(resolution)
    for (monitor_number, bucket), tally in tallies.items():
        save_tally(connection, code, bucket, monitor_number, tally)
    if coarser is not None:
        marks = {
            (RESOLUTION_CODE[coarser], coarser.bucket_of(bucket * resolution.value), number)
            for number, bucket in tallies
        }
        connection.executemany(MARK, list(marks))


def rolled(
    connection: sqlite3.Connection, resolution_code: int, first: int, end: int, monitor_number: int
) -> dict[int, Tally]:
    """The roll-ups of one monitor by bucket, `first` to before `end`."""
    if first >= end:
        return {}
    rows = connection.execute(_BUCKETS, (first, end, resolution_code, monitor_number))
    return {row[0]: tally_of_columns(row[1:]) for row in rows}


def raw_tally(connection: sqlite3.Connection, monitor_number: int, since: int, until: int) -> Tally:
    """Runs counted one by one, with those that were merged into counts in these five minutes."""
    rows = connection.execute(_RAW, (monitor_number, since, until))
    counted = tally_of((status_of(status), tenths) for status, tenths in rows)
    merged = rolled(
        connection, MERGED, -(-since // _FINEST.value), -(-until // _FINEST.value), monitor_number
    )
    return total((counted, *merged.values()))


def tally_of_columns(columns: TallyColumns) -> Tally:
    return Tally(*columns[:7], unpacked(columns[7]))


def _close(
    connection: sqlite3.Connection, resolution: Resolution, bucket: int, monitor_number: int
) -> None:
    since, until = bucket * resolution.value, (bucket + 1) * resolution.value
    finer = _FINER.get(resolution)
    if finer is None:
        tally = raw_tally(connection, monitor_number, since, until)
    else:
        parts = rolled(
            connection,
            RESOLUTION_CODE[finer],
            since // finer.value,
            until // finer.value,
            monitor_number,
        )
        tally = total(parts.values())
    save_tally(connection, RESOLUTION_CODE[resolution], bucket, monitor_number, tally)
    connection.execute(
        "DELETE FROM open_buckets WHERE resolution = ? AND bucket = ? AND monitor = ?",
        (RESOLUTION_CODE[resolution], bucket, monitor_number),
    )
    coarser = _COARSER.get(resolution)
    if coarser is not None:
        mark = (RESOLUTION_CODE[coarser], coarser.bucket_of(since), monitor_number)
        connection.execute(MARK, mark)


def save_tally(
    connection: sqlite3.Connection, code: int, bucket: int, monitor_number: int, tally: Tally
) -> None:
    if not tally.runs:
        return
    connection.execute(
        _SAVE,
        (
            code,
            bucket,
            monitor_number,
            tally.up,
            tally.degraded,
            tally.down,
            tally.unknown,
            tally.fastest_tenths,
            tally.slowest_tenths,
            tally.total_tenths,
            packed(tally.histogram),
        ),
    )


def packed(histogram: Mapping[int, int]) -> bytes | None:
    """Bucket and count in turn, each bucket as its distance from the one before: small numbers."""
    if not histogram:
        return None
    numbers: list[int] = []
    before = 0
    for bucket in sorted(histogram):
        numbers += (bucket - before, histogram[bucket])
        before = bucket
    return msgspec.msgpack.encode(numbers)


def unpacked(document: bytes | None) -> dict[int, int]:
    if document is None:
        return {}
    numbers = msgspec.msgpack.decode(document, type=list[int])
    histogram: dict[int, int] = {}
    bucket = 0
    for distance, count in zip(numbers[::2], numbers[1::2], strict=True):
        bucket += distance
        histogram[bucket] = count
    return histogram

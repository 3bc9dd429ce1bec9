"""History that another program had for a monitor, as if it were our own.

It comes as single runs, added up, or both, and nothing that is over is counted again: what it was
added up from may be missing. Only the five minutes, the hour and the day that are not over yet
will be, from their finer parts, when our own runs are in them too. So their parts are
made to hold all that is known of them.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from peewee import SqliteDatabase

from uptime_desktop.domain.model import Source
from uptime_desktop.domain.past import (
    Past,
    PastRun,
    PastTrouble,
    happened,
    has_happened,
    possible_ms,
)
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution, Tally, tally_of, total
from uptime_desktop.store.codes import MERGED, RESOLUTION_CODE, SOURCE_CODE, STATUS_CODE
from uptime_desktop.store.connection import raw
from uptime_desktop.store.incidents import severity_of
from uptime_desktop.store.pruning import Retention
from uptime_desktop.store.rollups import MARK, save_tally
from uptime_desktop.store.runs import SAVE, tenths_of
from uptime_desktop.store.transitions import USE_REASON

_FIVE: Final = Resolution.FIVE_MINUTES
_HOUR: Final = Resolution.HOUR
_DAY: Final = Resolution.DAY
_NOTHING: Final = Tally()
_SAVE_INCIDENT: Final = (
    "INSERT INTO incidents (monitor, kind, severity, opened_at, resolved_at, reason)"
    " VALUES (?, ?, ?, ?, ?, ?)"
)

_Tallies = dict[Resolution, dict[int, Tally]]


def keep_past(
    db: SqliteDatabase, number: int, past: Past, now: int, retention: Retention | None = None
) -> None:
    """Store what was known of a monitor that has no history of its own yet.

    What is older than history is kept is only counted. What lies after now is left out, and so is
    trouble that still lasts: our own first run decides.
    """
    connection = raw(db)
    kept = retention or Retention()
    runs = happened(past.runs, now)
    _keep_runs(connection, number, [run for run in runs if run.started_at >= now - kept.runs_ms])
    single = _by_five_minutes(runs)
    tallies = _added_up(single, past.tallies, now)
    _spread_current(tallies, now)
    _keep_tallies(connection, number, tallies, now, kept)
    current = _FIVE.bucket_of(now)
    unseen = _rest(tallies[_FIVE].get(current, _NOTHING), single.get(current, _NOTHING))
    save_tally(connection, MERGED, current, number, unseen)
    _keep_troubles(connection, number, past.troubles, now)


def forget_pasts(db: SqliteDatabase, numbers: Sequence[int]) -> None:
    """Forget all counts of monitors that are gone before they ever were ours."""
    connection = raw(db)
    for number in numbers:
        connection.execute("DELETE FROM rollups WHERE monitor = ?", (number,))


def _keep_runs(connection: sqlite3.Connection, number: int, runs: Sequence[PastRun]) -> None:
    used_at = {run.reason: run.started_at for run in runs if run.reason}
    reasons = {
        text: connection.execute(USE_REASON, (text, at)).fetchone()[0]
        for text, at in used_at.items()
    }
    source = SOURCE_CODE[Source.BASELINE_INTERVAL]
    connection.executemany(
        SAVE,
        (
            (
                number,
                run.started_at,
                STATUS_CODE[run.status],
                _tenths(run),
                0,
                1,
                source,
                reasons.get(run.reason),
            )
            for run in runs
        ),
    )


def _tenths(run: PastRun) -> int | None:
    took_ms = possible_ms(run.response_ms)
    return None if took_ms is None else tenths_of(took_ms)


def _by_five_minutes(runs: Iterable[PastRun]) -> dict[int, Tally]:
    found: dict[int, list[tuple[Status, int | None]]] = {}
    for run in runs:
        bucket = found.setdefault(_FIVE.bucket_of(run.started_at), [])
        bucket.append((run.status, _tenths(run)))
    return {bucket: tally_of(its) for bucket, its in found.items()}


def _added_up(
    single: Mapping[int, Tally], given: Mapping[Resolution, Mapping[int, Tally]], now: int
) -> _Tallies:
    """Every bucket as it was given, or else counted from its finer parts."""
    found: _Tallies = {}
    finer, parts = _FIVE, single
    for resolution in Resolution:
        counted: dict[int, list[Tally]] = {}
        for bucket, tally in parts.items():
            counted.setdefault(resolution.bucket_of(bucket * finer.value), []).append(tally)
        found[resolution] = {bucket: total(its) for bucket, its in counted.items()}
        for bucket, tally in given.get(resolution, {}).items():
            if 0 <= bucket <= resolution.bucket_of(now):
                found[resolution][bucket] = tally
        finer, parts = resolution, found[resolution]
    return found


def _spread_current(tallies: _Tallies, now: int) -> None:
    """Give what only the current day or hour knows of to the first of its parts."""
    for resolution, finer in ((_DAY, _HOUR), (_HOUR, _FIVE)):
        whole, parts = tallies[resolution], tallies[finer]
        current = resolution.bucket_of(now)
        first = finer.bucket_of(current * resolution.value)
        its = range(first, finer.bucket_of(now) + 1)
        known = total(parts[part] for part in its if part in parts)
        rest = _rest(whole.get(current, _NOTHING), known)
        parts[first] = parts.get(first, _NOTHING) + rest
        whole[current] = known + rest


def _rest(whole: Tally, parts: Tally) -> Tally:
    """What the whole counts and its parts do not; without times where these contradict it."""
    rest = Tally(
        max(0, whole.up - parts.up),
        max(0, whole.degraded - parts.degraded),
        max(0, whole.down - parts.down),
        max(0, whole.unknown - parts.unknown),
    )
    histogram = {
        bucket: whole.histogram.get(bucket, 0) - parts.histogram.get(bucket, 0)
        for bucket in {*whole.histogram, *parts.histogram}
    }
    if not rest.runs or not any(histogram.values()) or min(histogram.values()) < 0:
        return rest
    return Tally(
        rest.up,
        rest.degraded,
        rest.down,
        rest.unknown,
        whole.fastest_tenths,
        whole.slowest_tenths,
        max(0, whole.total_tenths - parts.total_tenths),
        {bucket: count for bucket, count in histogram.items() if count},
    )


def _keep_tallies(
    connection: sqlite3.Connection, number: int, tallies: _Tallies, now: int, kept: Retention
) -> None:
    """Store what is over, and have the rest counted when it is."""
    since = {_FIVE: now - kept.five_minutes_ms, _HOUR: now - kept.hours_ms, _DAY: 0}
    for resolution, found in tallies.items():
        code, current = RESOLUTION_CODE[resolution], resolution.bucket_of(now)
        oldest = resolution.bucket_of(since[resolution])
        for bucket, tally in found.items():
            if oldest <= bucket < current:
                save_tally(connection, code, bucket, number, tally)
        if found.get(current, _NOTHING).runs:
            connection.execute(MARK, (code, current, number))


def _keep_troubles(
    connection: sqlite3.Connection, number: int, troubles: Iterable[PastTrouble], now: int
) -> None:
    kind = STATUS_CODE[Status.DOWN]
    severity = severity_of(Status.DOWN, None).value
    rows = [
        (number, kind, severity, one.opened_at, one.resolved_at, one.reason)
        for one in sorted(troubles, key=lambda one: one.opened_at)
        if one.resolved_at is not None
        and has_happened(one.opened_at, one.resolved_at)
        and has_happened(one.resolved_at, now)
    ]
    connection.executemany(_SAVE_INCIDENT, rows)

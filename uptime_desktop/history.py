"""What happened, read from disk off the loop's thread: runs, evidence, incidents, uptime."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Concatenate, Final, ParamSpec, TypeVar

from peewee import SqliteDatabase

from uptime_desktop.domain.heartbeats import Ping
from uptime_desktop.domain.model import DAY_MS, HOUR_MS, Evidence
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution, Tally
from uptime_desktop.store import evidence, incidents, pings, runs, uptime
from uptime_desktop.store.db import Store
from uptime_desktop.store.incidents import Act, Entry, Incident, Severity
from uptime_desktop.store.runs import Beat, RunRow
from uptime_desktop.store.writer import Writer

__all__ = ["Act", "Beat", "Entry", "History", "Incident", "Point", "RunRow", "Severity"]

_P = ParamSpec("_P")
_T = TypeVar("_T")
_FINEST_SPAN_MS: Final = 3 * HOUR_MS
_MOST_POINTS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Point:
    """One place on a chart of response times: a run, or the runs of a bucket.

    Without a time it is a run that had none: it failed, or could not look. `width_ms` is how
    long the bucket is.
    """

    at: int
    median_ms: float | None
    p95_ms: float | None
    status: Status
    width_ms: int = 0


class History:
    def __init__(self, store: Store, writer: Writer) -> None:
        self._store = store
        self._writer = writer

    async def runs(
        self, monitor_number: int, *, before: int | None = None, limit: int = 200
    ) -> Sequence[RunRow]:
        """Newest first, what is not yet on disk included."""
        return await self._read(runs.newest_runs, monitor_number, before=before, limit=limit)

    async def evidence(self, monitor_number: int, started_at: int) -> Evidence | None:
        """What a run saw, if that is kept: always after a failure."""
        return await self._read(evidence.evidence_of, monitor_number, started_at)

    async def strips(self, count: int, first: int = 0) -> dict[int, tuple[Beat, ...]]:
        """The last runs of every monitor from the number `first` on, by its number, oldest
        first."""
        return await self._read(runs.strips, count, first)

    async def uptimes(self, span_ms: int, now: int) -> dict[int, float]:
        """By monitor number, the share of runs that found it working in the time up to now."""
        tallies = await self._read(uptime.tallies_between, now - span_ms, now + 1, now)
        shares = ((number, tally.uptime) for number, tally in tallies.items())
        return {number: share for number, share in shares if share is not None}

    async def tally(self, monitor_number: int, span_ms: int, now: int) -> Tally:
        """Counts and percentiles of one monitor in the time up to now."""
        return await self._read(uptime.tally_between, monitor_number, now - span_ms, now + 1, now)

    async def incidents(
        self, monitor_number: int | None = None, *, only_open: bool = False, limit: int = 100
    ) -> Sequence[Incident]:
        """Newest first, of one monitor or of all."""
        return await self._read(
            incidents.newest_incidents, monitor_number, only_open=only_open, limit=limit
        )

    async def incident(self, number: int) -> tuple[Incident, Sequence[Entry]]:
        """One incident, and what was done about it, oldest first."""
        one = await self._read(incidents.one_incident, number)
        return one, await self._read(incidents.story, number)

    async def pings(self, monitor_number: int, limit: int = 100) -> Sequence[Ping]:
        """What a job reported, newest first."""
        return await self._read(pings.newest_pings, monitor_number, limit)

    async def response_times(self, monitor_number: int, span_ms: int, now: int) -> Sequence[Point]:
        """A chart's worth of the time up to now, oldest first: single runs of the last hours,
        else buckets, with single runs for the end that is not yet in any."""
        return await asyncio.to_thread(self._points, monitor_number, now - span_ms, span_ms)

    def _points(self, number: int, since: int, span_ms: int) -> list[Point]:
        self._writer.flush()
        points: list[Point] = []
        if span_ms > _FINEST_SPAN_MS:
            resolution = _resolution(span_ms)
            found = self._store.read(
                uptime.tallies_by_bucket, number, resolution, since, since + span_ms
            )
            points = [_point(at, tally, resolution) for at, tally in sorted(found.items())]
            if points:
                since = points[-1].at + resolution.value
        newest = self._store.read(runs.newest_runs, number, limit=_MOST_POINTS)
        single = [_point_of_run(run) for run in reversed(newest) if run.started_at >= since]
        return points + single

    async def _read(
        self,
        act: Callable[Concatenate[SqliteDatabase, _P], _T],
        *args: _P.args,
        **named: _P.kwargs,
    ) -> _T:
        def read() -> _T:
            self._writer.flush()
            return self._store.read(act, *args, **named)

        return await asyncio.to_thread(read)


def _resolution(span_ms: int) -> Resolution:
    if span_ms <= 8 * DAY_MS:
        return Resolution.FIVE_MINUTES
    return Resolution.HOUR if span_ms <= 60 * DAY_MS else Resolution.DAY


def _point(at: int, tally: Tally, resolution: Resolution) -> Point:
    status = Status.UP
    if tally.down:
        status = Status.DOWN
    elif tally.degraded:
        status = Status.DEGRADED
    elif not tally.up:
        status = Status.UNKNOWN
    median_ms, p95_ms = tally.percentile_ms(50), tally.percentile_ms(95)
    return Point(at, median_ms, p95_ms, status, resolution.value)


def _point_of_run(run: RunRow) -> Point:
    answered = run.status in (Status.UP, Status.DEGRADED)
    response_ms = run.response_ms if answered else None
    return Point(run.started_at, response_ms, response_ms, run.status)

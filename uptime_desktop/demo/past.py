"""A month that never was, written so that every view of it agrees.

The last hours are played through the rules of the schedule itself, run by run, so backoff,
incidents and pauses come out as they would have. What is older comes already added up.
"""

import math
from collections.abc import Iterator
from datetime import tzinfo
from random import Random
from typing import Final

from uptime_desktop.checks.registry import kind_named
from uptime_desktop.demo.monitors import Past, Trouble
from uptime_desktop.demo.server import is_up_now
from uptime_desktop.domain import plan
from uptime_desktop.domain.events import Event, IncidentOpened, IncidentResolved
from uptime_desktop.domain.model import (
    DAY_MS,
    HOUR_MS,
    SECOND_MS,
    Every,
    Evidence,
    Monitor,
    Outcome,
)
from uptime_desktop.domain.records import Change, Run
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution, Tally, latency_bucket
from uptime_desktop.domain.wording import duration_text

LENGTH_MS: Final = 30 * DAY_MS
ASLEEP_MS: Final = (15 * HOUR_MS, 8 * HOUR_MS)
"""From and to how long ago the computer was asleep: one night without a single run."""

_RECENT_MS: Final = 2 * HOUR_MS
"""Played run by run: further back than a chart of an hour, or the oldest open incident."""

_FINE_MS: Final = 7 * DAY_MS + HOUR_MS
"""Added up to five minutes: further back than a chart of a week."""

_CRON_EVERY_MS: Final = 10 * SECOND_MS
_RETRY_PAUSE_MS: Final = 500
_DAILY_WAVE: Final = 0.12
_SHAPE: Final = ((0.9, 0.3), (1.0, 0.4), (1.15, 0.22))
"""Of the responses in a bucket: how long against the usual one, and which share of them."""

_TAIL: Final = 0.08
"""The share that is left: those that took far longer."""

Tallies = dict[tuple[int, int], Tally]
"""By monitor number and bucket."""

_Span = tuple[int, int]


class Month:
    """What happened to one monitor up to `now`. The monitor seeds it: it is always the same."""

    def __init__(self, monitor: Monitor, past: Past, now: int, zone: tzinfo) -> None:
        self._monitor = monitor
        self._past = past
        self._now = now
        self._zone = zone
        self._chance = Random(monitor.number)
        self._recent_since = _floor(now - _RECENT_MS, Resolution.FIVE_MINUTES)
        self._asleep = now - ASLEEP_MS[0], now - ASLEEP_MS[1]
        self._spans = [(_span(trouble, now), trouble) for trouble in past.troubles]
        schedule = monitor.schedule
        self._every_ms = schedule.interval_ms if isinstance(schedule, Every) else _CRON_EVERY_MS
        self._kind = kind_named(monitor.kind)
        self._spec = self._kind.parse(monitor.settings)

    # One by one

    def changes(self) -> Iterator[Change]:
        """What is stored as it happened: old incidents, and every run of the last hours."""
        for (began, ended), trouble in self._spans:
            if ended < self._recent_since:
                yield from self._incident(began, ended, trouble)
        monitor = self._monitor
        state = plan.begin(monitor, self._recent_since, self._zone).state
        while (began_at := state.next_run_at) is not None:
            outcome, took_ms = self._run(began_at)
            settled_at = began_at + took_ms
            if settled_at >= self._now:
                return
            running = plan.start(monitor, state, began_at).state
            unit_random = self._chance.random()
            after = plan.advance(monitor, running, outcome, settled_at, unit_random, self._zone)
            run = Run(began_at, 0, running.source, outcome)
            yield Change(monitor.number, after.state, run, after.events)
            state = after.state

    def _incident(self, began: int, ended: int, trouble: Trouble) -> Iterator[Change]:
        monitor = self._monitor
        about = (monitor.site_id, monitor.id, None)
        reason = _reason(trouble, trouble.response_ms)
        told: tuple[Event, ...] = (
            IncidentOpened(*about, began, trouble.status, reason),
            IncidentResolved(*about, ended, trouble.status),
        )
        for event in told:
            state = plan.begin(monitor, event.timestamp, self._zone).state
            yield Change(monitor.number, state, events=(event,))

    def _run(self, at: int) -> tuple[Outcome, int]:
        """How a run that began then ended, and after how many milliseconds."""
        trouble = self._trouble_at(at)
        if trouble is None:
            is_late = self._chance.random() < _TAIL
            usual_ms = round(self._usual_ms(at) * (self._longer() if is_late else 1), 1)
            return Outcome(Status.UP, self._past.reason, usual_ms), round(usual_ms)
        response_ms = trouble.response_ms
        if response_ms is not None:
            response_ms = round(response_ms * self._chance.gauss(1, 0.05), 1)
        tried_ms = response_ms or trouble.timed_out_after_ms or 1.0
        attempts = 1 + (self._monitor.retries if trouble.status is Status.DOWN else 0)
        outcome = Outcome(
            trouble.status,
            _reason(trouble, response_ms),
            response_ms,
            trouble.timed_out_after_ms,
            attempts=attempts,
            evidence=self._evidence(trouble, tried_ms),
        )
        return outcome, round(attempts * tried_ms + (attempts - 1) * _RETRY_PAUSE_MS)

    def _trouble_at(self, at: int) -> Trouble | None:
        for (began, ended), trouble in self._spans:
            if began <= at < ended and not (trouble.comes_and_goes and is_up_now(at)):
                return trouble
        return None

    def _usual_ms(self, at: int) -> float:
        """Slower by day than by night, and never twice the same."""
        wave = 1 + _DAILY_WAVE * math.sin(math.tau * at / DAY_MS)
        return max(0.1, self._past.typical_ms * wave * self._chance.gauss(1, 0.06))

    def _longer(self) -> float:
        return self._chance.uniform(1.25, 1.7)

    def _evidence(self, trouble: Trouble, total_ms: float) -> Evidence:
        page = trouble.page
        answered = page is not None and page.status is not None
        timings = [("dns", 0.0), ("connect", 0.6)]
        if answered or trouble.timed_out_after_ms is not None:
            timings.append(("first_byte", round(total_ms - 0.9, 3)))
        return Evidence(
            (*timings, ("total", round(total_ms, 3))),
            self._kind.origin(self._spec).rpartition("/")[2] if answered else "",
            page.status_line if page is not None and answered else "",
            page.sent_headers if page is not None and answered else (),
            page.body if page is not None and answered else "",
            repeat_with=self._spec.repeat_with,
        )

    # Added up

    def tallies(self) -> Iterator[tuple[Resolution, Tallies]]:
        """Hours for the long past, then five minutes up to where the single runs begin."""
        long_since = _floor(self._now - LENGTH_MS, Resolution.HOUR)
        fine_since = _floor(self._now - _FINE_MS, Resolution.HOUR)
        yield Resolution.HOUR, self._buckets(Resolution.HOUR, long_since, fine_since)
        fine = self._buckets(Resolution.FIVE_MINUTES, fine_since, self._recent_since)
        yield Resolution.FIVE_MINUTES, fine

    def _buckets(self, resolution: Resolution, since: int, until: int) -> Tallies:
        found: Tallies = {}
        for at in range(since, until, resolution.value):
            span = at, at + resolution.value
            runs = (resolution.value - _shared_ms(span, self._asleep)) // self._every_ms
            if runs:
                key = self._monitor.number, resolution.bucket_of(at)
                found[key] = self._tally(span, runs)
        return found

    def _tally(self, span: _Span, runs: int) -> Tally:
        down = degraded = 0
        times: list[tuple[float, int]] = []
        for its_span, trouble in self._spans:
            if its_span[0] >= span[1] or its_span[1] <= span[0]:
                continue
            count = min(runs, -(-_shared_ms(span, its_span) // self._every_ms))
            if trouble.status is Status.DOWN:
                down = count
            else:
                degraded = count
            if trouble.response_ms is not None:
                times.append((trouble.response_ms, count))
        well = runs - down - degraded
        if well:
            times += self._spread(self._usual_ms(span[0]), well)
        return _counted(well, degraded, down, times)

    def _spread(self, usual_ms: float, runs: int) -> Iterator[tuple[float, int]]:
        """Response times around the usual one, and how many took so long."""
        left = runs
        for factor, share in _SHAPE:
            count = int(runs * share)
            left -= count
            yield usual_ms * factor, count
        yield usual_ms * self._longer(), left


def _counted(well: int, degraded: int, down: int, times: list[tuple[float, int]]) -> Tally:
    histogram: dict[int, int] = {}
    measured = [(round(ms * 10), count) for ms, count in times if count]
    for tenths, count in measured:
        bucket = latency_bucket(tenths)
        histogram[bucket] = histogram.get(bucket, 0) + count
    fastest = min((tenths for tenths, _ in measured), default=None)
    slowest = max((tenths for tenths, _ in measured), default=None)
    total = sum(tenths * count for tenths, count in measured)
    return Tally(well, degraded, down, 0, fastest, slowest, total, histogram)


def _reason(trouble: Trouble, response_ms: float | None) -> str:
    return trouble.reason.replace("{took}", duration_text(round(response_ms or 0)))


def _span(trouble: Trouble, now: int) -> _Span:
    began = now - trouble.ago_ms
    return began, now if trouble.for_ms is None else began + trouble.for_ms


def _shared_ms(one: _Span, other: _Span) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def _floor(at: int, resolution: Resolution) -> int:
    return resolution.bucket_of(at) * resolution.value

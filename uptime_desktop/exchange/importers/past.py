"""Single checks that another program made, turned into what history keeps of them: pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Final

from uptime_desktop.checks.redaction import shown_url
from uptime_desktop.domain.model import DAY_MS
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution, Tally, tally_of
from uptime_desktop.exchange.imported import Past, PastRun, PastTrouble

SINGLE_MS: Final = 14 * DAY_MS
"""How far back checks are kept one by one."""
_LONGEST_RESPONSE_MS: Final = 30 * DAY_MS
_REASON_CHARACTERS: Final = 200


def past_of(monitor_id: str, runs: Iterable[PastRun], now: int) -> Past:
    """What these checks, in any order, tell about one monitor.

    All of them are counted; those of the last 14 days are kept one by one. Of two at the same
    instant the one that comes last stays; one that lies in the future never happened.
    """
    known = {run.started_at: run for run in runs if 0 <= run.started_at <= now}
    ordered = [_tamed(known[at]) for at in sorted(known)]
    return Past(
        monitor_id,
        tuple(run for run in ordered if run.started_at > now - SINGLE_MS),
        {resolution: _tallies(ordered, resolution) for resolution in Resolution},
        tuple(_troubles(ordered)),
    )


def _tamed(run: PastRun) -> PastRun:
    """Without a response time that cannot be, and with a reason that fits on a line."""
    took_ms = run.response_ms
    if took_ms is not None and not 0 <= took_ms <= _LONGEST_RESPONSE_MS:
        took_ms = None
    # What is far too long is cut first: there may be megabytes of it.
    reason = shown_url(" ".join(run.reason[: 2 * _REASON_CHARACTERS].split()))[:_REASON_CHARACTERS]
    if took_ms == run.response_ms and reason == run.reason:
        return run
    return replace(run, response_ms=took_ms, reason=reason)


def _tallies(ordered: list[PastRun], resolution: Resolution) -> dict[int, Tally]:
    buckets = groupby(ordered, lambda run: resolution.bucket_of(run.started_at))
    return {bucket: tally_of(map(_measured, runs)) for bucket, runs in buckets}


def _measured(run: PastRun) -> tuple[Status, int | None]:
    took_ms = run.response_ms
    return run.status, None if took_ms is None else round(took_ms * 10)


def _troubles(ordered: list[PastRun]) -> Iterator[PastTrouble]:
    first: PastRun | None = None
    for run in ordered:
        if run.status is Status.DOWN:
            first = first or run
        elif first is not None and run.status in (Status.UP, Status.DEGRADED):
            yield PastTrouble(first.started_at, run.started_at, first.reason)
            first = None
    if first is not None:
        yield PastTrouble(first.started_at, None, first.reason)

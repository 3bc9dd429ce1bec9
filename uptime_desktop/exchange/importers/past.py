"""Single checks that another program made, turned into what history keeps of them: pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Final

from uptime_desktop.checks.redaction import shown_url
from uptime_desktop.domain.past import MOST_RUNS, Past, PastRun, PastTrouble, happened, possible_ms
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution, Tally, tally_of
from uptime_desktop.domain.wording import Sentence

KEPT: Final = Sentence("single runs as long as the settings keep them, and counts of all before")
_REASON_CHARACTERS: Final = 200


def past_of(monitor_id: str, runs: Iterable[PastRun], now: int) -> Past:
    """What these checks, in any order, tell about one monitor: all of them are counted."""
    ordered = [_tamed(run) for run in happened(runs, now)]
    return Past(
        monitor_id,
        tuple(ordered[-MOST_RUNS:]),
        {resolution: _tallies(ordered, resolution) for resolution in Resolution},
        tuple(_troubles(ordered)),
    )


def reason_line(text: str) -> str:
    """What was said, on one line and without secrets."""
    # What is far too long is cut first: there may be megabytes of it.
    return shown_url(" ".join(text[: 2 * _REASON_CHARACTERS].split()))[:_REASON_CHARACTERS]


def _tamed(run: PastRun) -> PastRun:
    """Without a response time that cannot be, and with a reason that fits on a line."""
    took_ms, reason = possible_ms(run.response_ms), reason_line(run.reason)
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

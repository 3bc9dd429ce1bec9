"""What a schedule will do, worked out by the domain: the next runs, and the waits of failures.

No widgets here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import tzinfo
from itertools import islice
from typing import Final

from uptime_desktop.domain.backoff import jitter_bound_ms
from uptime_desktop.domain.model import DAY_MS, Every, Monitor, Once, Policy, RuntimeState
from uptime_desktop.domain.next_run import next_run
from uptime_desktop.domain.schedule import first_run
from uptime_desktop.slices import in_slices

SHOWN_RUNS: Final = 4
_SHOWN_FAILURES: Final = 5
_MOST_FAILURES: Final = 40


@dataclass(frozen=True, slots=True)
class Rung:
    """The wait after so many failures; the last one holds for any more of them."""

    failures: int
    wait_ms: int
    is_last: bool = False
    is_cap: bool = False


@dataclass(frozen=True, slots=True)
class Forecast:
    """`ladder` is empty where failures move nothing, `a_day` None where it runs only once."""

    runs: tuple[int, ...]
    jitter_ms: int
    a_day: int | None
    ladder: tuple[Rung, ...]
    pauses_after: int


async def forecast(
    monitor: Monitor, now: int, zone: tzinfo, running_ms: float, planned_at: int | None = None
) -> Forecast:
    """From `planned_at` on if a run is already planned, else as for a new monitor.

    `running_ms` is how long a run took of late: an interval counts from its end.
    """
    steady = replace(monitor, jitter_ppm=0)
    runs = tuple(islice(_runs(steady, now, zone, planned_at), SHOWN_RUNS))
    jitter_ms = 0
    if isinstance(monitor.schedule, Every):
        jitter_ms = jitter_bound_ms(monitor.schedule.interval_ms, monitor.jitter)
    a_day = await _runs_a_day(steady, now, zone, running_ms)
    # The second run is the first that stands where the schedule puts it.
    ladder = tuple(_ladder(steady, runs[min(1, len(runs) - 1)], zone))
    return Forecast(runs, jitter_ms, a_day, ladder, monitor.pauses_after)


def _runs(monitor: Monitor, now: int, zone: tzinfo, planned_at: int | None) -> Iterator[int]:
    """Each is taken to end well and at once, and is moved by no jitter."""
    at, slot_at = first_run(monitor.schedule, now, zone)
    if planned_at is not None:
        at, slot_at = planned_at, None
    while True:
        yield at
        if isinstance(monitor.schedule, Once):
            return
        planned = next_run(monitor, RuntimeState(planned_slot_at=slot_at), at, 0.5, zone)
        if planned.at is None:
            return
        at, slot_at = planned.at, planned.slot_at


async def _runs_a_day(monitor: Monitor, now: int, zone: tzinfo, running_ms: float) -> int | None:
    match monitor.schedule:
        case Once():
            return None
        case Every():
            first, second = islice(_runs(monitor, now, zone, None), 1, 3)
            return round(DAY_MS / (second - first + running_ms))
    count = 0
    # Every five seconds is 17 280 times a day: too many to count in one go.
    async for at in in_slices(_runs(monitor, now, zone, None)):
        if at >= now + DAY_MS:
            break
        count += 1
    return count


def _ladder(monitor: Monitor, failed_at: int, zone: tzinfo) -> Iterator[Rung]:
    """The first few rungs, and the one that nothing comes after."""
    if isinstance(monitor.schedule, Once):
        return
    most = monitor.pauses_after or _MOST_FAILURES
    waits = [_wait_ms(monitor, failures, failed_at, zone) for failures in range(most + 1)]
    if len(set(waits)) == 1:
        return
    top = next(n for n, wait_ms in enumerate(waits) if set(waits[n:]) == {wait_ms})
    for failures in (*range(min(top, _SHOWN_FAILURES + 1)), top):
        is_last = failures == top
        yield Rung(failures, waits[failures], is_last, is_last and _is_cap(monitor, waits[top]))


def _wait_ms(monitor: Monitor, failures: int, failed_at: int, zone: tzinfo) -> int:
    state = RuntimeState(backoff_attempt=failures)
    at = next_run(monitor, state, failed_at, 0.5, zone).at
    return 0 if at is None else at - failed_at


def _is_cap(monitor: Monitor, wait_ms: int) -> bool:
    is_doubled = monitor.backoff.policy is Policy.EXPONENTIAL
    return (is_doubled and wait_ms == monitor.backoff.cap_ms) or wait_ms == monitor.clamps.max_ms

"""A year of a thousand monitors in ten time zones, checked against an independent calendar."""

import heapq
import random
from collections import defaultdict
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo

from tests.domain.build import DOWN, UP, ZONES, at
from uptime_desktop.domain import plan
from uptime_desktop.domain.model import (
    DAY_MS,
    HOUR_MS,
    Backoff,
    Cadence,
    Cron,
    Every,
    Monitor,
    Policy,
    RuntimeState,
    Source,
)

START: Final = at("2011-01-15T00:07:30")
END: Final = START + 365 * DAY_MS  # Apia lost 30 December 2011 in it

# Expression, and what it means on a wall: hours, minutes, and if it follows real time.
JOBS: Final[dict[str, tuple[set[int], set[int], bool]]] = {
    "0 */2 * * *": (set(range(0, 24, 2)), {0}, True),
    "*/30 1,2 * * *": ({1, 2}, {0, 30}, True),
    "45 */6 * * *": (set(range(0, 24, 6)), {45}, True),
    "30 2 * * *": ({2}, {30}, False),
    "0,15,45 0,1,2,3 * * *": ({0, 1, 2, 3}, {0, 15, 45}, False),
    "15 12 * * *": ({12}, {15}, False),
}
MINUTE: Final = timedelta(minutes=1)
QUARTER: Final = timedelta(minutes=15)


@cache
def walk(zone: tzinfo) -> list[tuple[int, datetime]]:
    """The year in quarters of an hour, in minutes where clocks change: instant and wall time."""
    steps = []
    instant = datetime.fromtimestamp(START // 1_000, UTC).replace(minute=0, second=0)
    while (instant_ms := round(instant.timestamp() * 1_000)) < END:
        wall = instant.astimezone(zone)
        steps.append((instant_ms, wall.replace(tzinfo=None)))
        changes = wall.utcoffset() != (instant + QUARTER).astimezone(zone).utcoffset()
        instant += MINUTE if changes or instant.minute % 15 else QUARTER
    return steps


def expected_slots(zone: tzinfo, hours: set[int], minutes: set[int], real_time: bool) -> set[int]:
    """By brute force: follow the wall; a fixed-time job counts all that its hands have passed."""
    slots = set()
    latest: datetime | None = None
    for instant_ms, wall in walk(zone):
        passed = [wall]
        if not real_time and latest is not None:
            # In a fold nothing is new; at the end of a gap everything inside it is.
            quarter = latest - timedelta(minutes=latest.minute % 15)
            passed = [quarter + QUARTER * n for n in range(1, (wall - quarter) // QUARTER + 1)]
        latest = wall if latest is None else max(latest, wall)
        if any(time.hour in hours and time.minute in minutes for time in passed):
            slots.add(instant_ms)
    return {slot for slot in slots if slot > START}


def thousand_monitors() -> list[Monitor]:
    """Every job in every zone, and intervals of all lengths under all policies."""
    jobs = [Cron.parse(text, zone) for text in JOBS for zone in ZONES]
    crons = [
        Monitor("site", "", number, job, Backoff(Policy.NONE)) for number, job in enumerate(jobs)
    ]
    intervals = [
        Monitor("site", "", number, Every((30 + number % 23) * HOUR_MS, cadence, START), backoff)
        for cadence in Cadence
        for backoff in map(Backoff, Policy)
        for number in range(94)
    ]
    return [*crons, *intervals]


def test_no_slot_is_lost_or_fired_twice_in_a_year() -> None:
    chance = random.Random(2011)
    monitors = thousand_monitors()
    states: list[RuntimeState] = [plan.begin(one, START, UTC).state for one in monitors]
    due = [(state.next_run_at or 0, index) for index, state in enumerate(states)]
    heapq.heapify(due)
    fired: dict[int, list[int]] = defaultdict(list)
    runs = 0

    while due[0][0] < END:
        now, index = heapq.heappop(due)
        monitor = monitors[index]
        if states[index].planned_slot_at is not None and states[index].source is not Source.RETRY:
            fired[index].append(states[index].planned_slot_at or 0)
        running = plan.start(monitor, states[index], now).state
        outcome = DOWN if chance.random() < 0.02 else UP
        settled_at = now + chance.randrange(1, 30_000)
        states[index] = plan.advance(
            monitor, running, outcome, settled_at, chance.random(), UTC
        ).state
        next_run_at = states[index].next_run_at
        assert states[index].pause is not None or next_run_at is not None
        if next_run_at is not None:
            assert next_run_at > now
            heapq.heappush(due, (next_run_at, index))
        runs += 1

    assert len(monitors) == 1_000
    assert runs > 300_000
    expected = {
        (text, zone): expected_slots(ZoneInfo(zone), *meaning)
        for text, meaning in JOBS.items()
        for zone in ZONES
    }
    seen = set()
    for index, monitor in enumerate(monitors):
        assert len(fired[index]) == len(set(fired[index]))
        if isinstance(monitor.schedule, Cron) and monitor.schedule.zone_name:
            job = (monitor.schedule.expression.text, monitor.schedule.zone_name)
            seen.add(job)
            assert set(fired[index]) == expected[job], job
    assert len(seen) == len(expected)

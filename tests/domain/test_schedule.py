"""When schedules run, with nothing gone wrong."""

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.build import (
    at,
    attempts,
    instants,
    monitor,
    monitors,
    repeating_schedules,
    slot_schedules,
    state,
    unit_randoms,
    zones,
)
from uptime_desktop.domain.model import (
    HOUR_MS,
    MINUTE_MS,
    Backoff,
    Cadence,
    Clamps,
    Cron,
    Every,
    Monitor,
    Once,
    Policy,
    Schedule,
    Source,
)
from uptime_desktop.domain.next_run import NextRun, next_run
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.schedule import first_run, has_slots, next_on_grid, next_slot

NOON = at("2026-01-01T12:00")


def grid(interval_ms: int = MINUTE_MS, anchor_at: int = NOON) -> Every:
    return Every(interval_ms, Cadence.GRID, anchor_at)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (NOON, NOON + 60_000),
        (NOON + 1, NOON + 60_000),
        (NOON + 59_999, NOON + 60_000),
        (NOON + 60_000, NOON + 120_000),
        (NOON - 1, NOON),  # the job has not begun
        (NOON - 365 * 24 * HOUR_MS, NOON),
    ],
)
def test_the_next_point_of_a_grid_is_strictly_later(now: int, expected: int) -> None:
    assert next_on_grid(NOON, MINUTE_MS, now) == expected


def test_a_grid_is_never_finer_than_ten_seconds() -> None:
    assert next_on_grid(0, 1, 100_000) == 110_000
    with pytest.raises(Refused, match=r"every: 9 s is too short\. Allowed: 10 s to 30 d\."):
        grid(9_000)


def test_a_clock_set_back_finds_the_grid_again() -> None:
    assert next_on_grid(NOON, HOUR_MS, NOON + 5 * HOUR_MS) == NOON + 6 * HOUR_MS
    assert next_on_grid(NOON, HOUR_MS, NOON + 90_000) == NOON + HOUR_MS


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (Every(), (NOON + 5, None)),
        (grid(HOUR_MS, 0), (NOON + 5, None)),
        (Cron.parse("0 12 * * *", "UTC"), (NOON + 5, NOON)),
        (Cron.parse("1 12 * * *", "UTC"), (NOON + MINUTE_MS, NOON + MINUTE_MS)),
        (Once(NOON + HOUR_MS), (NOON + HOUR_MS, None)),
    ],
)
def test_the_first_run_of_a_new_monitor(
    schedule: Schedule, expected: tuple[int, int | None]
) -> None:
    assert first_run(schedule, NOON + 5, UTC) == expected


def test_cron_without_a_zone_follows_the_computers() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    noon_job = Cron.parse("0 12 * * *")
    assert next_slot(noon_job, NOON - HOUR_MS, UTC) == NOON
    assert next_slot(noon_job, NOON - 2 * HOUR_MS, berlin) == NOON - HOUR_MS


@pytest.mark.parametrize("name", ["Nowhere/Land", "", "../etc/passwd", "Europe", "\0", "x" * 9999])
def test_a_zone_nobody_knows_is_refused(name: str) -> None:
    with pytest.raises(Refused, match="is not a known time zone") as refused:
        Cron.parse("0 12 * * *", name)
    assert refused.value.field == "tz"


@pytest.mark.parametrize(
    ("attempt", "expected_minutes"), [(0, 1), (1, 2), (2, 4), (3, 8), (6, 60), (10_000, 60)]
)
def test_failures_skip_points_of_a_grid_and_never_leave_it(
    attempt: int, expected_minutes: int
) -> None:
    failing = state(backoff_attempt=attempt, planned_slot_at=NOON)
    planned = next_run(monitor(grid()), failing, NOON + 2_000, 0.5, UTC)
    slot = NOON + expected_minutes * MINUTE_MS
    assert planned == NextRun(slot, slot, Source.BASELINE_INTERVAL)


def test_clamps_skip_points_of_a_grid_and_never_leave_it() -> None:
    slow = monitor(grid(), clamps=Clamps(min_ms=90_000))
    assert next_run(slow, state(), NOON, 0.5, UTC).at == NOON + 2 * MINUTE_MS
    hasty = monitor(grid(), clamps=Clamps(max_ms=2 * MINUTE_MS))
    assert next_run(hasty, state(backoff_attempt=9), NOON, 0.5, UTC).at == NOON + 2 * MINUTE_MS


@pytest.mark.parametrize(("unit_random", "offset_ms"), [(0.0, -6_000), (0.5, 0), (1.0, 6_000)])
def test_jitter_moves_the_firing_and_not_the_grid(unit_random: float, offset_ms: int) -> None:
    jittery = monitor(grid(), jitter_ppm=100_000)
    slot = NOON + MINUTE_MS
    assert next_run(jittery, state(), NOON, unit_random, UTC) == NextRun(
        slot + offset_ms, slot, Source.BASELINE_INTERVAL
    )


def test_a_slot_fired_early_by_jitter_is_not_used_again() -> None:
    jittery = monitor(grid(), jitter_ppm=100_000)
    fired_early = state(planned_slot_at=NOON)
    assert next_run(jittery, fired_early, NOON - 5_000, 0.5, UTC).slot_at == NOON + MINUTE_MS


def test_jitter_is_a_tenth_unless_given_and_none_on_a_grid() -> None:
    assert monitor(Every(), jitter_ppm=None).jitter == 100_000
    assert monitor(grid(), jitter_ppm=None).jitter == 0
    assert monitor(grid(), jitter_ppm=5).jitter == 5


@pytest.mark.parametrize("policy", [Policy.EXPONENTIAL, Policy.CAPPED32, Policy.NONE])
def test_cron_is_not_delayed_by_policies_of_intervals(policy: Policy) -> None:
    hourly = monitor(Cron.parse("0 * * * *", "UTC"), backoff=Backoff(policy))
    planned = next_run(hourly, state(backoff_attempt=4), NOON + 1, 0.5, UTC)
    assert planned == NextRun(NOON + HOUR_MS, NOON + HOUR_MS, Source.BASELINE_CRON)


def test_fixed_retries_between_two_cron_slots_without_using_one_up() -> None:
    hourly = monitor(Cron.parse("0 * * * *", "UTC"), backoff=Backoff(Policy.FIXED))
    failed = state(backoff_attempt=1, planned_slot_at=NOON)
    retry = next_run(hourly, failed, NOON + 2_000, 0.5, UTC)
    assert retry == NextRun(NOON + 2_000 + 5 * MINUTE_MS, NOON, Source.RETRY)
    near_the_slot = next_run(hourly, failed, NOON + 58 * MINUTE_MS, 0.5, UTC)
    assert near_the_slot == NextRun(NOON + HOUR_MS, NOON + HOUR_MS, Source.BASELINE_CRON)


def test_the_ladder_delays_cron_past_its_slot() -> None:
    each_minute = monitor(Cron.parse("* * * * *", "UTC"), backoff=Backoff(Policy.LADDER))
    failed = state(backoff_attempt=3, planned_slot_at=NOON)
    planned = next_run(each_minute, failed, NOON + 1_000, 0.5, UTC)
    assert planned == NextRun(NOON + 301_000, NOON + MINUTE_MS, Source.RETRY)


@given(monitors(repeating_schedules), instants, attempts, unit_randoms, zones)
def test_the_next_run_is_later_than_now_and_than_the_slot_before(
    subject: Monitor, now: int, attempt: int, unit_random: float, zone: ZoneInfo
) -> None:
    before = state(backoff_attempt=attempt)
    planned = next_run(subject, before, now, unit_random, zone)
    assert planned.at is not None
    if not has_slots(subject.schedule):
        assert planned.at >= now + 5_000
    elif subject.jitter == 0:
        assert planned.at > now
    if planned.slot_at is not None:
        assert planned.slot_at > now
        used = state(planned_slot_at=planned.slot_at)
        after = next_run(subject, used, max(now, planned.at), unit_random, zone)
        assert after.slot_at is not None
        assert after.slot_at > planned.slot_at


@given(slot_schedules, instants, zones)
def test_slots_follow_each_other_without_end(
    schedule: Cron | Every, now: int, zone: ZoneInfo
) -> None:
    slots = [now]
    for _ in range(5):
        slots.append(next_slot(schedule, slots[-1], zone))
    assert slots == sorted(set(slots))


@given(st.integers(0, 1 << 41), st.integers(1, 1 << 32), st.integers(0, 1 << 42))
def test_a_grid_point_is_on_the_grid(anchor_at: int, every_ms: int, now: int) -> None:
    point = next_on_grid(anchor_at, every_ms, now)
    step = max(every_ms, 10_000)
    assert point > now
    assert (point - anchor_at) % step == 0
    assert point == anchor_at or point - step <= now

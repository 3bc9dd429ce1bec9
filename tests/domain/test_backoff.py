"""How long to wait after a run: every number of the five policies."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.build import after_schedules, attempts, intervals, monitor, monitors, unit_randoms
from uptime_desktop.domain.backoff import jitter_bound_ms, jitter_offset_ms, target_ms, with_retry
from uptime_desktop.domain.model import (
    DAY_MS,
    HOUR_MS,
    MAX_INTERVAL_MS,
    MINUTE_MS,
    Backoff,
    Clamps,
    Every,
    Monitor,
    Policy,
    Source,
)
from uptime_desktop.domain.next_run import interval_delay_ms, interval_delay_range
from uptime_desktop.domain.refusal import Refused

EXPONENTIAL = Backoff(Policy.EXPONENTIAL)
CAPPED32 = Backoff(Policy.CAPPED32)
LADDER = Backoff(Policy.LADDER)
FIXED = Backoff(Policy.FIXED)
NONE = Backoff(Policy.NONE)


@pytest.mark.parametrize(
    ("backoff", "base_s", "expected_s"),
    [
        (EXPONENTIAL, 60, [60, 120, 240, 480, 960, 1920, 3600, 3600]),
        (EXPONENTIAL, 5, [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600]),
        (Backoff(Policy.EXPONENTIAL, cap_ms=5 * MINUTE_MS), 60, [60, 120, 240, 300, 300]),
        (EXPONENTIAL, 2 * 3600, [7200, 7200, 7200]),  # a base above the cap stays the base
        (CAPPED32, 60, [60, 120, 240, 480, 960, 1920, 1920, 1920]),
        (CAPPED32, 3600, [3600, 7200, 14400, 28800, 57600, 115200, 115200]),
        (LADDER, 60, [60] * 7),
        (FIXED, 60, [60] * 7),
        (NONE, 60, [60] * 7),
    ],
)
def test_the_interval_grows_with_failures(
    backoff: Backoff, base_s: int, expected_s: list[int]
) -> None:
    targets = [target_ms(backoff, base_s * 1_000, n) for n in range(len(expected_s))]
    assert targets == [seconds * 1_000 for seconds in expected_s]


@pytest.mark.parametrize(
    ("policy", "expected_ms"),
    [
        (Policy.EXPONENTIAL, HOUR_MS),
        (Policy.CAPPED32, 1_920_000),
        (Policy.LADDER, HOUR_MS),
        (Policy.FIXED, MINUTE_MS),
        (Policy.NONE, MINUTE_MS),
    ],
)
def test_attempt_ten_thousand_is_as_good_as_any(policy: Policy, expected_ms: int) -> None:
    many = interval_delay_ms(monitor(backoff=Backoff(policy)), MINUTE_MS, 10_000, 0.5)
    assert many[0] == expected_ms


@pytest.mark.parametrize(
    ("attempt", "rung_s"), [(1, 30), (2, 60), (3, 300), (4, 900), (5, 3600), (6, 3600), (99, 3600)]
)
def test_the_ladder_counts_from_the_error_and_only_delays(attempt: int, rung_s: int) -> None:
    failed_at = 1_000_000
    soon, late = failed_at + 1_000, failed_at + 2 * HOUR_MS
    assert with_retry(LADDER, attempt, soon, failed_at) == (failed_at + rung_s * 1_000, True)
    assert with_retry(LADDER, attempt, late, failed_at) == (late, False)


def test_fixed_takes_the_earlier_of_retry_and_normal_next() -> None:
    failed_at, retry_at = 1_000_000, 1_000_000 + 5 * MINUTE_MS
    assert with_retry(FIXED, 1, retry_at + 1, failed_at) == (retry_at, True)
    assert with_retry(FIXED, 9, retry_at + 1, failed_at) == (retry_at, True)
    assert with_retry(FIXED, 1, retry_at - 1, failed_at) == (retry_at - 1, False)


@pytest.mark.parametrize("backoff", [LADDER, FIXED])
def test_success_clears_the_retry(backoff: Backoff) -> None:
    assert with_retry(backoff, 0, 2_000_000, 1_000_000) == (2_000_000, False)


@pytest.mark.parametrize(
    ("delay_ms", "ppm", "bound_ms"),
    [
        (60_000, 100_000, 6_000),
        (5_004, 100_000, 500),  # 500.4
        (5_005, 100_000, 501),  # 500.5 goes up
        (5_015, 100_000, 502),  # 501.5 goes up too, not to the even number
        (5_000, 290_000, 1_450),
        (50, 290_000, 15),  # 14.5: in floating point 14.499999999999998
        (60_000, 0, 0),
        (60_000, 500_000, 30_000),
    ],
)
def test_the_bound_of_jitter_is_rounded_half_up(delay_ms: int, ppm: int, bound_ms: int) -> None:
    assert jitter_bound_ms(delay_ms, ppm) == bound_ms


def test_jitter_reaches_both_bounds_and_nothing_beyond() -> None:
    offsets = {jitter_offset_ms(50, 100_000, step / 1_000) for step in range(1_001)}
    assert offsets == set(range(-5, 6))


@pytest.mark.parametrize(
    ("clamps", "attempt", "delay_s", "source"),
    [
        (Clamps(), 0, 60, Source.BASELINE_INTERVAL),
        (Clamps(min_ms=90_000), 0, 90, Source.CLAMPED_MIN),
        (Clamps(min_ms=90_000), 1, 120, Source.BASELINE_INTERVAL),
        (Clamps(max_ms=30_000), 0, 30, Source.CLAMPED_MAX),
        (Clamps(max_ms=150_000), 2, 150, Source.CLAMPED_MAX),
        (Clamps(60_000, 60_000), 5, 60, Source.CLAMPED_MAX),
    ],
)
def test_the_monitors_own_bounds_come_last(
    clamps: Clamps, attempt: int, delay_s: int, source: Source
) -> None:
    subject = monitor(clamps=clamps)
    assert interval_delay_ms(subject, MINUTE_MS, attempt, 0.5) == (delay_s * 1_000, source)


def test_no_computed_delay_is_under_five_seconds() -> None:
    shortest = monitor(Every(5_000), jitter_ppm=500_000)
    assert interval_delay_ms(shortest, 5_000, 0, 0.0)[0] == 5_000
    assert interval_delay_ms(shortest, 1, 0, 0.0)[0] == 5_000


def test_a_minimum_above_the_maximum_is_refused() -> None:
    with pytest.raises(Refused, match=r"min_interval: 1 min is too long\. Allowed: 5 s to 30 s\."):
        Clamps(60_000, 30_000)


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: Every(4_999), "every: 4999 ms is too short. Allowed: 5 s to 30 d."),
        (lambda: Every(30 * DAY_MS + 1), "every: 2592000001 ms is too long. Allowed: 5 s to 30 d."),
        (lambda: Backoff(cap_ms=0), "backoff_cap: 0 ms is too short. Allowed: 5 s to 30 d."),
        (lambda: Backoff(retry_delay_ms=4_000), "retry_delay: 4 s is too short. Allowed: 5 s to"),
        (lambda: Clamps(max_ms=1_000), "max_interval: 1 s is too short. Allowed: 5 s to 30 d."),
        (lambda: monitor(jitter_ppm=500_001), "jitter: 500001 millionths is out of range"),
    ],
)
def test_values_out_of_range_cannot_exist(build: Callable[[], object], sentence: str) -> None:
    with pytest.raises(Refused) as refused:
        build()
    assert str(refused.value).startswith(sentence)


@given(monitors(after_schedules), intervals, attempts, unit_randoms)
def test_a_delay_stays_within_the_bounds_that_are_shown(
    subject: Monitor, base_ms: int, attempt: int, unit_random: float
) -> None:
    shown = interval_delay_range(subject, base_ms, attempt)
    delay_ms, _ = interval_delay_ms(subject, base_ms, attempt, unit_random)
    assert 5_000 <= shown.min_ms <= delay_ms <= shown.max_ms
    if subject.clamps.max_ms is not None:
        assert delay_ms <= subject.clamps.max_ms
    if subject.clamps.min_ms is not None:
        assert delay_ms >= subject.clamps.min_ms


@given(st.integers(1, 30 * DAY_MS), st.integers(0, 30 * DAY_MS), attempts, st.sampled_from(Policy))
def test_failures_never_shorten_and_the_cap_never_cuts_the_base(
    base_ms: int, cap_ms: int, attempt: int, policy: Policy
) -> None:
    backoff = Backoff(policy, cap_ms=min(max(cap_ms, 5_000), MAX_INTERVAL_MS))
    target = target_ms(backoff, base_ms, attempt)
    assert base_ms <= target <= target_ms(backoff, base_ms, attempt + 1)
    if policy is Policy.EXPONENTIAL:
        assert target <= max(base_ms, backoff.cap_ms)

"""How long to wait after a run: the five policies, jitter and clamps, in whole milliseconds.

`attempt` is the number of consecutive failures after the run in question: 0 means it went
well. Every function holds for any attempt, however large.
"""

from typing import Final

from uptime_desktop.domain.model import (
    HOUR_MS,
    MIN_INTERVAL_MS,
    MINUTE_MS,
    SECOND_MS,
    Backoff,
    Clamps,
    Policy,
    Source,
)

LADDER_MS: Final = (30 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS)
_CAPPED32_DOUBLINGS: Final = 5
# 5 s doubled this often is past every cap that can be set.
_MOST_DOUBLINGS: Final = 32
_MILLION: Final = 1_000_000


def target_ms(backoff: Backoff, base_ms: int, attempt: int) -> int:
    """The interval stretched by failures, before jitter. The cap never shortens the base."""
    match backoff.policy:
        case Policy.EXPONENTIAL:
            stretched = base_ms << min(attempt, _MOST_DOUBLINGS)
            return min(stretched, max(base_ms, backoff.cap_ms))
        case Policy.CAPPED32:
            return base_ms << min(attempt, _CAPPED32_DOUBLINGS)
        case _:
            return base_ms


def jitter_bound_ms(delay_ms: int, jitter_ppm: int) -> int:
    """The furthest that jitter may move a delay either way, rounded half up."""
    return (delay_ms * jitter_ppm * 2 + _MILLION) // (2 * _MILLION)


def jitter_offset_ms(delay_ms: int, jitter_ppm: int, unit_random: float) -> int:
    """A uniform offset within the bound; `unit_random` from 0 to 1 picks it, lowest to highest."""
    bound = jitter_bound_ms(delay_ms, jitter_ppm)
    return min(int(unit_random * (2 * bound + 1)), 2 * bound) - bound


def with_retry(backoff: Backoff, attempt: int, normal_at: int, failed_at: int) -> tuple[int, bool]:
    """The next run under the policies that count from the failure, and if they moved it."""
    if attempt == 0:
        return normal_at, False
    match backoff.policy:
        case Policy.LADDER:
            rung = LADDER_MS[min(attempt, len(LADDER_MS)) - 1]
            return max(normal_at, failed_at + rung), failed_at + rung > normal_at
        case Policy.FIXED:
            retry_at = failed_at + max(backoff.retry_delay_ms, MIN_INTERVAL_MS)
            return min(normal_at, retry_at), retry_at < normal_at
        case _:
            return normal_at, False


def clamped(delay_ms: int, clamps: Clamps, source: Source) -> tuple[int, Source]:
    """The delay inside the monitor's own bounds and never under 5 s, and what decided it."""
    if clamps.min_ms is not None and delay_ms < clamps.min_ms:
        delay_ms, source = clamps.min_ms, Source.CLAMPED_MIN
    elif clamps.max_ms is not None and delay_ms > clamps.max_ms:
        delay_ms, source = clamps.max_ms, Source.CLAMPED_MAX
    return max(delay_ms, MIN_INTERVAL_MS), source

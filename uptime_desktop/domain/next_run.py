"""When a monitor runs next: pause, hint, schedule and failures weighed against each other."""

from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from uptime_desktop.domain.backoff import clamped, jitter_offset_ms, target_ms, with_retry
from uptime_desktop.domain.model import (
    MINUTE_MS,
    Cron,
    Every,
    Monitor,
    Once,
    RuntimeState,
    Schedule,
    Source,
)
from uptime_desktop.domain.schedule import has_slots, next_slot

_TOGETHER_MS: Final = 250


@dataclass(frozen=True, slots=True)
class NextRun:
    """When (None: not at all), the newest slot used up by then, and why it is then."""

    at: int | None
    slot_at: int | None
    source: Source


def next_run(
    monitor: Monitor, state: RuntimeState, now: int, unit_random: float, local_zone: tzinfo
) -> NextRun:
    """The next run counted from `now`. A pause outranks a hint, a hint the schedule."""
    if state.pause is not None:
        return NextRun(state.pause.until, state.planned_slot_at, Source.PAUSED)
    if monitor.is_passive:
        return deadline(monitor, state, now, local_zone)
    hint = state.hint if state.hint is not None and now < state.hint.expires_at else None
    if hint is not None and hint.interval_ms is not None:
        delay_ms, source = clamped(hint.interval_ms, monitor.clamps, Source.HINT_INTERVAL)
        planned = NextRun(now + delay_ms, state.planned_slot_at, source)
        if now + delay_ms > hint.expires_at:
            planned = _earlier(
                planned, _baseline(monitor, state, hint.expires_at, unit_random, local_zone)
            )
    else:
        planned = _baseline(monitor, state, now, unit_random, local_zone)
    extra_at = hint.run_at if hint is not None else None
    if extra_at is not None and now < extra_at and (planned.at is None or extra_at < planned.at):
        return NextRun(extra_at, state.planned_slot_at, Source.HINT_ONESHOT)
    return planned


def deadline(monitor: Monitor, state: RuntimeState, now: int, local_zone: tzinfo) -> NextRun:
    """When a job that reports to us has missed its next report; never for what does not report.

    A run that has begun must end within the grace too, whatever comes first.
    """
    grace_ms = monitor.grace_ms
    if grace_ms is None:
        return NextRun(None, None, Source.BASELINE_INTERVAL)
    slot = _expected(monitor.schedule, state.planned_slot_at, grace_ms, now, local_zone)
    begun = [began_at for _, began_at in state.beat.starts] if state.beat is not None else []
    on_cron = isinstance(monitor.schedule, Cron)
    source = Source.BASELINE_CRON if on_cron else Source.BASELINE_INTERVAL
    return NextRun(min([slot, *begun]) + grace_ms, slot, source)


def _expected(
    schedule: Schedule, before: int | None, grace_ms: int, now: int, local_zone: tzinfo
) -> int:
    """When the next report is expected: the one before if it can still come, the one after it if
    it was missed, and counted from now if there was none."""
    if before is not None and before + grace_ms > now:
        return before
    after = now if before is None else before
    match schedule:
        case Cron():
            return next_slot(schedule, max(after, now - grace_ms), local_zone)
        case Every(interval_ms=period_ms):
            # As many periods on as it takes for the deadline to lie ahead.
            passed = max(0, now - grace_ms - after) // period_ms
            return after + (passed + 1) * period_ms
        case Once(at=at):
            return at


def _earlier(one: NextRun, other: NextRun) -> NextRun:
    return other if one.at is None or (other.at is not None and other.at < one.at) else one


def interval_delay_ms(
    monitor: Monitor, base_ms: int, attempt: int, unit_random: float
) -> tuple[int, Source]:
    """How long `every`/`after` waits once a run has settled, and what decided it."""
    target = target_ms(monitor.backoff, base_ms, attempt)
    normal = target + jitter_offset_ms(target, monitor.jitter, unit_random)
    delay_ms, is_retry = with_retry(monitor.backoff, attempt, normal, 0)
    source = Source.RETRY if is_retry else Source.BASELINE_INTERVAL
    return clamped(delay_ms, monitor.clamps, source)


@dataclass(frozen=True, slots=True)
class DelayRange:
    """The wait before jitter, and what jitter and clamps can make of it."""

    target_ms: int
    min_ms: int
    max_ms: int


def interval_delay_range(monitor: Monitor, base_ms: int, attempt: int) -> DelayRange:
    target = target_ms(monitor.backoff, base_ms, attempt)
    return DelayRange(
        with_retry(monitor.backoff, attempt, target, 0)[0],
        interval_delay_ms(monitor, base_ms, attempt, 0.0)[0],
        interval_delay_ms(monitor, base_ms, attempt, 1.0)[0],
    )


def _baseline(
    monitor: Monitor, state: RuntimeState, now: int, unit_random: float, local_zone: tzinfo
) -> NextRun:
    match monitor.schedule:
        case Once(at=at):
            return NextRun(max(at, now), None, Source.BASELINE_INTERVAL)
        case Cron() as cron:
            slot = next_slot(cron, _after_used_slot(cron, state, now, now), local_zone)
            return _slot_or_retry(monitor, state, slot, slot, now, Source.BASELINE_CRON)
        case Every() as every if has_slots(every):
            earliest = now + _grid_wait_ms(monitor, every, state.backoff_attempt)
            slot = next_slot(every, _after_used_slot(every, state, earliest, now), local_zone)
            offset_ms = jitter_offset_ms(every.interval_ms, monitor.jitter, unit_random)
            at = max(slot + offset_ms, now)
            return _slot_or_retry(monitor, state, slot, at, now, Source.BASELINE_INTERVAL)
        case Every(interval_ms=base_ms):
            attempt = state.backoff_attempt
            delay_ms, source = interval_delay_ms(monitor, base_ms, attempt, unit_random)
            if source is Source.BASELINE_INTERVAL:
                delays = interval_delay_range(monitor, base_ms, attempt)
                return NextRun(_together(now, delay_ms, delays), None, source)
            return NextRun(now + delay_ms, None, source)


def _together(now: int, delay_ms: int, delays: "DelayRange") -> int:
    """The instant nearest to this delay at which other runs start too, if jitter reaches it.

    Waking costs a computer more than a check does, so runs that may move a little share one.
    """
    nearest = (now + delay_ms + _TOGETHER_MS // 2) // _TOGETHER_MS * _TOGETHER_MS
    return nearest if delays.min_ms <= nearest - now <= delays.max_ms else now + delay_ms


def _grid_wait_ms(monitor: Monitor, every: Every, attempt: int) -> int:
    """How long to let slots of a grid pass: failures and clamps skip slots, never leave them."""
    target = target_ms(monitor.backoff, every.interval_ms, attempt)
    if monitor.clamps.max_ms is not None:
        target = min(target, monitor.clamps.max_ms)
    skipped_ms = max(0, target - every.interval_ms)
    if monitor.clamps.min_ms is not None:
        return max(skipped_ms, monitor.clamps.min_ms - 1)
    return skipped_ms


def _slot_or_retry(
    monitor: Monitor, state: RuntimeState, slot: int, normal_at: int, now: int, source: Source
) -> NextRun:
    """The slot's run, or the one that a failure puts before or after it."""
    at, is_retry = with_retry(monitor.backoff, state.backoff_attempt, normal_at, now)
    used = state.planned_slot_at if at < normal_at else slot
    return NextRun(at, used, Source.RETRY if is_retry else source)


def _after_used_slot(schedule: Cron | Every, state: RuntimeState, earliest: int, now: int) -> int:
    """The instant to look for a slot after, so that none fires twice.

    Jitter or an early wake may have used a slot up just before its time; one that lies further
    ahead was used before the clock was set back, and means nothing now.
    """
    used = state.planned_slot_at
    ahead_ms = max(MINUTE_MS, schedule.interval_ms if isinstance(schedule, Every) else 0)
    return earliest if used is None or used > now + ahead_ms else max(earliest, used)

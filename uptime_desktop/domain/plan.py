"""From one state of a monitor to the next: every change of its schedule is a function here.

A `Transition` is what must be stored and then told; nothing is done here. `now` is when the
thing happened, `unit_random` (0 to 1) chooses within the jitter, `local_zone` is the
computer's time zone, for cron schedules that name none.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Final

from uptime_desktop.domain import events
from uptime_desktop.domain.expectations import (
    resume_passive,
    unpaused,
    with_other_grace,
    without_expectations,
)
from uptime_desktop.domain.incidents import open_after
from uptime_desktop.domain.model import (
    DAY_MS,
    HOUR_MS,
    PLAN_VERSION,
    SECOND_MS,
    CatchUp,
    Cron,
    Every,
    Hint,
    Monitor,
    Once,
    Outcome,
    Pause,
    PauseReason,
    Policy,
    RuntimeState,
    Schedule,
    Source,
)
from uptime_desktop.domain.next_run import NextRun, deadline, next_run
from uptime_desktop.domain.notation import instant_text
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.schedule import first_run, has_slots
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.transition import (
    QUIET,
    About,
    Around,
    Transition,
    about_run,
    replanned,
    schedule_updated,
    told_of,
    with_next_run,
)

DEFAULT_HINT_MS: Final = HOUR_MS
_LONGEST_SPREAD_MS: Final = 30 * SECOND_MS
_SPREAD_PER_RUN_MS: Final = 10


def begin(monitor: Monitor, now: int, local_zone: tzinfo) -> Transition:
    """A monitor was added."""
    if monitor.is_passive:
        planned = deadline(monitor, RuntimeState(), now, local_zone)
        return replanned(monitor, RuntimeState(), RuntimeState(), planned, now)
    planned = _first_run(monitor, now, local_zone)
    return replanned(monitor, RuntimeState(), RuntimeState(), planned, now)


def _first_run(monitor: Monitor, now: int, local_zone: tzinfo) -> NextRun:
    at, slot = first_run(monitor.schedule, now, local_zone)
    on_cron = isinstance(monitor.schedule, Cron)
    return NextRun(at, slot, Source.BASELINE_CRON if on_cron else Source.BASELINE_INTERVAL)


def start(monitor: Monitor, state: RuntimeState, now: int, *, manual: bool = False) -> Transition:
    """A run began, because it was due or because a person asked."""
    about = about_run(monitor, now, now)
    told: list[events.Event] = []
    if manual:
        freed = _with_pending_slot_freed(monitor, state, now)
        ready = replace(freed, backoff_attempt=0, source=Source.MANUAL)
        told.append(events.ManualCheckStarted(*about))
    elif state.pause is not None:
        ready = unpaused(state)
        told.append(events.MonitorResumed(*about))
    else:
        ready = state
    hint = _hint_after_start(state.hint, now)
    running = replace(ready, running_since=now, hint=hint, saved_at=now)
    return told_of(state, running, told, about, reason="")


def advance(
    monitor: Monitor,
    state: RuntimeState,
    outcome: Outcome,
    now: int,
    unit_random: float,
    local_zone: tzinfo,
    around: Around = QUIET,
) -> Transition:
    """A run settled."""
    started_at = now if state.running_since is None else state.running_since
    if monitor.is_passive and state.last_attempt_at is not None:
        # Reports may come within one millisecond, and each is a row of its own.
        started_at = max(started_at, state.last_attempt_at + 1)
    about = about_run(monitor, now, started_at)
    told: list[events.Event] = [events.CheckFinished(*about, outcome)]
    if outcome.timed_out_after_ms is not None:
        told.append(events.CheckTimedOut(*about, outcome.timed_out_after_ms, outcome.abandoned))

    attempt, streak = _counted(state, outcome)
    incidents, paused = state.incidents, state.pause
    if paused is None:
        incidents = open_after(incidents, outcome.status)
        if around.is_silent:
            incidents &= state.incidents
        told += _incident_events(state.incidents, incidents, outcome.reason, about, around)
        paused = _pause_after(monitor, state.source, streak, started_at)
        if paused is not None:
            told.append(events.MonitorPaused(*about, paused.reason, paused.until))
    settled = replace(
        state,
        health=outcome.status,
        backoff_attempt=attempt,
        consecutive_failures=streak,
        last_attempt_at=started_at,
        running_since=None,
        pause=paused,
        incidents=incidents,
        plan_version=PLAN_VERSION,
    )
    planned = next_run(monitor, settled, now, unit_random, local_zone)
    if outcome.failed and planned.at is not None and _is_backed_off(monitor, planned):
        told.append(events.BackoffApplied(*about, attempt, planned.at - now))
    settled = with_next_run(settled, planned, now)
    told.append(schedule_updated(settled, now, about))
    return told_of(state, settled, told, about, outcome.reason)


def is_overdue(state: RuntimeState, now: int) -> bool:
    """Whether a run was missed, or cut short, while we were not there."""
    if state.running_since is not None:
        return True
    return state.next_run_at is not None and state.next_run_at <= now


def resume(
    monitor: Monitor,
    state: RuntimeState,
    now: int,
    unit_random: float,
    local_zone: tzinfo,
    *,
    gap_ms: int,
    staleness_ms: int,
    catch_up_at: int | None = None,
) -> Transition:
    """The program started again, or the computer woke, `gap_ms` after we were last there.

    At most one missed run is made up for, at `catch_up_at` (default: now), so that the caller
    can spread many.
    """
    if monitor.is_passive:
        return resume_passive(monitor, state, now, local_zone, gap_ms)
    at = now if catch_up_at is None else catch_up_at
    back = replace(state, running_since=None, plan_version=PLAN_VERSION)
    if gap_ms > staleness_ms:
        back = replace(back, backoff_attempt=0)
    if back.pause is not None and back.pause.until is not None and back.pause.until <= now:
        back = unpaused(back)

    if back.pause is not None:
        planned = NextRun(back.pause.until, back.planned_slot_at, Source.PAUSED)
    elif not is_overdue(state, now):
        freed = _with_pending_slot_freed(monitor, back, now)
        latest = next_run(monitor, freed, now, 1.0, local_zone).at
        # What is stored holds, unless the rules changed or no plan made now could be as late: then
        # the backoff was forgotten or the clock set back. Planning anew in any other case would
        # put a long interval off with every night the computer sleeps.
        if state.plan_version == PLAN_VERSION and _is_not_after(state.next_run_at, latest):
            planned = NextRun(state.next_run_at, state.planned_slot_at, state.source)
        else:
            planned = next_run(monitor, freed, now, unit_random, local_zone)
    elif _is_awaiting_first_run(monitor, state) and _runs_at_once(monitor.schedule):
        # Nothing was missed.
        planned = NextRun(at, None, Source.BASELINE_INTERVAL)
    elif monitor.catch_up is CatchUp.ONCE:
        planned = NextRun(at, back.planned_slot_at, Source.CATCH_UP)
    else:
        if isinstance(monitor.schedule, Once):
            back = replace(back, pause=Pause(PauseReason.FINISHED), health=Status.UNKNOWN)
        planned = next_run(monitor, back, now, unit_random, local_zone)
    return replanned(monitor, state, back, planned, now)


def spread(monitors: Sequence[Monitor]) -> list[int]:
    """How long each of these waits that are due together."""
    schedules = (one.schedule for one in monitors)
    shortest_ms = min(
        (one.interval_ms for one in schedules if isinstance(one, Every)), default=DAY_MS
    )
    return [spread_ms(index, len(monitors), shortest_ms) for index in range(len(monitors))]


def spread_ms(index: int, count: int, shortest_interval_ms: int) -> int:
    """How long the index-th of `count` simultaneous runs waits, so that they do not burst."""
    window_ms = max(min(_LONGEST_SPREAD_MS, shortest_interval_ms), count * _SPREAD_PER_RUN_MS)
    return index * window_ms // count


def pause(
    monitor: Monitor,
    state: RuntimeState,
    now: int,
    until: int | None = None,
    reason: PauseReason = PauseReason.ASKED,
) -> Transition:
    """The monitor, or its whole site, was paused, for good or until an instant."""
    if until is not None and until <= now:
        raise Refused("until", "{value} is past", "a time to come", value=instant_text(until))
    paused = replace(
        _with_pending_slot_freed(monitor, state, now),
        pause=Pause(reason, until),
        running_since=None,
    )
    planned = NextRun(until, paused.planned_slot_at, Source.PAUSED)
    return replanned(monitor, state, paused, planned, now)


def unpause(
    monitor: Monitor, state: RuntimeState, now: int, unit_random: float, local_zone: tzinfo
) -> Transition:
    """A person resumed the monitor, which forgets its failures; one that waits runs at once."""
    if isinstance(monitor.schedule, Once) and monitor.schedule.at <= now:
        at = instant_text(monitor.schedule.at)
        raise Refused("at", "{value} is past", "a new time to run at", value=at)
    going = unpaused(state)
    if monitor.is_passive:
        # Whatever was expected while it was paused is not.
        going = without_expectations(going)
    if _runs_at_once(monitor.schedule) and not monitor.is_passive:
        planned = NextRun(now, None, Source.BASELINE_INTERVAL)
    else:
        planned = next_run(monitor, going, now, unit_random, local_zone)
    return replanned(monitor, state, going, planned, now)


def hint(
    monitor: Monitor,
    state: RuntimeState,
    hint: Hint | None,
    now: int,
    unit_random: float,
    local_zone: tzinfo,
) -> Transition:
    """A person set a passing override of the schedule, or (None) took it back."""
    if monitor.is_passive:
        raise Refused("monitor", "{value} is never checked by itself", "others", value=monitor.id)
    hinted = replace(_with_pending_slot_freed(monitor, state, now), hint=hint)
    planned = next_run(monitor, hinted, now, unit_random, local_zone)
    return replanned(monitor, state, hinted, planned, now)


def shift(monitor: Monitor, state: RuntimeState, now: int, stepped_ms: int) -> Transition:
    """The clock was set by this much; a run that waits for time to pass keeps its distance."""
    if state.next_run_at is None or state.running_since is not None:
        return Transition(state, ())
    shifted = replace(state, next_run_at=state.next_run_at + stepped_ms, saved_at=now)
    return Transition(shifted, (schedule_updated(shifted, now, about_run(monitor, now, None)),))


def edit(
    before: Monitor,
    after: Monitor,
    state: RuntimeState,
    now: int,
    unit_random: float,
    local_zone: tzinfo,
) -> Transition:
    """The definition changed; only another schedule makes another plan."""
    if before.schedule == after.schedule:
        if before.grace_ms == after.grace_ms or state.pause is not None:
            return Transition(state, ())
        return with_other_grace(after, state, now, local_zone)
    fresh = replace(state, planned_slot_at=None)
    if state.pause == Pause(PauseReason.FINISHED):
        fresh = replace(fresh, pause=None)
    if _is_awaiting_first_run(after, fresh):
        planned = _first_run_after_edit(before, after, state, now, local_zone)
    else:
        planned = next_run(after, fresh, now, unit_random, local_zone)
    return replanned(after, state, fresh, planned, now)


def _is_awaiting_first_run(monitor: Monitor, state: RuntimeState) -> bool:
    was_left_alone = state.pause is None and state.hint is None
    has_run = state.last_attempt_at is not None or state.running_since is not None
    return was_left_alone and not has_run and not monitor.is_passive


def _first_run_after_edit(
    before: Monitor, after: Monitor, state: RuntimeState, now: int, local_zone: tzinfo
) -> NextRun:
    """Nobody waits a new interval for the first look; many that are new stay spread."""
    if _runs_at_once(before.schedule) and _runs_at_once(after.schedule):
        return NextRun(state.next_run_at, state.planned_slot_at, state.source)
    return _first_run(after, now, local_zone)


def follows_wall(monitor: Monitor, state: RuntimeState) -> bool:
    """Whether the next run waits for an instant on the clock, not for time to pass."""
    if monitor.is_passive:
        return True
    match state.source:
        case Source.BASELINE_CRON | Source.HINT_ONESHOT | Source.PAUSED:
            return True
        case Source.BASELINE_INTERVAL:
            return isinstance(monitor.schedule, Once) or has_slots(monitor.schedule)
        case _:
            return False


def _runs_at_once(schedule: Schedule) -> bool:
    """Whether nothing but a first run is waited for: no slot, no instant."""
    return isinstance(schedule, Every) and not has_slots(schedule)


def _counted(state: RuntimeState, outcome: Outcome) -> tuple[int, int]:
    """The attempt and the streak after this outcome; one that could not look changes neither."""
    if outcome.status is Status.UNKNOWN:
        return state.backoff_attempt, state.consecutive_failures
    if not outcome.failed:
        return 0, 0
    return state.backoff_attempt + 1, state.consecutive_failures + 1


def _pause_after(monitor: Monitor, source: Source, streak: int, started_at: int) -> Pause | None:
    if isinstance(monitor.schedule, Once):
        was_early = source is Source.MANUAL and started_at < monitor.schedule.at
        return None if was_early else Pause(PauseReason.FINISHED)
    if monitor.pauses_after and streak >= monitor.pauses_after:
        return Pause(PauseReason.FAILURES)
    return None


def _is_backed_off(monitor: Monitor, planned: NextRun) -> bool:
    """Whether failures had a say in this plan."""
    if monitor.is_passive:
        return False
    if planned.source in (Source.HINT_INTERVAL, Source.HINT_ONESHOT):
        return False
    stretches = monitor.backoff.policy in (Policy.EXPONENTIAL, Policy.CAPPED32)
    return planned.source is Source.RETRY or (stretches and isinstance(monitor.schedule, Every))


def _with_pending_slot_freed(monitor: Monitor, state: RuntimeState, now: int) -> RuntimeState:
    """The state without its claim on a slot still to come, so that a new plan may use it."""
    slot = state.planned_slot_at
    if slot is None or slot <= now or state.running_since is not None:
        return state
    # Jitter may have fired the slot before this one early: that one stays used.
    earlier = slot - monitor.schedule.interval_ms if isinstance(monitor.schedule, Every) else None
    return replace(state, planned_slot_at=earlier)


def _hint_after_start(hint: Hint | None, now: int) -> Hint | None:
    """The hint once a run has begun: its extra run is used up when its time has come."""
    if hint is None or hint.run_at is None or now < hint.run_at:
        return hint
    return None if hint.interval_ms is None else replace(hint, run_at=None)


def _is_not_after(stored: int | None, latest: int | None) -> bool:
    return stored is not None and latest is not None and stored <= latest


def _incident_events(
    old: frozenset[Status],
    new: frozenset[Status],
    reason: str,
    about: About,
    around: Around,
) -> list[events.Event]:
    resolved = [events.IncidentResolved(*about, kind) for kind in old - new]
    cascade = around.cascade_reason, around.is_held
    opened = [events.IncidentOpened(*about, kind, reason, *cascade) for kind in new - old]
    return [*resolved, *opened]

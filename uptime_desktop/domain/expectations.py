"""What is expected of monitors that nobody checks, when a pause, a gap or an edit changes it."""

from dataclasses import replace
from datetime import tzinfo

from uptime_desktop.domain.model import SECOND_MS, Monitor, RuntimeState
from uptime_desktop.domain.next_run import NextRun, deadline
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.transition import Transition, replanned


def resume_passive(
    monitor: Monitor, state: RuntimeState, now: int, local_zone: tzinfo, gap_ms: int
) -> Transition:
    """A report that was expected while nobody could hear it is not judged, nor is a run that may
    have ended then."""
    if state.pause is not None:
        if state.pause.until is None or state.pause.until > now:
            return Transition(state, ())
        return _expect_anew(monitor, state, unpaused(state), now, local_zone)
    expected_at, due_at, since = state.planned_slot_at, state.next_run_at, now - gap_ms
    if expected_at is None or due_at is None:
        return Transition(state, ())
    has_begun = gap_ms >= SECOND_MS and state.beat is not None and bool(state.beat.starts)
    if not since < expected_at <= now and not since < due_at <= now and not has_begun:
        return Transition(state, ())
    return _expect_anew(monitor, state, state, now, local_zone)


def _expect_anew(
    monitor: Monitor, old: RuntimeState, new: RuntimeState, now: int, local_zone: tzinfo
) -> Transition:
    """We do not know how it is; from now on it is expected as if it had just been added."""
    unheard = without_expectations(new)
    if monitor.grace_ms is not None:
        unheard = replace(unheard, health=Status.UNKNOWN)
    return replanned(monitor, old, unheard, deadline(monitor, unheard, now, local_zone), now)


def without_expectations(state: RuntimeState) -> RuntimeState:
    beat = state.beat
    if beat is not None:
        beat = replace(beat, starts=(), was_missed=False)
    return replace(state, planned_slot_at=None, beat=beat)


def with_other_grace(
    monitor: Monitor, state: RuntimeState, now: int, local_zone: tzinfo
) -> Transition:
    """What is expected stays expected; only how late it may come is another."""
    planned = deadline(monitor, state, now, local_zone)
    slot = state.planned_slot_at
    if slot is not None and monitor.grace_ms is not None:
        planned = NextRun(min(planned.at or slot, slot + monitor.grace_ms), slot, planned.source)
    return replanned(monitor, state, state, planned, now)


def unpaused(state: RuntimeState) -> RuntimeState:
    return replace(state, pause=None, backoff_attempt=0, consecutive_failures=0)

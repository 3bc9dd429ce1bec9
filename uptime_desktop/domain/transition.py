"""A change of a monitor's state as a value: what to store, and what to tell once it is stored."""

from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from uptime_desktop.domain import events
from uptime_desktop.domain.model import Monitor, RuntimeState, correlation_id
from uptime_desktop.domain.next_run import NextRun

About = tuple[str, str, UUID | None, int]
"""What every event begins with."""


@dataclass(frozen=True, slots=True)
class Around:
    """What goes on around a monitor when its run settles.

    Trouble may only follow from trouble upstream (`cascade_reason`), or that may not be known
    yet (`is_held`). `is_silent` maintenance makes none of it an incident.
    """

    cascade_reason: str | None = None
    is_held: bool = False
    is_silent: bool = False


QUIET: Final = Around()


@dataclass(frozen=True, slots=True)
class Transition:
    """A state to store and, once it is stored, the events to tell."""

    state: RuntimeState
    events: tuple[events.Event, ...]


def about_run(monitor: Monitor, now: int, started_at: int | None) -> About:
    run = None if started_at is None else correlation_id(monitor.number, started_at)
    return monitor.site_id, monitor.id, run, now


def with_next_run(state: RuntimeState, planned: NextRun, now: int) -> RuntimeState:
    return replace(
        state,
        next_run_at=planned.at,
        planned_slot_at=planned.slot_at,
        source=planned.source,
        saved_at=now,
    )


def schedule_updated(state: RuntimeState, now: int, about: About) -> events.ScheduleUpdated:
    delay_ms = None if state.next_run_at is None else max(0, state.next_run_at - now)
    return events.ScheduleUpdated(
        *about, state.next_run_at, delay_ms, state.backoff_attempt, state.source
    )


def replanned(
    monitor: Monitor, old: RuntimeState, new: RuntimeState, planned: NextRun, now: int
) -> Transition:
    """A change that no run made. Under a run it stays without a plan: the run will make one."""
    about = about_run(monitor, now, None)
    told: list[events.Event] = []
    if new.pause is not None and new.pause != old.pause:
        told.append(events.MonitorPaused(*about, new.pause.reason, new.pause.until))
    if new.pause is None and old.pause is not None:
        told.append(events.MonitorResumed(*about))
    if new.running_since is None:
        new = with_next_run(new, planned, now)
        told.append(schedule_updated(new, now, about))
    return told_of(old, new, told, about, reason="")


def told_of(
    old: RuntimeState,
    new: RuntimeState,
    told: list[events.Event],
    about: About,
    reason: str,
) -> Transition:
    if new.status is not old.status:
        told.append(events.StatusChanged(*about, old.status, new.status, reason))
    return Transition(new, tuple(told))

"""When a schedule runs, leaving failures, hints and pauses aside."""

from datetime import tzinfo

from uptime_desktop.domain.model import MIN_GRID_MS, Cadence, Cron, Every, Once, Schedule


def next_on_grid(anchor_at: int, every_ms: int, now: int) -> int:
    """The first point of the grid strictly after `now`, and never one before the anchor."""
    if now < anchor_at:
        return anchor_at
    every_ms = max(every_ms, MIN_GRID_MS)
    return anchor_at + ((now - anchor_at) // every_ms + 1) * every_ms


def next_slot(schedule: Cron | Every, after: int, local_zone: tzinfo) -> int:
    """The first slot of a cron or grid schedule strictly after an instant."""
    match schedule:
        case Cron():
            zone = schedule.zone or local_zone
            return schedule.expression.next_after(after // 1_000, zone) * 1_000
        case Every():
            return next_on_grid(schedule.anchor_at, schedule.interval_ms, after)


def has_slots(schedule: Schedule) -> bool:
    """Whether runs belong to fixed slots rather than counting from the one before."""
    return isinstance(schedule, Cron) or (
        isinstance(schedule, Every) and schedule.cadence is Cadence.GRID
    )


def first_run(schedule: Schedule, now: int, local_zone: tzinfo) -> tuple[int, int | None]:
    """When a new monitor runs for the first time, and the slot which that run uses up."""
    match schedule:
        case Once():
            return schedule.at, None
        case Cron():
            zone = schedule.zone or local_zone
            current = schedule.expression.slot_at(now // 1_000, zone)
            if current is not None:
                return now, current * 1_000
            slot = next_slot(schedule, now, local_zone)
            return slot, slot
        case Every():
            return now, None

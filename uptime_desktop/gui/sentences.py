"""What is known of a monitor, said the same way in table, tray and detail; no widgets here."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from uptime_desktop.domain.model import (
    HOUR_MS,
    Cron,
    Every,
    Once,
    Pause,
    PauseReason,
    Schedule,
    Source,
)
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import countdown_text, rough_duration_text
from uptime_desktop.gui.figures import (
    NOTHING,
    capitalised,
    clock_text,
    day_and_clock_text,
    interval_text,
    lasted_text,
)
from uptime_desktop.gui.watch import Watched
from uptime_desktop.i18n import ntr, told, tr


def status_word(status: Status) -> str:
    match status:
        case Status.DOWN:
            return tr("Down")
        case Status.DEGRADED:
            return tr("Degraded")
        case Status.UNKNOWN:
            return tr("Unknown")
        case Status.PENDING:
            return tr("Pending")
        case Status.UP:
            return tr("Up")
        case Status.PAUSED:
            return tr("Paused")


def counts_text(counts: Mapping[Status, int]) -> str:
    """Worst first, without what is not there: `1 down, 1 degraded, 7 up`."""
    # Between the parts of a list of counts.
    return tr(", ").join(_count_text(one, counts[one]) for one in Status if counts.get(one, 0))


def _count_text(status: Status, n: int) -> str:
    match status:
        case Status.DOWN:
            template = ntr("{n} down", "{n} down", n)
        case Status.DEGRADED:
            template = ntr("{n} degraded", "{n} degraded", n)
        case Status.UNKNOWN:
            template = ntr("{n} unknown", "{n} unknown", n)
        case Status.PENDING:
            template = ntr("{n} pending", "{n} pending", n)
        case Status.UP:
            template = ntr("{n} up", "{n} up", n)
        case Status.PAUSED:
            template = ntr("{n} paused", "{n} paused", n)
    return template.format(n=n)


# How it stands


def status_sentence(watched: Watched, now: int) -> str:
    """`Down for 6 min 12 s`, `Up`, `Paused until tomorrow 08:00`."""
    status, state = watched.status, watched.state
    if state.pause is not None:
        return _pause_sentence(state.pause, watched, now)
    if status is Status.PENDING:
        return _waiting_sentence(watched)
    since = watched.trouble_since
    if since is None or not state.incidents or status not in (Status.DOWN, Status.DEGRADED):
        return tr("Could not be checked") if status is Status.UNKNOWN else status_word(status)
    duration = rough_duration_text(max(0, now - since), tr)
    if status is Status.DOWN:
        return tr("Down for {duration}").format(duration=duration)
    return tr("Degraded for {duration}").format(duration=duration)


def _waiting_sentence(watched: Watched) -> str:
    if watched.follows:
        return tr("Waiting for its members")
    if watched.reports:
        return tr("Waiting for its first ping")
    return tr("Waiting for its first check")


def _pause_sentence(pause: Pause, watched: Watched, now: int) -> str:
    match pause.reason:
        case PauseReason.FINISHED:
            return tr("Finished: it was to run once")
        case PauseReason.SITE:
            return tr("Paused: the site is switched off")
        case PauseReason.MAINTENANCE if pause.until is not None:
            time = clock_text(pause.until, now)
            return tr("Paused for maintenance until {time}").format(time=time)
        case PauseReason.MAINTENANCE:
            return tr("Paused for maintenance")
        case PauseReason.FAILURES:
            n = watched.state.consecutive_failures
            return ntr("Paused after {n} failure", "Paused after {n} failures", n).format(n=n)
        case PauseReason.ASKED if pause.until is not None:
            return tr("Paused until {time}").format(time=clock_text(pause.until, now))
        case PauseReason.ASKED:
            return tr("Paused until resumed")
        case _:
            assert_never(pause.reason)


def maintenance_sentence(watched: Watched, now: int) -> str:
    """`In maintenance until 14:30: Nightly deploys`, or nothing if it is in none."""
    found, pause = watched.maintenance, watched.state.pause
    if found is None:
        return ""
    names = tr(", ").join(found.names)
    if pause is not None and pause.reason is PauseReason.MAINTENANCE:
        # Until when is said by how it stands.
        return tr("Maintenance: {names}").format(names=names)
    return tr("In maintenance until {time}: {names}").format(
        time=clock_text(found.ends_at, now), names=names
    )


def maintenance_line(in_maintenance: Sequence[Watched], total: int, now: int) -> str:
    """Beside how all of it stands: `Maintenance until 14:30`, or of how many; or nothing."""
    ends = [one.maintenance.ends_at for one in in_maintenance if one.maintenance is not None]
    if not ends:
        return ""
    n, time = len(ends), clock_text(max(ends), now)
    if n == total:
        return tr("Maintenance until {time}").format(time=time)
    template = ntr("{n} in maintenance until {time}", "{n} in maintenance until {time}", n)
    return template.format(n=n, time=time)


def row_sentence(watched: Watched, now: int) -> str:
    """A row for whoever hears it: `Checkout API, down for 6 min, next try at 14:16`."""
    name, state = watched.monitor.name, watched.state
    stands = _how(watched, now)
    if watched.maintenance is not None and state.pause is None:
        time = clock_text(watched.maintenance.ends_at, now)
        stands = tr("{how}, in maintenance until {time}").format(how=stands, time=time)
    if watched.is_checking:
        return tr("{name}, {how}, checking").format(name=name, how=stands)
    if state.pause is not None or state.next_run_at is None:
        return tr("{name}, {how}").format(name=name, how=stands)
    template = tr("{name}, {how}, next check at {time}")
    if watched.reports:
        template = tr("{name}, {how}, late after {time}")
    elif _is_failing(watched):
        template = tr("{name}, {how}, next try at {time}")
    return template.format(name=name, how=stands, time=clock_text(state.next_run_at, now))


def _how(watched: Watched, now: int) -> str:
    """How it stands, to follow its name: `down for 6 min`."""
    status, since = watched.status, watched.trouble_since
    if since is not None and watched.state.incidents and watched.state.pause is None:
        duration = lasted_text(now - since)
        if status is Status.DOWN:
            return tr("down for {duration}").format(duration=duration)
        if status is Status.DEGRADED:
            return tr("degraded for {duration}").format(duration=duration)
    text = status_sentence(watched, now)
    return text[:1].lower() + text[1:]


def menu_line(watched: Watched, now: int) -> str:
    """For a menu, which does not tick: `Checkout API: down since 14:02`."""
    name, since = watched.monitor.name, watched.trouble_since
    if watched.status is Status.UNKNOWN:
        return tr("{name}: not checked").format(name=name)
    if since is None:
        return tr("{name}: {how}").format(name=name, how=status_word(watched.status).lower())
    template = tr("{name}: degraded since {since}")
    if watched.status is Status.DOWN:
        template = tr("{name}: down since {since}")
    if watched.cause:
        template = tr("{name}: down since {since}, follows {cause}")
        if watched.status is Status.DEGRADED:
            template = tr("{name}: degraded since {since}, follows {cause}")
    return template.format(name=name, since=clock_text(since, now), cause=watched.cause)


def tool_tip_line(watched: Watched, now: int) -> str:
    """Without anything that ticks: `Checkout API: down since 14:02, next try at 14:16`."""
    name, state = watched.monitor.name, watched.state
    since, next_run_at = watched.trouble_since, state.next_run_at
    if watched.status is not Status.DOWN or since is None:
        return tr("{name}: {how}").format(name=name, how=status_word(watched.status).lower())
    if watched.monitor.is_passive or next_run_at is None:
        return menu_line(watched, now)
    return tr("{name}: down since {since}, next try at {time}").format(
        name=name, since=clock_text(since, now), time=clock_text(next_run_at, now)
    )


# When it runs


def next_run_lines(watched: Watched, now: int) -> tuple[str, str]:
    """When the next run is, and why then: `in 41 s`, `every 60 s`."""
    state, schedule = watched.state, watched.monitor.schedule
    if watched.follows and state.pause is None:
        return tr("follows its members"), told(watched.job.reason)
    interval = interval_text(schedule)
    if watched.is_checking:
        return tr("checking…"), interval
    if state.pause is not None:
        return _pause_lines(state.pause, watched, now)
    if state.next_run_at is None:
        return NOTHING, interval
    if watched.reports:
        return _expected(watched, now), _late_after(state.next_run_at, now)
    if _is_failing(watched):
        when = _next_try(watched, now)
        template = tr("failed {n}×") if isinstance(schedule, Once) else tr("failed {n}×, {normal}")
        n = state.consecutive_failures
        return when, template.format(n=n, normal=_normally(schedule))
    return _when(watched, now), _why(watched, interval)


def _expected(watched: Watched, now: int) -> str:
    """When a job that reports to us is to do so: `expected in 9 min 10 s`."""
    at = watched.state.planned_slot_at
    if at is None:
        return tr("waiting for its first ping")
    if at <= now:
        return tr("expected since {time}").format(time=clock_text(at, now))
    if at - now >= HOUR_MS:
        return tr("expected {time}").format(time=day_and_clock_text(at, now))
    return tr("expected {when}").format(when=countdown_text(at - now, tr))


def _late_after(deadline_at: int, now: int) -> str:
    return tr("late after {time}").format(time=clock_text(deadline_at, now))


def _pause_lines(pause: Pause, watched: Watched, now: int) -> tuple[str, str]:
    match pause.reason:
        case PauseReason.FINISHED:
            return tr("finished"), tr("once")
        case PauseReason.SITE:
            return tr("paused"), tr("the site is switched off")
        case PauseReason.MAINTENANCE if pause.until is not None:
            time = clock_text(pause.until, now)
            return tr("paused"), tr("for maintenance until {time}").format(time=time)
        case PauseReason.MAINTENANCE:
            return tr("paused"), tr("for maintenance")
        case PauseReason.FAILURES:
            n = watched.state.consecutive_failures
            return tr("paused"), ntr("after {n} failure", "after {n} failures", n).format(n=n)
        case PauseReason.ASKED if pause.until is not None:
            return tr("paused"), tr("until {time}").format(time=clock_text(pause.until, now))
        case PauseReason.ASKED:
            return tr("paused"), tr("until resumed")
        case _:
            assert_never(pause.reason)


def _when(watched: Watched, now: int) -> str:
    """A countdown, or for fixed times that are far the time itself."""
    at = watched.state.next_run_at or now
    if _is_far(watched, now):
        return day_and_clock_text(at, now)
    return countdown_text(at - now, tr)


def _is_far(watched: Watched, now: int) -> bool:
    at = watched.state.next_run_at or now
    return at - now >= HOUR_MS and not isinstance(watched.monitor.schedule, Every)


def _next_try(watched: Watched, now: int) -> str:
    when = _when(watched, now)
    # A time of day and a countdown are not put into every language in the same way.
    if _is_far(watched, now):
        return tr("next try {time}").format(time=when)
    return tr("next try {when}").format(when=when)


def _why(watched: Watched, interval: str) -> str:
    reason, schedule = told(watched.job.reason), watched.monitor.schedule
    if watched.status is Status.UNKNOWN and reason:
        return tr("not checked: {reason}").format(reason=reason)
    match watched.state.source:
        case Source.HINT_INTERVAL | Source.HINT_ONESHOT:
            return tr("for now, {normal}").format(normal=_normally(schedule))
        case Source.CATCH_UP if watched.state.last_attempt_at is not None:
            return tr("missed one, {normal}").format(normal=_normally(schedule))
        case Source.CLAMPED_MIN | Source.CLAMPED_MAX:
            return tr("within its limits, {normal}").format(normal=_normally(schedule))
    if watched.status is Status.DEGRADED and reason:
        return f"{interval} · {reason}"
    return interval


def _normally(schedule: Schedule) -> str:
    interval = interval_text(schedule)
    if isinstance(schedule, Cron):
        return tr("normally {cron}").format(cron=interval)
    return tr("normally {interval}").format(interval=interval)


def _is_failing(watched: Watched) -> bool:
    return watched.state.consecutive_failures > 0 and watched.state.pause is None


def schedule_sentence(watched: Watched, now: int) -> str:
    """`Failed 3 times, next try in 7 min 54 s, normally every 60 s`."""
    state, schedule = watched.state, watched.monitor.schedule
    if watched.follows:
        return tr("Follows its members")
    interval = interval_text(schedule)
    if state.pause is not None:
        if state.pause.reason is PauseReason.FINISHED:
            return ""
        return capitalised(_normally(schedule))
    if watched.is_checking:
        return tr("Checking now, {interval}").format(interval=interval)
    if state.next_run_at is None:
        return capitalised(interval)
    if watched.reports:
        late = _late_after(state.next_run_at, now)
        parts = (capitalised(_expected(watched, now)), late, interval)
        return tr(", ").join(parts)
    if not _is_failing(watched):
        when, why = _when(watched, now), _why(watched, interval)
        return tr("Next check {when}, {why}").format(when=when, why=why)
    n = state.consecutive_failures
    template = ntr("Failed once, {next_try}, {normal}", "Failed {n} times, {next_try}, {normal}", n)
    return template.format(n=n, next_try=_next_try(watched, now), normal=_normally(schedule))

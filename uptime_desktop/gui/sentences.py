"""What is known of a monitor, said the same way in table, tray and detail; no widgets here."""

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Final, assert_never

from PySide6.QtCore import QDate, QLocale

from uptime_desktop.domain.model import (
    HOUR_MS,
    MINUTE_MS,
    SECOND_MS,
    Cron,
    Every,
    Once,
    Pause,
    PauseReason,
    Schedule,
    Source,
)
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import countdown_text, duration_text, rough_duration_text
from uptime_desktop.gui.moments import local
from uptime_desktop.gui.watch import Watched
from uptime_desktop.i18n import language, ntr, tr

NOTHING: Final = "–"
"""For a number that nobody knows."""


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


# Numbers and times


def response_text(response_ms: float | None) -> str:
    """Three digits that mean something: `1.2 ms`, `182 ms`, `2.41 s`, `12 min 08 s`."""
    if response_ms is None:
        return NOTHING
    if round(response_ms) < SECOND_MS:
        return tr("{n} ms").format(n=_three_digits(response_ms))
    if response_ms < MINUTE_MS:
        return tr("{n} s").format(n=_three_digits(response_ms / SECOND_MS))
    return rough_duration_text(round(response_ms), tr)


def _three_digits(number: float) -> str:
    return str(round(number)) if number >= 100 else f"{number:.3g}"


def uptime_text(share: float | None) -> str:
    """Cut off, never rounded up: 100% is said only of what never failed."""
    if share is None:
        return NOTHING
    if share in (0, 1):
        return f"{share:.0%}"
    # Counts divided and multiplied again may miss a whole number by a hair.
    hundredths = min(9_999, math.floor(round(share * 10_000, 6)))
    return f"{hundredths / 100:.2f}%"


def lasted_text(duration_ms: int) -> str:
    """How long something took, with no more than matters: `40 s`, `6 min`, `2 h 05 min`."""
    if MINUTE_MS <= duration_ms < HOUR_MS:
        return tr("{n} min").format(n=duration_ms // MINUTE_MS)
    return rough_duration_text(max(0, duration_ms), tr)


def clock_text(at: int, now: int) -> str:
    """An instant on the wall clock here: `14:02`, `yesterday 20:21`, `9 Nov 03:40`."""
    moment, today = local(at), local(now)
    if moment.date() == today.date():
        return f"{moment:%H:%M}"
    return _day_text(moment, today).format(time=f"{moment:%H:%M}")


def day_and_clock_text(at: int, now: int) -> str:
    """As `clock_text`, but today is named too: `today 18:00`."""
    moment = local(at)
    return _day_text(moment, local(now)).format(time=f"{moment:%H:%M}")


def seconds_clock_text(at: int, now: int) -> str:
    """As `clock_text`, to the second: `14:08:20`."""
    moment, today = local(at), local(now)
    if moment.date() == today.date():
        return f"{moment:%H:%M:%S}"
    return _day_text(moment, today).format(time=f"{moment:%H:%M:%S}")


def capitalised(text: str) -> str:
    """For the beginning of a line or a cell."""
    return text[:1].upper() + text[1:]


def _day_text(moment: datetime, today: datetime) -> str:
    """A template that still lacks its `{time}`."""
    match (moment.date() - today.date()).days:
        case 0:
            return tr("today {time}")
        case 1:
            return tr("tomorrow {time}")
        case -1:
            return tr("yesterday {time}")
    # Qt's letters for a date: d is the day, MMM the short name of the month.
    pattern = tr("d MMM") if moment.year == today.year else tr("d MMM yyyy")
    day = QDate(moment.year, moment.month, moment.day)
    return tr("{day} {time}").replace("{day}", QLocale(language()).toString(day, pattern))


# How it stands


def status_sentence(watched: Watched, now: int) -> str:
    """`Down for 6 min 12 s`, `Up`, `Paused until tomorrow 08:00`."""
    status, state = watched.status, watched.state
    if state.pause is not None:
        return _pause_sentence(state.pause, watched, now)
    if status is Status.PENDING:
        return tr("Waiting for its first check")
    since = watched.trouble_since
    if since is None or not state.incidents or status not in (Status.DOWN, Status.DEGRADED):
        return tr("Could not be checked") if status is Status.UNKNOWN else status_word(status)
    duration = rough_duration_text(max(0, now - since), tr)
    if status is Status.DOWN:
        return tr("Down for {duration}").format(duration=duration)
    return tr("Degraded for {duration}").format(duration=duration)


def _pause_sentence(pause: Pause, watched: Watched, now: int) -> str:
    match pause.reason:
        case PauseReason.FINISHED:
            return tr("Finished: it was to run once")
        case PauseReason.SITE:
            return tr("Paused: the site is switched off")
        case PauseReason.FAILURES:
            n = watched.state.consecutive_failures
            return ntr("Paused after {n} failure", "Paused after {n} failures", n).format(n=n)
        case PauseReason.ASKED if pause.until is not None:
            return tr("Paused until {time}").format(time=clock_text(pause.until, now))
        case PauseReason.ASKED:
            return tr("Paused until resumed")
        case _:
            assert_never(pause.reason)


def row_sentence(watched: Watched, now: int) -> str:
    """A row for whoever hears it: `Checkout API, down for 6 min, next try at 14:16`."""
    name, state = watched.monitor.name, watched.state
    stands = _how(watched, now)
    if watched.is_checking:
        return tr("{name}, {how}, checking").format(name=name, how=stands)
    if state.pause is not None or state.next_run_at is None:
        return tr("{name}, {how}").format(name=name, how=stands)
    template = tr("{name}, {how}, next check at {time}")
    if _is_failing(watched):
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
    return template.format(name=name, since=clock_text(since, now))


def tool_tip_line(watched: Watched, now: int) -> str:
    """Without anything that ticks: `Checkout API: down since 14:02, next try at 14:16`."""
    name, state = watched.monitor.name, watched.state
    since, next_run_at = watched.trouble_since, state.next_run_at
    if watched.status is not Status.DOWN or since is None or next_run_at is None:
        return tr("{name}: {how}").format(name=name, how=status_word(watched.status).lower())
    return tr("{name}: down since {since}, next try at {time}").format(
        name=name, since=clock_text(since, now), time=clock_text(next_run_at, now)
    )


# When it runs


def interval_text(schedule: Schedule) -> str:
    """`every 60 s`, `0 18 * * *`, `once`."""
    match schedule:
        case Every(interval_ms=interval_ms):
            return tr("every {duration}").format(duration=_interval_duration(interval_ms))
        case Cron(expression=expression, zone_name=None):
            return expression.text
        case Cron(expression=expression, zone_name=zone):
            return f"{expression.text} ({zone})"
        case Once():
            return tr("once")


def _interval_duration(interval_ms: int) -> str:
    if interval_ms < 2 * MINUTE_MS and interval_ms % SECOND_MS == 0:
        return tr("{n} s").format(n=interval_ms // SECOND_MS)
    return duration_text(interval_ms, tr)


def next_run_lines(watched: Watched, now: int) -> tuple[str, str]:
    """When the next run is, and why then: `in 41 s`, `every 60 s`."""
    state, schedule = watched.state, watched.monitor.schedule
    interval = interval_text(schedule)
    if watched.is_checking:
        return tr("checking…"), interval
    if state.pause is not None:
        return _pause_lines(state.pause, watched, now)
    if state.next_run_at is None:
        return NOTHING, interval
    if _is_failing(watched):
        when = _next_try(watched, now)
        template = tr("failed {n}×") if isinstance(schedule, Once) else tr("failed {n}×, {normal}")
        n = state.consecutive_failures
        return when, template.format(n=n, normal=_normally(schedule))
    return _when(watched, now), _why(watched, interval)


def _pause_lines(pause: Pause, watched: Watched, now: int) -> tuple[str, str]:
    match pause.reason:
        case PauseReason.FINISHED:
            return tr("finished"), tr("once")
        case PauseReason.SITE:
            return tr("paused"), tr("the site is switched off")
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
    reason, schedule = watched.job.reason, watched.monitor.schedule
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
    interval = interval_text(schedule)
    if state.pause is not None:
        if state.pause.reason is PauseReason.FINISHED:
            return ""
        return capitalised(_normally(schedule))
    if watched.is_checking:
        return tr("Checking now, {interval}").format(interval=interval)
    if state.next_run_at is None:
        return capitalised(interval)
    if not _is_failing(watched):
        when, why = _when(watched, now), _why(watched, interval)
        return tr("Next check {when}, {why}").format(when=when, why=why)
    n = state.consecutive_failures
    template = ntr("Failed once, {next_try}, {normal}", "Failed {n} times, {next_try}, {normal}", n)
    return template.format(n=n, next_try=_next_try(watched, now), normal=_normally(schedule))

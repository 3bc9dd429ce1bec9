"""Maintenance windows in words: when they are, for whom, and how they stand; no widgets here."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from enum import IntEnum
from typing import assert_never

from PySide6.QtCore import QDate, QLocale

from uptime_desktop.domain.maintenance import (
    CronFor,
    Mode,
    OnceAt,
    Span,
    Weekly,
    When,
    Window,
    upcoming,
)
from uptime_desktop.domain.model import Site
from uptime_desktop.domain.wording import duration_text
from uptime_desktop.gui.figures import clock_text, day_and_clock_text, interval_text
from uptime_desktop.gui.moments import local
from uptime_desktop.i18n import language, ntr, tr

_WEEK = frozenset(range(7))
_MOST_NAMES = 2


class Stage(IntEnum):
    """How far a window has come, in the order in which they are listed."""

    IN_FORCE = 0
    TO_COME = 1
    OFF = 2
    OVER = 3


@dataclass(frozen=True, slots=True)
class Standing:
    """`at` is when it ends, comes or ended."""

    stage: Stage
    at: int
    ended_early: bool = False


def standing(window: Window, now: int, zone: tzinfo) -> Standing:
    """How a window stands at an instant."""
    if not window.is_on:
        return Standing(Stage.OFF, 0)
    span = next(iter(upcoming(window, now, zone, 1)), None)
    if span is None:
        ends_at = window.when.ends_at if isinstance(window.when, OnceAt) else now
        return Standing(Stage.OVER, ends_at)
    if span.starts_at <= now:
        return Standing(Stage.IN_FORCE, span.ends_at)
    ended_early = window.off_until is not None and window.off_until > now
    return Standing(Stage.TO_COME, span.starts_at, ended_early)


def standing_text(stands: Standing, now: int) -> str:
    match stands.stage:
        case Stage.IN_FORCE:
            return tr("in force until {time}").format(time=clock_text(stands.at, now))
        case Stage.TO_COME:
            template = tr("ended early, next {time}") if stands.ended_early else tr("next {time}")
            return template.format(time=day_and_clock_text(stands.at, now))
        case Stage.OFF:
            return tr("switched off")
        case Stage.OVER:
            return tr("over since {time}").format(time=clock_text(stands.at, now))
        case _:
            assert_never(stands.stage)


def when_text(when: When, now: int) -> str:
    """`Sat, Sun at 02:00, for 2 h`, `0 2 * * 6, for 2 h`, or a span."""
    match when:
        case OnceAt(starts_at, ends_at):
            return span_text(Span(starts_at, ends_at), now)
        case Weekly(days, at_minute, duration_ms, zone_name):
            hour, minute = divmod(at_minute, 60)
            time = f"{hour:02}:{minute:02}" + ("" if zone_name is None else f" ({zone_name})")
            return tr("{days} at {time}, for {duration}").format(
                days=days_text(days), time=time, duration=duration_text(duration_ms, tr)
            )
        case CronFor(cron, duration_ms):
            return tr("{cron}, for {duration}").format(
                cron=interval_text(cron), duration=duration_text(duration_ms, tr)
            )


def days_text(days: Collection[int]) -> str:
    """`every day`, `Tue, Thu`, or the first and the last of several; Monday is 0."""
    if frozenset(days) == _WEEK:
        return tr("every day")
    runs: list[list[int]] = []
    for day in sorted(days):
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    parts = (
        [f"{day_name(run[0])}–{day_name(run[-1])}"] if len(run) > 2 else map(day_name, run)
        for run in runs
    )
    return tr(", ").join(name for part in parts for name in part)


def day_name(day: int, width: QLocale.FormatType = QLocale.FormatType.ShortFormat) -> str:
    return QLocale(language()).standaloneDayName(day + 1, width)


def span_text(span: Span, now: int) -> str:
    """`Sun 22 Nov 02:00` to `04:00`, with another day at the end if there is one."""
    start, end, today = local(span.starts_at), local(span.ends_at), local(now)
    times = {"start": f"{start:%H:%M}", "end": f"{end:%H:%M}", "day": date_text(start, today)}
    if start.date() == end.date():
        return tr("{day} {start} – {end}").format(**times)
    return tr("{day} {start} – {end_day} {end}").format(**times, end_day=date_text(end, today))


def date_text(moment: datetime, today: datetime) -> str:
    # Qt's letters for a date: ddd is the short name of the day, MMM that of the month.
    pattern = tr("ddd d MMM") if moment.year == today.year else tr("ddd d MMM yyyy")
    return QLocale(language()).toString(QDate(moment.year, moment.month, moment.day), pattern)


def scope_text(window: Window, sites: Mapping[str, Site], monitors: Mapping[str, str]) -> str:
    """`everything`, `Shop, Checkout API`, `Shop and 4 more`; what is gone is not named.

    `monitors` are their names by id.
    """
    if not window.sites and not window.monitors:
        return tr("everything")
    names = sorted(sites[one].name for one in window.sites if one in sites)
    names += sorted(monitors[one] for one in window.monitors if one in monitors)
    if not names:
        return tr("nothing that is left")
    if len(names) <= _MOST_NAMES:
        return tr(", ").join(names)
    more = len(names) - 1
    template = ntr("{name} and {n} more", "{name} and {n} more", more)
    return template.format(name=names[0], n=more)


def mode_text(mode: Mode) -> str:
    match mode:
        case Mode.SILENCE:
            return tr("silence")
        case Mode.PAUSE:
            return tr("pause")
        case _:
            assert_never(mode)


def mode_help(mode: Mode) -> str:
    match mode:
        case Mode.SILENCE:
            return tr("checks go on, but nothing opens an incident or alerts")
        case Mode.PAUSE:
            return tr("nothing is checked; what was due is judged afterwards")
        case _:
            assert_never(mode)

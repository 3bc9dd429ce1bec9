"""Planned work: the windows of time in which trouble is expected, and what they cover.

A window starts at a time on the wall by the rules of its zone, in the gap of a spring night as
fixed cron jobs do, and lasts its duration in real time. Occurrences that overlap or touch are
one span. A span holds its first millisecond and not its last.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, timedelta, tzinfo
from enum import StrEnum
from itertools import count, islice
from typing import Final, NamedTuple

from uptime_desktop.domain.model import DAY_MS, MINUTE_MS, Cron
from uptime_desktop.domain.notation import LAST_INSTANT, instant_text
from uptime_desktop.domain.refusal import Refused, Word, require_between
from uptime_desktop.domain.schedule import next_slot
from uptime_desktop.domain.zones import first_instant_of, offset_at, parse_zone

MIN_WINDOW_MS: Final = MINUTE_MS
MAX_WINDOW_MS: Final = 30 * DAY_MS
MAX_WEEKLY_MS: Final = 7 * DAY_MS
_DAY: Final = 86_400
_MONDAY: Final = 4  # 1970-01-05, in days since 1970
_ENOUGH_SPANS: Final = 3
_MOST_IN_A_SPAN: Final = 200


class Mode(StrEnum):
    """What becomes of the monitors: checked without an incident, or not checked at all."""

    SILENCE = "silence"
    PAUSE = "pause"


class Span(NamedTuple):
    starts_at: int
    ends_at: int


@dataclass(frozen=True, slots=True)
class OnceAt:
    """From one instant to another."""

    starts_at: int
    ends_at: int

    def __post_init__(self) -> None:
        if self.ends_at > LAST_INSTANT:
            ends = instant_text(self.ends_at)
            raise Refused("ends", "{value} is out of range", "the years 1970 to 2999", value=ends)
        if self.ends_at <= self.starts_at:
            raise Refused(
                "ends",
                "{value} is not after the start",
                "a time after {start}",
                value=instant_text(self.ends_at),
                start=Word(instant_text(self.starts_at)),
            )
        require_between("ends", self.ends_at - self.starts_at, MIN_WINDOW_MS, MAX_WINDOW_MS)


@dataclass(frozen=True, slots=True)
class Weekly:
    """On some days of each week, Monday being 0, at a minute of the day counted from midnight."""

    days: frozenset[int]
    at_minute: int
    duration_ms: int
    zone_name: str | None = None
    zone: tzinfo | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.days or not self.days <= frozenset(range(7)):
            raise Refused("days", "no day of the week is named", "one or more of 7")
        if not 0 <= self.at_minute < 24 * 60:
            raise Refused("at", "{value} is out of range", "00:00 to 23:59", value=self.at_minute)
        require_between("duration", self.duration_ms, MIN_WINDOW_MS, MAX_WEEKLY_MS)
        zone = parse_zone("tz", self.zone_name) if self.zone_name is not None else None
        object.__setattr__(self, "zone", zone)
        _refuse_endless(self)


@dataclass(frozen=True, slots=True)
class CronFor:
    """Whenever a cron expression says so."""

    cron: Cron
    duration_ms: int

    def __post_init__(self) -> None:
        require_between("duration", self.duration_ms, MIN_WINDOW_MS, MAX_WINDOW_MS)
        _refuse_endless(self)


Recurring = Weekly | CronFor
When = OnceAt | Recurring


@dataclass(frozen=True, slots=True)
class Window:
    """A window for some sites and monitors, by their ids; with neither it is for everything.

    Until `off_until` it is not in force, whatever its times say: so ends, ahead of its time, an
    occurrence of one that recurs.
    """

    id: str
    name: str
    when: When
    mode: Mode = Mode.SILENCE
    sites: frozenset[str] = frozenset()
    monitors: frozenset[str] = frozenset()
    is_on: bool = True
    off_until: int | None = None


@dataclass(frozen=True, slots=True)
class InForce:
    """What windows in force together mean to a monitor; `ends_at` is the end of the last."""

    mode: Mode
    ends_at: int
    names: tuple[str, ...]


def covers(window: Window, site_id: str, monitor_id: str) -> bool:
    if not window.sites and not window.monitors:
        return True
    return site_id in window.sites or monitor_id in window.monitors


def active_span(window: Window, now: int, local_zone: tzinfo) -> Span | None:
    """The span that the window is in force for, if it is."""
    span = next(_spans(window, now, local_zone), None)
    return span if span is not None and span.starts_at <= now else None


def next_change(window: Window, now: int, local_zone: tzinfo) -> int | None:
    """The first instant after now at which the window comes into force or ceases to be."""
    span = next(_spans(window, now, local_zone), None)
    if span is None:
        return None
    return span.starts_at if span.starts_at > now else span.ends_at


def upcoming(window: Window, now: int, local_zone: tzinfo, most: int) -> list[Span]:
    """The next spans, the one in force included."""
    return list(islice(_spans(window, now, local_zone), most))


def in_force(
    windows: Iterable[Window], site_id: str, monitor_id: str, now: int, local_zone: tzinfo
) -> InForce | None:
    """What holds for a monitor now; a pause wins."""
    found = [
        (window, span)
        for window in windows
        if covers(window, site_id, monitor_id)
        and (span := active_span(window, now, local_zone)) is not None
    ]
    if not found:
        return None
    is_pause = any(window.mode is Mode.PAUSE for window, _ in found)
    return InForce(
        Mode.PAUSE if is_pause else Mode.SILENCE,
        max(span.ends_at for _, span in found),
        tuple(window.name for window, _ in found),
    )


def _spans(window: Window, now: int, local_zone: tzinfo) -> Iterator[Span]:
    """All that are not over, in their order."""
    if not window.is_on:
        return
    earliest = 0 if window.off_until is None else window.off_until
    for span in _spans_of(window.when, max(now, earliest), local_zone):
        yield Span(max(span.starts_at, earliest), span.ends_at)


def _spans_of(when: When, now: int, local_zone: tzinfo) -> Iterator[Span]:
    match when:
        case OnceAt(starts_at, ends_at):
            if now < ends_at:
                yield Span(starts_at, ends_at)
        case Weekly() | CronFor():
            last = first = _next_start(when, now - when.duration_ms, local_zone)
            if first <= now:
                first = _first_start(when, first, local_zone)
            while True:
                ends_at = _end(when, last, local_zone)
                yield Span(first, ends_at)
                last = first = _next_start(when, ends_at, local_zone)


def _first_start(when: Recurring, start: int, local_zone: tzinfo) -> int:
    """The start of the span that an occurrence belongs to."""
    while True:
        # The longest ago that one could have begun to last until this one.
        earlier = _next_start(when, start - when.duration_ms - 1, local_zone)
        if earlier == start:
            return start
        start = earlier


def _end(when: Recurring, start: int, local_zone: tzinfo) -> int:
    """The end of the span that an occurrence belongs to."""
    while True:
        ends_at = start + when.duration_ms
        following = _next_start(when, start, local_zone)
        if following > ends_at:
            return ends_at
        start = following


def _next_start(when: Recurring, after: int, local_zone: tzinfo) -> int:
    """The first start strictly after an instant."""
    if isinstance(when, CronFor):
        return next_slot(when.cron, after, local_zone)
    zone, second = when.zone or local_zone, after // 1_000
    wall = second + offset_at(zone, second)
    return next(
        instant * 1_000
        for day in count(wall // _DAY)
        if (day - _MONDAY) % 7 in when.days
        and (on_wall := day * _DAY + when.at_minute * 60) > wall
        and (instant := first_instant_of(zone, on_wall)) > second
    )


def _refuse_endless(when: Recurring) -> None:
    """Refuse one whose occurrences run into each other again and again.

    A calendar repeats itself, so the first spans it ever had tell.
    """
    start, spans, length = _next_start(when, 0, UTC), 0, 0
    while spans < _ENOUGH_SPANS:
        following = _next_start(when, start, UTC)
        is_apart = following > start + when.duration_ms
        spans, length = (spans + 1, 0) if is_apart else (spans, length + 1)
        if length > _MOST_IN_A_SPAN:
            raise Refused(
                "duration",
                "lasting {value}, it runs into its next start again and again",
                "less than the time between two starts",
                value=timedelta(milliseconds=when.duration_ms),
            )
        start = following

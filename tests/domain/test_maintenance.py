"""When maintenance windows are in force, and for what."""

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.build import EXPRESSIONS, at, zones
from uptime_desktop.domain.maintenance import (
    MAX_WEEKLY_MS,
    MAX_WINDOW_MS,
    MIN_WINDOW_MS,
    CronFor,
    InForce,
    Mode,
    OnceAt,
    Span,
    Weekly,
    When,
    Window,
    active_span,
    covers,
    in_force,
    next_change,
    upcoming,
)
from uptime_desktop.domain.model import DAY_MS, HOUR_MS, MINUTE_MS, Cron
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.schedule import next_slot

BERLIN = ZoneInfo("Europe/Berlin")
NOON = at("2026-01-01T12:00")  # a Thursday
MONDAY, TUESDAY, SATURDAY, SUNDAY = 0, 1, 5, 6
EVERY_DAY = frozenset(range(7))
DST_ZONES = ("Europe/Berlin", "Australia/Lord_Howe", "America/New_York")


def window(when: When, **changes: object) -> Window:
    return replace(Window("work", "Work", when), **changes)  # type: ignore[arg-type]


def weekly(days: set[int], time: str, duration_ms: int, zone_name: str | None = "UTC") -> Window:
    hour, minute = map(int, time.split(":"))
    return window(Weekly(frozenset(days), hour * 60 + minute, duration_ms, zone_name))


def cron(text: str, duration_ms: int, zone_name: str | None = "UTC") -> Window:
    return window(CronFor(Cron.parse(text, zone_name), duration_ms))


def span(starts: str, ends: str) -> Span:
    return Span(at(starts), at(ends))


def on_the_wall(subject: Window, start: str, count: int, zone: ZoneInfo) -> list[str]:
    """The next spans: day and time on the wall with its offset, and how long each lasts."""
    return [
        f"{datetime.fromtimestamp(one.starts_at / 1_000, zone):%d %H:%M%z}"
        f" {(one.ends_at - one.starts_at) // MINUTE_MS}m"
        for one in upcoming(subject, at(start), zone, count)
    ]


class TestOnce:
    subject = window(OnceAt(NOON, NOON + HOUR_MS))

    @pytest.mark.parametrize(
        ("now", "is_active", "change"),
        [
            (NOON - 1, False, NOON),
            (NOON, True, NOON + HOUR_MS),
            (NOON + HOUR_MS - 1, True, NOON + HOUR_MS),
            (NOON + HOUR_MS, False, None),
        ],
    )
    def test_it_holds_its_first_millisecond_and_not_its_last(
        self, now: int, is_active: bool, change: int | None
    ) -> None:
        assert active_span(self.subject, now, UTC) == (
            Span(NOON, NOON + HOUR_MS) if is_active else None
        )
        assert next_change(self.subject, now, UTC) == change

    def test_it_has_one_span_and_none_when_it_is_over(self) -> None:
        assert upcoming(self.subject, NOON, UTC, 5) == [Span(NOON, NOON + HOUR_MS)]
        assert upcoming(self.subject, NOON + HOUR_MS, UTC, 5) == []


class TestRecurring:
    def test_a_week_has_its_days(self) -> None:
        nights = weekly({MONDAY, SATURDAY}, "02:00", 2 * HOUR_MS)
        assert upcoming(nights, NOON, UTC, 3) == [
            span("2026-01-03T02:00", "2026-01-03T04:00"),
            span("2026-01-05T02:00", "2026-01-05T04:00"),
            span("2026-01-10T02:00", "2026-01-10T04:00"),
        ]

    def test_it_lasts_past_midnight_and_past_sunday(self) -> None:
        weekend = weekly({SATURDAY}, "22:00", 30 * HOUR_MS)
        expected = span("2026-01-03T22:00", "2026-01-05T04:00")
        assert active_span(weekend, at("2026-01-05T03:59"), UTC) == expected
        assert active_span(weekend, at("2026-01-05T04:00"), UTC) is None

    def test_occurrences_that_overlap_are_one_span(self) -> None:
        long = weekly({MONDAY, TUESDAY}, "22:00", 26 * HOUR_MS)
        whole = span("2026-01-05T22:00", "2026-01-08T00:00")
        for now in (whole.starts_at, at("2026-01-06T23:00"), whole.ends_at - 1):
            assert active_span(long, now, UTC) == whole
            assert next_change(long, now, UTC) == whole.ends_at
        assert next_change(long, NOON, UTC) == whole.starts_at

    def test_occurrences_that_touch_are_one_span(self) -> None:
        hours = cron("0 8-11 * * *", HOUR_MS)
        morning = span("2026-01-02T08:00", "2026-01-02T12:00")
        assert active_span(hours, at("2026-01-02T10:00"), UTC) == morning
        assert upcoming(hours, NOON, UTC, 1) == [morning]

    def test_cron_starts_it_and_the_duration_ends_it(self) -> None:
        monthly = cron("0 3 1 * *", DAY_MS)
        assert active_span(monthly, NOON, UTC) == span("2026-01-01T03:00", "2026-01-02T03:00")
        assert next_change(monthly, at("2026-01-02T03:00"), UTC) == at("2026-02-01T03:00")

    def test_without_a_zone_it_follows_the_computers(self) -> None:
        nights = weekly({SATURDAY}, "02:00", HOUR_MS, None)
        assert next_change(nights, NOON, UTC) == at("2026-01-03T02:00")
        assert next_change(nights, NOON, BERLIN) == at("2026-01-03T01:00")
        assert next_change(weekly({SATURDAY}, "02:00", HOUR_MS), NOON, BERLIN) == at(
            "2026-01-03T02:00"
        )


@pytest.mark.parametrize(
    ("zone_name", "time", "start", "expected"),
    [
        # In the gap it starts at the gap's end, and is as long as ever.
        ("Europe/Berlin", "02:30", "2026-03-28T12:00", ["29 03:00+0200 60m", "30 02:30+0200 60m"]),
        # Across the gap and the fold it lasts its hours, not those on the wall.
        ("Europe/Berlin", "01:30", "2026-03-28T12:00", ["29 01:30+0100 60m", "30 01:30+0200 60m"]),
        ("Europe/Berlin", "01:30", "2026-10-24T12:00", ["25 01:30+0200 60m", "26 01:30+0100 60m"]),
        # In the fold it starts the first time only.
        ("Europe/Berlin", "02:30", "2026-10-24T12:00", ["25 02:30+0200 60m", "26 02:30+0100 60m"]),
        (
            "America/New_York",
            "02:00",
            "2026-03-07T12:00",
            ["08 03:00-0400 60m", "09 02:00-0400 60m"],
        ),
        (
            "Australia/Lord_Howe",
            "02:15",
            "2026-10-03T03:00",
            ["04 02:30+1100 60m", "05 02:15+1100 60m"],
        ),
        (
            "Australia/Lord_Howe",
            "01:45",
            "2026-04-04T03:00",
            ["05 01:45+1100 60m", "06 01:45+1030 60m"],
        ),
    ],
)
def test_when_clocks_change(zone_name: str, time: str, start: str, expected: list[str]) -> None:
    nights = weekly(set(EVERY_DAY), time, HOUR_MS, zone_name)
    assert on_the_wall(nights, start, 2, ZoneInfo(zone_name)) == expected


def test_nearly_whole_days_touch_only_where_a_day_is_short() -> None:
    days = weekly(set(EVERY_DAY), "04:00", 23 * HOUR_MS, "Europe/Berlin")
    assert on_the_wall(days, "2026-03-27T12:00", 3, BERLIN) == [
        "27 04:00+0100 1380m",
        "28 04:00+0100 2760m",
        "30 04:00+0200 1380m",
    ]


class TestSwitchedOff:
    def test_it_is_never_in_force(self) -> None:
        off = window(OnceAt(NOON, NOON + HOUR_MS), is_on=False)
        assert active_span(off, NOON, UTC) is None
        assert next_change(off, NOON, UTC) is None
        assert upcoming(off, NOON, UTC, 3) == []

    def test_until_the_end_of_an_occurrence_only_that_one_is_left_out(self) -> None:
        nights = weekly({SATURDAY, SUNDAY}, "02:00", HOUR_MS)
        over = replace(nights, off_until=at("2026-01-03T03:00"))
        assert active_span(over, at("2026-01-03T02:30"), UTC) is None
        assert next_change(over, at("2026-01-03T02:30"), UTC) == at("2026-01-04T02:00")
        assert active_span(over, at("2026-01-04T02:30"), UTC) is not None

    def test_until_the_middle_of_an_occurrence_the_rest_of_it_holds(self) -> None:
        nights = weekly({SATURDAY}, "02:00", HOUR_MS)
        late = replace(nights, off_until=at("2026-01-03T02:30"))
        rest = span("2026-01-03T02:30", "2026-01-03T03:00")
        assert next_change(late, at("2026-01-03T02:10"), UTC) == rest.starts_at
        assert active_span(late, rest.starts_at, UTC) == rest


class TestWhatItCovers:
    when = OnceAt(NOON, NOON + HOUR_MS)

    @pytest.mark.parametrize(
        ("sites", "monitors", "expected"),
        [
            (set(), set(), True),
            ({"shop"}, set(), True),
            (set(), {"home"}, True),
            ({"other"}, {"home"}, True),
            ({"shop"}, {"other"}, True),
            ({"other"}, set(), False),
            (set(), {"other"}, False),
            ({"home"}, {"shop"}, False),
        ],
    )
    def test_everything_a_site_or_a_monitor(
        self, sites: set[str], monitors: set[str], expected: bool
    ) -> None:
        one = window(self.when, sites=frozenset(sites), monitors=frozenset(monitors))
        assert covers(one, "shop", "home") is expected

    def test_of_windows_in_force_together_a_pause_wins_and_the_last_end_counts(self) -> None:
        silent = window(OnceAt(NOON, NOON + 2 * HOUR_MS), name="Long")
        paused = window(self.when, name="Short", mode=Mode.PAUSE, sites=frozenset({"shop"}))
        later = window(OnceAt(NOON + DAY_MS, NOON + 2 * DAY_MS))
        both = [silent, paused, later]
        assert in_force(both, "shop", "home", NOON, UTC) == InForce(
            Mode.PAUSE, NOON + 2 * HOUR_MS, ("Long", "Short")
        )
        assert in_force(both, "blog", "post", NOON, UTC) == InForce(
            Mode.SILENCE, NOON + 2 * HOUR_MS, ("Long",)
        )
        assert in_force(both, "shop", "home", NOON - 1, UTC) is None
        assert in_force([], "shop", "home", NOON, UTC) is None


@pytest.mark.parametrize(
    ("text", "duration_ms"),
    [
        ("* * * * *", MINUTE_MS),
        ("0 * * * *", 2 * HOUR_MS),
        ("0 0 * * *", DAY_MS),
        ("*/5 * 1,3-31 * *", 5 * MINUTE_MS),
        ("* * * 1 *", MINUTE_MS),
    ],
)
def test_one_that_would_hardly_ever_end_is_refused(text: str, duration_ms: int) -> None:
    with pytest.raises(Refused, match="it runs into its next start again and again"):
        cron(text, duration_ms)


def test_seven_days_of_every_week_are_refused() -> None:
    with pytest.raises(Refused, match="lasting 7 d, it runs into its next start again and again"):
        weekly({MONDAY}, "02:00", MAX_WEEKLY_MS)
    nearly = weekly({MONDAY}, "02:00", MAX_WEEKLY_MS - MINUTE_MS)
    assert next_change(nearly, NOON, UTC) == at("2026-01-05T01:59")


durations = st.one_of(
    st.sampled_from([MIN_WINDOW_MS, HOUR_MS, DAY_MS, MAX_WEEKLY_MS - 1]),
    st.integers(MIN_WINDOW_MS, MAX_WINDOW_MS),
)
zone_names = st.one_of(st.none(), st.sampled_from(DST_ZONES))
moments = st.one_of(
    st.integers(at("2020-01-01T00:00"), at("2030-01-01T00:00")),
    # Where clocks change in one of the zones.
    *(
        st.integers(at(day), at(day) + 3 * DAY_MS)
        for day in ("2026-03-07", "2026-03-28", "2026-04-04", "2026-10-03", "2026-10-24")
    ),
)


@st.composite
def recurring(draw: st.DrawFn) -> Window:
    duration_ms, zone_name = draw(durations), draw(zone_names)
    days = draw(st.sets(st.integers(0, 6), min_size=1))
    try:
        if draw(st.booleans()):
            return cron(draw(st.sampled_from(EXPRESSIONS)), duration_ms, zone_name)
        minute = draw(st.one_of(st.integers(0, 24 * 60 - 1), st.integers(60, 180)))
        return window(Weekly(frozenset(days), minute, min(duration_ms, MAX_WEEKLY_MS), zone_name))
    except Refused:
        return cron("30 2 * * *", min(duration_ms, 22 * HOUR_MS), zone_name)


def starts_by_hand(subject: Window, since: int, until: int, zone: ZoneInfo) -> list[int]:
    """All starts after an instant, up to and including another, by cron alone."""
    match subject.when:
        case CronFor(schedule, _):
            pass
        case Weekly(days, at_minute, _, zone_name):
            hour, minute = divmod(at_minute, 60)
            names = ",".join(str((day + 1) % 7) for day in days)
            schedule = Cron.parse(f"{minute} {hour} * * {names}", zone_name)
    found = []
    while (since := next_slot(schedule, since, zone)) <= until:
        found.append(since)
    return found


@given(recurring(), moments, zones)
def test_it_is_in_force_when_an_occurrence_began_and_is_not_over(
    subject: Window, now: int, zone: ZoneInfo
) -> None:
    assert not isinstance(subject.when, OnceAt)
    begun = starts_by_hand(subject, now - subject.when.duration_ms, now, zone)
    active = active_span(subject, now, zone)
    assert (active is not None) == bool(begun)
    if active is not None:
        assert active.starts_at <= begun[0] <= begun[-1] <= now < active.ends_at
        assert active.ends_at >= begun[-1] + subject.when.duration_ms


@given(recurring(), moments, zones)
def test_the_next_change_is_later_and_the_state_changes_exactly_there(
    subject: Window, now: int, zone: ZoneInfo
) -> None:
    change = next_change(subject, now, zone)
    assert change is not None
    assert change > now
    before = active_span(subject, now, zone)
    for between in (now, (now + change) // 2, change - 1):
        assert active_span(subject, between, zone) == before
        assert next_change(subject, between, zone) == change
    assert (active_span(subject, change, zone) is None) == (before is not None)


@given(recurring(), moments, zones)
def test_spans_follow_each_other_with_time_between(
    subject: Window, now: int, zone: ZoneInfo
) -> None:
    assert not isinstance(subject.when, OnceAt)
    spans = upcoming(subject, now, zone, 4)
    times = [now, *(moment for one in spans for moment in one)]
    assert times[2:] == sorted(set(times[2:]))
    assert spans[0].ends_at > now
    for one in spans:
        assert one.ends_at - one.starts_at >= subject.when.duration_ms
        assert active_span(subject, one.starts_at, zone) == one
        assert active_span(subject, one.ends_at, zone) is None


@given(recurring(), moments, st.integers(0, 40 * DAY_MS), zones)
def test_switched_off_until_an_instant_it_is_as_ever_from_then_on(
    subject: Window, now: int, later_ms: int, zone: ZoneInfo
) -> None:
    resting = replace(subject, off_until=now)
    assert active_span(resting, now - 1, zone) is None
    later = now + later_ms
    usual, found = active_span(subject, later, zone), active_span(resting, later, zone)
    assert (found is None) == (usual is None)
    assert next_change(resting, later, zone) == next_change(subject, later, zone)

"""A maintenance window as it is written, read and written again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.build import at
from tests.domain.test_maintenance import recurring
from uptime_desktop.domain.cron_grammar import Dialect
from uptime_desktop.domain.maintenance import CronFor, Mode, OnceAt, Weekly, Window
from uptime_desktop.domain.maintenance_definition import describe_window, parse_window
from uptime_desktop.domain.model import DAY_MS, HOUR_MS, MINUTE_MS, Cron, Setting
from uptime_desktop.domain.refusal import Refused

NOON = at("2026-01-01T12:00")


def parse(**keys: Setting) -> Window:
    return parse_window({"id": "work", **keys}, NOON)


def test_once_from_an_instant_to_another_or_for_a_while() -> None:
    expected = Window("work", "work", OnceAt(NOON + HOUR_MS, NOON + 3 * HOUR_MS))
    assert parse(starts="2026-01-01T13:00:00Z", ends="2026-01-01T15:00:00Z") == expected
    assert parse(starts="2026-01-01T13:00:00Z", duration="2h") == expected


def test_one_that_has_begun_may_still_be_added() -> None:
    begun = parse(starts="2026-01-01T11:30:00Z", duration="1h")
    assert begun.when == OnceAt(NOON - 30 * MINUTE_MS, NOON + 30 * MINUTE_MS)


@pytest.mark.parametrize("days", [("mon", "tue"), "mon,tue", "Tue, MON"])
def test_days_of_a_file_and_of_a_flag_mean_the_same(days: Setting) -> None:
    parsed = parse(days=days, at="02:00", duration="90m", tz="Europe/Berlin")
    assert parsed.when == Weekly(frozenset({0, 1}), 120, 90 * MINUTE_MS, "Europe/Berlin")


def test_cron_with_a_zone_and_a_dialect() -> None:
    parsed = parse(cron="0 3 1 * *", duration="1d", tz="Europe/Berlin", dialect="posix")
    expected = Cron.parse("0 3 1 * *", "Europe/Berlin", Dialect.POSIX)
    assert parsed.when == CronFor(expected, DAY_MS)


def test_all_else_that_can_be_said() -> None:
    parsed = parse(
        name="Back up",
        cron="@daily",
        duration="1h",
        mode="pause",
        sites=("shop", "blog"),
        monitors="home",
        on=False,
        off_until="2026-01-01T12:00:00Z",
    )
    assert parsed == Window(
        "work",
        "Back up",
        CronFor(Cron.parse("@daily"), HOUR_MS),
        Mode.PAUSE,
        frozenset({"shop", "blog"}),
        frozenset({"home"}),
        is_on=False,
        off_until=NOON,
    )
    assert parse(cron="@daily", duration="1h", on="false").is_on is False


STARTS = "2026-02-01T00:00:00Z"


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({}, "starts: nothing says when it is. Allowed: one of starts, days and cron."),
        ({"duration": "1h"}, "starts: nothing says when it is."),
        (
            {"starts": STARTS, "cron": "@daily", "duration": "1h"},
            "cron: '@daily' cannot go with starts. Allowed: one of starts, days and cron.",
        ),
        (
            {"days": ("mon", "sun"), "cron": "@daily", "at": "02:00", "duration": "1h"},
            "cron: '@daily' cannot go with days.",
        ),
        ({"starts": "noon"}, "starts: 'noon' is not an instant with an offset."),
        ({"starts": STARTS}, "duration: it is missing. Allowed: how long, as in 30m 2h 1d."),
        (
            {"starts": STARTS, "ends": STARTS},
            "ends: '2026-02-01T00:00:00Z' is not after the start. Allowed: a time after 2026-02-01",
        ),
        (
            {"starts": STARTS, "ends": "2026-02-01T00:00:30Z"},
            "ends: 30 s is too short. Allowed: 1 min to 30 d.",
        ),
        (
            {"starts": STARTS, "ends": "2026-03-04T00:00:00Z"},
            "ends: 31 d is too long. Allowed: 1 min to 30 d.",
        ),
        (
            {"starts": STARTS, "ends": "2026-02-02T00:00:00Z", "duration": "1d"},
            "duration: '1d' cannot go with ends. Allowed: one of them.",
        ),
        (
            {"starts": "2025-12-01T00:00:00Z", "duration": "1h"},
            "starts: '2025-12-01T00:00:00Z' is past. Allowed: a time to come.",
        ),
        (
            {"starts": "2025-12-01T00:00:00Z", "ends": "2025-12-02T00:00:00Z"},
            "ends: '2025-12-02T00:00:00Z' is past.",
        ),
        (
            {"starts": "2999-12-31T00:00:00Z", "duration": "2d"},
            "ends: '3000-01-02T00:00:00Z' is out of range. Allowed: the years 1970 to 2999.",
        ),
        (
            {"starts": STARTS, "duration": "1h", "tz": "UTC"},
            "tz: 'UTC' has no meaning here. Allowed: only with days.",
        ),
        (
            {"cron": "@daily", "duration": "1h", "at": "02:00"},
            "at: '02:00' has no meaning here. Allowed: only with days.",
        ),
        ({"cron": "@daily", "duration": "1h", "ends": STARTS}, "ends: '2026-02-01T00:00:00Z' has"),
        ({"cron": "@daily"}, "duration: it is missing."),
        ({"cron": "x", "duration": "1h"}, "cron: 'x' has the wrong number of fields, 1."),
        ({"cron": "@daily", "duration": "30s"}, "duration: 30 s is too short. Allowed: 1 min to"),
        ({"cron": "@daily", "duration": "31d"}, "duration: 31 d is too long. Allowed: 1 min to 30"),
        ({"cron": "@daily", "duration": "1h", "tz": "X/Y"}, "tz: 'X/Y' is not a known time zone."),
        ({"cron": "@daily", "duration": "1d"}, "duration: lasting 1 d, it runs into its next st"),
        ({"days": "mon", "duration": "1h"}, "at: it is missing. Allowed: a time of day such as"),
        ({"days": "mon", "at": "02:00"}, "duration: it is missing."),
        (
            {"days": "mon", "at": "02:00", "duration": "8d"},
            "duration: 8 d is too long. Allowed: 1 min to 7 d.",
        ),
        (
            {"days": ("mon", "someday"), "at": "02:00", "duration": "1h"},
            "days: 'someday' is not a day. Allowed: mon, tue, wed, thu, fri, sat, sun.",
        ),
        ({"days": "", "at": "02:00", "duration": "1h"}, "days: no day of the week is named."),
        *(
            (
                {"days": "mon", "at": time, "duration": "1h"},
                f"at: '{time}' is not a time of day. Allowed: 00:00 to 23:59.",
            )
            for time in ("24:00", "2", "02:60", "2:0", "02:00:00", "-1:00")
        ),
        ({"cron": "@daily", "duration": "1h", "mode": "off"}, "mode: 'off' is not a choice. Allow"),
        ({"cron": "@daily", "duration": "1h", "on": "maybe"}, "on: 'maybe' is not a choice. Allow"),
        ({"cron": "@daily", "duration": "1h", "sites": ("",)}, "sites: '' cannot be a name."),
        ({"cron": "@daily", "duration": "1h", "name": "a\nb"}, "name: 'a\\nb' cannot be a name."),
        ({"cron": "@daily", "duration": "1h", "id": ""}, "id: '' cannot be a name."),
        ({"every": "1h"}, "every: 'every' says nothing of a window. Allowed: id, name, starts,"),
    ],
)
def test_what_is_refused(keys: dict[str, Setting], sentence: str) -> None:
    with pytest.raises(Refused) as refused:
        parse(**keys)
    assert str(refused.value).startswith(sentence)
    assert "\n" not in str(refused.value)


def test_one_that_is_over_can_still_be_read_back() -> None:
    over = Window("work", "Work", OnceAt(NOON - 2 * HOUR_MS, NOON - HOUR_MS))
    assert parse_window(describe_window(over), NOON, is_new=False) == over


once = st.builds(
    lambda starts_at, duration_ms: OnceAt(starts_at, starts_at + duration_ms),
    st.integers(0, at("2990-01-01T00:00")),
    st.integers(MINUTE_MS, 30 * DAY_MS),
)
names = st.frozensets(st.text("abc -,", min_size=1).filter(str.strip), max_size=3)


@given(
    st.builds(
        Window,
        st.just("work"),
        st.just("Work, at night"),
        st.one_of(once, recurring().map(lambda window: window.when)),
        st.sampled_from(Mode),
        names,
        names,
        st.booleans(),
        st.one_of(st.none(), st.integers(0, at("2990-01-01T00:00"))),
    )
)
def test_what_is_written_reads_back_the_same(window: Window) -> None:
    assert parse_window(describe_window(window), NOON, is_new=False) == window


@given(st.dictionaries(st.sampled_from(["starts", "days", "at", "cron", "duration"]), st.text()))
def test_any_text_is_understood_or_refused_in_one_line(keys: dict[str, Setting]) -> None:
    with pytest.raises(Refused) as refused:
        parse(**keys)
    assert str(refused.value).isprintable()

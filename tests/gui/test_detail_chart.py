"""A chart tells what was measured, and leaves a gap where nobody looked."""

import math
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from uptime_desktop.domain.model import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    Backoff,
    Cron,
    Every,
    Monitor,
)
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import tally_of
from uptime_desktop.gui.detail.chart import Chart
from uptime_desktop.gui.detail.response_times import description
from uptime_desktop.gui.detail.scale import SPANS_MS, time_marks, value_marks
from uptime_desktop.gui.detail.series import Series, Stretch, series_of
from uptime_desktop.gui.moments import instant
from uptime_desktop.history import Point

NOW = instant(datetime(2026, 11, 18, 12, 7))  # noqa: DTZ001 - on the wall of whoever runs this
SINCE = NOW - HOUR_MS
MONITOR = Monitor("shop", "web", 1, schedule=Every(MINUTE_MS), backoff=Backoff(cap_ms=HOUR_MS))


def point(minute: int, ms: float | None = 200.0, status: Status = Status.UP) -> Point:
    return Point(SINCE + minute * MINUTE_MS, ms, None if ms is None else ms * 2, status)


def series(*points: Point, monitor: Monitor = MONITOR) -> Series:
    return series_of(points, monitor, (), SINCE, NOW)


def minutes(stretches: tuple[Stretch, ...]) -> list[tuple[int, int, Status]]:
    return [
        ((one.since - SINCE) // MINUTE_MS, (one.until - SINCE) // MINUTE_MS, one.status)
        for one in stretches
    ]


WHOLE_HOUR = [point(minute) for minute in range(60)]


def test_runs_at_their_interval_leave_no_gap() -> None:
    drawn = series(*WHOLE_HOUR)
    assert drawn.stretches == ()
    assert len(drawn.at) == 61
    assert not any(math.isnan(one) for one in drawn.median_ms[:-1])
    assert (drawn.median_ms[0], drawn.p95_ms[0], drawn.highest_ms) == (200.0, 400.0, 400.0)


def test_where_nobody_looked_the_line_is_broken_and_the_time_is_a_gap() -> None:
    drawn = series(*WHOLE_HOUR[:20], *WHOLE_HOUR[40:])
    assert minutes(drawn.stretches) == [(20, 40, Status.UNKNOWN)]
    assert math.isnan(drawn.median_ms[20])
    assert drawn.at[20] == SINCE + 20 * MINUTE_MS


def test_not_having_been_able_to_look_is_a_gap_too() -> None:
    unknown = [point(minute, None, Status.UNKNOWN) for minute in range(20, 40)]
    drawn = series(*WHOLE_HOUR[:20], *unknown, *WHOLE_HOUR[40:])
    assert minutes(drawn.stretches) == [(20, 40, Status.UNKNOWN)]


def test_nothing_at_all_is_one_gap() -> None:
    assert minutes(series().stretches) == [(0, 60, Status.UNKNOWN)]


def test_the_time_before_the_first_run_is_a_gap() -> None:
    assert minutes(series(*WHOLE_HOUR[30:]).stretches) == [(0, 30, Status.UNKNOWN)]


def test_it_is_down_until_the_next_try_however_late_that_is_planned() -> None:
    drawn = series(*WHOLE_HOUR[:20], point(20, None, Status.DOWN), *WHOLE_HOUR[50:])
    assert minutes(drawn.stretches) == [(20, 50, Status.DOWN)]


def test_degraded_time_is_told_and_drawn() -> None:
    slow = [point(minute, 900.0, Status.DEGRADED) for minute in range(20, 30)]
    drawn = series(*WHOLE_HOUR[:20], *slow, *WHOLE_HOUR[30:])
    assert minutes(drawn.stretches) == [(20, 30, Status.DEGRADED)]
    assert not math.isnan(drawn.median_ms[25])


def test_a_single_run_is_seen_as_a_short_line() -> None:
    drawn = series(point(30))
    assert drawn.median_ms[:2] == (200.0, 200.0)
    assert drawn.at[0] < drawn.at[1]


def test_a_bucket_stands_for_all_of_its_time() -> None:
    """Also where single runs, which follow one another sooner, come after it."""
    bucket = replace(point(0), width_ms=40 * MINUTE_MS)
    assert series(bucket, *WHOLE_HOUR[40:]).stretches == ()


def test_without_an_interval_the_usual_wait_is_what_was_seen() -> None:
    hourly = replace(MONITOR, schedule=Cron.parse("*/10 * * * *"))
    assert series(*(point(minute) for minute in range(0, 60, 10)), monitor=hourly).stretches == ()


def test_the_point_at_a_place_is_told_but_none_in_a_gap() -> None:
    drawn = series(*WHOLE_HOUR[:20], *WHOLE_HOUR[40:])
    assert drawn.nearest(SINCE + 10 * MINUTE_MS + 9_000) == point(10)
    assert drawn.nearest(SINCE + 30 * MINUTE_MS) is None


@pytest.mark.parametrize(
    ("highest_ms", "texts"),
    [
        (0.0, ["0", "25", "50", "75", "100 ms"]),
        (730.0, ["0", "200", "400", "600", "800 ms"]),
        (800.0, ["0", "200", "400", "600", "800 ms"]),
        (3_900.0, ["0", "1", "2", "3", "4 s"]),
        (9.0, ["0", "2.5", "5", "7.5", "10 ms"]),
    ],
)
def test_the_scale_has_round_numbers_and_says_its_unit_once(
    highest_ms: float, texts: list[str]
) -> None:
    top, marks = value_marks(highest_ms)
    assert top >= highest_ms
    assert [text for _, text in marks] == texts


@pytest.mark.parametrize("span_ms", SPANS_MS)
def test_times_are_marked_in_order_and_end_now(span_ms: int) -> None:
    marks = time_marks(NOW - span_ms, NOW)
    assert 4 <= len(marks) <= 9
    assert marks[-1] == (NOW, "now")
    assert all(earlier[0] < later[0] for earlier, later in pairwise(marks))
    assert all(NOW - span_ms <= at <= NOW for at, _ in marks)


def test_an_hour_is_marked_at_round_minutes_and_a_day_at_round_hours() -> None:
    hour = [text for _, text in time_marks(NOW - HOUR_MS, NOW)]
    assert hour == ["11:10", "11:20", "11:30", "11:40", "11:50", "12:00", "now"]
    day = [text for _, text in time_marks(NOW - DAY_MS, NOW)]
    assert day == ["16:00", "20:00", "00:00", "04:00", "08:00", "now"]


def test_a_year_is_marked_by_months() -> None:
    year = [text for _, text in time_marks(NOW - 365 * DAY_MS, NOW)]
    assert year == ["Jan", "Mar", "May", "Jul", "Sep", "now"]


def test_the_chart_is_told_to_those_who_do_not_see_it() -> None:
    tally = tally_of([(Status.UP, 20), (Status.UP, 20), (Status.UP, 30)])
    drawn = series(*WHOLE_HOUR[:20], *WHOLE_HOUR[40:])
    expected = "Last hour, median 2 ms · p95 3 ms, from 2 ms to 3 ms, 1 gap of 20 min"
    assert description(drawn, tally) == expected
    empty = description(series(), tally_of([]))
    assert empty == "Last hour, no answer in this time, 1 gap of 1 h 00 min"


def test_a_place_on_the_chart_says_what_was_there(qtbot: QtBot) -> None:
    chart = Chart()
    qtbot.addWidget(chart)
    chart.resize(600, 200)
    chart.show()
    assert chart.text_at(QPoint(300, 80)) == ""
    chart.show_series(series(*WHOLE_HOUR[:20], *WHOLE_HOUR[40:]))
    said = {chart.text_at(QPoint(x, 80)) for x in range(0, 600, 5)}
    assert "not checked" in said
    assert "11:17 · 200 ms" in said
    assert chart.text_at(QPoint(-5, 80)) == ""


def test_the_wheel_and_the_mouse_pass_through_the_chart(qtbot: QtBot) -> None:
    chart = Chart()
    qtbot.addWidget(chart)
    inside = chart.children()
    transparent = Qt.WidgetAttribute.WA_TransparentForMouseEvents
    assert any(getattr(one, "testAttribute", lambda _: False)(transparent) for one in inside)


def test_any_series_can_be_drawn(qtbot: QtBot) -> None:
    chart = Chart()
    qtbot.addWidget(chart)
    chart.show()
    for drawn in (
        series(),
        series(point(3)),
        series(*WHOLE_HOUR),
        series(point(1, None, Status.DOWN)),
    ):
        chart.show_series(drawn)
        assert not chart.grab().isNull()

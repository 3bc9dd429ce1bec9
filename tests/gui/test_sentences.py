"""What the window says of a monitor, word for word."""

from collections import Counter, deque
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from uptime_desktop.app import Job
from uptime_desktop.domain.model import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    SECOND_MS,
    Cron,
    Every,
    Monitor,
    Once,
    Pause,
    PauseReason,
    RuntimeState,
    Schedule,
    Source,
)
from uptime_desktop.domain.status import Status
from uptime_desktop.gui import figures, sentences
from uptime_desktop.gui.moments import instant, local, tomorrow_morning
from uptime_desktop.gui.watch import Watched

NOON = datetime(2026, 11, 18, 12)  # noqa: DTZ001 - on the wall of whoever runs this
NOW = instant(NOON)
IN_A_BIT = NOW + 41 * SECOND_MS
MINUTELY = Every(60 * SECOND_MS)
PENDING = RuntimeState()


def watched(
    state: RuntimeState = PENDING,
    schedule: Schedule = MINUTELY,
    reason: str = "",
    trouble_since: int | None = None,
) -> Watched:
    monitor = Monitor("shop", "checkout", 1, schedule=schedule, name="Checkout API")
    job = Job(monitor, "", state, reason=reason)
    return Watched(job, lambda _: "https://shop.example", deque(), trouble_since=trouble_since)


UP = RuntimeState(health=Status.UP, next_run_at=IN_A_BIT)
DOWN = RuntimeState(
    health=Status.DOWN,
    consecutive_failures=3,
    next_run_at=NOW + 474 * SECOND_MS,
    incidents=frozenset({Status.DOWN}),
)
SINCE = NOW - 372 * SECOND_MS


def paused(reason: PauseReason, until: int | None = None) -> RuntimeState:
    return replace(DOWN, pause=Pause(reason, until), next_run_at=until)


TOMORROW = instant(NOON + timedelta(hours=20))


@pytest.mark.parametrize(
    ("response_ms", "text"),
    [
        (None, "–"),
        (0.04, "0.04 ms"),
        (1.2, "1.2 ms"),
        (34.0, "34 ms"),
        (182.4, "182 ms"),
        (999.4, "999 ms"),
        (999.6, "1 s"),
        (2_412.0, "2.41 s"),
        (12_340.0, "12.3 s"),
        (59_960.0, "60 s"),
        (728_000.0, "12 min 08 s"),
    ],
)
def test_a_response_time_has_three_digits(response_ms: float | None, text: str) -> None:
    assert figures.response_text(response_ms) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (None, "–"),
        (1.0, "100%"),
        (0.0, "0%"),
        (0.9999999, "99.99%"),
        (0.99995, "99.99%"),
        (0.5749, "57.49%"),
        (0.9941, "99.41%"),
        (2 / 3, "66.66%"),
        (0.00001, "0.00%"),
    ],
)
def test_uptime_is_cut_off_and_whole_only_when_it_is(share: float | None, text: str) -> None:
    assert figures.uptime_text(share) == text


@pytest.mark.parametrize(
    ("wall", "clock", "day_and_clock"),
    [
        (NOON + timedelta(hours=2, minutes=2), "14:02", "today 14:02"),
        (NOON - timedelta(hours=12), "00:00", "today 00:00"),
        (NOON - timedelta(hours=12, minutes=1), "yesterday 23:59", "yesterday 23:59"),
        (NOON + timedelta(hours=20), "tomorrow 08:00", "tomorrow 08:00"),
        (datetime(2026, 11, 9, 3, 40), "9 Nov 03:40", "9 Nov 03:40"),  # noqa: DTZ001
        (datetime(2025, 12, 31, 3, 40), "31 Dec 2025 03:40", "31 Dec 2025 03:40"),  # noqa: DTZ001
    ],
)
def test_an_instant_is_told_by_day_and_clock(
    wall: datetime, clock: str, day_and_clock: str
) -> None:
    assert figures.clock_text(instant(wall), NOW) == clock
    assert figures.day_and_clock_text(instant(wall), NOW) == day_and_clock


def test_a_run_is_told_to_the_second() -> None:
    assert figures.seconds_clock_text(NOW + 7_000, NOW) == "12:00:07"


def test_tomorrow_morning_is_at_eight() -> None:
    morning = local(tomorrow_morning(NOW)).replace(tzinfo=None)
    assert morning == datetime(2026, 11, 19, 8)  # noqa: DTZ001


@pytest.mark.parametrize(
    ("duration_ms", "text"),
    [
        (-5, "0 s"),
        (40 * SECOND_MS, "40 s"),
        (6 * MINUTE_MS + 12_000, "6 min"),
        (2 * HOUR_MS + 5 * MINUTE_MS, "2 h 05 min"),
        (3 * DAY_MS, "3 d 0 h"),
    ],
)
def test_what_took_minutes_is_told_without_its_seconds(duration_ms: int, text: str) -> None:
    assert figures.lasted_text(duration_ms) == text


@pytest.mark.parametrize(
    ("schedule", "text"),
    [
        (Every(30_000), "every 30 s"),
        (Every(60_000), "every 60 s"),
        (Every(90_000), "every 90 s"),
        (Every(5 * MINUTE_MS), "every 5 min"),
        (Every(HOUR_MS), "every 1 h"),
        (Cron.parse("0 18 * * *"), "0 18 * * *"),
        (Cron.parse("0 18 * * *", "Europe/Berlin"), "0 18 * * * (Europe/Berlin)"),
        (Once(NOW), "once"),
    ],
)
def test_a_schedule_is_told_in_short(schedule: Schedule, text: str) -> None:
    assert figures.interval_text(schedule) == text


def test_counts_are_told_worst_first_without_zeros() -> None:
    counts = Counter({Status.UP: 7, Status.DEGRADED: 1, Status.PENDING: 0, Status.DOWN: 1})
    assert sentences.counts_text(counts) == "1 down, 1 degraded, 7 up"
    assert sentences.counts_text(Counter()) == ""


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (watched(UP), "Up"),
        (watched(), "Waiting for its first check"),
        (watched(DOWN, trouble_since=SINCE), "Down for 6 min 12 s"),
        (watched(DOWN), "Down"),
        (
            watched(
                replace(UP, health=Status.DEGRADED, incidents=frozenset({Status.DEGRADED})),
                trouble_since=SINCE,
            ),
            "Degraded for 6 min 12 s",
        ),
        (watched(replace(UP, health=Status.UNKNOWN)), "Could not be checked"),
        (watched(paused(PauseReason.ASKED)), "Paused until resumed"),
        (watched(paused(PauseReason.ASKED, TOMORROW)), "Paused until tomorrow 08:00"),
        (watched(paused(PauseReason.FAILURES)), "Paused after 3 failures"),
        (watched(paused(PauseReason.SITE)), "Paused: the site is switched off"),
        (watched(paused(PauseReason.FINISHED)), "Finished: it was to run once"),
    ],
)
def test_how_a_monitor_stands(one: Watched, text: str) -> None:
    assert sentences.status_sentence(one, NOW) == text


@pytest.mark.parametrize(
    ("one", "when", "why"),
    [
        (watched(UP), "in 41 s", "every 60 s"),
        (watched(replace(UP, next_run_at=NOW + 4_000)), "now", "every 60 s"),
        (watched(replace(UP, next_run_at=None)), "–", "every 60 s"),
        (watched(replace(UP, running_since=NOW)), "checking…", "every 60 s"),
        (watched(DOWN), "next try in 7 min 54 s", "failed 3×, normally every 60 s"),
        (watched(DOWN, Once(NOW)), "next try in 7 min 54 s", "failed 3×"),
        (
            watched(replace(UP, health=Status.DEGRADED), reason="slow"),
            "in 41 s",
            "every 60 s · slow",
        ),
        (
            watched(replace(UP, health=Status.UNKNOWN), reason="no route"),
            "in 41 s",
            "not checked: no route",
        ),
        (
            watched(replace(UP, source=Source.HINT_INTERVAL)),
            "in 41 s",
            "for now, normally every 60 s",
        ),
        (
            watched(replace(UP, source=Source.CATCH_UP, last_attempt_at=NOW)),
            "in 41 s",
            "missed one, normally every 60 s",
        ),
        (
            watched(replace(UP, source=Source.CLAMPED_MIN)),
            "in 41 s",
            "within its limits, normally every 60 s",
        ),
        (
            watched(replace(UP, next_run_at=NOW + 6 * HOUR_MS), Cron.parse("0 18 * * *")),
            "today 18:00",
            "0 18 * * *",
        ),
        (watched(UP, Cron.parse("0 18 * * *")), "in 41 s", "0 18 * * *"),
        (watched(replace(UP, next_run_at=TOMORROW), Once(TOMORROW)), "tomorrow 08:00", "once"),
        (watched(paused(PauseReason.ASKED)), "paused", "until resumed"),
        (watched(paused(PauseReason.ASKED, TOMORROW)), "paused", "until tomorrow 08:00"),
        (watched(paused(PauseReason.FAILURES)), "paused", "after 3 failures"),
        (watched(paused(PauseReason.SITE)), "paused", "the site is switched off"),
        (watched(paused(PauseReason.FINISHED)), "finished", "once"),
    ],
)
def test_when_it_runs_next_and_why_then(one: Watched, when: str, why: str) -> None:
    assert sentences.next_run_lines(one, NOW) == (when, why)


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (watched(UP), "Next check in 41 s, every 60 s"),
        (watched(replace(UP, running_since=NOW)), "Checking now, every 60 s"),
        (watched(DOWN), "Failed 3 times, next try in 7 min 54 s, normally every 60 s"),
        (
            watched(replace(DOWN, consecutive_failures=1)),
            "Failed once, next try in 7 min 54 s, normally every 60 s",
        ),
        (watched(replace(UP, next_run_at=None)), "Every 60 s"),
        (watched(paused(PauseReason.ASKED)), "Normally every 60 s"),
        (watched(paused(PauseReason.FINISHED)), ""),
    ],
)
def test_the_schedule_in_a_sentence(one: Watched, text: str) -> None:
    assert sentences.schedule_sentence(one, NOW) == text


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (watched(UP), "Checkout API, up, next check at 12:00"),
        (watched(DOWN, trouble_since=SINCE), "Checkout API, down for 6 min, next try at 12:07"),
        (watched(replace(UP, running_since=NOW)), "Checkout API, up, checking"),
        (watched(paused(PauseReason.ASKED)), "Checkout API, paused until resumed"),
    ],
)
def test_a_row_is_one_sentence_without_anything_that_ticks(one: Watched, text: str) -> None:
    assert sentences.row_sentence(one, NOW) == text


def test_a_tool_tip_gives_clock_times() -> None:
    failing = watched(DOWN, trouble_since=SINCE)
    expected = "Checkout API: down since 11:53, next try at 12:07"
    assert sentences.tool_tip_line(failing, NOW) == expected
    assert sentences.tool_tip_line(watched(UP), NOW) == "Checkout API: up"


# What follows others


def group(state: RuntimeState, reason: str = "1 of 2 up, not Database") -> Watched:
    one = watched(state, reason=reason, trouble_since=SINCE)
    one.job.monitor = replace(one.monitor, is_passive=True)
    return one


def test_a_group_has_no_countdown() -> None:
    one = group(replace(DOWN, next_run_at=None))
    assert sentences.next_run_lines(one, NOW) == ("follows its members", "1 of 2 up, not Database")
    assert sentences.schedule_sentence(one, NOW) == "Follows its members"
    assert sentences.row_sentence(one, NOW) == "Checkout API, down for 6 min"


def test_a_paused_group_is_paused() -> None:
    one = group(paused(PauseReason.ASKED, TOMORROW))
    assert sentences.next_run_lines(one, NOW) == ("paused", "until tomorrow 08:00")


# Jobs that report to us


def heartbeat(state: RuntimeState) -> Watched:
    one = watched(state, Every(15 * MINUTE_MS), trouble_since=SINCE)
    one.job.monitor = replace(one.monitor, is_passive=True, grace_ms=5 * MINUTE_MS)
    return one


EXPECTED = RuntimeState(
    health=Status.UP, planned_slot_at=NOW + 9 * MINUTE_MS, next_run_at=NOW + 14 * MINUTE_MS
)


@pytest.mark.parametrize(
    ("state", "first", "second"),
    [
        (EXPECTED, "expected in 9 min 00 s", "late after 12:14"),
        (
            replace(EXPECTED, planned_slot_at=TOMORROW, next_run_at=TOMORROW + HOUR_MS),
            "expected tomorrow 08:00",
            "late after tomorrow 09:00",
        ),
        (
            replace(EXPECTED, planned_slot_at=NOW - MINUTE_MS),
            "expected since 11:59",
            "late after 12:14",
        ),
        (
            replace(EXPECTED, planned_slot_at=None, health=Status.PENDING),
            "waiting for its first ping",
            "late after 12:14",
        ),
    ],
)
def test_a_job_that_reports_is_expected(state: RuntimeState, first: str, second: str) -> None:
    one = heartbeat(state)
    assert sentences.next_run_lines(one, NOW) == (first, second)
    sentence = f"{first[:1].upper()}{first[1:]}, {second}, every 15 min"
    assert sentences.schedule_sentence(one, NOW) == sentence


def test_a_job_that_was_missed_is_never_tried_again() -> None:
    one = heartbeat(replace(EXPECTED, health=Status.DOWN, incidents=frozenset({Status.DOWN})))
    assert sentences.tool_tip_line(one, NOW) == "Checkout API: down since 11:53"
    assert sentences.row_sentence(one, NOW) == "Checkout API, down for 6 min, late after 12:14"


@pytest.mark.parametrize(
    ("one", "sentence"),
    [
        (watched(), "Waiting for its first check"),
        (group(PENDING), "Waiting for its members"),
        (heartbeat(PENDING), "Waiting for its first ping"),
    ],
)
def test_what_is_waited_for(one: Watched, sentence: str) -> None:
    assert sentences.status_sentence(one, NOW) == sentence


@pytest.mark.parametrize(
    ("until", "sentence", "second"),
    [
        (None, "Paused for maintenance", "for maintenance"),
        (
            TOMORROW,
            "Paused for maintenance until tomorrow 08:00",
            "for maintenance until tomorrow 08:00",
        ),
    ],
)
def test_maintenance_is_called_so(until: int | None, sentence: str, second: str) -> None:
    one = watched(paused(PauseReason.MAINTENANCE, until))
    assert sentences.status_sentence(one, NOW) == sentence
    assert sentences.next_run_lines(one, NOW) == ("paused", second)

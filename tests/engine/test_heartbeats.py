"""Jobs that report to us, on a clock that is moved by hand."""

import asyncio
from dataclasses import replace

import pytest

from tests.domain.build import at
from tests.engine.rig import NOON, Rig
from tests.engine.rig import engine as running
from uptime_desktop.domain.events import IncidentOpened, IncidentResolved
from uptime_desktop.domain.heartbeats import Ping, Signal
from uptime_desktop.domain.model import HOUR_MS, MINUTE_MS, SECOND_MS, Cron, Every, Monitor
from uptime_desktop.domain.status import Status

pytestmark = pytest.mark.asyncio

HOURLY = Monitor(
    "s", "backup", 1, Every(HOUR_MS), kind="heartbeat", is_passive=True, grace_ms=5 * MINUTE_MS
)


def ping(engine: Rig, signal: Signal = Signal.SUCCESS, **more: object) -> None:
    made = Ping(signal, engine.clock.wall(), **more)  # type: ignore[arg-type]
    engine.scheduler.hear(engine.job(HOURLY), made)


def missed(engine: Rig) -> list[str]:
    """When each report was missed."""
    return [
        clock_text(change.run.started_at)
        for change in engine.journal.changes
        if change.run is not None and change.run.outcome.status is Status.DOWN
    ]


def clock_text(at_ms: int) -> str:
    seconds = (at_ms - NOON) // 1_000 + 12 * 3_600
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


async def test_a_report_that_does_not_come_is_missed_at_exactly_its_deadline() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine)
        await engine.clock.advance(65 * MINUTE_MS - 1)
        assert engine.state(HOURLY).status is Status.UP
        await engine.clock.advance(1)
        assert engine.state(HOURLY).status is Status.DOWN
        assert missed(engine) == ["13:05:00"]
        assert engine.job(HOURLY).reason == "no ping for 1 h 05 min"


async def test_each_expected_report_is_missed_once() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        await engine.clock.advance(4 * HOUR_MS)
        assert missed(engine) == ["13:05:00", "14:05:00", "15:05:00"]
        assert len(engine.told(IncidentOpened)) == 1


async def test_an_early_report_moves_the_deadline() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine)
        await engine.clock.advance(30 * MINUTE_MS)
        ping(engine)
        await engine.clock.advance(60 * MINUTE_MS)
        assert missed(engine) == []
        await engine.clock.advance(10 * MINUTE_MS)
        assert missed(engine) == ["13:35:00"]


async def test_a_late_report_leaves_the_trouble_open_and_the_next_one_in_time_ends_it() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine)
        await engine.clock.advance(80 * MINUTE_MS)
        ping(engine)
        assert engine.state(HOURLY).status is Status.DOWN
        assert engine.job(HOURLY).reason == "came late, after the grace of 5 min 00 s"
        assert engine.told(IncidentResolved) == []
        await engine.clock.advance(60 * MINUTE_MS)
        ping(engine)
        assert engine.state(HOURLY).status is Status.UP
        assert len(engine.told(IncidentResolved)) == 1


async def test_a_run_that_starts_has_the_grace_to_finish() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine, Signal.START, run_id="r")
        await engine.clock.advance(5 * MINUTE_MS - 1)
        assert engine.state(HOURLY).status is Status.PENDING
        await engine.clock.advance(1)
        assert (engine.state(HOURLY).status, engine.job(HOURLY).reason) == (
            Status.DOWN,
            "started 5 min 00 s ago and did not finish",
        )


async def test_overlapping_runs_are_told_apart_and_their_durations_kept() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine, Signal.START, run_id="one")
        await engine.clock.advance(10 * SECOND_MS)
        ping(engine, Signal.START, run_id="two")
        await engine.clock.advance(10 * SECOND_MS)
        ping(engine, run_id="one")
        await engine.clock.advance(10 * SECOND_MS)
        ping(engine, run_id="two")
        took = [c.run.outcome.response_ms for c in engine.journal.changes if c.run is not None]
        assert took == [20_000.0, 20_000.0]


@pytest.mark.parametrize(
    ("exit_code", "message", "reason"),
    [(3, "", "exited with 3"), (None, "", "reported a failure"), (None, "full", "full")],
)
async def test_a_reported_failure_is_down_at_once(
    exit_code: int | None, message: str, reason: str
) -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine, Signal.FAIL, exit_code=exit_code, message=message)
        assert (engine.state(HOURLY).status, engine.job(HOURLY).reason) == (Status.DOWN, reason)
        ping(engine)
        assert engine.state(HOURLY).status is Status.UP


async def test_a_log_says_nothing_about_success_and_moves_no_deadline() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        before = engine.state(HOURLY).next_run_at
        await engine.clock.advance(MINUTE_MS)
        ping(engine, Signal.LOG, body="half way")
        state = engine.state(HOURLY)
        assert (state.status, state.next_run_at) == (Status.PENDING, before)


async def test_a_duration_far_from_the_usual_is_degraded_once_ten_are_known() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        for i in range(10):
            ping(engine, took_ms=60_000.0 + i * 100)
        assert engine.state(HOURLY).status is Status.UP
        ping(engine, took_ms=75_000.0)
        assert engine.state(HOURLY).status is Status.DEGRADED
        assert engine.job(HOURLY).reason == "took 1 min 15 s, usually 1 min 00 s"
        ping(engine, took_ms=60_000.0)
        assert engine.state(HOURLY).status is Status.UP


async def test_a_report_expected_while_asleep_is_not_judged() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine)
        await engine.clock.advance(30 * MINUTE_MS)
        await engine.clock.suspend(3 * HOUR_MS)
        assert engine.state(HOURLY).status is Status.UNKNOWN
        assert missed(engine) == []
        await engine.clock.advance(65 * MINUTE_MS)
        assert missed(engine) == ["16:35:00"]


async def test_sleep_between_two_reports_changes_nothing() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine)
        await engine.clock.advance(MINUTE_MS)
        await engine.clock.suspend(30 * MINUTE_MS)
        assert engine.state(HOURLY).status is Status.UP
        await engine.clock.advance(34 * MINUTE_MS)
        assert missed(engine) == ["13:05:00"]


async def test_a_cron_job_is_expected_at_its_slots() -> None:
    nightly = Monitor(
        "s",
        "backup",
        1,
        Cron.parse("0 3 * * *", "Europe/Berlin"),
        kind="heartbeat",
        is_passive=True,
        grace_ms=10 * MINUTE_MS,
    )
    async with running() as engine:
        engine.scheduler.add([nightly])
        state = engine.state(nightly)
        assert (state.planned_slot_at, state.next_run_at) == (
            at("2026-01-02T02:00"),
            at("2026-01-02T02:10"),
        )
        await engine.clock.advance(15 * HOUR_MS)
        assert missed(engine) == ["26:10:00"]


async def test_a_deadline_that_passed_unnoticed_is_judged_before_the_ping_that_comes_then() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine)
        engine.clock._pass(66 * MINUTE_MS)  # noqa: SLF001 - the loop was held up
        ping(engine)
        await asyncio.sleep(0)
        assert missed(engine) == ["13:06:00", "13:06:00"]
        assert engine.state(HOURLY).status is Status.DOWN


async def test_a_deadline_whose_alarm_got_lost_is_judged_by_the_sweep() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        alarm = engine.job(HOURLY).alarm
        assert alarm is not None
        alarm.cancel()
        await engine.clock.advance(71 * MINUTE_MS)
        assert missed(engine) == ["13:05:00"]


async def test_nothing_is_missed_while_nobody_can_be_heard() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        engine.scheduler.is_listening = False
        await engine.clock.advance(2 * HOUR_MS)
        assert engine.state(HOURLY).status is Status.UNKNOWN
        assert missed(engine) == []


async def test_ten_thousand_are_armed_and_armed_again_without_a_scan() -> None:
    monitors = [
        Monitor(
            "s",
            f"m{i}",
            i,
            Every(HOUR_MS),
            kind="heartbeat",
            is_passive=True,
            grace_ms=5 * MINUTE_MS,
        )
        for i in range(10_000)
    ]
    async with running() as engine:
        engine.scheduler.add(monitors)
        made = 0
        timer_at = engine.timer.at

        def counted(at_ms: int, call: object) -> object:
            nonlocal made
            made += 1
            return timer_at(at_ms, call)  # type: ignore[arg-type]

        engine.timer.at = counted  # type: ignore[method-assign, assignment]
        for monitor in monitors:
            engine.scheduler.hear(engine.job(monitor), Ping(Signal.SUCCESS, engine.clock.wall()))
        assert made == len(monitors)
        heap = engine.timer._by_wall  # noqa: SLF001
        assert len(heap.alarms) - heap.cancelled == len(monitors)


async def test_a_job_that_only_ever_begins_is_down_after_its_grace() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        for _ in range(5):
            ping(engine, Signal.START)
            await engine.clock.advance(MINUTE_MS)
        assert missed(engine) == ["12:05:00"]


async def test_a_run_that_hangs_is_missed_though_another_has_ended() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine, Signal.START, run_id="a")
        ping(engine, Signal.START, run_id="b")
        await engine.clock.advance(MINUTE_MS)
        ping(engine, run_id="a")
        assert engine.state(HOURLY).status is Status.UP
        await engine.clock.advance(4 * MINUTE_MS)
        assert missed(engine) == ["12:05:00"]
        assert engine.job(HOURLY).reason == "started 5 min 00 s ago and did not finish"


async def test_a_report_in_time_for_the_next_slot_ends_the_trouble() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine)
        await engine.clock.advance(2 * HOUR_MS)
        assert missed(engine) == ["13:05:00"]
        ping(engine)
        assert engine.state(HOURLY).status is Status.UP


async def test_what_was_expected_in_a_pause_is_not_held_against_it() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine)
        engine.scheduler.pause(engine.job(HOURLY).key)
        await engine.clock.advance(3 * HOUR_MS + 4 * MINUTE_MS + 55 * SECOND_MS)
        engine.scheduler.resume(engine.job(HOURLY).key)
        await engine.clock.advance(HOUR_MS)
        assert missed(engine) == []
        await engine.clock.advance(5 * MINUTE_MS)
        assert len(missed(engine)) == 1


async def test_a_pause_that_ends_while_asleep_leaves_it_unknown() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine)
        engine.scheduler.pause(engine.job(HOURLY).key, engine.clock.wall() + 10 * MINUTE_MS)
        await engine.clock.suspend(3 * HOUR_MS)
        assert engine.state(HOURLY).status is Status.UNKNOWN
        assert missed(engine) == []
        await engine.clock.advance(65 * MINUTE_MS)
        assert len(missed(engine)) == 1


async def test_a_run_that_may_have_ended_while_asleep_is_not_judged() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine)
        ping(engine, Signal.START)
        await engine.clock.advance(MINUTE_MS)
        await engine.clock.suspend(2 * MINUTE_MS)
        await engine.clock.advance(10 * MINUTE_MS)
        assert missed(engine) == []


async def test_another_grace_moves_the_deadline_and_not_what_is_expected() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine)
        engine.scheduler.edit(replace(HOURLY, grace_ms=MINUTE_MS))
        await engine.clock.advance(61 * MINUTE_MS)
        assert missed(engine) == ["13:01:00"]


async def test_one_that_was_added_before_we_ever_ran_is_not_missed_at_the_first_start() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        state = engine.state(HOURLY)
    async with running() as engine:
        engine.clock._pass(2 * HOUR_MS)  # noqa: SLF001 - nobody was there
        engine.restore([(HOURLY, state)], None)
        await engine.clock.advance(MINUTE_MS)
        assert missed(engine) == []
        assert engine.state(HOURLY).status is Status.UNKNOWN


async def test_what_was_expected_while_deaf_is_not_judged_afterwards() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine)
        await engine.clock.advance(55 * MINUTE_MS)
        engine.scheduler.is_listening = False
        deaf_since = engine.clock.wall()
        await engine.clock.advance(6 * MINUTE_MS)
        engine.scheduler.is_listening = True
        engine.scheduler.hear_again(deaf_since)
        await engine.clock.advance(30 * MINUTE_MS)
        assert missed(engine) == []


async def test_reports_within_a_millisecond_are_rows_of_their_own() -> None:
    async with running() as engine:
        engine.scheduler.add([HOURLY])
        ping(engine, Signal.FAIL)
        ping(engine)
        rows = [c.run.started_at for c in engine.journal.changes if c.run is not None]
        assert len(set(rows)) == 2

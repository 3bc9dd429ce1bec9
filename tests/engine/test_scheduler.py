"""Runs on a fake clock: manual checks, hung checks, edits, pauses, restarts, jumping clocks."""

import asyncio
from dataclasses import replace

import pytest

from tests.domain.build import DOWN, UP, monitor, state
from tests.engine.rig import NOON, engine
from uptime_desktop.domain import events
from uptime_desktop.domain.model import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    CatchUp,
    Cron,
    Every,
    Hint,
    Monitor,
    Once,
    Source,
)
from uptime_desktop.domain.status import Status
from uptime_desktop.engine.runner import Limits
from uptime_desktop.engine.scheduler import Memory

pytestmark = pytest.mark.asyncio

WEB = monitor(retries=0)
HOURLY = monitor(Cron.parse("0 * * * *", "UTC"), retries=0)


def many(count: int, like: Monitor = WEB) -> list[Monitor]:
    return [replace(like, id=f"m{number}", number=number + 1) for number in range(count)]


def busiest_second(starts: list[int]) -> int:
    return max(sum(begin <= one < begin + 1_000 for one in starts) for begin in starts)


class TestSchedule:
    async def test_a_new_monitor_runs_at_once_and_then_at_its_interval(self) -> None:
        async with engine() as rig:
            rig.scheduler.add([WEB])
            await rig.clock.advance(150_000)
            assert rig.starts() == [0, 60_000, 120_000]

    async def test_the_interval_counts_from_when_the_run_settled(self) -> None:
        async with engine() as rig:
            rig.checks.takes_ms = 2_000
            rig.scheduler.add([WEB])
            await rig.clock.advance(130_000)
            assert rig.starts() == [0, 62_000, 124_000]

    async def test_failures_back_off_and_success_returns_to_the_interval(self) -> None:
        async with engine() as rig:
            rig.checks.answers["web"] = DOWN
            rig.scheduler.add([WEB])
            await rig.clock.advance(7 * MINUTE_MS + 1)
            assert rig.starts() == [0, 2 * MINUTE_MS, 6 * MINUTE_MS]
            rig.checks.answers["web"] = UP
            await rig.clock.advance(10 * MINUTE_MS)
            assert rig.starts()[3:] == [
                14 * MINUTE_MS,
                15 * MINUTE_MS,
                16 * MINUTE_MS,
                17 * MINUTE_MS,
            ]

    async def test_cron_runs_at_its_slots_to_the_millisecond(self) -> None:
        async with engine() as rig:
            rig.scheduler.add([monitor(Cron.parse("*/15 * * * *", "UTC"))])
            await rig.clock.advance(HOUR_MS)
            assert rig.starts() == [0, 900_000, 1_800_000, 2_700_000, 3_600_000]

    async def test_once_runs_once(self) -> None:
        async with engine() as rig:
            once = monitor(Once(NOON + 90_000))
            rig.scheduler.add([once])
            await rig.clock.advance(HOUR_MS)
            assert rig.starts() == [90_000]
            assert rig.state(once).status is Status.PAUSED

    async def test_the_first_runs_of_many_are_spread(self) -> None:
        async with engine() as rig:
            rig.scheduler.add(many(10))
            await rig.clock.advance(30_000)
            assert rig.starts() == [index * 3_000 for index in range(10)]

    async def test_four_thousand_new_monitors_start_no_more_than_a_hundred_a_second(self) -> None:
        async with engine() as rig:
            rig.scheduler.add(many(4_000, replace(WEB, schedule=Every(HOUR_MS))))
            await rig.clock.advance(41_000)
            assert len(rig.starts()) == 4_000
            assert busiest_second(rig.starts()) <= 100

    async def test_nor_when_the_loop_was_held_up(self) -> None:
        async with engine() as rig:
            rig.scheduler.add(many(3_000, replace(WEB, schedule=Every(HOUR_MS))))
            await rig.clock.advance(3_000)
            await rig.clock.stall(700)
            await rig.clock.advance(28_000)
            assert len(rig.starts()) == 3_000
            assert busiest_second(rig.starts()) <= 100


class TestTimeout:
    async def test_a_hung_check_is_one_timeout_no_overlap_and_a_backoff(self) -> None:
        async with engine() as rig:
            rig.checks.answers["web"] = asyncio.Event()
            rig.scheduler.add([WEB])
            await rig.clock.advance(100_000)
            assert rig.checks.started["web"] == 1
            assert rig.checks.under_way["web"] == 0
            (timed_out,) = rig.told(events.CheckTimedOut)
            assert isinstance(timed_out, events.CheckTimedOut)
            assert (timed_out.timeout_ms, timed_out.abandoned) == (30_000, False)
            (backed_off,) = rig.told(events.BackoffApplied)
            assert isinstance(backed_off, events.BackoffApplied)
            assert (backed_off.backoff_attempt, backed_off.delay_ms) == (1, 120_000)
            assert rig.state(WEB).next_run_at == NOON + 150_000

    async def test_a_check_that_will_not_stop_is_abandoned_and_its_late_answer_unheard(
        self,
    ) -> None:
        async with engine() as rig:
            hanging = rig.checks.answers["web"] = asyncio.Event()
            rig.checks.is_stubborn = True
            rig.scheduler.add([WEB])
            await rig.clock.advance(34_999)
            assert not rig.told(events.CheckTimedOut)
            await rig.clock.advance(1)
            (timed_out,) = rig.told(events.CheckTimedOut)
            assert isinstance(timed_out, events.CheckTimedOut)
            assert timed_out.abandoned
            kept = len(rig.journal.changes)
            hanging.set()
            await rig.clock.advance(1_000)
            assert len(rig.journal.changes) == kept
            assert rig.state(WEB).health is Status.DOWN

    async def test_retries_come_after_growing_pauses_and_the_first_success_wins(self) -> None:
        async with engine() as rig:
            rig.checks.answers["web"] = DOWN
            rig.scheduler.add([replace(WEB, retries=3)])
            await rig.clock.advance(499)
            assert rig.checks.started["web"] == 1
            await rig.clock.advance(1)
            assert rig.checks.started["web"] == 2
            await rig.clock.advance(999)
            assert rig.checks.started["web"] == 2
            rig.checks.answers["web"] = UP
            await rig.clock.advance(1)
            (finished,) = rig.told(events.CheckFinished)
            assert isinstance(finished, events.CheckFinished)
            assert (finished.outcome.status, finished.outcome.attempts) == (Status.UP, 3)

    async def test_the_pause_between_attempts_is_thirty_seconds_at_most(self) -> None:
        async with engine() as rig:
            rig.checks.answers["web"] = DOWN
            rig.scheduler.add([replace(WEB, retries=10)])
            pauses_ms = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]
            await rig.clock.advance(sum(pauses_ms) - 1)
            assert not rig.told(events.CheckFinished)
            await rig.clock.advance(1)
            assert len(rig.told(events.CheckFinished)) == 1
            assert rig.checks.started["web"] == 11

    async def test_a_check_that_raises_is_down_and_hurts_nobody(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        async with engine() as rig:

            async def raises(_: Monitor) -> object:
                raise ZeroDivisionError("oops")

            rig.runner._run_check = raises  # type: ignore[assignment]  # noqa: SLF001
            rig.scheduler.add([WEB])
            await rig.clock.advance(1)
            assert rig.state(WEB).health is Status.DOWN
            (finished,) = rig.told(events.CheckFinished)
            assert isinstance(finished, events.CheckFinished)
            assert finished.outcome.reason == "the check itself failed: ZeroDivisionError: oops"
            assert "ZeroDivisionError" in caplog.text

    async def test_a_run_stuck_for_two_hours_is_swept(self) -> None:
        async with engine(memory=Memory(stuck_after_ms=600_000)) as rig:
            rig.checks.answers["web"] = asyncio.Event()
            slow = replace(WEB, retries=10, timeout_ms=300_000)
            rig.scheduler.add([slow])
            await rig.clock.advance(11 * MINUTE_MS)
            assert rig.starts() == [0]
            (finished,) = rig.told(events.CheckFinished)
            assert isinstance(finished, events.CheckFinished)
            assert finished.outcome.status is Status.UNKNOWN


class TestLimits:
    async def test_no_more_than_the_free_slots_run_at_once_and_waiting_is_not_response(
        self,
    ) -> None:
        async with engine(Limits(max_concurrent=2)) as rig:
            rig.checks.takes_ms = 1_000
            rig.restore([(one, state(next_run_at=NOON + 5)) for one in many(5)], NOON)
            await rig.clock.advance(10_000)
            assert rig.checks.most_under_way == 2
            waits = [change.run.wait_ms for change in rig.journal.changes if change.run]
            assert waits == [0, 0, 1_000, 1_000, 2_000]

    async def test_one_origin_is_not_hammered(self) -> None:
        async with engine(Limits(per_origin=2), origin_of=lambda _: "one host") as rig:
            rig.checks.takes_ms = 10_000
            rig.scheduler.add(many(6, replace(WEB, schedule=Every(5_000))))
            await rig.clock.advance(9_999)
            assert rig.checks.most_under_way == 2
            waits = [change.run.wait_ms for change in rig.journal.changes if change.run]
            assert waits == []
            await rig.clock.advance(10_001)
            waits = [change.run.wait_ms for change in rig.journal.changes if change.run]
            assert waits[:2] == [0, 0]
            assert all(wait > 5_000 for wait in waits[2:])

    async def test_more_slots_take_effect_at_once(self) -> None:
        async with engine(Limits(max_concurrent=1)) as rig:
            hanging = asyncio.Event()
            rig.checks.answers = dict.fromkeys(("m0", "m1", "m2"), hanging)
            rig.scheduler.add(many(3, replace(WEB, schedule=Every(5_000))))
            await rig.clock.advance(10_000)
            assert rig.checks.under_way.total() == 1
            rig.runner.limits = Limits(max_concurrent=3)
            rig.runner.limits_changed()
            await rig.clock.advance(0)
            assert rig.checks.under_way.total() == 3


class TestManualCheck:
    async def test_idle_it_runs_at_once_and_the_schedule_counts_from_there(self) -> None:
        async with engine() as rig:
            rig.checks.answers["web"] = DOWN
            rig.scheduler.add([WEB])
            await rig.clock.advance(10_000)
            assert rig.state(WEB).backoff_attempt == 1
            rig.checks.answers["web"] = UP
            waiter = rig.scheduler.check_now(("site", "web"))
            await rig.clock.advance(0)
            assert waiter.result() == UP
            assert len(rig.told(events.ManualCheckStarted)) == 1
            assert rig.state(WEB).next_run_at == NOON + 70_000
            await rig.clock.advance(60_000)
            assert rig.starts() == [0, 10_000, 70_000]

    async def test_six_requests_during_a_run_make_one_more_run(self) -> None:
        async with engine() as rig:
            hanging = rig.checks.answers["web"] = asyncio.Event()
            rig.scheduler.add([WEB])
            await rig.clock.advance(1_000)
            waiters = [rig.scheduler.check_now(("site", "web")) for _ in range(6)]
            await rig.clock.advance(1_000)
            assert rig.checks.started["web"] == 1
            rig.checks.answers["web"] = DOWN
            hanging.set()
            await rig.clock.advance(0)
            assert rig.checks.started["web"] == 2
            assert [waiter.result().status for waiter in waiters] == [Status.DOWN] * 6
            assert rig.starts() == [0, 2_000]
            assert len(rig.told(events.ManualCheckStarted)) == 1

    async def test_it_needs_no_free_slot(self) -> None:
        async with engine(Limits(max_concurrent=1)) as rig:
            rig.checks.answers["m0"] = asyncio.Event()
            rig.scheduler.add(many(2, replace(WEB, schedule=Every(5_000))))
            await rig.clock.advance(3_000)
            assert rig.checks.started["m1"] == 0
            rig.scheduler.check_now(("site", "m1"))
            await rig.clock.advance(0)
            assert rig.checks.started["m1"] == 1
            assert len(rig.told(events.ManualCheckStarted)) == 1

    async def test_but_it_does_wait_for_its_origin(self) -> None:
        async with engine(Limits(per_origin=1), origin_of=lambda _: "one host") as rig:
            hanging = rig.checks.answers["m0"] = asyncio.Event()
            rig.scheduler.add(many(3, replace(WEB, schedule=Every(5_000))))
            await rig.clock.advance(4_000)
            rig.scheduler.check_now(("site", "m2"))
            await rig.clock.advance(0)
            assert rig.checks.started == {"m0": 1}
            hanging.set()
            await rig.clock.advance(0)
            order = [change.monitor_number for change in rig.journal.changes if change.run]
            assert order == [1, 3, 2]

    async def test_a_paused_monitor_is_checked_and_stays_paused(self) -> None:
        async with engine() as rig:
            rig.scheduler.add([WEB])
            await rig.clock.advance(1)
            rig.scheduler.pause(("site", "web"))
            rig.checks.answers["web"] = DOWN
            waiter = rig.scheduler.check_now(("site", "web"))
            await rig.clock.advance(HOUR_MS)
            assert waiter.result() == DOWN
            assert rig.starts() == [0, 1]
            assert rig.state(WEB).status is Status.PAUSED


class TestInFlight:
    @pytest.mark.parametrize("act", ["pause", "remove"])
    async def test_pausing_or_removing_cancels_the_run_and_leaves_no_orphan(self, act: str) -> None:
        async with engine() as rig:
            rig.checks.answers["web"] = asyncio.Event()
            rig.scheduler.add([WEB])
            await rig.clock.advance(1_000)
            waiter = rig.scheduler.check_now(("site", "web"))
            getattr(rig.scheduler, act)(("site", "web"))
            await rig.clock.advance(HOUR_MS)
            assert rig.checks.under_way.total() == 0
            assert rig.checks.started["web"] == 1
            assert rig.runner.under_way == 0
            assert waiter.cancelled()
            assert rig.starts() == []

    async def test_another_target_throws_the_run_away_and_starts_anew(self) -> None:
        async with engine() as rig:
            rig.checks.answers["web"] = asyncio.Event()
            rig.scheduler.add([WEB])
            await rig.clock.advance(1_000)
            rig.checks.answers["web"] = UP
            rig.scheduler.edit(replace(WEB, settings={"url": "https://other.example/"}))
            await rig.clock.advance(0)
            assert rig.starts() == [1_000]
            assert rig.checks.started["web"] == 2

    async def test_another_interval_waits_for_the_run(self) -> None:
        async with engine() as rig:
            hanging = rig.checks.answers["web"] = asyncio.Event()
            rig.scheduler.add([WEB])
            await rig.clock.advance(1_000)
            rig.scheduler.edit(replace(WEB, schedule=Every(10_000)))
            hanging.set()
            await rig.clock.advance(10_000)
            assert rig.starts() == [0, 11_000]

    async def test_another_interval_holds_at_once_when_idle(self) -> None:
        async with engine() as rig:
            rig.scheduler.add([WEB])
            await rig.clock.advance(1_000)
            rig.scheduler.edit(replace(WEB, schedule=Every(10_000)))
            await rig.clock.advance(10_000)
            assert rig.starts() == [0, 11_000]

    async def test_whoever_was_never_looked_at_does_not_wait_for_another_interval(self) -> None:
        async with engine() as rig:
            many = [monitor(Every(DAY_MS), id=f"m{n}", number=n + 1) for n in range(60)]
            rig.scheduler.add(many)
            for one in many:
                rig.scheduler.edit(replace(one, schedule=Every(12 * HOUR_MS)))
            await rig.clock.advance(300)
            assert 0 < len(rig.starts()) < 60
            await rig.clock.advance(30_000)
            assert len(rig.starts()) == 60

    async def test_a_first_run_follows_another_kind_of_schedule(self) -> None:
        async with engine() as rig:
            once = monitor(Once(NOON + 9_000))
            rig.scheduler.add([once])
            rig.scheduler.edit(replace(once, schedule=Every(HOUR_MS)))
            await rig.clock.advance(1_000)
            assert rig.starts() == [0]

    async def test_a_finished_once_with_a_new_time_goes_on(self) -> None:
        async with engine() as rig:
            once = monitor(Once(NOON + 1_000))
            rig.scheduler.add([once])
            await rig.clock.advance(2_000)
            rig.scheduler.edit(replace(once, schedule=Once(NOON + 9_000)))
            assert len(rig.told(events.MonitorResumed)) == 1
            await rig.clock.advance(10_000)
            assert rig.starts() == [1_000, 9_000]

    async def test_another_name_leaves_the_plan_alone(self) -> None:
        async with engine() as rig:
            rig.scheduler.add([WEB])
            await rig.clock.advance(1_000)
            before = rig.state(WEB)
            rig.scheduler.edit(replace(WEB, name="Shop"))
            assert rig.state(WEB) is before

    async def test_a_hint_checks_more_often_for_a_while(self) -> None:
        async with engine() as rig:
            rig.scheduler.add([WEB])
            await rig.clock.advance(1_000)
            hint = Hint(NOON + 31_000, interval_ms=10_000)
            rig.scheduler.hint(("site", "web"), hint)
            await rig.clock.advance(120_000)
            assert rig.starts() == [0, 11_000, 21_000, 31_000, 91_000]

    async def test_pausing_until_an_instant_runs_then(self) -> None:
        async with engine() as rig:
            rig.scheduler.add([WEB])
            await rig.clock.advance(1_000)
            rig.scheduler.pause(("site", "web"), NOON + HOUR_MS)
            await rig.clock.advance(HOUR_MS)
            assert rig.starts() == [0, HOUR_MS]
            assert rig.state(WEB).status is Status.UP


class TestRestart:
    async def test_within_the_window_attempt_and_next_run_are_resumed(self) -> None:
        async with engine() as rig:
            before = state(backoff_attempt=3, next_run_at=NOON + 77_000, health=Status.DOWN)
            rig.restore([(WEB, before)], NOON - 30 * MINUTE_MS)
            await rig.clock.advance(77_000)
            assert rig.starts() == [77_000]

    async def test_past_the_window_it_starts_afresh(self) -> None:
        async with engine() as rig:
            before = state(backoff_attempt=5, next_run_at=NOON + 1_800_000)
            rig.restore([(WEB, before)], NOON - 2 * HOUR_MS)
            await rig.clock.advance(61_000)
            assert rig.starts() == [60_000]

    async def test_two_days_offline_are_one_catch_up_each_and_no_burst(self) -> None:
        async with engine() as rig:
            hourlies = many(50, HOURLY)
            gone = NOON - 48 * HOUR_MS
            before = state(next_run_at=gone, planned_slot_at=gone)
            rig.restore([(one, before) for one in hourlies], gone)
            await rig.clock.advance(59 * MINUTE_MS)
            assert len(rig.starts()) == 50
            assert max(rig.starts()) <= 30_000
            sources = [change.run.source for change in rig.journal.changes if change.run]
            assert set(sources) == {Source.CATCH_UP}
            await rig.clock.advance(MINUTE_MS)
            assert rig.starts()[50:] == [HOUR_MS] * 50

    async def test_or_none_where_that_is_not_wanted(self) -> None:
        async with engine() as rig:
            skipping = replace(HOURLY, catch_up=CatchUp.SKIP)
            rig.restore([(skipping, state(next_run_at=NOON - 1))], NOON - DAY_MS)
            await rig.clock.advance(HOUR_MS)
            assert rig.starts() == [HOUR_MS]

    async def test_a_run_cut_short_by_a_crash_runs_again_once(self) -> None:
        async with engine() as rig:
            before = state(running_since=NOON - 900, next_run_at=NOON - 900, health=Status.UP)
            rig.restore([(WEB, before)], NOON - 500)
            await rig.clock.advance(59_000)
            assert rig.starts() == [0]
            assert rig.state(WEB).consecutive_failures == 0


class TestClocks:
    async def test_set_back_an_hour_intervals_go_on_and_cron_does_not_stall(self) -> None:
        async with engine() as rig:
            web = replace(WEB, id="interval", number=1)
            cron = replace(HOURLY, id="cron", number=2, schedule=Cron.parse("*/10 * * * *", "UTC"))
            rig.scheduler.add([web, cron])
            await rig.clock.advance(5 * MINUTE_MS)
            await rig.clock.set_wall(-HOUR_MS)
            rig.checks.started.clear()
            await rig.clock.advance(10 * MINUTE_MS)
            assert rig.checks.started["interval"] == 10
            assert rig.checks.started["cron"] == 1

    async def test_set_forward_a_day_there_is_one_catch_up_and_no_burst(self) -> None:
        async with engine() as rig:
            web = replace(WEB, id="interval", number=1)
            rig.scheduler.add([web, *many(20, HOURLY)])
            await rig.clock.advance(5 * MINUTE_MS)
            rig.checks.started.clear()
            await rig.clock.set_wall(DAY_MS)
            await rig.clock.advance(50_000)
            assert rig.checks.started["interval"] <= 1
            assert all(rig.checks.started[f"m{number}"] == 1 for number in range(20))

    async def test_a_day_of_sleep_is_a_restart_with_that_gap(self) -> None:
        async with engine() as rig:
            rig.checks.answers["web"] = DOWN
            rig.scheduler.add([WEB])
            await rig.clock.advance(10 * MINUTE_MS)
            assert rig.state(WEB).backoff_attempt == 3
            rig.checks.started.clear()
            await rig.clock.suspend(DAY_MS)
            last = rig.journal.changes[-1]
            assert last.run is not None
            assert last.run.source is Source.CATCH_UP
            assert last.state.backoff_attempt == 1  # forgotten, then one failure
            await rig.clock.advance(30_000)
            assert rig.checks.started["web"] == 1

    async def test_a_short_nap_keeps_the_backoff(self) -> None:
        async with engine() as rig:
            rig.checks.answers["web"] = DOWN
            rig.scheduler.add([WEB])
            await rig.clock.advance(7 * MINUTE_MS)
            before = rig.state(WEB)
            assert before.next_run_at is not None
            await rig.clock.suspend(5 * MINUTE_MS)
            assert rig.state(WEB).backoff_attempt == before.backoff_attempt
            assert rig.state(WEB).next_run_at == before.next_run_at

    async def test_a_run_twenty_four_days_away_is_waited_for(self) -> None:
        async with engine() as rig:
            far = monitor(Every(25 * DAY_MS), retries=0)
            rig.scheduler.add([far])
            await rig.clock.advance(1)
            for _ in range(24):
                await rig.clock.suspend(DAY_MS)
            assert rig.starts() == [0]
            await rig.clock.suspend(DAY_MS - 1_000)
            assert rig.starts() == [0]
            await rig.clock.advance(1_000)
            assert rig.starts() == [0, 25 * DAY_MS]

"""What becomes of a monitor's state: runs, manual checks, pauses, hints, restarts."""

from dataclasses import replace
from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.build import (
    DEGRADED,
    DOWN,
    UNKNOWN,
    UP,
    after_schedules,
    at,
    attempts,
    instants,
    monitor,
    monitors,
    outcomes,
    repeating_schedules,
    schedules,
    state,
    unit_randoms,
    zones,
)
from uptime_desktop.domain import events, plan
from uptime_desktop.domain.model import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    PLAN_VERSION,
    Backoff,
    Cadence,
    CatchUp,
    Clamps,
    Cron,
    Every,
    Hint,
    Monitor,
    Once,
    Outcome,
    Pause,
    PauseReason,
    Policy,
    RuntimeState,
    Schedule,
    Source,
    correlation_id,
)
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.transition import Transition

NOON = at("2026-01-01T12:00")
HOURLY = Cron.parse("0 * * * *", "UTC")


def after_run(
    subject: Monitor, before: RuntimeState, outcome: Outcome, started: int = NOON, took: int = 0
) -> Transition:
    running = plan.start(subject, before, started).state
    return plan.advance(subject, running, outcome, started + took, 0.5, UTC)


def told(transition: Transition, kind: type[events.Event]) -> list[events.Event]:
    return [event for event in transition.events if isinstance(event, kind)]


class TestAfterARun:
    def test_the_first_failure_already_waits_longer(self) -> None:
        failed = after_run(monitor(), state(), DOWN).state
        assert (failed.backoff_attempt, failed.next_run_at) == (1, NOON + 120_000)

    def test_failures_add_up_and_the_first_success_is_back_at_the_interval(self) -> None:
        subject, current, delays = monitor(), state(), []
        for outcome in [DOWN, DOWN, DOWN, UP, DOWN]:
            current = after_run(subject, current, outcome).state
            assert current.next_run_at is not None
            delays.append((current.next_run_at - NOON) // 1_000)
        assert delays == [120, 240, 480, 60, 120]

    def test_the_delay_counts_from_when_the_run_settled(self) -> None:
        settled = after_run(monitor(), state(), UP, took=7_000).state
        assert settled.next_run_at == NOON + 67_000
        assert settled.last_attempt_at == NOON

    @given(st.floats(0, 1), st.integers(NOON, NOON + 1_000), st.integers(0, 6))
    def test_runs_that_may_move_share_a_wake(self, chance: float, now: int, attempt: int) -> None:
        jittery = replace(monitor(), jitter_ppm=100_000)
        running = state(backoff_attempt=attempt, running_since=now)
        planned = plan.advance(jittery, running, UP, now, chance, UTC).state.next_run_at
        assert planned is not None
        assert 54_000 <= planned - now <= 66_000
        at_the_edge = min(planned - now - 54_000, 66_000 - (planned - now)) < 125
        assert planned % 250 == 0 or at_the_edge

    def test_degraded_is_not_a_failure(self) -> None:
        before = state(backoff_attempt=3, consecutive_failures=3, health=Status.DOWN)
        settled = after_run(monitor(), before, DEGRADED).state
        assert (settled.backoff_attempt, settled.consecutive_failures) == (0, 0)
        assert settled.status is Status.DEGRADED

    def test_not_having_been_able_to_look_neither_counts_nor_forgives(self) -> None:
        before = state(backoff_attempt=2, consecutive_failures=2, health=Status.DOWN)
        settled = after_run(monitor(), before, UNKNOWN).state
        assert (settled.backoff_attempt, settled.consecutive_failures) == (2, 2)
        assert settled.status is Status.UNKNOWN

    def test_slots_passed_while_running_are_skipped(self) -> None:
        each_minute = monitor(Cron.parse("* * * * *", "UTC"))
        settled = after_run(each_minute, state(planned_slot_at=NOON), UP, took=150_000).state
        assert settled.next_run_at == NOON + 180_000

    def test_a_run_that_woke_early_does_not_fire_its_slot_again(self) -> None:
        before = state(planned_slot_at=NOON)
        settled = after_run(monitor(HOURLY), before, UP, started=NOON - 600, took=100).state
        assert settled.next_run_at == NOON + HOUR_MS

    @pytest.mark.parametrize("outcome", [UP, DEGRADED, DOWN])
    def test_once_pauses_whatever_the_outcome_and_keeps_it(self, outcome: Outcome) -> None:
        settled = after_run(monitor(Once(NOON)), state(), outcome)
        assert settled.state.status is Status.PAUSED
        assert settled.state.health is outcome.status
        assert settled.state.next_run_at is None
        assert told(settled, events.MonitorPaused)

    @pytest.mark.parametrize(
        ("policy", "auto_pause_after", "pauses_at"),
        [
            (Policy.EXPONENTIAL, None, None),
            (Policy.EXPONENTIAL, 3, 3),
            (Policy.LADDER, None, 5),
            (Policy.LADDER, 0, None),
            (Policy.LADDER, 2, 2),
        ],
    )
    def test_too_many_failures_in_a_row_pause(
        self, policy: Policy, auto_pause_after: int | None, pauses_at: int | None
    ) -> None:
        subject = monitor(backoff=Backoff(policy), auto_pause_after=auto_pause_after)
        current, paused_at = state(), None
        for count in range(1, 12):
            current = after_run(subject, current, DOWN).state
            if current.pause and paused_at is None:
                paused_at = count
                assert current.pause == Pause(PauseReason.FAILURES)
                assert (current.next_run_at, current.source) == (None, Source.PAUSED)
                break
        assert paused_at == pauses_at

    def test_incidents_open_and_resolve_with_the_outcome(self) -> None:
        current, log = state(), []
        for outcome in [UP, DEGRADED, DOWN, DOWN, UNKNOWN, DEGRADED, UP]:
            settled = after_run(monitor(), current, outcome)
            current = settled.state
            log.append(
                [
                    ("+" if isinstance(event, events.IncidentOpened) else "-") + event.kind
                    for event in settled.events
                    if isinstance(event, events.IncidentOpened | events.IncidentResolved)
                ]
            )
        assert log == [[], ["+degraded"], ["+down"], [], [], ["-down"], ["-degraded"]]


class TestEvents:
    def test_a_failed_run_tells_all_in_order_with_one_correlation_id(self) -> None:
        timed_out = Outcome(Status.DOWN, "no answer", timed_out_after_ms=30_000)
        settled = after_run(monitor(), state(health=Status.UP), timed_out, took=30_000)
        assert [type(event) for event in settled.events] == [
            events.CheckFinished,
            events.CheckTimedOut,
            events.IncidentOpened,
            events.BackoffApplied,
            events.ScheduleUpdated,
            events.StatusChanged,
        ]
        assert {event.correlation_id for event in settled.events} == {correlation_id(7, NOON)}
        assert {(event.site_id, event.monitor_id) for event in settled.events} == {("site", "web")}
        assert settled.events[3:5] == (
            events.BackoffApplied(
                "site", "web", correlation_id(7, NOON), NOON + 30_000, 1, 120_000
            ),
            events.ScheduleUpdated(
                *("site", "web", correlation_id(7, NOON), NOON + 30_000),
                next_run_at=NOON + 150_000,
                delay_ms=120_000,
                backoff_attempt=1,
                source=Source.BASELINE_INTERVAL,
            ),
        )

    def test_a_good_run_like_the_one_before_tells_only_of_itself_and_the_plan(self) -> None:
        settled = after_run(monitor(), state(health=Status.UP), UP)
        kinds = [type(event) for event in settled.events]
        assert kinds == [events.CheckFinished, events.ScheduleUpdated]

    @pytest.mark.parametrize(
        ("schedule", "policy", "expected"),
        [
            (Every(), Policy.EXPONENTIAL, True),
            (Every(), Policy.NONE, False),
            (HOURLY, Policy.EXPONENTIAL, False),
            (HOURLY, Policy.FIXED, True),
            (Every(), Policy.FIXED, False),  # the normal interval comes first
            (Every(10 * MINUTE_MS), Policy.LADDER, False),  # so does it here
            (Every(5_000), Policy.LADDER, True),
        ],
    )
    def test_backoff_is_told_only_where_it_moved_the_run(
        self, schedule: Schedule, policy: Policy, expected: bool
    ) -> None:
        subject = monitor(schedule, backoff=Backoff(policy))
        assert bool(told(after_run(subject, state(), DOWN), events.BackoffApplied)) is expected

    def test_a_correlation_id_is_a_uuid_of_version_eight_and_differs_by_run(self) -> None:
        ids = {correlation_id(number, NOON + ms) for number in (1, 2) for ms in (0, 1)}
        assert len(ids) == 4
        assert {(one.version, one.variant) for one in ids} == {(8, "specified in RFC 4122")}


class TestManualCheck:
    def test_it_resets_the_backoff_but_not_the_count_of_failures(self) -> None:
        failing = state(backoff_attempt=4, consecutive_failures=4, health=Status.DOWN)
        started = plan.start(monitor(), failing, NOON, manual=True)
        assert (started.state.backoff_attempt, started.state.consecutive_failures) == (0, 4)
        assert [type(event) for event in started.events] == [events.ManualCheckStarted]
        settled = plan.advance(monitor(), started.state, DOWN, NOON, 0.5, UTC).state
        assert (settled.backoff_attempt, settled.consecutive_failures) == (1, 5)

    def test_it_leaves_the_slot_to_come_alone(self) -> None:
        waiting = state(next_run_at=NOON, planned_slot_at=NOON)
        started = plan.start(monitor(HOURLY), waiting, NOON - 5_000, manual=True).state
        settled = plan.advance(monitor(HOURLY), started, UP, NOON - 4_000, 0.5, UTC).state
        assert settled.next_run_at == NOON

    def test_an_early_one_does_not_use_up_a_once(self) -> None:
        once = monitor(Once(NOON))
        waiting = plan.begin(once, NOON - HOUR_MS, UTC).state
        started = plan.start(once, waiting, NOON - 1_000, manual=True).state
        settled = plan.advance(once, started, UP, NOON - 500, 0.5, UTC).state
        assert (settled.status, settled.next_run_at) == (Status.UP, NOON)

    def test_a_paused_monitor_stays_paused_and_opens_no_incident(self) -> None:
        paused = plan.pause(monitor(), state(health=Status.UP), NOON).state
        started = plan.start(monitor(), paused, NOON, manual=True).state
        settled = plan.advance(monitor(), started, DOWN, NOON, 0.5, UTC)
        assert settled.state.status is Status.PAUSED
        assert settled.state.health is Status.DOWN
        assert settled.state.next_run_at is None
        assert not told(settled, events.IncidentOpened)
        assert not told(settled, events.StatusChanged)


class TestPause:
    def test_for_good_and_back(self) -> None:
        before = state(next_run_at=NOON + 9, backoff_attempt=3, consecutive_failures=3)
        paused = plan.pause(monitor(), before, NOON)
        assert (paused.state.next_run_at, paused.state.source) == (None, Source.PAUSED)
        assert told(paused, events.MonitorPaused)
        back = plan.unpause(monitor(), paused.state, NOON + 500, 0.5, UTC)
        assert back.state.next_run_at == NOON + 500
        assert (back.state.backoff_attempt, back.state.consecutive_failures) == (0, 0)
        assert told(back, events.MonitorResumed)

    def test_until_an_instant_runs_then(self) -> None:
        until = NOON + HOUR_MS
        paused = plan.pause(monitor(), state(health=Status.UP), NOON, until).state
        assert (paused.next_run_at, paused.source) == (until, Source.PAUSED)
        started = plan.start(monitor(), paused, until)
        assert started.state.status is Status.UP
        assert told(started, events.MonitorResumed)

    def test_until_a_past_instant_is_refused(self) -> None:
        with pytest.raises(Refused, match=r"until: '2026-01-01T12:00:00Z' is past"):
            plan.pause(monitor(), state(), NOON, NOON)

    def test_back_on_a_grid_waits_for_the_slot(self) -> None:
        paused = plan.pause(monitor(HOURLY), state(planned_slot_at=NOON), NOON - 60_000).state
        back = plan.unpause(monitor(HOURLY), paused, NOON - 30_000, 0.5, UTC).state
        assert back.next_run_at == NOON

    def test_a_once_that_has_run_cannot_be_resumed(self) -> None:
        finished = after_run(monitor(Once(NOON)), state(), UP).state
        with pytest.raises(Refused, match=r"at: '2026-01-01T12:00:00Z' is past\. Allowed: a new"):
            plan.unpause(monitor(Once(NOON)), finished, NOON + 1, 0.5, UTC)

    def test_under_a_run_ends_it(self) -> None:
        running = plan.start(monitor(), state(), NOON).state
        assert plan.pause(monitor(), running, NOON + 1).state.running_since is None


class TestHint:
    every_ten = Hint(expires_at=NOON + HOUR_MS, interval_ms=10_000)

    def test_an_interval_overrides_the_schedule_and_backoff_never_lengthens_it(self) -> None:
        for schedule in (Every(), HOURLY):
            hinted = state(hint=self.every_ten)
            settled = after_run(monitor(schedule), hinted, DOWN)
            assert settled.state.next_run_at == NOON + 10_000
            assert settled.state.source is Source.HINT_INTERVAL
            assert not told(settled, events.BackoffApplied)

    def test_it_ends_with_its_time(self) -> None:
        hinted = state(hint=self.every_ten)
        settled = after_run(monitor(), hinted, UP, started=NOON + HOUR_MS).state
        assert settled.source is Source.BASELINE_INTERVAL

    def test_one_that_ends_before_its_next_run_gives_way_to_the_schedule(self) -> None:
        rare = Hint(expires_at=NOON + 6_000, interval_ms=30 * DAY_MS)
        hinted = plan.hint(monitor(), state(), rare, NOON, 0.5, UTC).state
        assert (hinted.next_run_at, hinted.source) == (NOON + 66_000, Source.BASELINE_INTERVAL)

    def test_the_clamps_still_apply(self) -> None:
        slow = monitor(clamps=Clamps(min_ms=30_000))
        settled = after_run(slow, state(hint=self.every_ten), UP).state
        assert (settled.next_run_at, settled.source) == (NOON + 30_000, Source.CLAMPED_MIN)

    def test_one_extra_run_competes_and_the_earliest_wins(self) -> None:
        soon = Hint(NOON + HOUR_MS, run_at=NOON + 20_000)
        late = Hint(NOON + HOUR_MS, run_at=NOON + 90_000)
        hinted = plan.hint(monitor(), state(), soon, NOON, 0.5, UTC).state
        assert (hinted.next_run_at, hinted.source) == (NOON + 20_000, Source.HINT_ONESHOT)
        hinted = plan.hint(monitor(), state(), late, NOON, 0.5, UTC).state
        assert (hinted.next_run_at, hinted.source) == (NOON + 60_000, Source.BASELINE_INTERVAL)

    def test_the_extra_run_is_used_up_and_leaves_the_slot_alone(self) -> None:
        waiting = plan.begin(monitor(HOURLY), NOON + 1, UTC).state
        waiting = after_run(monitor(HOURLY), waiting, UP, started=NOON + 60_000).state
        extra = Hint(NOON + HOUR_MS, run_at=NOON + 120_000)
        hinted = plan.hint(monitor(HOURLY), waiting, extra, NOON + 70_000, 0.5, UTC).state
        assert hinted.next_run_at == NOON + 120_000
        settled = after_run(monitor(HOURLY), hinted, UP, started=NOON + 120_000).state
        assert (settled.hint, settled.next_run_at) == (None, NOON + HOUR_MS)

    def test_a_pause_outranks_it(self) -> None:
        hinted = plan.hint(monitor(), state(), self.every_ten, NOON, 0.5, UTC).state
        paused = plan.pause(monitor(), hinted, NOON, NOON + HOUR_MS).state
        assert (paused.next_run_at, paused.source) == (NOON + HOUR_MS, Source.PAUSED)

    def test_taken_back_the_schedule_returns(self) -> None:
        hinted = plan.hint(monitor(HOURLY), state(), self.every_ten, NOON, 0.5, UTC).state
        back = plan.hint(monitor(HOURLY), hinted, None, NOON + 1_000, 0.5, UTC).state
        assert (back.next_run_at, back.source) == (NOON + HOUR_MS, Source.BASELINE_CRON)

    def test_under_a_run_the_plan_is_left_to_the_run(self) -> None:
        running = plan.start(monitor(HOURLY), state(planned_slot_at=NOON), NOON).state
        hinted = plan.hint(monitor(HOURLY), running, None, NOON + 1, 0.5, UTC)
        assert hinted.events == ()
        settled = plan.advance(monitor(HOURLY), hinted.state, UP, NOON + 2, 0.5, UTC).state
        assert settled.next_run_at == NOON + HOUR_MS


class TestRestart:
    def back(
        self, before: RuntimeState, subject: Monitor | None = None, gap_ms: int = 0, **more: int
    ) -> Transition:
        return plan.resume(
            subject or monitor(),
            before,
            NOON,
            0.5,
            UTC,
            gap_ms=gap_ms,
            staleness_ms=HOUR_MS,
            catch_up_at=more.get("catch_up_at"),
        )

    def test_within_the_window_everything_goes_on_as_it_was(self) -> None:
        before = state(backoff_attempt=5, next_run_at=NOON + 1_000_000, health=Status.DOWN)
        back = self.back(before, gap_ms=HOUR_MS).state
        assert (back.backoff_attempt, back.next_run_at) == (5, NOON + 1_000_000)

    def test_past_the_window_the_attempt_is_forgotten_and_the_run_planned_anew(self) -> None:
        before = state(backoff_attempt=5, consecutive_failures=5, next_run_at=NOON + 1_000_000)
        back = self.back(before, gap_ms=HOUR_MS + 1).state
        assert (back.backoff_attempt, back.next_run_at) == (0, NOON + MINUTE_MS)
        assert back.consecutive_failures == 5

    def test_a_long_interval_is_not_put_off_by_every_night_away(self) -> None:
        before = state(next_run_at=NOON + 5 * DAY_MS)
        back = self.back(before, monitor(Every(25 * DAY_MS)), gap_ms=DAY_MS).state
        assert back.next_run_at == NOON + 5 * DAY_MS

    def test_an_overdue_run_is_made_up_for_once(self) -> None:
        before = state(next_run_at=NOON - 48 * HOUR_MS, planned_slot_at=NOON - 48 * HOUR_MS)
        back = self.back(before, monitor(HOURLY), gap_ms=48 * HOUR_MS, catch_up_at=NOON + 7).state
        assert (back.next_run_at, back.source) == (NOON + 7, Source.CATCH_UP)
        settled = after_run(monitor(HOURLY), back, UP, started=NOON + 7).state
        assert (settled.next_run_at, settled.source) == (NOON + HOUR_MS, Source.BASELINE_CRON)

    def test_or_not_at_all(self) -> None:
        skipping = monitor(HOURLY, catch_up=CatchUp.SKIP)
        before = state(next_run_at=NOON - HOUR_MS, planned_slot_at=NOON - HOUR_MS)
        back = self.back(before, skipping, gap_ms=HOUR_MS).state
        assert (back.next_run_at, back.source) == (NOON + HOUR_MS, Source.BASELINE_CRON)

    def test_a_once_that_was_missed_runs_late_or_is_over(self) -> None:
        before = state(next_run_at=NOON - HOUR_MS)
        late = self.back(before, monitor(Once(NOON - HOUR_MS))).state
        assert (late.next_run_at, late.source) == (NOON, Source.CATCH_UP)
        skipping = monitor(Once(NOON - HOUR_MS), catch_up=CatchUp.SKIP)
        over = self.back(before, skipping)
        assert (over.state.status, over.state.health) == (Status.PAUSED, Status.UNKNOWN)
        assert told(over, events.MonitorPaused)

    def test_a_run_cut_short_counts_as_overdue_and_not_as_a_failure(self) -> None:
        before = state(running_since=NOON - 5_000, next_run_at=NOON - 5_000, health=Status.UP)
        back = self.back(before).state
        assert (back.running_since, back.source) == (None, Source.CATCH_UP)
        assert (back.backoff_attempt, back.consecutive_failures) == (0, 0)

    def test_other_rules_keep_the_attempt_and_plan_anew(self) -> None:
        before = state(backoff_attempt=1, next_run_at=NOON + 100_000, plan_version=PLAN_VERSION + 1)
        back = self.back(before).state
        assert (back.backoff_attempt, back.next_run_at) == (1, NOON + 120_000)
        assert back.plan_version == PLAN_VERSION

    def test_an_overdue_run_under_other_rules_is_still_overdue(self) -> None:
        before = state(
            next_run_at=NOON - 1, plan_version=PLAN_VERSION - 1, last_attempt_at=NOON - DAY_MS
        )
        assert self.back(before).state.source is Source.CATCH_UP

    def test_who_was_never_looked_at_has_missed_nothing_and_is_looked_at_at_once(self) -> None:
        for catch_up in CatchUp:
            new = monitor(Every(DAY_MS), catch_up=catch_up)
            back = self.back(state(next_run_at=NOON - HOUR_MS), new, catch_up_at=NOON + 7).state
            assert (back.next_run_at, back.source) == (NOON + 7, Source.BASELINE_INTERVAL)

    def test_planning_anew_does_not_lose_the_slot_to_come(self) -> None:
        before = state(next_run_at=NOON + HOUR_MS, planned_slot_at=NOON + HOUR_MS)
        assert self.back(before, monitor(HOURLY), gap_ms=DAY_MS).state.next_run_at == NOON + HOUR_MS

    @pytest.mark.parametrize(
        ("schedule", "expected"),
        [
            (Every(), NOON + MINUTE_MS),
            (HOURLY, NOON + HOUR_MS),
            (Every(MINUTE_MS, Cadence.GRID, NOON - 10_000), NOON + 50_000),
        ],
    )
    def test_a_clock_set_back_a_year_does_not_stall(
        self, schedule: Schedule, expected: int
    ) -> None:
        a_year_on = NOON + 365 * DAY_MS
        before = state(next_run_at=a_year_on, planned_slot_at=a_year_on)
        assert self.back(before, monitor(schedule)).state.next_run_at == expected

    def test_a_paused_monitor_stays_paused(self) -> None:
        paused = state(pause=Pause(PauseReason.ASKED), next_run_at=None)
        back = self.back(paused, gap_ms=DAY_MS)
        assert (back.state.status, back.state.next_run_at) == (Status.PAUSED, None)
        assert not told(back, events.MonitorPaused)

    def test_a_pause_that_ran_out_meanwhile_is_over(self) -> None:
        paused = state(pause=Pause(PauseReason.ASKED, NOON - 1), next_run_at=NOON - 1)
        back = self.back(paused)
        assert (back.state.status, back.state.source) == (Status.PENDING, Source.CATCH_UP)
        assert told(back, events.MonitorResumed)

    @given(
        monitors(schedules),
        instants,
        st.integers(0, 30 * DAY_MS),
        st.integers(-30 * DAY_MS, 30 * DAY_MS),
        attempts,
        zones,
    )
    def test_there_is_never_more_than_one_catch_up(
        self,
        subject: Monitor,
        now: int,
        gap_ms: int,
        until_next_ms: int,
        attempt: int,
        zone: ZoneInfo,
    ) -> None:
        before = state(
            next_run_at=now + until_next_ms, backoff_attempt=attempt, last_attempt_at=now - DAY_MS
        )
        back = plan.resume(
            subject, before, now, 0.5, zone, gap_ms=gap_ms, staleness_ms=HOUR_MS
        ).state
        caught_up = int(back.source is Source.CATCH_UP)
        assert caught_up == (until_next_ms <= 0)
        for _ in range(5):
            if back.next_run_at is None:
                break
            assert back.next_run_at >= now
            now = back.next_run_at
            running = plan.start(subject, back, now).state
            back = plan.advance(subject, running, UP, now, 0.5, zone).state
            caught_up += back.source is Source.CATCH_UP
        assert caught_up <= 1


class TestSpread:
    def test_a_single_run_starts_at_once(self) -> None:
        assert plan.spread_ms(0, 1, MINUTE_MS) == 0

    @pytest.mark.parametrize(
        ("count", "shortest_ms", "window_ms"),
        [(10, MINUTE_MS, 30_000), (10, 5_000, 5_000), (10_000, 5_000, 100_000)],
    )
    def test_many_share_a_window(self, count: int, shortest_ms: int, window_ms: int) -> None:
        offsets = [plan.spread_ms(index, count, shortest_ms) for index in range(count)]
        assert offsets == [index * window_ms // count for index in range(count)]

    @given(st.integers(1, 20_000), st.integers(5_000, DAY_MS))
    def test_never_more_than_a_hundred_a_second(self, count: int, shortest_ms: int) -> None:
        offsets = [plan.spread_ms(index, count, shortest_ms) for index in range(count)]
        assert all(offsets[index + 100] - offsets[index] >= 1_000 for index in range(count - 100))


@given(monitors(repeating_schedules), st.lists(outcomes, max_size=12), unit_randoms, zones)
def test_after_success_the_schedule_is_back_at_its_base(
    subject: Monitor, history: list[Outcome], unit_random: float, zone: ZoneInfo
) -> None:
    subject = replace(subject, auto_pause_after=0)
    worn, now = plan.begin(subject, NOON, zone).state, NOON
    for outcome in history:
        running = plan.start(subject, worn, now).state
        worn = plan.advance(subject, running, outcome, now, unit_random, zone).state
        assert worn.next_run_at is not None
        now = worn.next_run_at
    running = plan.start(subject, worn, now).state
    healed = plan.advance(subject, running, UP, now, unit_random, zone).state
    fresh = state(running_since=now, planned_slot_at=worn.planned_slot_at)
    never_failed = plan.advance(subject, fresh, UP, now, unit_random, zone).state
    assert healed.backoff_attempt == healed.consecutive_failures == 0
    assert (healed.next_run_at, healed.source) == (never_failed.next_run_at, never_failed.source)


@given(monitors(after_schedules), instants, attempts, outcomes, unit_randoms)
def test_no_run_follows_another_in_under_five_seconds(
    subject: Monitor, now: int, attempt: int, outcome: Outcome, unit_random: float
) -> None:
    before = state(backoff_attempt=attempt, running_since=now)
    settled = plan.advance(subject, before, outcome, now, unit_random, UTC).state
    assert settled.next_run_at is None or settled.next_run_at >= now + 5_000

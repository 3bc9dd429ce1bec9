"""When an alert goes out: held for a moment, after so many failures, again, or not at night."""

from datetime import timedelta, timezone

import pytest

from tests.alerts.build import NOON, Rig
from tests.alerts.conftest import MakeRig
from uptime_desktop.alerts.notice import Answer
from uptime_desktop.config import Settings
from uptime_desktop.domain.alerting import (
    HOLD_AT_MOST_MS,
    HOLD_MS,
    LOOK_FIRST_MS,
)
from uptime_desktop.domain.model import HOUR_MS, MINUTE_MS, SECOND_MS
from uptime_desktop.domain.status import Status
from uptime_desktop.store import incidents, outbox

pytestmark = pytest.mark.asyncio

DOWN = "Checkout API is down"
UP = "Checkout API is up again"
STILL = "Checkout API is still down"
NIGHT = 10 * HOUR_MS
"""From noon to ten in the evening."""


# Held


async def test_an_alert_is_held_for_five_seconds(rig: Rig) -> None:
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(4_999)
        assert rig.notifier.titles == []
        await rig.clock.advance(1)
        assert rig.notifier.titles == [DOWN]


async def test_trouble_over_within_the_hold_is_never_told(rig: Rig) -> None:
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(4_999)
        await rig.up()
        await rig.clock.advance(HOUR_MS)
    assert rig.notifier.titles == []
    assert rig.outbox.unsent == 0


async def test_three_at_once_are_told_one_by_one(rigs: MakeRig) -> None:
    rig = rigs(3, 1)
    async with rig.sending():
        for number in (1, 2, 3):
            await rig.down(number)
        await rig.clock.advance(HOLD_MS)
    assert rig.notifier.titles == [DOWN, "Monitor 2 is down", "Monitor 3 is down"]


async def test_four_at_once_are_one_digest(rigs: MakeRig) -> None:
    rig = rigs(4, 1)
    async with rig.sending():
        for number in (1, 2, 3, 4):
            await rig.down(number)
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.titles == ["4 monitors are down"]
        assert rig.notifier.texts == ["Checkout API, Monitor 2, Monitor 3, Monitor 4"]
        (shown,) = rig.notifier.shown.values()
        assert [one.answer for one in shown.notice.buttons] == [Answer.OPEN]
        shown.answered(Answer.OPEN)
        await rig.clock.advance(HOUR_MS)
        assert rig.opened == [None]


async def test_two_hundred_monitors_down_at_once_are_one_digest(rigs: MakeRig) -> None:
    rig = rigs(200, 2)
    async with rig.sending():
        for number in rig.desk.subjects:
            await rig.down(number)
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.titles == ["200 monitors are down"]
        for number in rig.desk.subjects:
            await rig.up(number)
        await rig.clock.advance(HOUR_MS)
    assert rig.notifier.titles == ["200 monitors are down", "200 monitors are up again"]
    assert rig.outbox.unsent == 0


async def test_a_digest_waits_while_more_come_but_not_for_ever(rigs: MakeRig) -> None:
    rig = rigs(40, 1)
    async with rig.sending():
        for number in range(1, 41):
            await rig.down(number)
            await rig.clock.advance(SECOND_MS)
            was_told = rig.clock.wall() - NOON >= HOLD_AT_MOST_MS
            assert bool(rig.notifier.titles) is was_told
        await rig.clock.advance(HOUR_MS)
    assert rig.notifier.titles == [f"{n} monitors are down" for n in (15, 15, 10)]


async def test_a_digest_replaces_single_notices_and_goes_with_the_last_of_its_troubles(
    rigs: MakeRig,
) -> None:
    rig = rigs(5, 1)
    async with rig.sending():
        await rig.down(1)
        await rig.clock.advance(HOLD_MS)
        await rig.up(1)
        for number in (2, 3, 4, 5):
            await rig.down(number)
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.visible == ["4 down, 1 up again"]
        for number in (2, 3, 4):
            await rig.up(number)
        await rig.clock.advance(HOLD_MS)
        assert "4 down, 1 up again" in rig.notifier.visible
        await rig.up(5)
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.visible == [f"Monitor {number} is up again" for number in (2, 3, 4, 5)]


async def test_many_sites_are_told_by_site(rigs: MakeRig) -> None:
    rig = rigs(12, 2)
    async with rig.sending():
        for number in rig.desk.subjects:
            await rig.down(number)
        await rig.clock.advance(HOLD_MS)
        (text,) = rig.notifier.texts
        assert text.splitlines() == [
            "Site 0 (6): Checkout API, Monitor 2, Monitor 3 and 3 more",
            "Site 1 (6): Monitor 7, Monitor 8, Monitor 9 and 3 more",
        ]


async def test_a_clock_set_back_holds_nothing_for_long(rig: Rig) -> None:
    async with rig.sending():
        await rig.down()
        await rig.clock.set_wall(-HOUR_MS)
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.titles == [DOWN]


# After so many failures


@pytest.mark.parametrize("by_settings", [True, False])
async def test_an_alert_waits_for_as_many_failures_as_the_rule_says(
    rig: Rig, by_settings: bool
) -> None:
    if by_settings:
        rig.settings = Settings(alert_after=3)
    else:
        rig.rule(after=3)
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(MINUTE_MS)
        await rig.fail_again()
        await rig.clock.advance(MINUTE_MS)
        assert rig.notifier.titles == []
        await rig.fail_again()
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.titles == [DOWN]
        await rig.up()
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.titles == [DOWN, UP]


async def test_a_recovery_before_that_cancels_both_silently(rig: Rig) -> None:
    rig.rule(after=3)
    async with rig.sending():
        for _ in range(8):
            await rig.down()
            await rig.clock.advance(10_000)
            await rig.fail_again()
            await rig.clock.advance(10_000)
            await rig.up()
            await rig.clock.advance(10_000)
        await rig.clock.advance(HOUR_MS)
    assert rig.notifier.titles == []
    assert rig.outbox.unsent == 0


async def test_a_restart_goes_on_waiting_for_failures(rig: Rig) -> None:
    rig.rule(after=3)
    async with rig.sending():
        await rig.down()
        await rig.fail_again()
    async with rig.sending():
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.titles == []
        await rig.fail_again()
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.titles == [DOWN]


async def test_what_is_degraded_does_not_wait_for_failures(rig: Rig) -> None:
    rig.rule(after=3)
    async with rig.sending():
        await rig.down(kind=Status.DEGRADED)
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.titles == ["Checkout API is degraded"]


async def test_many_that_fail_often_enough_at_once_are_one_digest(rigs: MakeRig) -> None:
    rig = rigs(20, 1)
    rig.settings = Settings(alert_after=2)
    async with rig.sending():
        for number in rig.desk.subjects:
            await rig.down(number)
        await rig.clock.advance(MINUTE_MS)
        for number in rig.desk.subjects:
            await rig.fail_again(number)
            await rig.clock.advance(100)
        await rig.clock.advance(HOUR_MS)
    assert rig.notifier.titles == ["20 monitors are down"]


# Again


async def test_trouble_that_lasts_is_told_again_and_again(rig: Rig) -> None:
    rig.settings = Settings(repeat_alerts_ms=HOUR_MS)
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS + HOUR_MS - 1)
        assert rig.notifier.titles == [DOWN]
        await rig.clock.advance(1)
        assert rig.notifier.titles == [DOWN, STILL]
        await rig.clock.advance(2 * HOUR_MS)
        assert rig.notifier.titles == [DOWN, STILL, STILL, STILL]
        await rig.up()
        await rig.clock.advance(24 * HOUR_MS)
    assert rig.notifier.titles == [DOWN, STILL, STILL, STILL, UP]


@pytest.mark.parametrize("how", ["acknowledged", "snoozed", "cascaded", "paused", "by its rule"])
async def test_nobody_is_reminded_of_trouble_that_is_taken_care_of(rig: Rig, how: str) -> None:
    rig.settings = Settings(repeat_alerts_ms=HOUR_MS)
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
        match how:
            case "acknowledged":
                rig.outbox.write(incidents.acknowledge, 1, NOON)
            case "snoozed":
                rig.outbox.write(incidents.snooze, 1, None, NOON)
            case "cascaded":
                rig.outbox.write(incidents.set_cascade, 1, "upstream-router")
            case "paused":
                rig.desk.change(1, is_paused=True)
            case _:
                rig.rule(repeat_ms=0)
        await rig.clock.advance(24 * HOUR_MS)
    assert rig.notifier.titles == [DOWN]


async def test_after_a_snooze_people_are_reminded_again(rig: Rig) -> None:
    rig.settings = Settings(repeat_alerts_ms=HOUR_MS)
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
        rig.outbox.write(incidents.snooze, 1, NOON + 5 * HOUR_MS, NOON)
        await rig.clock.advance(5 * HOUR_MS - MINUTE_MS)
        assert rig.notifier.titles == [DOWN]
        await rig.clock.advance(10 * MINUTE_MS)
        assert rig.notifier.titles == [DOWN, STILL]


async def test_a_restart_does_not_repeat_a_known_outage_early(rig: Rig) -> None:
    rig.settings = Settings(repeat_alerts_ms=HOUR_MS)
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
    for _ in range(5):
        async with rig.sending():
            await rig.clock.advance(10 * MINUTE_MS)
    assert rig.notifier.titles == [DOWN]
    async with rig.sending():
        await rig.clock.advance(10 * MINUTE_MS - 1)
        assert rig.notifier.titles == [DOWN]
        await rig.clock.advance(1)
        assert rig.notifier.titles == [DOWN, STILL]


async def test_after_a_long_absence_it_is_looked_at_again_before_people_are_reminded(
    rig: Rig,
) -> None:
    rig.settings = Settings(repeat_alerts_ms=HOUR_MS)
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
    await rig.clock.advance(48 * HOUR_MS)
    async with rig.sending():
        await rig.clock.advance(LOOK_FIRST_MS - 1)
        assert rig.notifier.titles == [DOWN]
        await rig.clock.advance(1)
        assert rig.notifier.titles == [DOWN, STILL]


async def test_many_reminders_are_one_digest(rigs: MakeRig) -> None:
    rig = rigs(20, 1)
    rig.settings = Settings(repeat_alerts_ms=HOUR_MS)
    async with rig.sending():
        for number in rig.desk.subjects:
            await rig.down(number)
        await rig.clock.advance(3 * HOUR_MS)
    assert rig.notifier.titles == ["20 monitors are down"] * 3


# Quiet hours


async def test_what_happens_at_night_is_told_in_the_morning_as_one_digest(rigs: MakeRig) -> None:
    rig = rigs(4, 1)
    rig.settings = Settings(quiet_hours="22:00-07:00")
    async with rig.sending():
        await rig.clock.advance(NIGHT)
        for number in (1, 2, 3, 4):
            await rig.down(number)
            await rig.clock.advance(HOUR_MS)
        await rig.up(3)
        await rig.up(4)
        await rig.clock.advance(5 * HOUR_MS - 1)
        assert rig.notifier.titles == []
        await rig.clock.advance(1)
        assert rig.notifier.titles == ["2 monitors are down"]
        assert rig.notifier.texts == ["Checkout API, Monitor 2"]
        await rig.clock.advance(24 * HOUR_MS)
    assert rig.notifier.titles == ["2 monitors are down"]
    assert rig.outbox.unsent == 0


async def test_a_restart_in_the_morning_tells_of_the_night_as_one_digest(rigs: MakeRig) -> None:
    rig = rigs(2, 1)
    rig.settings = Settings(quiet_hours="22:00-07:00")
    await rig.clock.advance(NIGHT)
    async with rig.sending():
        for number in (1, 2):
            await rig.down(number)
            await rig.clock.advance(MINUTE_MS)
    await rig.clock.advance(10 * HOUR_MS)
    async with rig.sending():
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.titles == ["2 monitors are down"]


async def test_quiet_hours_are_those_of_the_clock_on_the_wall(rig: Rig) -> None:
    rig.settings = Settings(quiet_hours="13:00-14:00")
    rig.clock.local_zone = timezone(timedelta(hours=1))
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOUR_MS - 1)
        assert rig.notifier.titles == []
        await rig.clock.advance(1)
        assert rig.notifier.titles == [DOWN]


async def test_the_end_of_an_outage_that_people_know_is_told_in_the_morning(rig: Rig) -> None:
    rig.settings = Settings(quiet_hours="22:00-07:00")
    async with rig.sending():
        await rig.clock.advance(NIGHT - MINUTE_MS)
        await rig.down()
        await rig.clock.advance(HOUR_MS)
        await rig.up()
        await rig.clock.advance(7 * HOUR_MS)
        assert rig.notifier.titles == [DOWN]
        await rig.clock.advance(2 * HOUR_MS)
        assert rig.notifier.titles == [DOWN, UP]


async def test_nobody_is_reminded_at_night(rig: Rig) -> None:
    rig.settings = Settings(quiet_hours="22:00-07:00", repeat_alerts_ms=HOUR_MS)
    async with rig.sending():
        await rig.clock.advance(NIGHT - MINUTE_MS)
        await rig.down()
        await rig.clock.advance(9 * HOUR_MS)
        assert rig.notifier.titles == [DOWN]
        await rig.clock.advance(MINUTE_MS)
        assert rig.notifier.titles == [DOWN, STILL]


async def test_quiet_hours_that_are_switched_off_end_at_once(rig: Rig) -> None:
    rig.settings = Settings(quiet_hours="00:00-23:59")
    async with rig.sending() as sender:
        await rig.down()
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.titles == []
        rig.settings = Settings()
        sender.hear_redefined()
        await rig.clock.advance(0)
        assert rig.notifier.titles == [DOWN]


# What lies upstream


async def test_an_alert_that_is_held_goes_out_when_it_is_released(rig: Rig) -> None:
    async with rig.sending() as sender:
        await rig.down()
        rig.outbox.write(outbox.hold, 1, NOON + HOUR_MS)
        await rig.clock.advance(10 * MINUTE_MS)
        assert rig.notifier.titles == []
        rig.outbox.write(outbox.release, 1, rig.clock.wall())
        sender.hear_redefined()
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.titles == [DOWN]


async def test_an_alert_that_nobody_releases_goes_out_at_the_end_of_its_hold(rig: Rig) -> None:
    async with rig.sending():
        await rig.down()
        rig.outbox.write(outbox.hold, 1, NOON + MINUTE_MS)
        await rig.clock.advance(MINUTE_MS + HOLD_MS)
        assert rig.notifier.titles == [DOWN]


async def test_trouble_that_ends_while_held_is_never_told(rig: Rig) -> None:
    async with rig.sending():
        await rig.down()
        rig.outbox.write(outbox.hold, 1, NOON + HOUR_MS)
        await rig.clock.advance(MINUTE_MS)
        await rig.up()
        await rig.clock.advance(2 * HOUR_MS)
    assert rig.notifier.titles == []
    assert rig.outbox.unsent == 0


async def test_what_is_suppressed_is_not_told_and_neither_is_its_end(rig: Rig) -> None:
    async with rig.sending():
        await rig.down()
        rig.outbox.write(outbox.suppress, 1, NOON)
        await rig.clock.advance(HOUR_MS)
        await rig.up()
        await rig.clock.advance(HOUR_MS)
    assert rig.notifier.titles == []
    assert rig.outbox.unsent == 0


async def test_what_was_suppressed_can_be_told_after_all(rig: Rig) -> None:
    async with rig.sending() as sender:
        await rig.down()
        rig.outbox.write(outbox.suppress, 1, NOON)
        await rig.clock.advance(HOUR_MS)
        rig.outbox.write(outbox.release, 1, rig.clock.wall())
        sender.hear_redefined()
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.titles == [DOWN]
        await rig.up()
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.titles == [DOWN, UP]

"""A monitor that goes up and down all the time: a word when it begins, a word when it ends."""

import pytest

from tests.alerts.build import Rig
from tests.alerts.conftest import MakeRig
from uptime_desktop.config import Settings
from uptime_desktop.domain.alerting import FLAP_MS, HOLD_MS
from uptime_desktop.domain.model import HOUR_MS, MINUTE_MS
from uptime_desktop.domain.status import Status

pytestmark = pytest.mark.asyncio

DOWN = "Checkout API is down"
UP = "Checkout API is up again"
FLAPPING = "Checkout API is flapping"
STABLE_UP = "Checkout API is stable again: up"
STABLE_DOWN = "Checkout API is stable again: down"


async def flip(rig: Rig, times: int, every_ms: int, number: int = 1) -> None:
    for _ in range(times):
        if rig.desk.subjects[number].incidents:
            await rig.up(number)
        else:
            await rig.down(number)
        await rig.clock.advance(every_ms)


async def test_forty_flips_are_three_notices_one_word_and_one_more(rig: Rig) -> None:
    async with rig.sending():
        await flip(rig, 40, 10_000)
        assert rig.notifier.titles == [DOWN, UP, DOWN, FLAPPING]
        assert rig.notifier.visible == [FLAPPING]
        await rig.clock.advance(FLAP_MS - 10_000 - 1)
        assert rig.notifier.titles == [DOWN, UP, DOWN, FLAPPING]
        await rig.clock.advance(1 + HOLD_MS)
        assert rig.notifier.titles == [DOWN, UP, DOWN, FLAPPING, STABLE_UP]
        await rig.clock.advance(24 * HOUR_MS)
    assert rig.notifier.titles == [DOWN, UP, DOWN, FLAPPING, STABLE_UP]
    assert rig.outbox.unsent == 0


async def test_flips_faster_than_the_hold_are_told_as_flapping_only(rig: Rig) -> None:
    async with rig.sending():
        await flip(rig, 40, 1_000)
        await rig.clock.advance(HOUR_MS)
    assert rig.notifier.titles == [FLAPPING, STABLE_UP]


async def test_what_stays_down_is_stable_too_and_its_end_is_told(rig: Rig) -> None:
    async with rig.sending():
        await flip(rig, 7, MINUTE_MS)
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.titles == [DOWN, UP, DOWN, FLAPPING, STABLE_DOWN]
        await rig.up()
        await rig.clock.advance(HOUR_MS)
    assert rig.notifier.titles == [DOWN, UP, DOWN, FLAPPING, STABLE_DOWN, UP]


async def test_four_changes_in_more_than_ten_minutes_are_no_flapping(rig: Rig) -> None:
    async with rig.sending():
        await flip(rig, 12, FLAP_MS // 3)
    assert rig.notifier.titles == [DOWN, UP] * 6


async def test_a_restart_while_flapping_keeps_silent_until_it_is_stable(rig: Rig) -> None:
    async with rig.sending():
        await flip(rig, 10, 10_000)
    async with rig.sending():
        await flip(rig, 10, 10_000)
    assert rig.notifier.titles == [DOWN, UP, DOWN, FLAPPING]
    async with rig.sending():
        await rig.clock.advance(FLAP_MS - 1)
        assert rig.notifier.titles == [DOWN, UP, DOWN, FLAPPING]
        await rig.clock.advance(1 + HOLD_MS)
        assert rig.notifier.titles == [DOWN, UP, DOWN, FLAPPING, STABLE_UP]


async def test_a_restart_remembers_the_changes_before(rig: Rig) -> None:
    for _ in range(4):
        async with rig.sending():
            await flip(rig, 1, MINUTE_MS)
    assert rig.notifier.titles == [DOWN, UP, DOWN, FLAPPING]


async def test_nobody_is_reminded_of_what_flaps(rig: Rig) -> None:
    rig.settings = Settings(repeat_alerts_ms=MINUTE_MS)
    async with rig.sending():
        await flip(rig, 5, 10_000)
        await rig.clock.advance(FLAP_MS - 10_000 - 1)
        assert rig.notifier.titles == [DOWN, UP, DOWN, FLAPPING]
        await rig.clock.advance(HOLD_MS + MINUTE_MS + 1)
        assert rig.notifier.titles[4:] == [STABLE_DOWN, "Checkout API is still down"]


async def test_flapping_that_begins_and_ends_at_night_is_never_told(rig: Rig) -> None:
    rig.settings = Settings(quiet_hours="12:00-18:00")
    async with rig.sending():
        await flip(rig, 10, 10_000)
        await rig.clock.advance(24 * HOUR_MS)
    assert rig.notifier.titles == []
    assert rig.outbox.unsent == 0


async def test_degradations_that_come_and_go_flap_too(rig: Rig) -> None:
    async with rig.sending():
        for _ in range(5):
            await rig.down(kind=Status.DEGRADED)
            await rig.clock.advance(10_000)
            await rig.up(kind=Status.DEGRADED)
            await rig.clock.advance(10_000)
    assert rig.notifier.titles[3:] == [FLAPPING]


async def test_many_that_flap_together_are_one_digest(rigs: MakeRig) -> None:
    rig = rigs(10, 1)
    async with rig.sending():
        for _ in range(6):
            for number in rig.desk.subjects:
                await flip(rig, 1, 0, number)
            await rig.clock.advance(30_000)
        await rig.clock.advance(HOUR_MS)
    n = 10
    assert rig.notifier.titles == [
        f"{n} monitors are down",
        f"{n} monitors are up again",
        f"{n} monitors are down",
        f"{n} monitors are flapping",
        f"{n} monitors are up again",
    ]

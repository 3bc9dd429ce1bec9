"""One heap, one sleeper, nothing early."""

import asyncio

import pytest

from tests.engine.rig import NOON
from tests.fakes import FakeClock, settle
from uptime_desktop.engine.timer import Timer

pytestmark = pytest.mark.asyncio


async def running(clock: FakeClock) -> tuple[Timer, "asyncio.Task[None]"]:
    timer = Timer(clock)
    task = asyncio.create_task(timer.run())
    await settle()
    return timer, task


async def test_alarms_ring_in_order_and_never_before_their_time() -> None:
    clock, rung = FakeClock(NOON), []
    timer, task = await running(clock)
    for delay_ms in (70_000, 15, 500, 512, 1_000, 30_001):
        timer.after(delay_ms, lambda d=delay_ms: rung.append((d, clock.boot() - 5_000_000)))  # type: ignore[misc]
    await clock.advance(100_000)
    task.cancel()
    assert rung == [(d, d) for d in (15, 500, 512, 1_000, 30_001, 70_000)]


async def test_what_is_due_within_ten_milliseconds_rings_together_and_late() -> None:
    clock, rung = FakeClock(NOON), []
    timer, task = await running(clock)
    for delay_ms in (100, 103, 109, 130):
        timer.after(delay_ms, lambda: rung.append(clock.boot() - 5_000_000))
    await clock.advance(1_000)
    task.cancel()
    assert rung == [100, 110, 110, 130]


async def test_a_nearer_alarm_wakes_the_sleeper() -> None:
    clock, rung = FakeClock(NOON), []
    timer, task = await running(clock)
    timer.after(60_000, lambda: rung.append("far"))
    await settle()
    timer.after(10, lambda: rung.append("near"))
    await clock.advance(10)
    task.cancel()
    assert rung == ["near"]


async def test_the_wall_moves_alarms_on_the_wall_only() -> None:
    clock, rung = FakeClock(NOON), []
    timer, task = await running(clock)
    timer.at(NOON + 3_600_000, lambda: rung.append("wall"))
    timer.after(3_600_000, lambda: rung.append("boot"))
    await clock.set_wall(3_599_000)
    await clock.advance(1_000)
    assert rung == ["wall"]
    await clock.advance(3_599_000)
    task.cancel()
    assert rung == ["wall", "boot"]


async def test_a_cancelled_alarm_is_silent_and_does_not_pile_up() -> None:
    clock, rung = FakeClock(NOON), []
    timer, task = await running(clock)
    for _ in range(10_000):
        timer.after(60_000, lambda: rung.append("no")).cancel()
    timer.after(60_000, lambda: rung.append("yes"))
    assert len(timer._by_boot.alarms) < 2_100  # noqa: SLF001
    await clock.advance(60_000)
    task.cancel()
    assert rung == ["yes"]


async def test_ten_thousand_alarms_need_one_sleeper() -> None:
    clock, rung = FakeClock(NOON), []
    timer, task = await running(clock)
    for number in range(10_000):
        timer.after(30_000 + number % 10, lambda n=number: rung.append(n))  # type: ignore[misc]
    await settle()
    before = clock.waits_made
    await clock.advance(40_000)
    task.cancel()
    assert len(rung) == 10_000
    assert clock.waits_made - before < 200

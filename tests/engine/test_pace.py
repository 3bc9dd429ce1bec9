"""Many that are due together begin in their turn, and nobody asks twice."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial

import pytest
import pytest_asyncio

from tests.engine.rig import NOON
from tests.fakes import FakeClock, settle
from uptime_desktop.engine.pace import Pace
from uptime_desktop.engine.timer import Timer

pytestmark = pytest.mark.asyncio


class Line:
    """A pace, and who has begun by it."""

    def __init__(self) -> None:
        self.clock = FakeClock(NOON)
        self.timer = Timer(self.clock)
        self.pace = Pace(self.clock, self.timer)
        self.begun: list[int] = []
        self.rung = 0
        self.timer.on_wake = self._woke

    def _woke(self) -> None:
        self.rung += 1


@pytest_asyncio.fixture
async def line() -> AsyncIterator[Line]:
    line = Line()
    task = asyncio.create_task(line.timer.run())
    await settle()
    yield line
    task.cancel()


async def test_a_hundred_begin_at_once_and_the_others_in_the_order_they_came(line: Line) -> None:
    for number in range(250):
        line.pace.begin(partial(line.begun.append, number))
    assert line.begun == list(range(100))
    await line.clock.advance(1_009)
    assert line.begun == list(range(100))
    await line.clock.advance(1)
    assert line.begun == list(range(200))
    await line.clock.advance(1_010)
    assert line.begun == list(range(250))


async def test_who_waits_is_not_asked_before_its_turn(line: Line) -> None:
    for number in range(5_000):
        line.pace.begin(partial(line.begun.append, number))
    await line.clock.advance(10_000)
    assert len(line.begun) == 1_000
    assert line.rung < 20


async def test_who_gives_up_its_turn_takes_nobody_elses(line: Line) -> None:
    turns = [line.pace.begin(partial(line.begun.append, number)) for number in range(300)]
    for turn in turns[100:250]:
        assert turn is not None
        turn.cancel()
    await line.clock.advance(1_010)
    assert line.begun == [*range(100), *range(250, 300)]


async def test_who_comes_later_does_not_overtake(line: Line) -> None:
    for number in range(150):
        line.pace.begin(partial(line.begun.append, number))
    await line.clock.advance(1_000)
    assert line.pace.begin(partial(line.begun.append, 150)) is not None
    await line.clock.advance(10)
    assert line.begun == list(range(151))


async def test_once_all_have_begun_one_begins_at_once(line: Line) -> None:
    for number in range(150):
        line.pace.begin(partial(line.begun.append, number))
    await line.clock.advance(5_000)
    assert line.pace.begin(partial(line.begun.append, 150)) is None
    assert line.begun[-1] == 150

"""Planned work on a clock that is moved by hand."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from tests.domain.build import DOWN, UP
from tests.engine.rig import NOON, Rig
from tests.engine.rig import engine as running
from uptime_desktop.domain.events import IncidentOpened, MonitorPaused, MonitorResumed
from uptime_desktop.domain.heartbeats import Ping, Signal
from uptime_desktop.domain.maintenance import Mode, OnceAt, Window
from uptime_desktop.domain.model import HOUR_MS, MINUTE_MS, Every, Monitor, PauseReason
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.transition import QUIET, Around
from uptime_desktop.engine.maintenance import Maintenance

pytestmark = pytest.mark.asyncio

WEB = Monitor("shop", "web", 1, Every(10 * MINUTE_MS), jitter_ppm=0, retries=0)
BACKUP = Monitor(
    "shop", "backup", 2, Every(HOUR_MS), kind="heartbeat", is_passive=True, grace_ms=5 * MINUTE_MS
)
LUNCH = Window("w", "Lunch", OnceAt(NOON + HOUR_MS, NOON + 2 * HOUR_MS))


@asynccontextmanager
async def watched(*monitors: Monitor) -> AsyncIterator[tuple[Rig, Maintenance, list[int]]]:
    async with running() as rig:
        changes: list[int] = []
        planned = Maintenance(
            rig.scheduler,
            rig.timer,
            rig.clock,
            lambda: changes.append(rig.clock.wall() - NOON),
        )
        rig.scheduler.around = lambda job, _: Around(is_silent=True) if planned.of(job) else QUIET
        rig.scheduler.silent_until = planned.silent_until
        rig.scheduler.is_kept_paused = planned.keeps_paused
        rig.scheduler.add(monitors)
        yield rig, planned, changes


async def test_silence_checks_on_but_makes_no_incident_of_trouble() -> None:
    async with watched(WEB) as (rig, planned, changes):
        planned.know([LUNCH])
        await rig.clock.advance(HOUR_MS)
        rig.checks.answers["web"] = DOWN
        await rig.clock.advance(HOUR_MS - 1)
        assert rig.state(WEB).status is Status.DOWN
        assert rig.told(IncidentOpened) == []
        await rig.clock.advance(HOUR_MS)
        assert len(rig.told(IncidentOpened)) == 1
        assert changes == [HOUR_MS, 2 * HOUR_MS]


async def test_trouble_that_ends_in_maintenance_ends_its_incident() -> None:
    async with watched(WEB) as (rig, planned, _):
        rig.checks.answers["web"] = DOWN
        await rig.clock.advance(1)
        planned.know([replace(LUNCH, when=OnceAt(NOON, NOON + HOUR_MS))])
        rig.checks.answers["web"] = UP
        await rig.clock.advance(40 * MINUTE_MS)
        assert rig.state(WEB).incidents == frozenset()


async def test_a_pause_checks_nothing_until_it_is_over() -> None:
    async with watched(WEB) as (rig, planned, _):
        await rig.clock.advance(1)
        planned.know([replace(LUNCH, mode=Mode.PAUSE)])
        await rig.clock.advance(HOUR_MS)
        before = rig.checks.started["web"]
        assert rig.state(WEB).status is Status.PAUSED
        assert rig.state(WEB).pause is not None
        await rig.clock.advance(HOUR_MS - 2)
        assert rig.checks.started["web"] == before
        await rig.clock.advance(2)
        assert rig.state(WEB).pause is None
        assert rig.checks.started["web"] == before + 1
        assert len(rig.told(MonitorPaused)) == len(rig.told(MonitorResumed)) == 1


async def test_a_window_that_is_removed_resumes_those_it_paused_and_no_others() -> None:
    other = replace(WEB, id="other", number=3)
    async with watched(WEB, other) as (rig, planned, _):
        rig.scheduler.pause(("shop", "other"))
        planned.know([replace(LUNCH, mode=Mode.PAUSE, when=OnceAt(NOON, NOON + HOUR_MS))])
        pause = rig.state(WEB).pause
        assert pause is not None
        assert pause.reason is PauseReason.MAINTENANCE
        planned.know([])
        assert rig.state(WEB).pause is None
        assert rig.state(other).pause is not None


async def test_a_deadline_inside_is_judged_again_at_the_end() -> None:
    async with watched(BACKUP) as (rig, planned, _):
        rig.scheduler.hear(rig.job(BACKUP), Ping(Signal.SUCCESS, NOON))
        planned.know([LUNCH])
        await rig.clock.advance(2 * HOUR_MS - 1)
        assert rig.state(BACKUP).status is Status.UP
        await rig.clock.advance(1)
        assert rig.state(BACKUP).status is Status.DOWN


async def test_a_ping_inside_moves_the_deadline_as_ever() -> None:
    async with watched(BACKUP) as (rig, planned, _):
        rig.scheduler.hear(rig.job(BACKUP), Ping(Signal.SUCCESS, NOON))
        planned.know([LUNCH])
        await rig.clock.advance(90 * MINUTE_MS)
        rig.scheduler.hear(rig.job(BACKUP), Ping(Signal.SUCCESS, rig.clock.wall()))
        await rig.clock.advance(60 * MINUTE_MS)
        assert rig.state(BACKUP).status is Status.UP
        await rig.clock.advance(5 * MINUTE_MS)
        assert rig.state(BACKUP).status is Status.DOWN


async def test_only_what_a_window_covers_is_in_it() -> None:
    async with watched(WEB, BACKUP) as (rig, planned, _):
        planned.know(
            [replace(LUNCH, when=OnceAt(NOON, NOON + HOUR_MS), monitors=frozenset({"backup"}))]
        )
        assert planned.of(rig.job(WEB)) is None
        assert planned.of(rig.job(BACKUP)) is not None


async def test_a_window_that_ends_early_has_deadlines_judged_then() -> None:
    async with watched(BACKUP) as (rig, planned, _):
        rig.scheduler.hear(rig.job(BACKUP), Ping(Signal.SUCCESS, NOON))
        planned.know([replace(LUNCH, when=OnceAt(NOON + HOUR_MS, NOON + 9 * HOUR_MS))])
        await rig.clock.advance(80 * MINUTE_MS)
        assert rig.state(BACKUP).status is Status.UP
        planned.know([])
        await rig.clock.advance(20)
        assert rig.state(BACKUP).status is Status.DOWN


async def test_what_is_still_down_at_the_end_is_looked_at_again_then() -> None:
    daily = replace(WEB, schedule=Every(24 * HOUR_MS))
    async with watched(daily) as (rig, planned, _):
        await rig.clock.advance(1)
        planned.know([LUNCH])
        await rig.clock.advance(HOUR_MS)
        rig.checks.answers["web"] = DOWN
        rig.scheduler.check_now(rig.job(daily).key)
        await rig.clock.advance(HOUR_MS - 2)
        assert rig.told(IncidentOpened) == []
        await rig.clock.advance(20)
        assert len(rig.told(IncidentOpened)) == 1


async def test_a_pause_of_a_person_that_ends_inside_a_window_goes_on_for_it() -> None:
    async with watched(WEB) as (rig, planned, _):
        await rig.clock.advance(1)
        rig.scheduler.pause(rig.job(WEB).key, NOON + 90 * MINUTE_MS)
        planned.know([replace(LUNCH, mode=Mode.PAUSE)])
        before = rig.checks.started["web"]
        await rig.clock.advance(100 * MINUTE_MS)
        assert rig.checks.started["web"] == before
        pause = rig.state(WEB).pause
        assert pause is not None
        assert pause.reason is PauseReason.MAINTENANCE
        await rig.clock.advance(30 * MINUTE_MS)
        assert rig.checks.started["web"] > before


async def test_a_failure_reported_in_silence_is_an_incident_if_it_lasts() -> None:
    async with watched(BACKUP) as (rig, planned, _):
        planned.know([replace(LUNCH, when=OnceAt(NOON, NOON + HOUR_MS))])
        rig.scheduler.hear(rig.job(BACKUP), Ping(Signal.FAIL, NOON))
        assert rig.told(IncidentOpened) == []
        await rig.clock.advance(HOUR_MS)
        assert len(rig.told(IncidentOpened)) == 1

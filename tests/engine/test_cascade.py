"""Trouble upstream, and the trouble that only follows from it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from tests.domain.build import DEGRADED, DOWN, UP
from tests.engine.rig import Rig
from tests.engine.rig import engine as running
from uptime_desktop.domain.events import IncidentOpened
from uptime_desktop.domain.model import MINUTE_MS, Every, Monitor, Site
from uptime_desktop.domain.transition import Around
from uptime_desktop.engine.cascade import Cascade
from uptime_desktop.engine.scheduler import Job

pytestmark = pytest.mark.asyncio

ROUTER = Monitor("lan", "router", 1, Every(MINUTE_MS), jitter_ppm=0, retries=0)
SHOP = replace(ROUTER, site_id="shop", id="shop", number=2, depends_on=("router",))
CART = replace(ROUTER, site_id="shop", id="cart", number=3, depends_on=("shop",))
SITES = {"lan": Site(1, "lan", "LAN"), "shop": Site(2, "shop", "Shop")}


@dataclass
class Incidents:
    told: list[tuple[str, str]] = field(default_factory=list)

    def follow(self, job: Job, cascade_reason: str) -> None:
        self.told.append((job.monitor.id, cascade_reason))

    def stand(self, job: Job) -> None:
        self.told.append((job.monitor.id, "stands"))


@asynccontextmanager
async def watched(
    *monitors: Monitor, sites: dict[str, Site] | None = None
) -> AsyncIterator[tuple[Rig, Incidents, Cascade]]:
    async with running() as rig:
        incidents = Incidents()
        cascade = Cascade(rig.scheduler, rig.timer, rig.clock, incidents)
        rig.scheduler.around = lambda job, status: Around(*cascade.judged(job, status))
        rig.scheduler.on_changed = cascade.hear
        rig.scheduler.add(monitors)
        cascade.know(sites or SITES, {})
        await rig.clock.advance(31_000)
        yield rig, incidents, cascade


def opened(rig: Rig) -> list[tuple[str, str | None, bool]]:
    found = [event for event in rig.told(IncidentOpened) if isinstance(event, IncidentOpened)]
    return [(event.monitor_id, event.cascade_reason, event.is_held) for event in found]


async def test_what_is_upstream_is_checked_at_once_and_the_alert_waits_for_it() -> None:
    async with watched(ROUTER, SHOP) as (rig, incidents, _):
        rig.checks.answers |= {"router": DOWN, "shop": DOWN}
        checks = rig.checks.started["router"]
        rig.scheduler.check_now(rig.job(SHOP).key)
        await rig.clock.advance(0)
        assert rig.checks.started["router"] == checks + 1
        assert opened(rig) == [("shop", None, True), ("router", None, False)]
        assert incidents.told == [("shop", "upstream-router")]


async def test_trouble_stands_on_its_own_when_all_is_well_upstream() -> None:
    async with watched(ROUTER, SHOP) as (rig, incidents, _):
        rig.checks.answers |= {"shop": DOWN}
        rig.scheduler.check_now(rig.job(SHOP).key)
        await rig.clock.advance(0)
        assert incidents.told == [("shop", "stands")]


async def test_trouble_known_upstream_direct_or_not_is_named() -> None:
    async with watched(ROUTER, SHOP, CART) as (rig, incidents, _):
        rig.checks.answers |= {"router": DOWN, "cart": DOWN}
        rig.scheduler.check_now(rig.job(ROUTER).key)
        await rig.clock.advance(0)
        rig.scheduler.check_now(rig.job(CART).key)
        await rig.clock.advance(0)
        assert opened(rig)[1] == ("cart", "upstream-router", False)
        assert incidents.told == []


async def test_one_upstream_with_thirty_below_gives_thirty_that_follow() -> None:
    below = [replace(SHOP, id=f"m{i}", number=10 + i) for i in range(30)]
    async with watched(ROUTER, *below) as (rig, incidents, _):
        rig.checks.answers |= dict.fromkeys(["router", *(one.id for one in below)], DOWN)
        for one in below:
            rig.scheduler.check_now(rig.job(one).key)
        await rig.clock.advance(0)
        assert len(opened(rig)) == 31
        assert incidents.told == [(one.id, "upstream-router") for one in below]


async def test_it_stands_if_it_is_still_down_two_intervals_after_the_recovery_upstream() -> None:
    async with watched(ROUTER, SHOP) as (rig, incidents, _):
        rig.checks.answers |= {"router": DOWN, "shop": DOWN}
        rig.scheduler.check_now(rig.job(ROUTER).key)
        await rig.clock.advance(0)
        rig.scheduler.check_now(rig.job(SHOP).key)
        await rig.clock.advance(0)
        rig.checks.answers["router"] = UP
        rig.scheduler.check_now(rig.job(ROUTER).key)
        await rig.clock.advance(2 * MINUTE_MS - 1)
        assert incidents.told == []
        await rig.clock.advance(1)
        assert incidents.told == [("shop", "stands")]


async def test_nothing_is_told_if_it_recovers_within_two_intervals() -> None:
    async with watched(ROUTER, SHOP) as (rig, incidents, _):
        rig.checks.answers |= {"router": DOWN, "shop": DOWN}
        rig.scheduler.check_now(rig.job(ROUTER).key)
        await rig.clock.advance(0)
        rig.scheduler.check_now(rig.job(SHOP).key)
        await rig.clock.advance(0)
        rig.checks.answers |= {"router": UP, "shop": UP}
        rig.scheduler.check_now(rig.job(ROUTER).key)
        await rig.clock.advance(MINUTE_MS)
        rig.scheduler.check_now(rig.job(SHOP).key)
        await rig.clock.advance(5 * MINUTE_MS)
        assert incidents.told == []


async def test_a_site_may_depend_on_something_and_be_depended_on() -> None:
    sites = {**SITES, "shop": replace(SITES["shop"], depends_on=("site:lan",))}
    plain = replace(SHOP, depends_on=())
    async with watched(ROUTER, plain, sites=sites) as (rig, _, __):
        rig.checks.answers |= {"router": DOWN, "shop": DOWN}
        rig.scheduler.check_now(rig.job(ROUTER).key)
        await rig.clock.advance(0)
        rig.scheduler.check_now(rig.job(plain).key)
        await rig.clock.advance(0)
        assert opened(rig)[1] == ("shop", "upstream-site:lan", False)


async def test_what_followed_before_a_restart_is_looked_at_again() -> None:
    async with watched(ROUTER, SHOP) as (rig, incidents, cascade):
        rig.checks.answers |= {"shop": DOWN}
        rig.scheduler.check_now(rig.job(SHOP).key)
        await rig.clock.advance(0)
        incidents.told.clear()
        cascade.recall(["shop"])
        await rig.clock.advance(2 * MINUTE_MS)
        assert incidents.told == [("shop", "stands")]


async def test_trouble_stands_when_what_it_follows_from_is_no_longer_upstream() -> None:
    async with watched(ROUTER, SHOP) as (rig, incidents, cascade):
        rig.checks.answers |= {"router": DOWN, "shop": DOWN}
        rig.scheduler.check_now(rig.job(ROUTER).key)
        await rig.clock.advance(0)
        rig.scheduler.check_now(rig.job(SHOP).key)
        await rig.clock.advance(0)
        rig.scheduler.remove(rig.job(ROUTER).key)
        cascade.know(SITES, {})
        await rig.clock.advance(2 * MINUTE_MS)
        assert incidents.told == [("shop", "stands")]


async def test_an_outage_follows_though_it_was_only_slow_before() -> None:
    async with watched(ROUTER, SHOP) as (rig, _, __):
        rig.checks.answers |= {"router": UP, "shop": DEGRADED}
        rig.scheduler.check_now(rig.job(SHOP).key)
        await rig.clock.advance(0)
        rig.checks.answers |= {"router": DOWN, "shop": DOWN}
        rig.scheduler.check_now(rig.job(ROUTER).key)
        await rig.clock.advance(0)
        rig.scheduler.check_now(rig.job(SHOP).key)
        await rig.clock.advance(0)
        assert ("shop", "upstream-router", False) in opened(rig)


async def test_a_run_upstream_that_was_already_under_way_does_not_answer() -> None:
    async with watched(ROUTER, SHOP) as (rig, incidents, _):
        hanging = asyncio.Event()
        rig.checks.answers |= {"router": hanging, "shop": DOWN}
        rig.scheduler.check_now(rig.job(ROUTER).key)
        await rig.clock.advance(0)
        rig.scheduler.check_now(rig.job(SHOP).key)
        await rig.clock.advance(0)
        rig.checks.answers["router"] = DOWN
        hanging.set()
        await rig.clock.advance(0)
        assert incidents.told == [("shop", "upstream-router")]


async def test_of_a_group_upstream_the_members_are_checked() -> None:
    both = replace(ROUTER, id="both", number=9, kind="group", is_passive=True)
    below = replace(SHOP, depends_on=("both",))
    async with watched(ROUTER, both, below) as (rig, incidents, cascade):
        cascade.know(SITES, {"both": ("router",)})
        rig.checks.answers |= {"router": DOWN, "shop": DOWN}
        rig.scheduler.check_now(rig.job(below).key)
        await rig.clock.advance(0)
        assert incidents.told == [("shop", "upstream-router")]

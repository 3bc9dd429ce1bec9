"""What depends on what, as it is saved: refused when it leads in a circle, kept otherwise."""

from dataclasses import replace
from pathlib import Path

import pytest

from uptime_desktop.app import App, opened
from uptime_desktop.domain.model import AlertRule, Setting
from uptime_desktop.domain.refusal import Refused

pytestmark = pytest.mark.asyncio


def page(name: str, *depends_on: str) -> dict[str, Setting]:
    return {"name": name, "url": f"http://127.0.0.1:9/{name}", "depends_on": depends_on}


async def add(app: App, site: str, *definitions: dict[str, Setting]) -> None:
    await app.add(definitions, site)


async def test_what_a_monitor_depends_on_survives_a_restart(tmp_path: Path) -> None:
    database = tmp_path / "uptime.db"
    async with opened(database) as app:
        await add(app, "lan", page("router"))
        await add(app, "shop", page("web", "router", "site:lan"))
        await app.change_site(replace(app.sites["shop"], depends_on=("router",)))
    async with opened(database) as app:
        assert app.find("web").monitor.depends_on == ("router", "site:lan")
        assert app.sites["shop"].depends_on == ("router",)


@pytest.mark.parametrize(
    ("definition", "said"),
    [
        (page("c", "nobody"), "depends_on: there is no 'nobody'"),
        (page("c", "site:nowhere"), "depends_on: there is no 'site:nowhere'"),
        (page("c", "c"), "depends_on: it leads in a circle. Allowed: c → c must end."),
        (page("c", "site:s"), "depends_on: it leads in a circle. Allowed: c → site:s → c must"),
    ],
)
async def test_what_cannot_be_depended_on_is_refused(
    tmp_path: Path, definition: dict[str, Setting], said: str
) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        await add(app, "s", page("a"))
        with pytest.raises(Refused) as refused:
            await app.add([definition], "s")
        assert str(refused.value).startswith(said)
        assert len(app.jobs) == 1


async def test_a_circle_is_named_when_it_is_closed_by_an_edit_or_by_a_site(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        await add(app, "s", page("a"), page("b", "a"))
        await add(app, "t", page("c", "b"))
        with pytest.raises(Refused, match="a → c → b → a must end"):
            await app.edit(app.find("a"), page("a", "c"))
        assert app.find("a").monitor.depends_on == ()
        with pytest.raises(Refused, match="must end"):
            await app.change_site(replace(app.sites["s"], depends_on=("c",)))
        assert app.sites["s"].depends_on == ()


async def test_a_circle_is_refused_when_a_move_would_close_it(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        await add(app, "lan", page("router"))
        await add(app, "shop", page("web", "site:lan"))
        with pytest.raises(Refused, match="web → site:lan → web must end"):
            await app.move([app.find("web")], "lan")
        assert app.find("web").monitor.site_id == "shop"


async def test_a_group_upstream_of_its_own_member_is_a_circle(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        group: dict[str, Setting] = {"name": "g", "kind": "group", "members": ("a",)}
        await add(app, "s", page("a"), group)
        with pytest.raises(Refused, match="a → g → a must end"):
            await app.edit(app.find("a"), page("a", "g"))


async def test_a_channel_that_is_not_there_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        with pytest.raises(Refused, match="channels: there is no channel 'nope'"):
            await app.add([{**page("a"), "channels": ("desktop", "nope")}])
        await app.add([{**page("a"), "channels": ("desktop", "sound")}])
        gone = AlertRule(channels=("desktop", "gone"))
        job = app.find("a")
        job.monitor = replace(job.monitor, alert=gone)
        await app.edit(job, {**page("a"), "channels": ("desktop", "gone"), "every": "2h"})
        rule = AlertRule(channels=("nope",))
        with pytest.raises(Refused, match="there is no channel 'nope'"):
            await app.change_site(replace(app.sites["default"], alert=rule))

"""Groups in the app: they follow their members at once, and are watched like anything else."""

from pathlib import Path

import pytest

from tests.website import Website
from uptime_desktop.app import App, Job, opened
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status

pytestmark = pytest.mark.asyncio


def page(website: Website, name: str, path: str = "up") -> dict[str, Setting]:
    return {"name": name, "url": f"{website.url}/{path}", "retries": 0, "every": "1h"}


def group(name: str, *members: str, **more: Setting) -> dict[str, Setting]:
    return {"name": name, "kind": "group", "members": members, **more}


async def checked(app: App, *names: str) -> None:
    for name in names:
        await app.check_now(app.find(name))


async def test_a_group_follows_its_members_and_keeps_its_own_history(
    tmp_path: Path, website: Website
) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        await app.add([page(website, "a"), page(website, "b", "down"), group("both", "a", "b")])
        app.start_timer_only()
        both = app.find("both")
        assert both.state.last_attempt_at is None
        await checked(app, "a", "b")
        assert both.state.status is Status.DOWN
        assert both.reason == "1 of 2 up, not b"
        assert both.state.next_run_at is None
        await app.edit(app.find("b"), page(website, "b"))
        await checked(app, "b")
        assert (both.state.status, both.reason) == (Status.UP, "2 of 2 up")
        statuses = [run.status for run in await app.history.runs(both.monitor.number, limit=5)]
        assert statuses == [Status.UP, Status.DOWN]
        incidents = await app.history.incidents(both.monitor.number)
        assert len(incidents) == 1
        assert incidents[0].resolved_at is not None


async def test_a_group_of_groups_follows_too_and_a_paused_member_does_not_count(
    tmp_path: Path, website: Website
) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        await app.add(
            [
                group("all", "any"),
                page(website, "a"),
                page(website, "b", "down"),
                group("any", "a", "b", rule="any"),
            ]
        )
        app.start_timer_only()
        await checked(app, "a", "b")
        assert app.find("all").state.status is Status.UP
        app.pause(app.find("a"))
        assert app.find("any").state.status is Status.DOWN
        assert app.find("all").state.status is Status.DOWN


async def test_a_group_is_as_it_was_after_a_restart(tmp_path: Path, website: Website) -> None:
    database = tmp_path / "uptime.db"
    async with opened(database) as app:
        await app.add([page(website, "a"), group("g", "a")])
        app.start_timer_only()
        await checked(app, "a")
    async with opened(database) as app:
        app.start()
        job = app.find("g")
        assert (job.state.status, job.monitor.is_passive) == (Status.UP, True)
        assert (await app.check_now(job)).status is Status.UP


async def test_a_member_that_is_removed_leaves_the_group_not_knowing(
    tmp_path: Path, website: Website
) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        await app.add([page(website, "a"), page(website, "b"), group("g", "a", "b")])
        app.start_timer_only()
        await checked(app, "a", "b")
        await app.remove(app.find("b"))
        job: Job = app.find("g")
        assert (job.state.status, job.reason) == (Status.UNKNOWN, "1 of 2 up, not b")


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (group("g", "nobody"), "members: there is no monitor 'nobody'"),
        (group("g"), "members: there is none"),
        (group("g", "g"), "members: they lead in a circle. Allowed: g → g must end"),
        (group("g", "a", rule="some"), "rule: 'some' is no rule"),
        (group("g", "a", rule="2"), "rule: '2' is not a whole number in range"),
        (group("g", "a", every="60s"), "every: '60s' has no meaning here"),
    ],
)
async def test_a_group_that_cannot_be_is_refused(
    tmp_path: Path, website: Website, made: dict[str, Setting], said: str
) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        await app.add([page(website, "a")])
        with pytest.raises(Refused) as refused:
            await app.add([made])
        assert str(refused.value).startswith(said)
        assert len(app.jobs) == 1


async def test_a_circle_is_refused_when_a_group_is_edited(tmp_path: Path, website: Website) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        await app.add([page(website, "a"), group("inner", "a"), group("outer", "inner")])
        with pytest.raises(Refused, match="inner → outer → inner must end"):
            await app.edit(app.find("inner"), group("inner", "outer"))
        with pytest.raises(Refused, match="never checked by itself"):
            app.hint(app.find("outer"), None)

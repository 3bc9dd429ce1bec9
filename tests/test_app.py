"""The app on a real database: what it is told holds at once and after the next start."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import FakeClock
from tests.website import Website
from uptime_desktop.app import opened
from uptime_desktop.config import Settings
from uptime_desktop.domain import events
from uptime_desktop.domain.events import Event
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status
from uptime_desktop.engine.clock import wall_now
from uptime_desktop.store.errors import StoreError

pytestmark = pytest.mark.asyncio

SECRET = {"Authorization": "Bearer geheim"}


async def test_an_edit_holds_at_once_and_after_a_restart(tmp_path: Path, website: Website) -> None:
    database = tmp_path / "uptime.db"
    async with opened(database) as app:
        (monitor,) = await app.add([{"name": "web", "url": f"{website.url}/down", "retries": 0}])
        app.start()
        job = app.job_of(monitor)
        assert (await app.check_now(job)).status is Status.DOWN
        await app.edit(job, {"name": "Shop", "url": f"{website.url}/up", "every": "2h"})
        assert (await app.check_now(job)).status is Status.UP
        assert app.target_of(job.monitor) == f"{website.url}/up"
    async with opened(database) as app:
        (job,) = app.jobs
        assert (job.monitor.name, job.monitor.id) == ("Shop", "web")
        assert job.state.health is Status.UP


async def test_a_refused_edit_changes_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        (monitor,) = await app.add([{"name": "web", "url": "https://x.example"}])
        job = app.job_of(monitor)
        with pytest.raises(Refused, match="every: 1 s is too short"):
            await app.edit(job, {"name": "web", "url": "https://x.example", "every": "1s"})
        assert job.monitor == monitor


async def test_settings_hold_at_once_and_after_a_restart(tmp_path: Path) -> None:
    database = tmp_path / "uptime.db"
    changed = Settings(default_interval_ms=300_000, max_concurrent=3, staleness_window_ms=0)
    async with opened(database) as app:
        await app.change_settings(changed)
        (monitor,) = await app.add([{"name": "web", "url": "https://x.example"}])
        assert getattr(monitor.schedule, "interval_ms", None) == 300_000
    async with opened(database) as app:
        assert app.settings == changed


async def test_settings_out_of_range_cannot_exist() -> None:
    with pytest.raises(Refused, match="staleness_window: 8 d is too long"):
        replace(Settings(), staleness_window_ms=8 * 86_400_000)


async def test_events_are_told_after_their_change_is_on_disk(
    tmp_path: Path, website: Website
) -> None:
    database = tmp_path / "uptime.db"
    heard: list[tuple[Event, bool]] = []
    async with opened(database) as app:
        app.bus.subscribe(lambda event, persisted: heard.append((event, persisted)))
        app.start_timer_only()
        (monitor,) = await app.add([{"name": "web", "url": f"{website.url}/down", "retries": 0}])
        await app.check_now(app.job_of(monitor))
        (run,) = await app.history.runs(monitor.number)
    assert all(persisted for _, persisted in heard)
    kinds = [type(event) for event, _ in heard]
    assert events.IncidentOpened in kinds
    assert kinds.index(events.ManualCheckStarted) < kinds.index(events.CheckFinished)
    finished = next(event for event, _ in heard if isinstance(event, events.CheckFinished))
    assert finished.outcome.reason == run.reason == "HTTP 503 Service Unavailable"


async def test_a_site_whose_monitors_could_not_be_stored_is_not_taken_for_stored(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        await app.add([{"name": "web", "id": "web", "url": "https://x.example"}])
        app.jobs[0].monitor = replace(app.jobs[0].monitor, id="other")  # so that the store refuses
        with pytest.raises(StoreError, match="there is already a monitor web"):
            await app.add([{"name": "web", "id": "web", "url": "https://x.example"}], "shop")
        assert "shop" not in app.sites
        (monitor,) = await app.add([{"name": "new", "url": "https://x.example"}], "shop")
        assert monitor.site_id == "shop"


async def test_what_was_removed_meanwhile_need_not_be_removed_and_cannot_be_changed(
    tmp_path: Path,
) -> None:
    database = tmp_path / "uptime.db"
    keys = [{"name": name, "id": name, "url": "https://x.example"} for name in "abc"]
    async with opened(database) as app:
        await app.add(keys, "shop")
        a, b = app.find("a"), app.find("b")
        acts = (app.remove(a), app.remove(a, b, b), app.edit(a, {**keys[0], "every": "7m"}))
        *removed, edited = await asyncio.gather(*acts, return_exceptions=True)
        assert removed == [None, None]
        assert str(edited).startswith("monitor: there is no monitor 'a'.")
        with pytest.raises(Refused, match="there is no monitor 'b'"):
            await app.move([app.find("c"), b], "shop")
        assert [job.monitor.id for job in app.jobs] == ["c"]
    async with opened(database) as app:
        assert [job.monitor.id for job in app.jobs] == ["c"]


async def test_a_site_is_switched_off_and_on_with_all_that_is_in_it(tmp_path: Path) -> None:
    database = tmp_path / "uptime.db"
    hourly = {"url": "https://x.example", "every": "1h"}
    async with opened(database) as app:
        await app.add([{**hourly, "name": "a"}, {**hourly, "name": "b"}], "shop")
        app.pause(app.find("a"))
        await app.switch_site("shop", on=False)
        assert [job.state.status for job in app.jobs] == [Status.PAUSED] * 2
        with pytest.raises(Refused, match="'shop' is switched off"):
            app.resume(app.find("b"))
        (late,) = await app.add([{**hourly, "name": "c"}], "shop")
        assert app.job_of(late).state.status is Status.PAUSED
    async with opened(database) as app:
        app.start()
        assert [job.alarm for job in app.jobs] == [None] * 3
        await app.switch_site("shop", on=True)
        assert [job.state.pause is None for job in app.jobs] == [False, True, True]
        with pytest.raises(Refused, match="there is no site 'else'"):
            await app.switch_site("else", on=True)


async def test_a_monitor_whose_secret_is_gone_is_unknown_and_says_why(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = tmp_path / "uptime.db"
    async with opened(database) as app:
        app.agree_to_secret_file()
        await app.add([{"name": "web", "url": "https://x.example", "headers": SECRET}])
    (tmp_path / "uptime.db.secrets.json").unlink()
    async with opened(database) as app:
        app.start_timer_only()
        (job,) = app.jobs
        outcome = await app.check_now(job)
        assert outcome.status is Status.UNKNOWN
        assert "web/headers/Authorization" in outcome.reason
        assert "there is no secret" in outcome.reason
    assert "cannot be checked" in caplog.text


async def test_monitors_that_could_not_be_stored_leave_no_secret_behind(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        app.agree_to_secret_file()
        await app.add([{"name": "web", "id": "web", "url": "https://x.example"}])
        app.jobs[0].monitor = replace(app.jobs[0].monitor, id="other")  # so that the store refuses
        taken: dict[str, Setting] = {
            "name": "b",
            "id": "web",
            "url": "https://x.example",
            "headers": SECRET,
        }
        with pytest.raises(StoreError, match="there is already a monitor web"):
            await app.add([taken])
    assert "geheim" not in (tmp_path / "uptime.db.secrets.json").read_text()


async def test_many_are_added_without_holding_up_the_loop_and_progress_is_told(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        told: list[int] = []
        turns = 0

        async def beat() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        beating = asyncio.create_task(beat())
        given = ({"name": f"m{n}", "url": f"https://x.example/{n}"} for n in range(500))
        await app.add(given, progress=told.append)
        beating.cancel()
        assert told == list(range(1, 501))
        assert turns > 10


async def test_a_database_that_is_deleted_under_us_is_said_plainly(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = tmp_path / "uptime.db"
    clock = FakeClock(wall_now())
    async with opened(database, clock) as app:
        app.start()
        await clock.advance(1_000)
        assert app.fault is None
        database.unlink()
        await clock.advance(60_000)
        assert app.fault == f"{database} was removed: what happens from now on is lost"
    assert caplog.text.count("was removed") == 1

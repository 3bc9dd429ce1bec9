"""The app on a real database: what it is told holds at once and after the next start."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.website import Website
from uptime_desktop.app import opened
from uptime_desktop.config import Settings
from uptime_desktop.domain import events
from uptime_desktop.domain.events import Event
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status
from uptime_desktop.store.errors import StoreError

pytestmark = pytest.mark.asyncio


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
        (run,) = await app.history(app.job_of(monitor), 10)
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

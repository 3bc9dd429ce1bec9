"""Alerts of the app itself: a real website, a real database, and a list instead of a desktop."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from tests.alerts.build import ListNotifier
from tests.fakes import until
from tests.store.places import locked_by_another_process
from tests.website import Website
from uptime_desktop.alerts.notice import Answer
from uptime_desktop.app import App, opened
from uptime_desktop.domain.alerts import Decision, Key, Told
from uptime_desktop.domain.maintenance import OnceAt, Window
from uptime_desktop.domain.model import HOUR_MS, Setting, Unmet
from uptime_desktop.domain.status import Status
from uptime_desktop.outgoing import StoredOutbox

pytestmark = pytest.mark.asyncio


@pytest.fixture(autouse=True)
def _no_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here time is real, and nobody waits for more of the same."""
    monkeypatch.setattr("uptime_desktop.domain.alerting.HOLD_MS", 0)


@asynccontextmanager
async def watching(
    database: Path, notifier: ListNotifier, on_open: Callable[[Key | None], None] = print
) -> AsyncIterator[App]:
    async with opened(database) as app:
        app.start_timer_only()
        app.start_alerts(notifier, on_open=on_open, fallback=lambda _title, _text: False)
        yield app


def rows(database: Path, question: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(question).fetchall()


def unsent(database: Path) -> int:
    return len(rows(database, "SELECT 1 FROM outbox WHERE sent_at IS NULL"))


def shop(website: Website) -> dict[str, str | int]:
    return {"name": "Checkout API", "url": f"{website.url}/down", "retries": 1}


async def test_an_outage_is_told_and_a_restart_does_not_tell_it_again(
    tmp_path: Path, website: Website
) -> None:
    database, notifier = tmp_path / "uptime.db", ListNotifier()
    async with watching(database, notifier) as app:
        await app.add([shop(website)])
        await app.check_now(app.jobs[0])
        await until(lambda: notifier.titles and not unsent(database))
        (shown,) = notifier.shown.values()
        assert shown.notice.text.startswith("HTTP 503 Service Unavailable, after 2 tries. Next")
    async with watching(database, notifier) as app:
        await app.check_now(app.jobs[0])
        assert notifier.titles == ["Checkout API is down"]
        website.has_recovered = True
        await app.check_now(app.jobs[0])
        await until(lambda: len(notifier.titles) == 2)
        assert notifier.visible == ["Checkout API is up again"]


async def test_an_alert_carries_what_the_run_missed_first(tmp_path: Path, website: Website) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        app.start_timer_only()
        await app.add([shop(website)])
        await app.check_now(app.jobs[0])
        outbox = StoredOutbox(app._store, app._writer)  # noqa: SLF001
        await until(lambda: unsent(tmp_path / "uptime.db"))
        now = app.clock.wall()
        (alert,) = (await outbox.waiting(now)).alerts
        await outbox.decide(Decision([Told(alert, ("desktop",))]), now)
        (delivery,) = await outbox.claim(now, ())
        found = delivery.alert
        assert (found.tries, found.unmet) == (2, Unmet("status", "200-399", "503"))


async def test_an_outage_nobody_was_told_of_is_told_after_the_restart(
    tmp_path: Path, website: Website
) -> None:
    database, notifier = tmp_path / "uptime.db", ListNotifier()
    async with opened(database) as app:
        app.start_timer_only()
        await app.add([shop(website)])
        await app.check_now(app.jobs[0])
    assert unsent(database) == 1
    async with watching(database, notifier):
        await until(lambda: notifier.visible == ["Checkout API is down"])


async def test_answers_reach_the_database_and_the_window(tmp_path: Path, website: Website) -> None:
    database, notifier, opened_keys = tmp_path / "uptime.db", ListNotifier(), list[Key | None]()
    async with watching(database, notifier, opened_keys.append) as app:
        await app.add([shop(website)])
        await app.check_now(app.jobs[0])
        await until(lambda: notifier.shown)
        (shown,) = notifier.shown.values()
        for answer in Answer:
            shown.answered(answer)
        columns = "acknowledged_at IS NOT NULL, snoozed_until - opened_at >= 3600000"
        await until(lambda: rows(database, f"SELECT {columns} FROM incidents") == [(1, 1)])
        await until(lambda: len(rows(database, "SELECT 1 FROM runs")) == 2)
        assert opened_keys == [("default", "checkout-api")]
        website.has_recovered = True
        await app.check_now(app.jobs[0])
        await until(lambda: rows(database, "SELECT sent_at > 0 FROM outbox") == [(1,), (1,)])
        assert app.jobs[0].state.health is Status.UP
        await until(lambda: not notifier.visible)
        assert notifier.titles == ["Checkout API is down"]


async def test_what_a_locked_file_does_not_take_is_told_at_once_and_only_once(
    tmp_path: Path, website: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("uptime_desktop.alerts.complaints.FAULT_HELD_MS", 0)
    database, notifier = tmp_path / "uptime.db", ListNotifier()
    async with watching(database, notifier) as app:
        await app.add([shop(website)])
        with locked_by_another_process(database):
            await app.check_now(app.jobs[0])
            await until(lambda: len(notifier.titles) == 2)
            assert set(notifier.titles) == {"Checkout API is down", "Results are not being saved"}
        await until(lambda: "Results are being saved again" in notifier.titles)
        await until(lambda: rows(database, "SELECT sent_at IS NOT NULL FROM outbox") == [(1,)])
    async with watching(database, notifier) as app:
        await app.check_now(app.jobs[0])
        assert notifier.titles.count("Checkout API is down") == 1


async def test_a_database_that_is_deleted_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("uptime_desktop.alerts.complaints.FAULT_HELD_MS", 0)
    monkeypatch.setattr("uptime_desktop.housekeeping._ALIVE_EVERY_MS", 20)
    database, notifier = tmp_path / "uptime.db", ListNotifier()
    async with watching(database, notifier) as app:
        app.start()
        database.unlink()
        await until(lambda: notifier.titles == ["Results are not being saved"])


def below(website: Website, n: int) -> dict[str, Setting]:
    path = f"{website.url}/down{n}"
    return {"name": f"m{n}", "url": path, "retries": 0, "every": "1h", "depends_on": ("router",)}


async def test_one_upstream_with_thirty_below_down_is_thirty_one_histories_and_one_alert(
    tmp_path: Path, website: Website
) -> None:
    database, notifier = tmp_path / "uptime.db", ListNotifier()
    async with watching(database, notifier) as app:
        router = {**below(website, 0), "name": "Router", "id": "router", "depends_on": ()}
        await app.add([router, *(below(website, n) for n in range(1, 31))])
        await asyncio.gather(
            *(app.check_now(job) for job in app.jobs if job.monitor.id != "router")
        )
        await until(lambda: len(rows(database, "SELECT 1 FROM incidents")) == 31)
        await until(lambda: not unsent(database))
        assert notifier.titles == ["Router is down"]
        following = rows(
            database, "SELECT cascade_reason, severity, count(*) FROM incidents GROUP BY 1"
        )
        assert sorted(following, key=str) == [("upstream-router", 0, 30), (None, 2, 1)]
        assert rows(database, "SELECT count(DISTINCT monitor) FROM runs") == [(31,)]
        website.has_recovered = True
        await asyncio.gather(*(app.check_now(job) for job in app.jobs))
        await until(lambda: len(notifier.titles) == 2)
        await until(lambda: not unsent(database))
        assert notifier.titles == ["Router is down", "Router is up again"]


async def test_trouble_in_maintenance_is_nobodys_business(tmp_path: Path, website: Website) -> None:
    database, notifier = tmp_path / "uptime.db", ListNotifier()
    async with watching(database, notifier) as app:
        now = app.clock.wall()
        await app.save_window(Window("w", "Work", OnceAt(now - 1_000, now + HOUR_MS)))
        await app.add([shop(website)])
        outcome = await app.check_now(app.jobs[0])
        assert outcome.status is Status.DOWN
        assert rows(database, "SELECT 1 FROM incidents") == []
        await app.remove_window("w")
        await app.check_now(app.jobs[0])
        await until(lambda: notifier.titles)
        assert notifier.titles == ["Checkout API is down"]


async def test_two_hundred_down_at_once_are_one_digest(
    tmp_path: Path, website: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("uptime_desktop.domain.alerting.HOLD_MS", 3_000)
    notifier = ListNotifier()
    async with watching(tmp_path / "uptime.db", notifier) as app:
        pages = [{**below(website, n), "depends_on": ()} for n in range(200)]
        await app.add(pages)
        await asyncio.gather(*(app.check_now(job) for job in app.jobs))
        await until(lambda: notifier.titles)
        await until(lambda: not unsent(tmp_path / "uptime.db"))
        assert notifier.titles == ["200 monitors are down"]

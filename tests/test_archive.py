"""All that is known goes into a file and comes back as it was, or nothing does."""

import asyncio
import csv
import os
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any, Final

import pytest
import pytest_asyncio

from tests.declared_build import NOW
from tests.fakes import FakeClock, until
from tests.website import Website
from uptime_desktop import archive
from uptime_desktop.app import App, opened
from uptime_desktop.domain.maintenance_definition import parse_window
from uptime_desktop.domain.model import DAY_MS, MINUTE_MS
from uptime_desktop.domain.refusal import Refused, Unable
from uptime_desktop.domain.status import Status
from uptime_desktop.engine.clock import wall_now
from uptime_desktop.store import backup
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.runs_csv import COLUMNS

pytestmark = pytest.mark.asyncio

TABLES: Final = ("sites", "monitors", "windows", "channels", "runs", "incidents", "settings")
NIGHT: Final = parse_window(
    {"id": "night", "name": "Night", "days": ("mon",), "at": "02:00", "duration": "1h"}, NOW
)


@asynccontextmanager
async def app_in(folder: Path, name: str = "uptime.db") -> AsyncIterator[App]:
    async with opened(folder / name) as app:
        app.agree_to_secret_file()
        yield app


async def fill(app: App, website: Website) -> None:
    """A bit of everything, with some history."""
    app.start_timer_only()
    channel = await app.channels.add("Ops", "json://ann:s3same@localhost")
    up: dict[str, Any] = {"name": "Up", "url": f"{website.url}/up", "every": "1h"}
    down = up | {"name": "Down", "url": f"{website.url}/down", "retries": 0}
    added = await app.add([up | {"channels": (channel.id,)}, down], "web")
    for monitor in added:
        await app.check_now(app.job_of(monitor))
    await app.save_window(NIGHT)
    await app.change_settings(replace(app.settings, max_concurrent=7))
    app.pause(app.find("up"))


def stored_in(folder: Path, name: str = "uptime.db") -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(folder / name)) as db:
        return {table: db.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if not path.name.startswith("uptime.db")}


@pytest_asyncio.fixture
async def kept(tmp_path: Path, website: Website) -> Path:
    """A backup of an app in which there was a bit of everything."""
    folder, path = tmp_path / "before", tmp_path / "kept.backup"
    folder.mkdir()
    async with app_in(folder) as app:
        await fill(app, website)
        await app.back_up(path)
    assert b"s3same" not in await asyncio.to_thread(path.read_bytes)
    return path


# Backups


@pytest.mark.parametrize("is_started", [False, True])
async def test_what_was_backed_up_is_there_again(
    tmp_path: Path, kept: Path, website: Website, is_started: bool
) -> None:
    async with app_in(tmp_path) as app:
        heard: list[None] = []
        app.on_redefined(lambda: heard.append(None))
        if is_started:
            app.start()
        summary = await app.restore(kept)
        assert summary.rows["monitors"] == 2
        assert stored_in(tmp_path)["monitors"] == stored_in(tmp_path / "before")["monitors"]
        assert [job.monitor.id for job in app.jobs] == ["up", "down"]
        assert app.find("up").state.pause is not None
        down = app.find("down")
        assert (down.state.health, "503" in down.reason) == (Status.DOWN, True)
        assert (set(app.sites), app.windows) == ({"web"}, {"night": NIGHT})
        assert [channel.id for channel in app.channels.known] == ["ops"]
        assert app.settings.max_concurrent == 7
        runs = await app.history.runs(down.monitor.number)
        assert {run.status for run in runs} == {Status.DOWN}
        (incident,) = await app.history.incidents(only_open=True)
        assert incident.monitor_number == down.monitor.number
        uptimes = await app.history.uptimes(DAY_MS, wall_now())
        assert uptimes[app.find("up").monitor.number] == 1
        assert heard
        if not is_started:
            app.start_timer_only()
        website.has_recovered = True
        assert (await app.check_now(down)).status is Status.UP
        assert await app.history.incidents(only_open=True) == ()


async def test_what_is_restored_into_a_running_app_becomes_due(tmp_path: Path) -> None:
    async with opened(tmp_path / "old.db", FakeClock(NOW)) as app:
        await app.add([{"name": "Job", "kind": "heartbeat", "every": "1h", "grace": "5m"}])
        app.start()
        await app.back_up(tmp_path / "kept.backup")
    clock = FakeClock(NOW + 10 * MINUTE_MS)
    async with opened(tmp_path / "new.db", clock) as app:
        app.start("127.0.0.1:0")
        await app.restore(tmp_path / "kept.backup")
        (web,) = await app.add([{"name": "Group", "kind": "group", "members": ("job",)}])
        job = app.find("job")
        await clock.advance(2 * 60 * MINUTE_MS)
        assert job.state.health is Status.DOWN
        assert app.job_of(web).state.health is Status.DOWN


async def test_a_backup_tells_how_far_it_is_and_so_does_restoring(
    tmp_path: Path, website: Website
) -> None:
    heard: list[tuple[int, int]] = []
    path = tmp_path / "kept.backup"
    async with app_in(tmp_path) as app:
        await fill(app, website)
        await app.back_up(path, lambda done, total: heard.append((done, total)))
    assert heard == sorted(heard)
    assert heard[0][0] == 0
    assert heard[-1][0] == heard[-1][1] > 0
    heard.clear()
    async with app_in(tmp_path, "other.db") as app:
        await app.restore(path, lambda done, total: heard.append((done, total)))
    assert heard == sorted(heard)
    assert heard[-1][0] == heard[-1][1] > 0


async def test_a_backup_is_only_restored_where_nothing_is(tmp_path: Path, kept: Path) -> None:
    things: dict[str, Callable[[App], Any]] = {
        "monitor": lambda app: app.add([{"name": "x", "url": "https://x.example/"}]),
        "channel": lambda app: app.channels.add("Ours", "json://localhost"),
        "window": lambda app: app.save_window(NIGHT),
    }
    for name, add in things.items():
        async with app_in(tmp_path, f"{name}.db") as app:
            await add(app)
            before = stored_in(tmp_path, f"{name}.db")
            with pytest.raises(Unable, match="only restored where nothing is set up"):
                await app.restore(kept)
            assert stored_in(tmp_path, f"{name}.db") == before


async def test_a_backup_comes_back_with_what_was_under_way_or_not_at_all(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_db: object) -> None:
        raise StoreError("the disk is full")

    async with app_in(tmp_path, "other.db") as app:
        monkeypatch.setattr(archive, "record_interrupted", fails)
        with pytest.raises(StoreError, match="the disk is full"):
            await app.restore(kept)
        assert not app.jobs
        monkeypatch.undo()
        await app.restore(kept)
        assert app.jobs


@pytest.mark.parametrize("share", [0.0, 0.2, 0.6, 0.99])
async def test_half_a_backup_changes_nothing(tmp_path: Path, kept: Path, share: float) -> None:
    with kept.open("r+b") as file:
        file.truncate(int(file.seek(0, os.SEEK_END) * share))
    async with app_in(tmp_path) as app:
        before = stored_in(tmp_path)
        for act in (app.look_into_backup, app.restore):
            with pytest.raises(Refused, match="cannot be restored"):
                await act(kept)
        assert (stored_in(tmp_path), app.jobs, app.sites) == (before, (), {})


async def test_a_backup_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        for path in (tmp_path / "nothing", tmp_path):
            for act in (app.look_into_backup, app.restore):
                with pytest.raises(Refused, match=r"cannot be read|is no file"):
                    await act(path)


async def test_looking_into_a_backup_only_tells_what_is_in_it(tmp_path: Path, kept: Path) -> None:
    async with app_in(tmp_path) as app:
        before = stored_in(tmp_path)
        summary = await app.look_into_backup(kept)
        runs = stored_in(tmp_path / "before")["runs"]
        assert (summary.rows["monitors"], summary.rows["runs"]) == (2, len(runs))
        assert (stored_in(tmp_path), app.jobs) == (before, ())


class Gate:
    """Holds work up in its thread, before or after it is done, until it is opened."""

    def __init__(self, work: Callable[..., Any], *, is_after: bool) -> None:
        self._work = work
        self._is_after = is_after
        self.is_reached = False
        self.opened = Event()

    def __call__(self, *given: Any) -> Any:
        if not self._is_after:
            self._wait()
        result = self._work(*given)
        if self._is_after:
            self._wait()
        return result

    def _wait(self) -> None:
        self.is_reached = True
        assert self.opened.wait(20)


async def cancel_at(gate: Gate, task: "asyncio.Future[Any]") -> None:
    await until(lambda: gate.is_reached)
    task.cancel()
    await asyncio.sleep(0)
    # Twice, as an impatient person would.
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    gate.opened.set()


async def cancelled_at(gate: Gate, task: "asyncio.Future[Any]") -> None:
    await cancel_at(gate, task)
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_restoring_that_is_cancelled_leaves_nothing(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(backup.restore_backup, is_after=False)
    monkeypatch.setattr("uptime_desktop.archive.restore_backup", gate)
    async with app_in(tmp_path) as app:
        before = stored_in(tmp_path)
        await cancelled_at(gate, asyncio.ensure_future(app.restore(kept)))
        assert (stored_in(tmp_path), app.jobs, app.channels.known) == (before, (), ())
        monkeypatch.undo()
        await app.restore(kept)
        assert len(app.jobs) == 2


async def test_restoring_that_is_cancelled_too_late_was_never_cancelled(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(lambda _db: None, is_after=True)
    monkeypatch.setattr("uptime_desktop.archive.record_interrupted", gate)
    async with app_in(tmp_path) as app:
        task = asyncio.ensure_future(app.restore(kept))
        await cancel_at(gate, task)
        assert (await task).rows["monitors"] == 2
        assert not task.cancelling()
        assert len(app.jobs) == len(stored_in(tmp_path)["monitors"]) == 2
        assert set(app.sites) == {"web"}


@pytest.mark.parametrize(
    ("act", "work"), [("back_up", "write_backup"), ("export_runs", "write_runs")]
)
async def test_a_file_that_is_cancelled_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, website: Website, act: str, work: str
) -> None:
    gate = Gate(getattr(archive, work), is_after=False)
    monkeypatch.setattr(f"uptime_desktop.archive.{work}", gate)
    path = tmp_path / "kept"
    path.write_text("before")
    async with app_in(tmp_path) as app:
        await fill(app, website)
        await cancelled_at(gate, asyncio.ensure_future(getattr(app, act)(path)))
    assert (path.read_text(), files_in(tmp_path)) == ("before", {"kept"})


@pytest.mark.parametrize(
    ("act", "work"),
    [("back_up", "write_backup"), ("export_runs", "write_runs"), ("export_toml", "write_text")],
)
async def test_a_file_that_is_cancelled_too_late_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str, work: str
) -> None:
    gate = Gate(getattr(archive, work), is_after=True)
    monkeypatch.setattr(f"uptime_desktop.archive.{work}", gate)
    path = tmp_path / "kept"
    async with app_in(tmp_path) as app:
        task = asyncio.ensure_future(getattr(app, act)(path))
        await cancel_at(gate, task)
        await task
    assert path.read_text()


async def test_a_file_that_cannot_be_written_is_told_in_a_sentence(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        for path in (tmp_path / "nowhere" / "kept", tmp_path):
            for act in (app.back_up, app.export_runs, app.export_toml):
                with pytest.raises(Unable, match="cannot be written"):
                    await act(path)
        assert files_in(tmp_path) == set()


# Runs


async def test_runs_of_all_or_some_monitors_are_a_table(tmp_path: Path, website: Website) -> None:
    path, heard = tmp_path / "runs.csv", list[tuple[int, int]]()
    async with app_in(tmp_path) as app:
        await fill(app, website)
        await app.export_runs(path, progress=lambda done, total: heard.append((done, total)))
        with path.open(newline="") as file:
            header, *rows = csv.reader(file)
        assert tuple(header) == COLUMNS
        assert {(row[1], row[4]) for row in rows} == {("up", "up"), ("down", "down")}
        assert heard[-1] == (len(rows), len(rows))
        await app.export_runs(path, [app.find("down").monitor.number])
        with path.open(newline="") as file:
            assert [row[1] for row in csv.reader(file)] == ["monitor", "down"]


# The configuration


async def test_a_configuration_that_is_there_keeps_its_comments(tmp_path: Path) -> None:
    path = tmp_path / "shop.toml"
    path.write_text('# the shop\nversion = 1\n\n[[site]]\nid = "shop" # ours\n')
    async with app_in(tmp_path) as app:
        await app.add([{"name": "Home", "url": "https://shop.example/"}], "shop")
        await app.export_toml(path)
        text = path.read_text()
        assert text.startswith("# the shop\n")
        assert 'id = "shop" # ours' in text
        assert "https://shop.example/" in text
        assert (await app.plan(text, "shop.toml")).differences == ()
        await app.export_toml(tmp_path / "new.toml")
        assert (tmp_path / "new.toml").read_text() == await app.toml()

"""All of another program's file becomes ours or nothing does, and the rest goes on meanwhile."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.exchange.kuma_files import NOW, backup, monitor
from tests.exchange.source import written
from tests.fakes import until
from tests.importing_build import (
    NIGHT,
    app_in,
    everything,
    found,
    http,
    measured,
    moved_in,
    past,
    take,
)
from uptime_desktop.app import App
from uptime_desktop.config import ConfigFile
from uptime_desktop.domain.model import Keys
from uptime_desktop.domain.past import Past, PastRun, PastTrouble
from uptime_desktop.domain.refusal import Refused, Unable
from uptime_desktop.domain.status import Status
from uptime_desktop.exchange.imported import Found
from uptime_desktop.importing import Brought, Sighted
from uptime_desktop.store.errors import StoreError

pytestmark = pytest.mark.asyncio


def rich(**more: Any) -> Found:
    return found(
        http("shop", headers={"Authorization": "Bearer hunter2"}, channels=("ops",)),
        http("db"),
        {"id": "all", "kind": "group", "members": ("shop", "db")},
        channels=({"id": "ops", "name": "Ops", "url": "json://ann:s3same@localhost"},),
        windows=(NIGHT,),
        paused=frozenset({"db"}),
        **more,
    )


class Pasts:
    """Histories that wait to be let go on, and tell when they are asked for and given up."""

    def __init__(self) -> None:
        self.asked = 0
        self.is_closed = False
        self.fails_after = 10

    def __call__(self) -> Iterator[Past]:
        try:
            for name in ("shop", "db"):
                self.asked += 1
                if self.asked > self.fails_after:
                    raise StoreError("the history cannot be read")
                yield past(name, Status.UP, Status.DOWN)
        finally:
            self.is_closed = True


async def test_progress_counts_monitors_and_then_histories(tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    async with app_in(tmp_path) as app:
        whole = rich(past=Pasts(), past_count=2)
        brought = await app.bring_in(
            Sighted(whole, frozenset()), lambda done, total: heard.append((done, total))
        )
        assert (heard[0], heard[-1]) == ((3, 5), (5, 5))
        assert heard == sorted(heard)
        assert brought.pasts == 2


async def test_what_another_program_wrote_down_of_a_token_is_not_kept(tmp_path: Path) -> None:
    told = "the server answered 403: refused Bearer hunter2"
    run = PastRun(NOW - 60_000, Status.DOWN, 12.5, told)
    trouble = PastTrouble(NOW - 60_000, NOW, told)
    async with app_in(tmp_path) as app:
        with_past = Past("shop", (run,), troubles=(trouble,))
        await take(app, http("shop"), past=lambda: iter([with_past]), past_count=1)
        (kept,) = await app.history.runs(app.find("shop").monitor.number)
        assert kept.reason == "the server answered 403: refused ***"
        assert app._writer.flush()  # noqa: SLF001
    assert b"hunter2" not in (tmp_path / "uptime.db").read_bytes()


async def test_histories_that_nobody_counted_are_taken_too(tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    async with app_in(tmp_path) as app:
        names = ("a", "b", "c")
        whole = found(*map(http, names), past=lambda: (past(name, Status.UP) for name in names))
        brought = await app.bring_in(
            Sighted(whole, frozenset()), lambda done, total: heard.append((done, total))
        )
        assert brought.pasts == 3
        assert set(heard) == {(3, 3)}


async def cancelled_at(app: App, whole: Found, stage: int) -> bool:
    """Bring it in, and cancel it after so many steps of the loop; whether that came in time."""
    task = asyncio.ensure_future(app.bring_in(Sighted(whole, frozenset())))
    for _ in range(stage):
        await asyncio.sleep(0)
    # Twice, as an impatient person would.
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        return True
    return False


@pytest.mark.parametrize("is_started", [False, True])
async def test_cancelled_at_any_time_nothing_is_left(tmp_path: Path, is_started: bool) -> None:
    async with app_in(tmp_path) as app:
        await app.add([http("ours", headers={"Authorization": "Bearer ours"})])
        if is_started:
            app.start()
        before, stage, in_time = everything(app, tmp_path), 0, 0
        while True:
            if not await cancelled_at(app, rich(past=Pasts(), past_count=2), stage):
                break
            in_time += 1
            assert everything(app, tmp_path) == before, stage
            stage += 1 + stage // 8
        assert in_time > 5
        assert len(app.jobs) == 4


@pytest.mark.parametrize("at", range(3))
async def test_cancelled_while_history_comes_nothing_is_left(tmp_path: Path, at: int) -> None:
    async with app_in(tmp_path) as app:
        before, pasts, counted = everything(app, tmp_path), Pasts(), 0
        task: asyncio.Task[Brought]

        def heard(_done: int, _total: int) -> None:
            nonlocal counted
            counted += 1
            if counted == at + 1:
                task.cancel()

        whole = Sighted(rich(past=pasts, past_count=2), frozenset())
        task = asyncio.ensure_future(app.bring_in(whole, heard))
        with pytest.raises(asyncio.CancelledError):
            await task
        assert everything(app, tmp_path) == before
        await until(lambda: pasts.is_closed or not pasts.asked)
        assert (await app.bring_in(whole)).pasts == 2


async def test_history_that_cannot_be_read_leaves_nothing(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        before, pasts = everything(app, tmp_path), Pasts()
        pasts.fails_after = 1
        with pytest.raises(StoreError, match="the history cannot be read"):
            await app.bring_in(Sighted(rich(past=pasts, past_count=2), frozenset()))
        assert everything(app, tmp_path) == before


async def test_what_cannot_be_stored_leaves_nothing(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        with closing(sqlite3.connect(tmp_path / "uptime.db")) as db:
            db.execute(
                "CREATE TRIGGER full BEFORE INSERT ON channels"
                " BEGIN SELECT RAISE(ABORT, 'disk full'); END"
            )
        before = everything(app, tmp_path)
        with pytest.raises((StoreError, sqlite3.Error)):
            await app.bring_in(Sighted(rich(), frozenset()))
        assert everything(app, tmp_path) == before


async def test_while_a_file_decides_it_is_refused(tmp_path: Path) -> None:
    config = tmp_path / "shop.toml"
    config.write_text('version = 1\n[[site]]\nid = "shop"\n')
    async with app_in(tmp_path) as app:
        sighted = await app.look_into(written(tmp_path, backup()))
        await app.obey(ConfigFile(config, accept_changes=True))
        before = everything(app, tmp_path)
        with pytest.raises(Unable, match=r"shop\.toml says what is watched"):
            await app.bring_in(sighted)
        assert everything(app, tmp_path) == before


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not JSON"),
        (b"{}", "is no file of a program that is known"),
        (b"SQLite format 3\0" + b"x" * 50, "file is not a database"),
        (b"\xff\xff", "is not text in UTF-8"),
    ],
)
async def test_a_file_of_nobody_is_refused_in_a_sentence(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(content)
    async with app_in(tmp_path) as app:
        with pytest.raises(Refused, match=said) as refused:
            await app.look_into(path)
        assert "\n" not in str(refused.value)


async def test_a_long_chain_that_falls_leaves_room_for_everything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain: list[Keys] = [
        {"id": f"g{at + 1}", "kind": "group", "members": (f"g{at}",)} for at in range(300)
    ]
    async with app_in(tmp_path) as app:
        spent = await measured(monkeypatch)
        brought = await take(app, http("g0", retries=99), *chain)
        assert brought.monitors == ()
        # No turn of the loop was most of the work.
        assert max(spent) < sum(spent) / 4


async def test_thousands_of_monitors_leave_room_for_everything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = [monitor(at, f"Group {at}", "group") for at in range(1, 21)]
    many = [
        monitor(
            *(at, f"Monitor {at}", "http"),
            url=f"https://m{at}.example/",
            parent=at % 20 + 1,
            headers='{"X-Trace": "7"}',
        )
        for at in range(100, 2_100)
    ]
    document = {"version": "1.23.16", "notificationList": [], "monitorList": groups + many}
    path = written(tmp_path, document)
    async with app_in(tmp_path) as app:
        await app.add([http(f"m{at}", id=f"ours-{at}", name="Ours") for at in range(1_000)])
        app.start()
        spent = await measured(monkeypatch)
        brought = await moved_in(app, path)
        assert len(brought.monitors) == 2_020
        # No turn of the loop was most of the work.
        assert max(spent) < sum(spent) / 4

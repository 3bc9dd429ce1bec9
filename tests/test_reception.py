"""Jobs that report to the running app, over HTTP and on a real database."""

import asyncio
import socket
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import until
from uptime_desktop.app import App, opened
from uptime_desktop.domain.alerts import Faults
from uptime_desktop.domain.heartbeats import Signal
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status

pytestmark = pytest.mark.asyncio

ANYWHERE = "127.0.0.1:0"
BACKUP: dict[str, Setting] = {"name": "Backup", "kind": "heartbeat", "every": "1h"}
PING_KEY = "0123456789abcdefghijkl"


async def get(url: str) -> tuple[int, str]:
    def ask() -> tuple[int, str]:
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    return await asyncio.to_thread(ask)


def url_of(app: App, name: str) -> str:
    url = app.ping_url_of(app.find(name).monitor)
    assert url is not None
    return url


async def listening(app: App) -> None:
    await until(lambda: app._reception._listener is not None)  # noqa: SLF001


async def test_a_ping_is_heard_and_kept(tmp_path: Path) -> None:
    database = tmp_path / "uptime.db"
    async with opened(database) as app:
        app.start(ANYWHERE)
        await app.add([BACKUP])
        await listening(app)
        job, url = app.find("backup"), url_of(app, "backup")
        assert await get(f"{url}/start") == (200, "OK")
        assert await get(url) == (200, "OK")
        assert job.state.status is Status.UP
        assert await get(f"{url}/2") == (200, "OK")
        assert (job.state.status, job.reason) == (Status.DOWN, "exited with 2")
        signals = [ping.signal for ping in await app.history.pings(job.monitor.number)]
        assert signals == [Signal.FAIL, Signal.SUCCESS, Signal.START]
    async with opened(database) as app:
        job = app.find("backup")
        assert job.state.status is Status.DOWN
        assert job.state.beat is not None
        assert job.state.beat.last_ping_at is not None
        assert app.ping_url_of(job.monitor) == f"http://127.0.0.1:8737{url[url.index('/ping') :]}"


async def test_a_job_may_keep_the_token_it_had_elsewhere(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        app.agree_to_secret_file()
        app.start(ANYWHERE)
        await app.add([{**BACKUP, "token": "Yk3CFP0Vxa"}], "jobs")
        assert "Yk3CFP0Vxa" not in await app.toml()
        await listening(app)
        base = url_of(app, "backup").partition("/ping")[0]
        assert (await get(f"{base}/api/push/Yk3CFP0Vxa?status=down&msg=full"))[0] == 200
        assert app.find("backup").state.status is Status.DOWN
        asked = urllib.request.Request(
            f"{base}/api/v1/endpoints/jobs_backup/external?success=true",
            method="POST",
            headers={"Authorization": "Bearer Yk3CFP0Vxa"},
        )
        with await asyncio.to_thread(urllib.request.urlopen, asked) as answer:
            assert answer.status == 200
        assert app.find("backup").state.status is Status.UP
        assert (await get(f"{base}/api/push/Yk3CFP0Vx"))[0] == 404
        assert (await get(f"{base}/ping/Yk3CFP0Vxa"))[0] != 200


async def test_a_token_has_no_spaces(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        with pytest.raises(Refused, match="token: it is no token"):
            await app.add([{**BACKUP, "token": "a b"}])


async def test_nobody_listens_while_nothing_could_report(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        await app.change_settings(replace(app.settings, listen=ANYWHERE))
        app.start()
        await app.add([{"name": "web", "url": "http://127.0.0.1:9/", "every": "1h"}])
        await asyncio.sleep(0.05)
        assert app._reception._listener is None  # noqa: SLF001
        await app.add([BACKUP])
        await listening(app)
        await app.remove(app.find("backup"))
        await until(lambda: app._reception._listener is None)  # noqa: SLF001


async def test_a_job_introduces_itself_with_the_ping_key(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        await app.change_settings(replace(app.settings, ping_key=PING_KEY))
        app.start(ANYWHERE)
        await listening(app)
        host, port = app._reception.address()  # noqa: SLF001
        url = f"http://{host}:{port}/ping/{PING_KEY}/nightly"
        assert await get(url) == (404, "not found")
        assert await get(f"{url}?create=1") == (201, "Created")
        assert await get(f"{url}?create=1") == (200, "OK")
        job = app.find("nightly")
        assert (job.monitor.kind, job.state.status) == ("heartbeat", Status.UP)
        assert job.monitor.grace_ms == 3_600_000


async def test_another_address_is_listened_to_at_once(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        await app.change_settings(replace(app.settings, listen=ANYWHERE))
        app.start()
        await app.add([BACKUP])
        await listening(app)
        first = url_of(app, "backup")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        await app.change_settings(replace(app.settings, listen=f"127.0.0.1:{port}"))
        await until(lambda: f":{port}/" in url_of(app, "backup"))
        await listening(app)
        assert await get(url_of(app, "backup")) == (200, "OK")
        with pytest.raises(urllib.error.URLError):
            await get(first)


async def test_an_address_that_is_taken_is_a_fault_and_judges_nobody(tmp_path: Path) -> None:
    faults: list[Faults] = []
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        async with opened(tmp_path / "uptime.db") as app:
            app.on_faults(faults.append)
            app.start(f"127.0.0.1:{port}")
            await app.add([BACKUP])
            await until(lambda: app.fault)
            assert f"pings cannot be received on 127.0.0.1 port {port}" in str(app.fault)
            assert faults
            assert not app._scheduler.is_listening  # noqa: SLF001


async def test_an_address_that_becomes_free_is_listened_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("uptime_desktop.reception._TRY_AGAIN_MS", 20)
    async with opened(tmp_path / "uptime.db") as app:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            app.start(f"127.0.0.1:{taken.getsockname()[1]}")
            await app.add([BACKUP])
            await until(lambda: app.fault)
        await until(lambda: app.fault is None)
        assert await get(url_of(app, "backup")) == (200, "OK")


async def test_two_jobs_cannot_report_to_one_address(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        (first,) = await app.add([BACKUP])
        again = {**BACKUP, "name": "Other", "ping_id": first.settings["ping_id"]}
        with pytest.raises(Refused, match=r"ping_id: .* is taken"):
            await app.add([again])
        edited = await app.edit(app.find("backup"), {**BACKUP, "every": "2h"})
        assert edited.settings["ping_id"] == first.settings["ping_id"]


async def test_a_heartbeat_that_is_asked_for_says_how_it_stands(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        app.start(ANYWHERE)
        await app.add([BACKUP])
        await listening(app)
        await get(f"{url_of(app, 'backup')}/fail")
        outcome = await app.check_now(app.find("backup"))
        assert (outcome.status, outcome.reason) == (Status.DOWN, "reported a failure")

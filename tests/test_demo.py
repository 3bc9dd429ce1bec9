"""The demo: everything the app can show, on this computer alone, and nothing left of it after."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC
from itertools import pairwise
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from uptime_desktop.app import App, opened
from uptime_desktop.cli import main
from uptime_desktop.demo import demo
from uptime_desktop.demo.monitors import Past, Trouble
from uptime_desktop.demo.past import ASLEEP_MS, LENGTH_MS, Month
from uptime_desktop.demo.server import is_up_now, serving
from uptime_desktop.domain.model import DAY_MS, HOUR_MS, MINUTE_MS, Cadence, Cron, Every, Monitor
from uptime_desktop.domain.status import Status
from uptime_desktop.engine.clock import SystemClock

NOW = 1_790_000_050_000
"""An instant at which the page that comes and goes is there."""

STRIP = 28


class _Noted(SystemClock):
    """Real time, for real checks, that begins at a chosen instant."""

    def __init__(self, wall: int) -> None:
        super().__init__()
        self._ahead = wall - super().wall()

    def wall(self) -> int:
        return super().wall() + self._ahead


@asynccontextmanager
async def _opened_demo(folder: Path) -> AsyncIterator[App]:
    """The app a second after the demo was made, with nothing due by itself."""
    later = _Noted(NOW + 1_000)
    with demo(folder, _Noted(NOW)) as made:
        async with opened(made.database, later) as app:
            app.start_timer_only()
            yield app


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def app(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[App]:
    """One for all tests that only look."""
    async with _opened_demo(tmp_path_factory.mktemp("demo")) as found:
        yield found


@pytest.mark.asyncio
async def test_what_is_shown_at_once_is_what_every_check_finds(tmp_path: Path) -> None:
    async with _opened_demo(tmp_path) as app:
        assert {job.state.status for job in app.jobs} == set(Status)
        before = {job.monitor.name: job.state.status for job in app.jobs}
        stored = [await app.history.runs(job.monitor.number, limit=1) for job in app.jobs]
        outcomes = await asyncio.gather(*(app.check_now(job) for job in app.jobs))
        after = {job.monitor.name: job.state.status for job in app.jobs}
    assert after == before | {"Sitemap": Status.UP}
    reasons = [
        (_timeless(runs[0].reason), _timeless(outcome.reason))
        for runs, outcome in zip(stored, outcomes, strict=True)
        if runs
    ]
    assert [then for then, _ in reasons] == [now for _, now in reasons]


def _timeless(reason: str) -> str:
    """Nothing takes exactly as long twice."""
    return re.sub(r"took \d+ ms", "took", reason)


@pytest.mark.asyncio(loop_scope="module")
async def test_what_is_not_well_has_evidence_at_once(app: App) -> None:
    for job in app.jobs:
        if job.state.health not in (Status.DOWN, Status.DEGRADED, Status.UNKNOWN):
            continue
        assert job.state.last_attempt_at is not None
        seen = await app.history.evidence(job.monitor.number, job.state.last_attempt_at)
        assert seen is not None
        assert seen.repeat_with.startswith(("curl ", "nc "))


@pytest.mark.asyncio(loop_scope="module")
async def test_everything_runs_again_within_seconds_or_says_why_not(app: App) -> None:
    soon = [
        job.monitor.name
        for job in app.jobs
        if isinstance(job.monitor.schedule, Every) and job.monitor.schedule.interval_ms <= 15_000
    ]
    assert len(soon) == len(app.jobs) - 2
    assert {"exponential", "capped32", "ladder", "fixed", "none"} == {
        job.monitor.backoff.policy.value for job in app.jobs
    }
    schedules = [job.monitor.schedule for job in app.jobs]
    assert any(isinstance(one, Cron) for one in schedules)
    assert any(isinstance(one, Every) and one.cadence is Cadence.GRID for one in schedules)


@pytest.mark.asyncio(loop_scope="module")
async def test_nothing_is_asked_of_another_computer(app: App) -> None:
    for job in app.jobs:
        target = app.target_of(job.monitor)
        host = urlsplit(target if "://" in target else f"tcp://{target}").hostname
        assert host == "127.0.0.1"


@pytest.mark.asyncio(loop_scope="module")
async def test_strips_are_full_and_uptimes_believable(app: App) -> None:
    with_past = {job.monitor.number for job in app.jobs if job.state.health is not Status.PENDING}
    strips = await app.history.strips(STRIP)
    assert {number: len(beats) for number, beats in strips.items()} == dict.fromkeys(
        with_past, STRIP
    )
    for span_ms in (DAY_MS, 7 * DAY_MS, LENGTH_MS):
        uptimes = await app.history.uptimes(span_ms, app.clock.wall())
        assert uptimes.keys() == with_past
        assert all(0.95 < share <= 1 for share in uptimes.values())
        assert any(share < 1 for share in uptimes.values())


@pytest.mark.asyncio(loop_scope="module")
async def test_months_weeks_and_days_count_the_same_runs(app: App) -> None:
    now = app.clock.wall()
    for job in app.jobs:
        number = job.monitor.number
        day, week, month = [
            await app.history.tally(number, span_ms, now)
            for span_ms in (DAY_MS, 7 * DAY_MS, LENGTH_MS)
        ]
        assert day.runs <= week.runs <= month.runs
        for tally in (day, week, month):
            assert tally.measured <= tally.runs
        if job.state.health is Status.UP and isinstance(job.monitor.schedule, Every):
            awake_ms = LENGTH_MS - (ASLEEP_MS[0] - ASLEEP_MS[1])
            expected = awake_ms / job.monitor.schedule.interval_ms
            assert month.runs == pytest.approx(expected, rel=0.02)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("span_ms", [HOUR_MS, DAY_MS, 7 * DAY_MS, LENGTH_MS])
async def test_charts_are_full_from_end_to_end(app: App, span_ms: int) -> None:
    now = app.clock.wall()
    points = await app.history.response_times(app.find("Storefront").monitor.number, span_ms, now)
    assert points[0].at <= now - span_ms + HOUR_MS
    assert points[-1].at >= now - MINUTE_MS
    assert len(points) > 100


@pytest.mark.asyncio(loop_scope="module")
async def test_a_night_asleep_is_a_gap(app: App) -> None:
    asleep_at, woke_at = (NOW - ago_ms for ago_ms in ASLEEP_MS)
    number = app.find("Storefront").monitor.number
    points = await app.history.response_times(number, DAY_MS, app.clock.wall())
    gaps = [(one.at, other.at) for one, other in pairwise(points) if other.at - one.at > HOUR_MS]
    ((last_at, next_at),) = gaps
    assert abs(last_at - asleep_at) < 10 * MINUTE_MS
    assert abs(next_at - woke_at) < 10 * MINUTE_MS
    for incident in await app.history.incidents():
        assert not asleep_at < incident.opened_at < woke_at


@pytest.mark.asyncio(loop_scope="module")
async def test_open_incidents_are_of_what_is_not_well(app: App) -> None:
    found = await app.history.incidents(only_open=True)
    by_number = {job.monitor.number: job for job in app.jobs}
    assert {one.monitor_number for one in found} == {
        number
        for number, job in by_number.items()
        if job.state.health in (Status.DOWN, Status.DEGRADED)
    }
    assert all(by_number[one.monitor_number].state.incidents == {one.kind} for one in found)
    whole = await app.history.incidents()
    assert [one.opened_at for one in whole] == sorted(
        (one.opened_at for one in whole), reverse=True
    )


def test_it_is_the_same_every_time() -> None:
    trouble = Trouble(HOUR_MS, None, Status.DOWN, "HTTP 503 Service Unavailable")
    monitor = Monitor("shop", "web", 7, settings={"url": "http://127.0.0.1:1/"})
    months = [Month(monitor, Past(200, troubles=(trouble,)), NOW, UTC) for _ in range(2)]
    first, second = ([*month.changes(), *month.tallies()] for month in months)
    assert len(first) > 50
    assert first == second


def test_nothing_is_left_of_it(tmp_path: Path) -> None:
    with demo(tmp_path) as made:
        assert made.database.is_relative_to(tmp_path)
    assert not list(tmp_path.iterdir())


def test_nothing_is_left_of_one_that_was_given_up_while_it_was_made(tmp_path: Path) -> None:
    class Impatient(SystemClock):
        def zone(self) -> NoReturn:
            assert list(tmp_path.rglob("demo.db"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), demo(tmp_path, Impatient()):
        pass
    assert not list(tmp_path.iterdir())


@pytest.mark.asyncio
async def test_a_page_comes_and_goes_with_the_clock() -> None:
    at = NOW
    with serving(lambda: at) as addresses:
        assert await _status_of(addresses.url, "/payments/status") == 200
        while is_up_now(at):
            at += 1_000
        assert await _status_of(addresses.url, "/payments/status") == 502


@pytest.mark.asyncio
async def test_the_server_minds_neither_nonsense_nor_who_hangs_up() -> None:
    with serving(lambda: NOW) as addresses:
        assert await _said(addresses.url, b"nonsense") == b""
        assert await _said(addresses.url, b"x" * 100_000) == b""
        assert await _status_of(addresses.url, "/nowhere") == 404


@pytest.mark.asyncio
async def test_it_ends_with_visitors_still_waiting() -> None:
    with serving(lambda: NOW) as addresses:
        reader, writer = await _connected(addresses.url)
        writer.write(b"GET /wiki HTTP/1.1\r\n\r\n")
        await asyncio.sleep(0.05)
    assert await reader.read() == b""
    writer.close()


async def _status_of(url: str, path: str) -> int:
    answer = await _said(url, f"GET {path} HTTP/1.1\r\n\r\n".encode())
    return int(answer.split()[1])


async def _said(url: str, request: bytes) -> bytes:
    reader, writer = await _connected(url)
    try:
        writer.write(request)
        writer.write_eof()
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def _connected(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(url)
    return await asyncio.open_connection(parts.hostname, parts.port)


@pytest.mark.skipif(sys.platform == "win32", reason="a process there cannot be sent Ctrl-C alone")
def test_in_a_terminal_it_says_what_it_shows_and_ends_cleanly(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "uptime_desktop", "run", "--headless", "--demo"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(words, stderr=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            if "Watching" in line:
                break
        folders = list(tmp_path.iterdir())
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    assert re.fullmatch(
        r"Demo: 12 monitors on a local server, http://127\.0\.0\.1:\d+; "
        r"nothing leaves this computer\.\n",
        said[0],
    )
    (folder,) = folders
    assert str(folder) in said[1]
    assert not list(tmp_path.iterdir())


def test_a_demo_has_a_database_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--demo", "--db", "mine.db"]) == 2
    assert "--db: not allowed with argument --demo" in capsys.readouterr().err

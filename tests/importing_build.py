"""What an importer might have made, and what an app makes of it."""

import asyncio
import json
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final

import pytest

from tests.exchange.kuma_files import NOW, create, insert, time_text
from tests.fakes import FakeClock
from uptime_desktop.app import App, opened
from uptime_desktop.domain.model import DAY_MS, MINUTE_MS, Keys
from uptime_desktop.domain.past import Past, PastRun, PastTrouble
from uptime_desktop.domain.status import Status
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.report import Line, Report
from uptime_desktop.importing import Brought, Sighted

NIGHT: Final[Keys] = {
    "id": "night",
    "name": "Night",
    "days": ("mon",),
    "at": "02:00",
    "duration": "1h",
}
TABLES: Final = (
    "sites",
    "monitors",
    "windows",
    "channels",
    "runs",
    "incidents",
    "settings",
    "rollups",
)


@asynccontextmanager
async def app_in(folder: Path) -> AsyncIterator[App]:
    async with opened(folder / "uptime.db", FakeClock(NOW)) as app:
        app.agree_to_secret_file()
        yield app


async def moved_in(app: App, path: Path) -> Brought:
    return await app.bring_in(await app.look_into(path))


def found(*monitors: Keys, **more: Any) -> Found:
    """What an importer might have made."""
    whole = [{"kind": "http", "site": "web", "name": str(one["id"]), **one} for one in monitors]
    sites = more.pop("sites", ({"id": "web", "name": "Web"},))
    return Found("Another", Report(), sites, tuple(whole), **more)


async def take(app: App, *monitors: Keys, **more: Any) -> Brought:
    return await app.bring_in(Sighted(found(*monitors, **more), frozenset()))


def http(name: str, /, **more: Any) -> dict[str, Any]:
    return {"id": name, "url": f"https://{name}.example/", **more}


def past(name: str, *statuses: Status) -> Past:
    runs = [PastRun(NOW - (9 - at) * MINUTE_MS, status, 12.5) for at, status in enumerate(statuses)]
    trouble = PastTrouble(NOW - 3 * DAY_MS, NOW - 2 * DAY_MS, "HTTP 503")
    return Past(name, tuple(runs), troubles=(trouble,))


def stored_in(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(folder / "uptime.db")) as db:
        return {table: db.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}


def secrets_in(folder: Path) -> dict[str, str]:
    kept: dict[str, str] = json.loads((folder / "uptime.db.secrets.json").read_text())["secrets"]
    return kept


def everything(app: App, folder: Path) -> object:
    """All that there is, as it is known, stored and kept secret."""
    assert app._writer.flush()  # noqa: SLF001
    known = ([job.monitor for job in app.jobs], app.sites, app.windows, app.channels.known)
    return repr(known), stored_in(folder), secrets_in(folder)


async def measured(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long everything that the loop calls from now on keeps it busy, in seconds."""
    run, spent = asyncio.Handle._run, list[float]()  # noqa: SLF001

    def timed(handle: asyncio.Handle) -> None:
        began = time.thread_time()
        run(handle)
        spent.append(time.thread_time() - began)

    monkeypatch.setattr(asyncio.Handle, "_run", timed)
    # The turn that is under way would not be counted.
    await asyncio.sleep(0)
    return spent


def whole_lines(report: Report) -> list[Line]:
    """Those about something as a whole."""
    return [line for line in report.lines if not line.path]


def kuma_database(folder: Path, *monitors: dict[str, Any]) -> Path:
    path = folder / "kuma.db"
    with closing(create(path, 2)) as connection:
        insert(
            connection,
            "monitor",
            {"id": 1, "name": "Shop", "type": "http", "url": "https://shop.example/", "parent": 3},
            {"id": 2, "name": "Gateway", "type": "ping", "hostname": "192.0.2.1", "active": 0},
            {"id": 3, "name": "All", "type": "group"},
            *monitors,
        )
        for minute in range(60, 0, -1):
            at = NOW - minute * MINUTE_MS
            is_up = minute not in (30, 31)
            insert(
                connection,
                "heartbeat",
                {"monitor_id": 1, "time": time_text(at), "status": int(is_up), "ping": 20}
                | {"important": int(minute in (31, 29)), "msg": "" if is_up else "HTTP 503"},
            )
        insert(
            connection,
            "maintenance",
            {"id": 1, "title": "Patch day", "strategy": "recurring-weekday", "weekdays": "[1]"}
            | {"start_time": "02:00:00", "end_time": "03:00:00", "timezone": "UTC", "active": 1},
        )
        insert(connection, "monitor_maintenance", {"monitor_id": 1, "maintenance_id": 1})
    return path

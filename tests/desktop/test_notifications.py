"""Notices of the real app, shown by a real notification daemon and answered in it."""

import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from tests.desktop.bus import DAEMON
from tests.desktop.notifications import NAME, Notifications
from tests.desktop.notifications import Notice as Displayed
from tests.desktop.processes import Program, wait_until
from tests.desktop.rig import Desktop
from tests.website import Website
from uptime_desktop.alerts.desktop import DesktopNotices
from uptime_desktop.alerts.notice import Answer, Button, NotDelivered, Notice
from uptime_desktop.app import App, opened
from uptime_desktop.domain.alerts import Key
from uptime_desktop.domain.model import Source
from uptime_desktop.domain.status import Status

pytestmark = pytest.mark.asyncio

DOWN, UP = "Checkout API is down", "Checkout API is up again"
SAMPLE = Notice("A & B", "1 < 2 & 3", Status.DOWN, (Button(Answer.OPEN, "Open"),), has_sound=True)

SYSTEM_NOTICE = """
import asyncio
from uptime_desktop.alerts.notice import Answer, Button, Notice
from uptime_desktop.alerts.system import SystemNotices
from uptime_desktop.domain.status import Status

async def main():
    answers = asyncio.Queue()
    notices = SystemNotices()
    buttons = (Button(Answer.OPEN, "Open"),)
    handle = await notices.show(Notice("A & B", "", Status.DOWN, buttons), answers.put_nowait)
    print("answered", await answers.get(), flush=True)
    await notices.clear(handle)
    await notices.close()

asyncio.run(main())
"""


@pytest.fixture
def session(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    """A desktop that this process is part of."""
    address = desktop.environment["DBUS_SESSION_BUS_ADDRESS"]
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    return desktop


@pytest.fixture
def daemon(session: Desktop) -> Notifications:
    return session.start_notifications()


class Shop:
    """An app that watches one website, and what a person sees and does about it."""

    def __init__(self, app: App, database: Path) -> None:
        self.app = app
        self.opened: list[Key | None] = []
        self.balloons: list[str] = []
        self._database = database

    def balloon(self, title: str, _text: str) -> bool:
        self.balloons.append(title)
        return True

    async def check(self) -> None:
        await self.app.check_now(self.app.jobs[0])

    async def find(self, question: str, answer: object) -> None:
        """Wait until a question to the database has one row, with this answer."""

        def ask() -> bool:
            with closing(sqlite3.connect(self._database)) as connection:
                return connection.execute(question).fetchall() == [(answer,)]

        await asyncio.to_thread(wait_until, f"{question} gave {answer}", ask)


async def displayed(daemon: Notifications, title: str) -> Displayed:
    return await asyncio.to_thread(daemon.wait_for, title)


async def press(daemon: Notifications, notice: Displayed, label: str) -> None:
    await asyncio.to_thread(daemon.press, notice, label)


@asynccontextmanager
async def shop(folder: Path, website: Website) -> AsyncIterator[Shop]:
    async with opened(folder / "uptime.db") as app:
        shop = Shop(app, folder / "uptime.db")
        app.start_timer_only()
        app.start_alerts(
            DesktopNotices(),
            on_open=shop.opened.append,
            fallback=shop.balloon,
        )
        given = {"name": "Checkout API", "url": f"{website.url}/down", "every": "1h"}
        await app.add([given])
        yield shop


async def test_an_outage_is_shown_with_its_buttons(
    tmp_path: Path, website: Website, daemon: Notifications
) -> None:
    async with shop(tmp_path, website) as watched:
        await watched.check()
        notice = await displayed(daemon, DOWN)
        await watched.find("SELECT sent_at > 0 FROM outbox", 1)
    assert notice.app_name == "Uptime Desktop"
    assert notice.body.startswith("HTTP 503 Service Unavailable, after 2 tries. Next try")
    labels = [label for label in notice.actions.values() if label]
    assert labels == ["Check now", "Acknowledge", "Snooze 1 h", "Open"]
    normal = 1
    assert notice.hints == {"urgency": normal, "suppress-sound": True}
    icon = Path(unquote(urlparse(notice.icon).path))
    assert icon.name == "status-down.svg"
    assert await asyncio.to_thread(icon.exists)
    await asyncio.to_thread(wait_until, "it was gone", lambda: not daemon.displayed)


async def test_acknowledging_a_notice_acknowledges_the_incident(
    tmp_path: Path, website: Website, daemon: Notifications
) -> None:
    async with shop(tmp_path, website) as watched:
        await watched.check()
        await press(daemon, await displayed(daemon, DOWN), "Acknowledge")
        await watched.find("SELECT acknowledged_at > 0 FROM incidents", 1)


async def test_snoozing_a_notice_snoozes_the_incident_for_an_hour(
    tmp_path: Path, website: Website, daemon: Notifications
) -> None:
    async with shop(tmp_path, website) as watched:
        await watched.check()
        await press(daemon, await displayed(daemon, DOWN), "Snooze 1 h")
        hours = "SELECT (snoozed_until - opened_at) / 3600000 FROM incidents"
        await watched.find(hours, 1)


async def test_check_now_on_a_notice_makes_a_run_and_the_recovery_replaces_the_notice(
    tmp_path: Path, website: Website, daemon: Notifications
) -> None:
    async with shop(tmp_path, website) as watched:
        await watched.check()
        outage = await displayed(daemon, DOWN)
        website.has_recovered = True
        await press(daemon, outage, "Check now")
        recovery = await displayed(daemon, UP)
        newest, _ = await watched.app.history.runs(watched.app.jobs[0].monitor.number)
        assert (newest.status, newest.source) == (Status.UP, Source.MANUAL)
        assert daemon.displayed == [recovery]
        assert recovery.body.startswith("It was down for ")


async def test_a_recovery_replaces_a_notice_that_nobody_touched(
    tmp_path: Path, website: Website, daemon: Notifications
) -> None:
    async with shop(tmp_path, website) as watched:
        await watched.check()
        outage = await displayed(daemon, DOWN)
        website.has_recovered = True
        await watched.check()
        recovery = await displayed(daemon, UP)
        assert daemon.displayed == [recovery]
        assert daemon.received == [outage, recovery]


@pytest.mark.parametrize("label", ["Open", ""])
async def test_a_notice_opens_its_monitor_by_button_and_by_click(
    tmp_path: Path, website: Website, daemon: Notifications, label: str
) -> None:
    async with shop(tmp_path, website) as watched:
        await watched.check()
        await press(daemon, await displayed(daemon, DOWN), label)
        await asyncio.to_thread(wait_until, "it was opened", lambda: watched.opened)
        assert watched.opened == [("default", "checkout-api")]


async def test_without_a_daemon_the_fallback_tells(
    session: Desktop, tmp_path: Path, website: Website
) -> None:
    async with shop(tmp_path, website) as watched:
        await watched.check()
        await watched.find("SELECT sent_at > 0 FROM outbox", 1)
        assert watched.balloons == [DOWN]
    assert not session.bus.has_owner(NAME)


async def test_a_daemon_that_comes_late_is_found_and_failures_leave_no_connections(
    session: Desktop,
) -> None:
    notices = DesktopNotices()
    before = connections(session)
    for _ in range(3):
        with pytest.raises(NotDelivered, match=r"cannot be used: .*Notifications"):
            await notices.show(SAMPLE, print)
    await asyncio.to_thread(wait_until, "all had left", lambda: connections(session) == before)
    daemon = await asyncio.to_thread(session.start_notifications)
    await notices.show(SAMPLE, print)
    notice = await displayed(daemon, SAMPLE.title)
    await notices.close()
    assert notice.body == SAMPLE.text
    assert notice.hints["sound-name"] == "dialog-warning"


async def test_what_a_server_said_is_no_markup(session: Desktop, tmp_path: Path) -> None:
    settings = tmp_path / "dunstrc"
    settings.write_text("[global]\nmarkup = full\n")
    dunst = session.run("dunst", "dunst", "-config", settings)
    await asyncio.to_thread(wait_until, "dunst was there", lambda: session.bus.has_owner(NAME))
    address = session.environment["DBUS_SESSION_BUS_ADDRESS"]
    with closing(Notifications(address, dunst, tmp_path / "choice")) as daemon:
        notices = DesktopNotices()
        await notices.show(SAMPLE, print)
        notice = await displayed(daemon, SAMPLE.title)
        await notices.close()
    assert notice.body == "1 &lt; 2 &amp; 3"


async def test_a_daemon_that_dies_is_a_failure_and_its_successor_is_used(session: Desktop) -> None:
    def start() -> Program:
        daemon = session.run("dunst", "dunst")
        wait_until("dunst took notices", lambda: session.bus.has_owner(NAME), daemon)
        return daemon

    notices = DesktopNotices()
    daemon = await asyncio.to_thread(start)
    stale = await notices.show(SAMPLE, print)
    await asyncio.to_thread(daemon.stop)
    with pytest.raises(NotDelivered, match="cannot be used"):
        await notices.show(SAMPLE, print)
    await asyncio.to_thread(start)
    await notices.clear(stale)
    handle = await notices.show(SAMPLE, print)
    assert handle != stale
    await notices.clear(handle)
    await notices.clear(handle)
    await notices.close()


async def test_the_library_for_other_systems_shows_and_answers(session: Desktop) -> None:
    daemon = session.start_notifications()
    program = session.run("system", sys.executable, "-c", SYSTEM_NOTICE)
    notice = await displayed(daemon, SAMPLE.title)
    await press(daemon, notice, "Open")
    await asyncio.to_thread(program.wait_to_print, "answered open")


async def test_without_a_bus_nothing_is_delivered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/none")
    with pytest.raises(NotDelivered, match="cannot be used"):
        await DesktopNotices().show(SAMPLE, print)


def connections(desktop: Desktop) -> int:
    (names,) = desktop.bus.call(*DAEMON, "ListNames")
    return sum(name.startswith(":") for name in names)

"""Jobs that report to us: where to, ready to be copied, and what they said, with real pings."""

import asyncio
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from tests.gui.accessibility import unnamed_controls
from tests.gui.dialog_rig import until
from tests.gui.scene import Scene, scene
from uptime_desktop.domain.model import Cron, Every, Monitor, Schedule, Setting
from uptime_desktop.gui.detail.panel import DetailPanel
from uptime_desktop.gui.dialogs.monitor_editor import MonitorEditor
from uptime_desktop.gui.dialogs.site import SiteDialog
from uptime_desktop.gui.main_window import MainWindow
from uptime_desktop.gui.own_addresses import network_addresses
from uptime_desktop.gui.ping_lines import crontab_times, ping_lines, reachable_url

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.usefixtures("qapp"),
    pytest.mark.qt_log_ignore("propagateSizeHints"),
]

URL = "http://127.0.0.1:8737/ping/0b2f1a1e-0b1f-4a1e-8b1f-0b2f1a1e0b1f"
RUN = "?rid=1b2f1a1e-0b1f-4a1e-8b1f-0b2f1a1e0b1f"


@asynccontextmanager
async def reporting(tmp_path: Path) -> AsyncIterator[tuple[DetailPanel, Scene, str]]:
    """The detail of a job that reports, and where it does."""
    async with scene(tmp_path) as stage:
        keys = {"name": "Backup", "id": "backup", "kind": "heartbeat", "cron": "0 3 * * *"}
        (monitor,) = await stage.app.add([keys], "jobs")
        stage.app.start("127.0.0.1:0")
        wanted = ":0/ping/"
        await until(lambda: wanted not in (stage.app.ping_url_of(monitor) or wanted))
        panel = DetailPanel(stage.app, stage.watch, stage.tasks)
        panel.show_monitor(stage.one("Backup"))
        url = stage.app.ping_url_of(monitor)
        assert url is not None
        try:
            yield panel, stage, url
        finally:
            await stage.tasks.close()
            shiboken6.delete(panel)


async def ping(url: str, body: bytes | None = None) -> None:
    def send() -> None:
        with urllib.request.urlopen(urllib.request.Request(url, data=body)) as answer:
            assert answer.status == 200

    await asyncio.to_thread(send)


async def test_the_address_and_lines_for_it_can_be_copied(tmp_path: Path) -> None:
    async with reporting(tmp_path) as (panel, _, url):
        assert panel.heartbeat.url.text == url
        panel.heartbeat.url.copy.click()
        assert QGuiApplication.clipboard().text() == url
        crontab = panel.heartbeat.lines[1]
        crontab.copy.click()
        assert QGuiApplication.clipboard().text() == (
            f"0 3 * * * /path/to/job && curl -fsS -m 10 --retry 5 -o /dev/null {url}"
        )
        assert not panel.heartbeat.isHidden()
        assert unnamed_controls(panel) == []


async def test_what_it_said_is_listed_with_what_it_sent_along(tmp_path: Path) -> None:
    async with reporting(tmp_path) as (panel, _, url):
        await until(lambda: panel.log.heading.summary)
        assert not panel.pings.none.isHidden()
        await ping(f"{url}/start{RUN}")
        await ping(f"{url}/log", b"half of it")
        await ping(f"{url}/3{RUN}", b"no space left\non the device")
        await until(lambda: len(panel.pings.model.rows) == 3)
        rows = [[panel.pings.model.text(row, column) for column in (1, 3)] for row in range(3)]
        assert rows == [
            ["failed with 3", "no space left"],
            ["said something", "half of it"],
            ["began", "–"],
        ]
        assert panel.pings.model.text(0, 2) != "–"  # since it began
        panel.pings.table.selectRow(0)
        assert panel.pings.body.toPlainText() == "no space left\non the device"
        await until(lambda: panel.log.model.rows)
        assert panel.log.model.rows[0].reason == "exited with 3"


async def test_what_it_only_says_is_seen_with_the_next_tick(tmp_path: Path) -> None:
    async with reporting(tmp_path) as (panel, stage, url):
        await until(lambda: panel.log.heading.summary)
        await ping(f"{url}/log", b"still there")
        await until(lambda: stage.one("Backup").state.beat is not None)
        panel.tick()
        await until(lambda: panel.pings.model.rows)


async def test_its_chart_is_about_durations(tmp_path: Path) -> None:
    async with reporting(tmp_path) as (panel, stage, _):
        assert panel.times.frame.accessibleName() == "Duration"
        await stage.app.add([{"name": "web", "url": "http://127.0.0.1:9/", "cron": "0 0 1 1 *"}])
        panel.show_monitor(stage.one("web"))
        assert panel.times.frame.accessibleName() == "Response time"
        assert panel.heartbeat.isHidden()
        assert panel.pings.isHidden()


@pytest.mark.parametrize(
    ("schedule", "times"),
    [
        (Cron.parse("0 4 * * 1-5"), "0 4 * * 1-5"),
        (Cron.parse("30 0 4 * * *"), "0 3 * * *"),
        (Every(60_000), "* * * * *"),
        (Every(15 * 60_000), "*/15 * * * *"),
        (Every(3_600_000), "0 * * * *"),
        (Every(6 * 3_600_000), "0 */6 * * *"),
        (Every(7 * 60_000), "0 3 * * *"),
        (Every(86_400_000), "0 3 * * *"),
    ],
)
async def test_a_crontab_runs_the_job_when_it_is_expected(schedule: Schedule, times: str) -> None:
    assert crontab_times(Monitor("", "", 0, schedule)) == times


async def test_a_wrapper_tells_the_start_and_how_it_ended() -> None:
    *_, (_, line) = ping_lines(Monitor("", "", 0), URL)
    curl = "curl -fsS -m 10 --retry 5 -o /dev/null"
    assert line == f"{curl} {URL}/start; /path/to/job; {curl} {URL}/$?"


async def test_an_address_that_stands_for_all_is_shown_as_one_that_can_be_reached() -> None:
    assert reachable_url(URL) == URL
    shown = reachable_url(URL.replace("127.0.0.1", "0.0.0.0"))
    assert "0.0.0.0" not in shown
    hosts = [f"[{one}]" if ":" in one else one for one, _ in network_addresses()] or ["127.0.0.1"]
    assert shown == URL.replace("127.0.0.1", hosts[0])


# The window


@asynccontextmanager
async def window_on(stage: Scene, qapp: QApplication) -> AsyncIterator[MainWindow]:
    window = MainWindow(stage.app, stage.bridge, stage.watch, stage.acts, stage.tasks)
    window.show()
    qapp.processEvents()
    try:
        yield window
    finally:
        window.hide()
        window.deleteLater()
        qapp.processEvents()


async def test_after_saving_the_address_is_what_comes_next(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with scene(tmp_path, shop=["web"]) as stage, window_on(stage, qapp) as window:
        window.add()
        (editor,) = window.findChildren(MonitorEditor)
        editor.kinds.choose("heartbeat")
        editor.form.name.fill("Backup")
        editor.save()
        await until(lambda: window.notice.text)
        url = stage.app.ping_url_of(stage.one("Backup").monitor)
        assert window.notice.text == f"Backup is to report to {url}"
        assert [one.monitor.name for one in window.selected] == ["Backup"]


async def test_a_site_is_edited_from_its_row(tmp_path: Path, qapp: QApplication) -> None:
    async with scene(tmp_path, shop=["web"]) as stage, window_on(stage, qapp) as window:
        menu = window.menus.row_menu(QPoint(5, 5))
        (edit,) = [one for one in menu.actions() if one.text() == "Edit site…"]
        edit.trigger()
        (dialog,) = window.findChildren(SiteDialog)
        assert dialog.isVisible()
        dialog.name.line.setText("The shop")
        dialog.save()
        await until(lambda: stage.app.sites["shop"].name == "The shop")
        menu.deleteLater()


async def test_members_and_times_stand_for_what_has_no_address(tmp_path: Path) -> None:
    async with scene(tmp_path, shop=["web", "db"]) as stage:
        members = tuple(one.monitor.id for one in stage.watch.shown)
        group: dict[str, Setting] = {
            "name": "all",
            "kind": "group",
            "members": members,
            "rule": "any",
        }
        job = {"name": "job", "kind": "heartbeat", "every": "1h", "grace": "10m"}
        await stage.app.add([group, job])
        assert stage.one("all").target == "any of: web, db"
        assert stage.one("job").target == "heartbeat · every 1 h + 10 min"
        web = stage.one("web").job
        keys = {"name": "Web shop", "url": "http://127.0.0.1:9/web", "cron": "0 0 1 1 *"}
        await stage.app.edit(web, keys)
        assert stage.one("all").target == "any of: Web shop, db"

"""Tray and window together: who shows whom, and when."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, QSize
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon
from shiboken6 import isValid

from tests.alerts.build import ListNotifier
from tests.fakes import until
from tests.importing_build import found
from uptime_desktop.app import App, opened
from uptime_desktop.domain.alerts import Fault
from uptime_desktop.domain.past import Past, PastRun
from uptime_desktop.domain.status import Status
from uptime_desktop.gui import tray as tray_module
from uptime_desktop.gui.desktop import Desktop
from uptime_desktop.gui.dialogs.settings import SettingsDialog
from uptime_desktop.gui.dialogs.settings_channels import ChannelsPage
from uptime_desktop.gui.surroundings import Host
from uptime_desktop.gui.tray import Tray
from uptime_desktop.gui.tray_menu import MOST_FAILING
from uptime_desktop.importing import Sighted
from uptime_desktop.slices import MANY

pytestmark = pytest.mark.asyncio

Reason = QSystemTrayIcon.ActivationReason


class Hosts:
    """Who shows icons, as a test wants it: off screen there is nobody."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.host = Host.NONE
        monkeypatch.setattr(tray_module, "tray_host", lambda: self.host)


@pytest.fixture
def hosts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Hosts:
    place = str(tmp_path / "settings")
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, place)
    return Hosts(monkeypatch)


@asynccontextmanager
async def desktop_on(
    tmp_path: Path, qapp: QApplication, quits: list[bool] | None = None
) -> AsyncIterator[tuple[Desktop, Tray, App]]:
    async with opened(tmp_path / "uptime.db") as app:
        app.start_timer_only()
        await app.add(
            [
                {
                    "name": "web",
                    "url": "http://127.0.0.1:9/",
                    "cron": "0 0 1 1 *",
                    "retries": 0,
                }
            ]
        )
        tray = Tray()
        left = [] if quits is None else quits
        desktop = Desktop(qapp, app, tray, lambda: left.append(True), ListNotifier())
        try:
            yield desktop, tray, app
        finally:
            await desktop.close()
            qapp.processEvents()


def submenu(menu: QMenu, name: str) -> QMenu:
    (entry,) = [action for action in menu.actions() if action.text() == name]
    found = entry.menu()
    assert isinstance(found, QMenu)
    return found


async def test_without_a_host_the_window_stays_and_says_so(
    tmp_path: Path, qapp: QApplication, hosts: Hosts
) -> None:
    async with desktop_on(tmp_path, qapp) as (desktop, tray, _):
        desktop.begin(minimised=True)
        assert desktop.window.isVisible()
        assert desktop.window.notice.text.startswith("This desktop shows no tray icons")
        desktop.window.close()
        assert desktop.window.isMinimized()
        hosts.host = Host.PLAIN
        tray.look_for_host()
        assert tray.has_host
        desktop.window.close()
        assert not desktop.window.isVisible()


async def test_with_a_host_it_can_start_in_the_tray(
    tmp_path: Path, qapp: QApplication, hosts: Hosts
) -> None:
    hosts.host = Host.PLAIN
    async with desktop_on(tmp_path, qapp) as (desktop, tray, _):
        desktop.begin(minimised=True)
        assert not desktop.window.isVisible()
        tray.icon_activated(Reason.Trigger)
        assert desktop.window.isVisible()
        tray.icon_activated(Reason.Trigger)  # the second half of a double click
        assert desktop.window.isVisible()


async def test_a_click_while_all_is_loading_is_not_lost(
    tmp_path: Path, qapp: QApplication, hosts: Hosts
) -> None:
    hosts.host = Host.PLAIN
    async with desktop_on(tmp_path, qapp) as (desktop, tray, _):
        tray.icon_activated(Reason.Trigger)
        assert not desktop.window.isVisible()
        desktop.begin(minimised=True)
        assert desktop.window.isVisible()


async def test_a_host_that_goes_leaves_the_window_in_its_place(
    tmp_path: Path, qapp: QApplication, hosts: Hosts
) -> None:
    hosts.host = Host.STATUS_NOTIFIER
    async with desktop_on(tmp_path, qapp) as (desktop, tray, _):
        desktop.begin(minimised=True)
        hosts.host = Host.PLAIN
        tray.look_for_host()
        assert tray.has_host
        assert not desktop.window.isVisible()
        hosts.host = Host.NONE
        tray.look_for_host()
        assert not tray.has_host
        assert desktop.window.isMinimized()


async def test_a_middle_click_checks_all_and_the_icon_says_so_until_the_last_result(
    tmp_path: Path, qapp: QApplication, hosts: Hosts
) -> None:
    hosts.host = Host.PLAIN
    async with desktop_on(tmp_path, qapp) as (desktop, tray, app):
        desktop.begin(minimised=True)
        before = tray.icon().cacheKey()
        tray.icon_activated(Reason.MiddleClick)
        during = tray.icon().cacheKey()
        assert during != before
        await until(lambda: app.jobs[0].state.status is Status.DOWN)
        await until(lambda: "1 down" in tray.tool_tip)
        assert tray.icon().cacheKey() not in (before, during)
        assert tray.tool_tip.splitlines()[1] == "1 down"


async def test_the_language_changes_at_once(
    tmp_path: Path, qapp: QApplication, hosts: Hosts
) -> None:
    hosts.host = Host.PLAIN
    async with desktop_on(tmp_path, qapp) as (desktop, tray, app):
        desktop.begin(minimised=False)
        english = desktop.window
        assert english.menuBar().actions()[0].text() == "&File"
        await app.change_settings(replace(app.settings, compact_rows=True))
        assert desktop.window is english
        try:
            # From wherever it is changed: the settings, a file that is followed.
            await app.change_settings(replace(app.settings, language="zh_CN"))
            assert desktop.window is not english
            assert desktop.window.isVisible()
            assert "File" not in desktop.window.menuBar().actions()[0].text()
            assert "Quit" not in [action.text() for action in tray.menu.actions()]
        finally:
            await app.change_settings(replace(app.settings, language="en"))
        assert desktop.window.menuBar().actions()[0].text() == "&File"


async def test_the_window_comes_back_where_it_was(
    tmp_path: Path, qapp: QApplication, hosts: Hosts
) -> None:
    hosts.host = Host.PLAIN
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    async with desktop_on(tmp_path / "a", qapp) as (desktop, _, _):
        desktop.begin(minimised=False)
        desktop.window.resize(777, 555)
    async with desktop_on(tmp_path / "b", qapp) as (desktop, _, _):
        assert desktop.window.size() == QSize(777, 555)


async def test_quitting_is_asked_of_the_owner_and_problems_are_told(
    tmp_path: Path, qapp: QApplication, hosts: Hosts
) -> None:
    hosts.host = Host.PLAIN
    quits: list[bool] = []
    async with desktop_on(tmp_path, qapp, quits) as (desktop, tray, _):
        desktop.begin(minimised=False)
        quit_action = tray.menu.actions()[-1]
        assert quit_action.text() == "Quit"
        quit_action.trigger()
        assert quits == [True]
        desktop.acts.switch_site("nowhere", on=True)
        await until(lambda: "there is no site" in desktop.window.notice.text)


async def test_a_language_can_be_changed_again_from_the_same_dialog(
    tmp_path: Path, qapp: QApplication, hosts: Hosts
) -> None:
    hosts.host = Host.PLAIN
    async with desktop_on(tmp_path, qapp) as (desktop, _, app):
        desktop.begin(minimised=False)
        desktop.window.open_settings()
        (dialog,) = desktop.window.findChildren(SettingsDialog)
        try:
            await app.change_settings(replace(app.settings, language="zh_CN"))
            assert dialog.windowTitle() == "设置"
            assert dialog.isVisible()
            assert dialog.parent() is desktop.window
        finally:
            await app.change_settings(replace(app.settings, language="en"))
        assert desktop.window.menuBar().actions()[0].text() == "&File"
        dialog.close()


async def test_a_fault_is_in_the_window_and_the_tool_tip_but_not_over_other_news(
    tmp_path: Path, qapp: QApplication, hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts.host = Host.PLAIN
    async with desktop_on(tmp_path, qapp) as (desktop, tray, _):
        desktop.begin(minimised=False)
        monkeypatch.setattr(App, "faults", {Fault.DISK: "the disk is full"})
        desktop.faults_changed({})
        assert desktop.window.notice.text == "the disk is full"
        assert tray.tool_tip.endswith("\nthe disk is full")
        assert "the disk is full" in [one.text() for one in tray.menu.actions()]
        desktop.window.notice.tell("web was deleted.")
        desktop.watch.changed.emit(frozenset(desktop.watch.monitors))
        assert desktop.window.notice.text == "web was deleted."


async def test_a_broken_channel_is_seen_until_it_works_again(
    tmp_path: Path, qapp: QApplication, hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts.host = Host.PLAIN
    async with desktop_on(tmp_path, qapp) as (desktop, tray, app):
        app.agree_to_secret_file()
        await app.channels.add("Slack", "json://127.0.0.1:9/")
        desktop.begin(minimised=False)
        sentence = "Slack cannot be reached: connection refused"
        monkeypatch.setattr(App, "channel_faults", {"slack": "connection refused"})
        desktop.faults_changed({})
        assert desktop.window.notice.text == sentence
        assert desktop.window.faults_text == sentence
        assert tray.tool_tip.endswith("\n" + sentence)
        desktop.window.notice.hide()
        desktop.faults_changed({})
        assert desktop.window.notice.text == ""
        desktop.window.open_channels()
        (dialog,) = desktop.window.findChildren(SettingsDialog)
        assert isinstance(dialog.page, ChannelsPage)
        dialog.close()
        monkeypatch.setattr(App, "channel_faults", {})
        desktop.faults_changed({})
        assert desktop.window.faults_text == ""
        assert sentence not in tray.tool_tip


async def test_filling_the_menu_again_and_again_takes_no_more_room(
    tmp_path: Path, qapp: QApplication, hosts: Hosts
) -> None:
    hosts.host = Host.PLAIN
    async with desktop_on(tmp_path, qapp) as (desktop, _, _):

        def menus() -> int:
            gc.collect()
            return sum(isinstance(one, QMenu | QAction) for one in gc.get_objects())

        desktop.tray_menu.fill()
        before = menus()
        for _ in range(20):
            desktop.tray_menu.fill()
        assert menus() == before


async def test_where_only_the_counts_changed_the_menu_keeps_its_entries(
    tmp_path: Path, qapp: QApplication, hosts: Hosts
) -> None:
    hosts.host = Host.PLAIN
    async with desktop_on(tmp_path, qapp) as (_, tray, app):
        names = [f"{letter} {number:02}" for letter in "az" for number in range(22)]
        closed = {"url": "http://127.0.0.1:9/", "cron": "0 0 1 1 *", "retries": "0"}
        await app.add([{"name": name, **closed} for name in names])

        async def fail(said: str, *failing: str) -> QAction:
            last = tray.menu.actions()[-1]
            await asyncio.gather(
                *(app.check_now(job) for job in app.jobs if job.monitor.name in failing)
            )
            await until(lambda: tray.menu.actions()[0].text() == said)
            # Since when is known a moment later, when it is on disk.
            listed = slice(2, 2 + min(MOST_FAILING, len(failing)))
            await until(lambda: all("since" in one.text() for one in tray.menu.actions()[listed]))
            return last

        await fail("12 down of 45", *names[:12])
        assert "and 2 more…" in [action.text() for action in tray.menu.actions()]
        kept = await fail("13 down of 45", "z 00")
        assert isValid(kept)
        assert "and 3 more…" in [action.text() for action in tray.menu.actions()]
        gone = await fail("14 down of 45", "a 15")
        assert not isValid(gone)


async def test_a_submenu_is_filled_again_only_if_it_offers_something_else(
    tmp_path: Path, qapp: QApplication, hosts: Hosts
) -> None:
    hosts.host = Host.PLAIN
    async with desktop_on(tmp_path, qapp) as (desktop, tray, app):
        await app.add([{"name": "api", "url": "http://127.0.0.1:9/", "cron": "0 0 1 1 *"}])

        def entries(name: str) -> list[QAction]:
            return submenu(submenu(tray.menu, "All monitors"), name).actions()

        web = entries("web")
        app.pause(app.find("api"))
        await until(lambda: "1 paused" in tray.tool_tip)
        assert "Resume" in [action.text() for action in entries("api")]
        assert entries("web") == web
        entries("web")[0].trigger()
        await until(lambda: "1 down" in tray.tool_tip)
        assert "Acknowledge" in [action.text() for action in entries("web")]
        paused = entries("api")
        desktop.tray_menu.fill()
        assert entries("api") != paused


async def test_monitors_that_come_with_a_past_show_it(
    tmp_path: Path, qapp: QApplication, hosts: Hosts
) -> None:
    hosts.host = Host.PLAIN
    async with desktop_on(tmp_path, qapp) as (desktop, _, app):
        # It goes on to look for a tray; what is loaded at the start is over.
        await until(lambda: len(desktop.tasks._running) == 1)  # noqa: SLF001
        now = app.clock.wall()
        runs = tuple(PastRun(now - n * 60_000, Status.UP, 12.0) for n in range(1, 4))
        shop = {"id": "shop", "url": "http://127.0.0.1:9/", "kind": "http", "cron": "0 0 1 1 *"}
        whole = found(shop, past=lambda: iter([Past("shop", runs)]), past_count=1)
        await app.bring_in(Sighted(whole, frozenset()))
        one = desktop.watch.monitors["web", "shop"]
        await until(lambda: len(one.beats) == 3)
        await until(lambda: one.uptime_month == 1)


async def test_many_are_shown_soon_and_leaving_before_is_no_trouble(
    tmp_path: Path, qapp: QApplication, hosts: Hosts
) -> None:
    hosts.host = Host.PLAIN
    async with desktop_on(tmp_path, qapp) as (desktop, tray, app):
        desktop.begin(minimised=False)
        some = [{"name": f"m {n}", "url": "http://127.0.0.1:9/"} for n in range(MANY)]
        await app.add([{**one, "cron": "0 0 1 1 *"} for one in some])
        await until(lambda: len(desktop.window.table.shown) == MANY + 1)
        await until(lambda: f"{MANY + 1} pending" in tray.tool_tip)
        await until(lambda: submenu(submenu(tray.menu, "All monitors"), "m 115").actions())
        assert submenu(submenu(tray.menu, "All monitors"), "m 0").actions()
        desktop.watch.rebuild()

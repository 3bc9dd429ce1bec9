"""Planned work on the desktop: told in words, listed, started, seen and ended."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from tests.gui.dialog_rig import activate, enter_on, press, until
from tests.gui.maintenance_stage import HERE, NOW, Stage, at, once, saved, staged, window
from uptime_desktop.domain.maintenance import Mode, OnceAt, Span, Window
from uptime_desktop.domain.model import HOUR_MS, MINUTE_MS
from uptime_desktop.domain.status import Status
from uptime_desktop.gui.dialogs.maintenance import MaintenanceDialog
from uptime_desktop.gui.dialogs.maintenance_editor import MaintenanceEditor
from uptime_desktop.gui.dialogs.maintenance_words import (
    days_text,
    scope_text,
    span_text,
    standing,
    standing_text,
    when_text,
)
from uptime_desktop.gui.main_window import MainWindow
from uptime_desktop.gui.monitor_table import Column
from uptime_desktop.gui.tray import Tray
from uptime_desktop.gui.tray_menu import TrayMenu, tool_tip

# Words


@pytest.mark.parametrize(
    ("days", "text"),
    [
        ({0, 1, 2, 3, 4}, "Mon–Fri"),
        ({1, 3}, "Tue, Thu"),
        ({5, 6}, "Sat, Sun"),
        ({0, 2, 3, 4, 6}, "Mon, Wed–Fri, Sun"),
        (set(range(7)), "every day"),
    ],
)
def test_days_are_said_as_people_say_them(days: set[int], text: str) -> None:
    assert days_text(days) == text


def test_when_it_is_in_words() -> None:
    assert when_text(window().when, NOW) == "Sun at 02:00, for 2 h"
    berlin = window(tz="Europe/Berlin").when
    assert when_text(berlin, NOW) == "Sun at 02:00 (Europe/Berlin), for 2 h"
    assert when_text(window(cron="0 2 * * 6", duration="90m").when, NOW) == "0 2 * * 6, for 90 min"
    assert when_text(OnceAt(at(4, 2), at(4, 4)), NOW) == "Sun 22 Nov 02:00 – 04:00"


def test_a_span_over_midnight_names_both_days_and_another_year() -> None:
    assert span_text(Span(at(0, 23), at(1, 2)), NOW) == "Wed 18 Nov 23:00 – Thu 19 Nov 02:00"
    new_year = Span(at(45, 2), at(45, 3))
    assert span_text(new_year, NOW) == "Sat 2 Jan 2027 02:00 – 03:00"


@pytest.mark.parametrize(
    ("planned", "text"),
    [
        (once("a", at(0, 11), at(0, 14, 30)), "in force until 14:30"),
        (once("a", at(0, 18), at(0, 19)), "next today 18:00"),
        (once("a", at(0, 9), at(0, 10)), "over since 10:00"),
        (once("a", at(0, 11), at(0, 14), is_on=False), "switched off"),
        (
            replace(window(days="wed", at="11:00", duration="2h"), off_until=at(0, 13)),
            "ended early, next 25 Nov 11:00",
        ),
    ],
)
def test_how_it_stands(planned: Window, text: str) -> None:
    assert HERE is not None
    assert standing_text(standing(planned, NOW, HERE), NOW) == text


@pytest.mark.asyncio
async def test_for_whom_it_is(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        monitors = {job.monitor.id: job.monitor.name for job in stage.app.jobs}

        def said(sites: tuple[str, ...] = (), ids: tuple[str, ...] = ()) -> str:
            planned = window(sites=sites, monitors=ids)
            return scope_text(planned, stage.app.sites, monitors)

        assert said() == "everything"
        assert said(("shop",)) == "shop"
        assert said(("shop",), ("nas",)) == "shop, NAS"
        assert said(("shop", "home"), ("nas",)) == "home and 2 more"
        assert said((), ("gone",)) == "nothing that is left"


# The list


@asynccontextmanager
async def listing(
    folder: Path, qtbot: QtBot, *windows: Window
) -> AsyncIterator[tuple[MaintenanceDialog, Stage]]:
    async with staged(folder) as stage:
        for one in windows:
            await stage.app.save_window(one)
        dialog = MaintenanceDialog(stage.app, stage.watch, stage.acts, stage.tasks)
        qtbot.addWidget(dialog)
        dialog.show()
        activate(dialog)
        yield dialog, stage
        dialog.close()


def names(dialog: MaintenanceDialog) -> list[str]:
    return [row.window.name for row in dialog.model.rows]


RUNNING = once("Running", at(0, 11), at(0, 14, 30))
WEEKLY = window("Weekly", days="wed", at="11:00", duration="2h")


@pytest.mark.asyncio
async def test_what_is_in_force_comes_first_and_what_is_over_last(
    tmp_path: Path, qtbot: QtBot
) -> None:
    async with listing(
        tmp_path,
        qtbot,
        once("Over", at(-1, 9), at(-1, 10)),
        once("Long over", at(-9, 9), at(-9, 10)),
        replace(window("Off"), is_on=False),
        window("Next"),
        RUNNING,
    ) as (dialog, _):
        assert names(dialog) == ["Running", "Next", "Off", "Over", "Long over"]
        assert dialog.model.sentence(0) == (
            "Name Running, When Wed 18 Nov 11:00 – 14:30, For everything, Mode silence,"
            " State in force until 14:30"
        )
        assert dialog.end.isEnabled()
        dialog.table.selectRow(1)
        assert not dialog.end.isEnabled()


@pytest.mark.asyncio
async def test_one_is_switched_off_and_on(tmp_path: Path, qtbot: QtBot) -> None:
    async with listing(tmp_path, qtbot, WEEKLY) as (dialog, stage):
        assert dialog.switch.text() == "Switch &off"
        press(dialog.table, Qt.Key.Key_Space)
        await until(lambda: not stage.window.is_on)
        assert dialog.switch.text() == "Switch &on"
        assert dialog.notice.text == "Weekly was switched off."
        enter_on(dialog.switch)
        await until(lambda: stage.window == WEEKLY)


@pytest.mark.asyncio
async def test_one_that_recurs_ends_now_and_comes_again(tmp_path: Path, qtbot: QtBot) -> None:
    async with listing(tmp_path, qtbot, WEEKLY) as (dialog, stage):
        assert stage.one("NAS").maintenance is not None
        dialog.end.click()
        await until(lambda: stage.one("NAS").maintenance is None)
        assert dialog.model.text(0, 4) == "ended early, next 25 Nov 11:00"
        assert not dialog.end.isEnabled()
        dialog.undo()
        await until(lambda: stage.one("NAS").maintenance is not None)


@pytest.mark.asyncio
async def test_one_for_once_is_gone_when_ended_and_can_be_had_back(
    tmp_path: Path, qtbot: QtBot
) -> None:
    async with listing(tmp_path, qtbot, RUNNING) as (dialog, stage):
        dialog.end.click()
        await until(lambda: dialog.notice.text == "Running was ended.")
        assert not stage.app.windows
        press(dialog, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: stage.app.windows == {"running": RUNNING})
        assert names(dialog) == ["Running"]


@pytest.mark.asyncio
async def test_several_are_removed_and_come_back(tmp_path: Path, qtbot: QtBot) -> None:
    planned = [once(name, at(-1, 9), at(-1, 10)) for name in ("A", "B", "C")]
    async with listing(tmp_path, qtbot, *planned) as (dialog, stage):
        dialog.table.choose(frozenset({"a", "b"}))
        press(dialog.table, Qt.Key.Key_Delete)
        await until(lambda: dialog.notice.text == "2 windows were removed.")
        assert list(stage.app.windows) == ["c"]
        assert [one.id for one in dialog.table.chosen()] == ["c"]
        dialog.undo()
        await until(lambda: len(stage.app.windows) == 3)
        assert names(dialog) == ["A", "B", "C"]


@pytest.mark.asyncio
async def test_the_list_follows_time(tmp_path: Path, qtbot: QtBot) -> None:
    async with listing(tmp_path, qtbot, once("Soon", at(0, 13), at(0, 14))) as (dialog, stage):
        assert dialog.model.text(0, 4) == "next today 13:00"
        await stage.clock.advance(HOUR_MS + 1)
        await until(lambda: dialog.model.text(0, 4) == "in force until 14:00")
        assert stage.one("NAS").maintenance is not None
        await stage.clock.advance(HOUR_MS)
        await until(lambda: dialog.model.text(0, 4) == "over since 14:00")
        assert stage.one("NAS").maintenance is None


@pytest.mark.asyncio
async def test_the_list_plans_and_edits(tmp_path: Path, qtbot: QtBot) -> None:
    async with listing(tmp_path, qtbot, WEEKLY) as (dialog, stage):
        press(dialog.table, Qt.Key.Key_Return)
        (editor,) = dialog.findChildren(MaintenanceEditor)
        editor.name.fill("Renamed")
        await saved(editor)
        assert names(dialog) == ["Renamed"]
        dialog.add.click()
        editor = next(one for one in dialog.findChildren(MaintenanceEditor) if one.isVisible())
        editor.name.fill("维护")
        await saved(editor)
        assert set(stage.app.windows) == {"weekly", "maintenance"}
        assert [one.name for one in dialog.table.chosen()] == ["维护"]


@pytest.mark.asyncio
async def test_maintenance_of_everything_can_start_from_the_list(
    tmp_path: Path, qtbot: QtBot
) -> None:
    async with listing(tmp_path, qtbot) as (dialog, stage):
        acts = dialog.start.menu().actions()
        assert [act.text() for act in acts] == [
            "For 30 min",
            "For 1 h",
            "For 2 h",
            "Until tomorrow",
        ]
        acts[3].trigger()
        await until(lambda: stage.app.windows)
        assert stage.window.when == OnceAt(NOW, at(1, 8))
        assert names(dialog) == ["Started by hand"]


# In the window


@asynccontextmanager
async def window_on(folder: Path) -> AsyncIterator[tuple[MainWindow, Stage]]:
    async with staged(folder) as stage:
        shown = MainWindow(stage.app, stage.bridge, stage.watch, stage.acts, stage.tasks)
        shown.resize(QSize(1200, 700))
        shown.show()
        QApplication.processEvents()
        try:
            yield shown, stage
        finally:
            shown.hide()
            shown.deleteLater()
            QApplication.processEvents()


def start_menu(shown: MainWindow) -> QMenu:
    return entry(shown.menus.row_menu(QPoint(0, 0)), "Start maintenance")


def entry(menu: QMenu, text: str) -> QMenu:
    found = next(action.menu() for action in menu.actions() if action.text() == text)
    assert isinstance(found, QMenu)
    return found


@pytest.mark.asyncio
async def test_the_list_of_windows_has_a_key_and_opens_once(tmp_path: Path) -> None:
    async with window_on(tmp_path) as (shown, _):
        action = shown.menus.maintenance
        assert action.shortcuts() == [QKeySequence("Ctrl+M")]
        action.trigger()
        action.trigger()
        assert len(shown.findChildren(MaintenanceDialog)) == 1


@pytest.mark.asyncio
async def test_maintenance_of_the_selection_starts_from_its_menu(tmp_path: Path) -> None:
    async with window_on(tmp_path) as (shown, stage):
        assert not start_menu(shown).isEnabled()
        shown.list.select(stage.one("Checkout").key)
        start_menu(shown).actions()[0].trigger()
        await until(lambda: stage.app.windows)
        assert stage.window.monitors == frozenset({"checkout"})
        assert stage.window.when == OnceAt(NOW, NOW + 30 * MINUTE_MS)
        assert stage.one("Checkout").maintenance is not None
        assert stage.one("Search").maintenance is None


@pytest.mark.asyncio
async def test_a_whole_site_is_a_site_to_maintenance(tmp_path: Path) -> None:
    async with window_on(tmp_path) as (shown, stage):
        shown.list.selectRow(shown.table.place_of("shop") or 0)
        start_menu(shown).actions()[1].trigger()
        await until(lambda: stage.app.windows)
        assert stage.window.sites == frozenset({"shop"})
        assert not stage.window.monitors


@pytest.mark.asyncio
async def test_maintenance_of_the_selection_can_be_planned(tmp_path: Path) -> None:
    async with window_on(tmp_path) as (shown, stage):
        shown.list.select(stage.one("NAS").key)
        start_menu(shown).actions()[-1].trigger()
        (editor,) = shown.findChildren(MaintenanceEditor)
        assert editor.scope.given() == {"monitors": ("nas",)}
        editor.reject()


@pytest.mark.asyncio
async def test_a_monitor_in_maintenance_is_flagged(tmp_path: Path) -> None:
    async with window_on(tmp_path) as (shown, stage):
        place = shown.table.place_of(stage.one("NAS").key) or 0
        before = _cell(shown, place)
        await stage.app.save_window(replace(RUNNING, monitors=frozenset({"nas"})))
        shown.list.clearSelection()
        assert _cell(shown, place) != before
        index = shown.table.index(place, Column.MONITOR)
        said = index.data(Qt.ItemDataRole.AccessibleTextRole)
        assert "in maintenance until 14:30" in said
        assert "In maintenance until 14:30: Running" in index.data(Qt.ItemDataRole.ToolTipRole)
        shown.list.select(stage.one("NAS").key)
        header = shown.detail.header
        assert header.maintenance.text() == "In maintenance until 14:30: Running"
        assert not header.maintenance.isHidden()
        await stage.app.remove_window("running")
        assert header.maintenance.isHidden()


def _cell(shown: MainWindow, place: int) -> bytes:
    """How the name of a monitor looks."""
    area = shown.list.visualRect(shown.table.index(place, Column.MONITOR))
    image = shown.list.viewport().grab(area).toImage()
    return bytes(image.constBits())


@pytest.mark.asyncio
async def test_who_is_paused_for_maintenance_goes_on_when_it_ends(tmp_path: Path) -> None:
    async with window_on(tmp_path) as (shown, stage):
        await stage.app.save_window(replace(RUNNING, mode=Mode.PAUSE))
        one = stage.one("NAS")
        assert one.status is Status.PAUSED
        shown.list.select(one.key)
        header = shown.detail.header
        assert "Paused for maintenance until 14:30" in header.status.text()
        assert header.maintenance.text() == "Maintenance: Running"
        assert not header.resume.isEnabled()
        assert header.resume.toolTip() == "It goes on when the maintenance ends."
        assert not shown.menus.resume.isEnabled()
        stage.acts.resume([one])
        stage.acts.end_maintenance()
        await until(lambda: one.state.pause is None)
        assert not stage.app.windows


# In the tray


def texts(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if action.text()]


@pytest.mark.asyncio
async def test_the_tray_starts_tells_of_and_ends_maintenance(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with staged(tmp_path) as stage:
        tray = Tray()
        menu = TrayMenu(tray, stage.watch, stage.acts, stage.app.clock.wall, list)
        stage.watch.rebuilt.connect(lambda: menu.refresh(stage.watch.summary()))
        menu.fill()
        assert texts(tray.menu)[0] == "3 pending"
        assert not any(text.startswith("End maintenance") for text in texts(tray.menu))
        starts = entry(tray.menu, "Start maintenance")
        assert texts(starts) == ["For 30 min", "For 1 h", "For 2 h", "Until tomorrow"]
        starts.actions()[2].trigger()
        await until(lambda: stage.app.windows)
        assert stage.window.mode is Mode.SILENCE
        assert texts(tray.menu)[0] == "3 pending · Maintenance until 14:00"
        tip = tool_tip(stage.watch.summary(), NOW)
        assert tip.splitlines()[1] == "3 pending · Maintenance until 14:00"
        end = next(a for a in tray.menu.actions() if a.text() == "End maintenance (until 14:00)")
        end.trigger()
        await until(lambda: not stage.app.windows)
        assert texts(tray.menu)[0] == "3 pending"
        tray.close()
        qapp.processEvents()


@pytest.mark.asyncio
async def test_the_tray_tells_how_many_are_in_maintenance(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with staged(tmp_path) as stage:
        await stage.app.save_window(replace(RUNNING, sites=frozenset({"shop"})))
        tip = tool_tip(stage.watch.summary(), NOW)
        assert tip.splitlines()[1] == "3 pending · 2 in maintenance until 14:30"
        assert stage.watch.maintenance_until == at(0, 14, 30)
        qapp.processEvents()

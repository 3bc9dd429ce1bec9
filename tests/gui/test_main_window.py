"""The window: every act by its key and its menu, and what is in it for a screen reader."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QAction, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QTabBar, QWidget

from tests.fakes import until
from tests.gui.accessibility import unnamed_controls
from tests.gui.dialog_rig import enter_on, heard
from tests.gui.scene import Scene, scene
from uptime_desktop.app import App
from uptime_desktop.domain.alerts import Fault
from uptime_desktop.domain.events import StatusChanged
from uptime_desktop.domain.status import Status
from uptime_desktop.gui.dialogs.bulk_edit import BulkEdit
from uptime_desktop.gui.dialogs.monitor_editor import MonitorEditor
from uptime_desktop.gui.dialogs.settings import SettingsDialog
from uptime_desktop.gui.main_window import MainWindow
from uptime_desktop.gui.monitor_table import Band, Column

pytestmark = pytest.mark.asyncio


@asynccontextmanager
async def window_on(
    tmp_path: Path, qapp: QApplication, **sites: list[str]
) -> AsyncIterator[tuple[MainWindow, Scene]]:
    async with scene(tmp_path, **sites) as stage:
        window = MainWindow(stage.app, stage.bridge, stage.watch, stage.acts, stage.tasks)
        window.show()
        qapp.processEvents()
        try:
            yield window, stage
        finally:
            window.hide()
            window.deleteLater()
            qapp.processEvents()


def action_with(window: MainWindow, keys: str) -> QAction:
    wanted = QKeySequence(keys)
    found = [
        action
        for owner in (window, window.list)
        for action in owner.actions()
        if wanted in action.shortcuts()
    ]
    assert len(found) == 1, f"{keys}: {[action.text() for action in found]}"
    return found[0]


def dialogs(window: MainWindow) -> list[QDialog]:
    return [one for one in window.findChildren(QDialog) if one.isVisible()]


async def test_without_monitors_it_asks_what_to_watch(tmp_path: Path, qapp: QApplication) -> None:
    async with window_on(tmp_path, qapp) as (window, stage):
        assert window.empty.isVisible()
        assert not window.list.isVisible()
        await stage.app.add([{"name": "web", "url": "http://127.0.0.1:9", "cron": "0 0 1 1 *"}])
        assert window.list.isVisible()
        assert not window.empty.isVisible()


async def test_the_status_line_and_filters_count(tmp_path: Path, qapp: QApplication) -> None:
    async with window_on(tmp_path, qapp, shop=["a", "b", "c"]) as (window, stage):
        stage.set_status("b", Status.DOWN)
        stage.watch.changed.emit(frozenset({stage.one("b").key}))
        assert window.statusBar().findChildren(QWidget)
        assert window.counts_text == "3 monitors: 1 down, 2 pending"
        assert window.filters.actions[Status.DOWN].iconText() == "1"
        assert window.filters.actions[Status.DOWN].isEnabled()
        assert not window.filters.actions[Status.UP].isEnabled()
        window.filters.actions[Status.DOWN].trigger()
        assert [row.monitor.name for row in window.table.rows if not isinstance(row, Band)] == ["b"]


async def test_a_selection_survives_filters_and_other_news(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with window_on(tmp_path, qapp, shop=["a", "b", "c"]) as (window, stage):
        window.list.select(stage.one("b").key)
        assert [one.monitor.name for one in window.selected] == ["b"]
        window.filters.search.setText("b")
        assert [one.monitor.name for one in window.selected] == ["b"]
        window.filters.search.clear()
        stage.set_status("c", Status.DOWN)
        stage.watch.changed.emit(frozenset({stage.one("c").key}))
        assert [one.monitor.name for one in window.selected] == ["b"]
        window.table.sort(Column.MONITOR, Qt.SortOrder.DescendingOrder)
        assert [one.monitor.name for one in window.selected] == ["b"]


async def test_a_selected_site_stands_for_its_monitors(tmp_path: Path, qapp: QApplication) -> None:
    async with window_on(tmp_path, qapp, shop=["a", "b"], home=["nas"]) as (window, stage):
        window.list.selectRow(0)
        assert [one.monitor.name for one in window.selected] == ["a", "b"]
        action_with(window, "Space").trigger()
        assert [stage.one(name).status for name in ("a", "b", "nas")] == [
            Status.PAUSED,
            Status.PAUSED,
            Status.PENDING,
        ]
        action_with(window, "Space").trigger()
        await until(lambda: stage.one("a").status is Status.PENDING)


async def test_check_now_is_a_key(tmp_path: Path, qapp: QApplication) -> None:
    async with window_on(tmp_path, qapp, shop=["a", "b"]) as (window, stage):
        window.list.select(stage.one("a").key)
        action_with(window, "F5").trigger()
        await until(lambda: stage.one("a").status is Status.DOWN)
        assert stage.one("b").status is Status.PENDING
        heard: list[bool] = []
        stage.acts.checking_all.connect(heard.append)
        action_with(window, "Shift+F5").trigger()
        assert heard == [True]
        await until(lambda: stage.one("b").status is Status.DOWN)
        await until(lambda: heard == [True, False])


async def test_deleting_can_be_undone_and_is_final_later(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with window_on(tmp_path, qapp, shop=["a", "b"]) as (window, stage):
        window.list.select(stage.one("a").key)
        before = stage.one("a").state
        action_with(window, "Del").trigger()
        names = [row.monitor.name for row in window.table.rows if not isinstance(row, Band)]
        assert names == ["b"]
        assert window.notice.text == "a was deleted."
        assert stage.watch.summary().total == 1
        assert len(stage.app.jobs) == 2
        action_with(window, "Ctrl+Z").trigger()
        assert stage.one("a").state is before
        assert len(window.table.rows) == 3
        window.list.select(stage.one("a").key)
        action_with(window, "Del").trigger()
        await stage.acts.deletions.finish()
        assert [job.monitor.name for job in stage.app.jobs] == ["b"]


async def test_a_second_deletion_makes_the_first_final_and_nothing_comes_back(
    tmp_path: Path, qapp: QApplication
) -> None:
    names = [f"m{number}" for number in range(50)]
    async with window_on(tmp_path, qapp, shop=names, home=["nas"]) as (window, stage):
        seen: list[int] = []
        window.table.modelReset.connect(lambda: seen.append(len(window.table.shown)))
        stage.acts.deletions.delete([stage.one(name) for name in names])
        stage.acts.deletions.delete([stage.one("nas")])
        assert not window.list.isVisible()
        await stage.acts.deletions.finish()
        assert stage.app.jobs == ()
        assert seen == sorted(seen, reverse=True)


async def test_undo_is_there_after_the_last_monitor_was_deleted(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with window_on(tmp_path, qapp, shop=["a"]) as (window, stage):
        window.list.select(stage.one("a").key)
        action_with(window, "Del").trigger()
        assert window.empty.isVisible()
        field = window.empty.input
        undo = QKeyEvent(
            QEvent.Type.ShortcutOverride, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier
        )
        undo.ignore()
        field.event(undo)
        assert not undo.isAccepted()
        field.insertPlainText("x")
        field.event(undo)
        assert undo.isAccepted()


async def test_news_neither_scroll_the_list_nor_take_a_site_out_of_the_selection(
    tmp_path: Path, qapp: QApplication
) -> None:
    names = [f"m{number:03}" for number in range(200)]
    async with window_on(tmp_path, qapp, shop=names) as (window, stage):
        window.list.selectRow(0)
        window.list.verticalScrollBar().setValue(2_000)
        stage.set_status("m150", Status.DOWN)
        stage.watch.changed.emit(frozenset({stage.one("m150").key}))
        assert window.list.verticalScrollBar().value() == 2_000
        assert len(window.selected) == 200


async def test_what_is_folded_can_be_acted_on_and_shown(tmp_path: Path, qapp: QApplication) -> None:
    async with window_on(tmp_path, qapp, shop=["a", "b"], home=["nas"]) as (window, stage):
        window.table.fold("shop", folded=True)
        window.list.selectRow(0)
        assert [one.monitor.name for one in window.selected] == ["a", "b"]
        assert action_with(window, "F5").isEnabled()
        window.list.select(stage.one("b").key)
        assert [one.monitor.name for one in window.selected] == ["b"]


async def test_the_detail_lets_go_of_what_is_filtered_out_and_finds_it_again(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with window_on(tmp_path, qapp, shop=["a", "b"]) as (window, stage):
        shown: list[object] = []
        window.list.chosen.connect(shown.append)
        window.list.select(stage.one("a").key)
        window.filters.search.setText("b")
        assert shown[-1] is None
        window.filters.search.clear()
        assert shown[-1] is stage.one("a")


async def test_a_fault_is_told_until_it_is_over(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with window_on(tmp_path, qapp, shop=["a"]) as (window, _):

        def say(**faults: str) -> None:
            monkeypatch.setattr(App, "faults", {Fault(one): why for one, why in faults.items()})
            window.notices.say_faults()

        say(disk="The disk is full.")
        assert window.notice.text == window.faults_text == "The disk is full."
        say(disk="The disk is full.", listener="Nobody can report.")
        assert window.notice.text == "Nobody can report."
        assert window.faults_text == "The disk is full. and 1 more"
        say()
        assert (window.notice.text, window.faults_text) == ("", "")
        say(disk="The disk is full.")
        window.notice.tell("a was deleted.")
        say()
        assert window.notice.text == "a was deleted."


async def test_settings_open_once(tmp_path: Path, qapp: QApplication) -> None:
    async with window_on(tmp_path, qapp, shop=["a"]) as (window, _):
        window.open_settings()
        window.open_settings()
        (dialog,) = dialogs(window)
        dialog.close()
        qapp.processEvents()


async def test_a_small_screen_and_a_narrow_window_have_room_for_everything(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with window_on(tmp_path, qapp, shop=["a"]) as (window, _):
        assert window.width() <= qapp.primaryScreen().availableSize().width()
        window.resize(760, 500)
        qapp.processEvents()
        assert window.filters.search.isVisible()
        window.resize(1_200, 700)
        qapp.processEvents()
        assert window.filters.search.isVisible()


async def test_trouble_can_be_acknowledged_and_snoozed_only_while_there_is_some(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with window_on(tmp_path, qapp, shop=["a"]) as (window, stage):
        window.list.select(stage.one("a").key)
        assert not action_with(window, "K").isEnabled()
        assert not action_with(window, "S").isEnabled()
        await stage.app.check_now(stage.one("a").job)
        await until(lambda: action_with(window, "K").isEnabled())
        action_with(window, "K").trigger()
        assert action_with(window, "S").isEnabled()
        window.menus.snooze.trigger()

        async def incident() -> tuple[object, object]:
            (one,) = await stage.app.history.incidents()
            return one.acknowledged_at, one.snoozed_until

        async with asyncio.timeout(5):
            while None in await incident():  # noqa: ASYNC110
                await asyncio.sleep(0.01)


async def test_a_hint_and_its_end(tmp_path: Path, qapp: QApplication) -> None:
    async with window_on(tmp_path, qapp, shop=["a"]) as (window, stage):
        window.list.select(stage.one("a").key)
        window.menus.hint.trigger()
        hint = stage.one("a").state.hint
        assert hint is not None
        assert hint.interval_ms == 10_000
        window.menus.follow_selection()
        window.menus.clear_hint.trigger()
        assert stage.one("a").state.hint is None


async def test_dialogs_open_without_stopping_the_loop(tmp_path: Path, qapp: QApplication) -> None:
    async with window_on(tmp_path, qapp, shop=["a", "b"]) as (window, stage):
        for keys, kind in (("Ctrl+N", MonitorEditor), ("Ctrl+,", SettingsDialog)):
            action_with(window, keys).trigger()
            (dialog,) = dialogs(window)
            assert isinstance(dialog, kind)
            dialog.close()
            qapp.processEvents()
        window.list.select(stage.one("a").key)
        action_with(window, "F2").trigger()
        (dialog,) = dialogs(window)
        assert isinstance(dialog, MonitorEditor)
        dialog.close()
        qapp.processEvents()
        window.list.selectAll()
        action_with(window, "F2").trigger()
        (dialog,) = dialogs(window)
        assert isinstance(dialog, BulkEdit)
        dialog.close()
        qapp.processEvents()


async def test_a_group_follows_its_members_and_takes_no_hint(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with window_on(tmp_path, qapp, shop=["A"]) as (window, stage):
        await stage.app.add([{"name": "All", "kind": "group", "members": ("a",)}], "shop")
        await until(lambda: window.table.place_of(("shop", "all")) is not None)
        stage.set_status("A", Status.DOWN)
        window.list.select(("shop", "all"))
        assert window.menus.check.isEnabled()
        assert not window.menus.hint.isEnabled()
        window.acts.hint(window.selected)
        assert stage.one("All").state.hint is None
        window.menus.check.trigger()
        await until(lambda: stage.one("All").status is Status.DOWN)
        await until(lambda: window.detail.evidence.unmet.lines)
        assert window.detail.times.isHidden()
        assert window.detail.header.schedule.text() == "Follows its members"
        assert window.detail.evidence.unmet.texts == ["A: expected up, found down"]
        assert window.detail.log.model.text(0, 4) == "its members"
        window.list.select(("shop", "a"))
        assert not window.detail.times.isHidden()
        assert window.menus.hint.isEnabled()
        assert stage.problems == []


async def test_a_monitor_of_a_kind_that_is_gone_is_told_of_and_not_edited(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with window_on(tmp_path, qapp, shop=["A"]) as (window, stage):
        job = stage.one("A").job
        job.monitor = replace(job.monitor, kind="fax")
        window.list.select(("shop", "a"))
        window.edit()
        assert dialogs(window) == []
        assert "'fax' is not a kind of check" in window.notice.text


async def test_pasted_addresses_are_watched_and_nonsense_is_told(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with window_on(tmp_path, qapp, shop=["a"]) as (window, stage):
        QGuiApplication.clipboard().setText("# mine\nhttp://127.0.0.1:9/x\n127.0.0.1:9\n")
        action_with(window, "Ctrl+V").trigger()
        await until(lambda: len(stage.app.jobs) == 3)
        QGuiApplication.clipboard().setText("ftp://127.0.0.1/")
        action_with(window, "Ctrl+V").trigger()
        await until(lambda: stage.problems)
        assert len(stage.app.jobs) == 3


async def test_monitors_dragged_onto_a_site_belong_to_it(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with window_on(tmp_path, qapp, shop=["a", "b"], home=["nas"]) as (window, stage):
        window.list.moved.emit([stage.one("a").key], "home")
        await until(lambda: ("home", "a") in stage.watch.monitors)
        assert [job.monitor.site_id for job in stage.app.jobs if job.monitor.name == "a"] == [
            "home"
        ]
    async with scene(tmp_path) as stage:
        assert stage.one("a").monitor.site_id == "home"


async def test_the_row_menu_switches_a_site(tmp_path: Path, qapp: QApplication) -> None:
    async with window_on(tmp_path, qapp, shop=["a"]) as (window, stage):
        at = window.list.visualRect(window.table.index(0, 0)).center()
        switch = window.menus.row_menu(at).actions()[0]
        assert switch.text() == "Switch the site off"
        switch.trigger()
        await until(lambda: not stage.app.sites["shop"].is_active)
        assert stage.one("a").status is Status.PAUSED
        assert window.menus.row_menu(at).actions()[0].text() == "Switch the site on"


async def test_sites_fold_by_keys(tmp_path: Path, qapp: QApplication) -> None:
    async with window_on(tmp_path, qapp, shop=["a"], home=["nas"]) as (window, _):
        window.list.setFocus()
        window.list.selectRow(1)
        QTest.keyClick(window.list, Qt.Key.Key_Left)
        assert window.list.currentIndex().row() == 0
        QTest.keyClick(window.list, Qt.Key.Key_Left)
        assert len(window.table.rows) == 3
        QTest.keyClick(window.list, Qt.Key.Key_Right)
        assert len(window.table.rows) == 4


async def test_escape_empties_the_search_and_then_leaves_it(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with window_on(tmp_path, qapp, shop=["a"]) as (window, _):
        window.filters.search.setText("zzz")
        assert window.table.rows == []
        QTest.keyClick(window.filters.search, Qt.Key.Key_Escape)
        assert window.filters.search.text() == ""
        assert len(window.table.rows) == 2


async def test_every_key_of_the_window_means_one_thing(tmp_path: Path, qapp: QApplication) -> None:
    async with window_on(tmp_path, qapp, shop=["a"]) as (window, _):
        for keys in (
            *("Ctrl+N", "Ctrl+V", "F2", "Ctrl+E", "F5", "Shift+F5", "Space", "K", "S", "Del"),
            *("Ctrl+Z", "Ctrl+F", "/", "F6", "Ctrl+Shift+C", "Ctrl+Shift+A", "Ctrl+,", "Ctrl+W"),
            *("Ctrl+Q",),
        ):
            assert action_with(window, keys).text()
        filters = [action.shortcut().toString() for action in window.filters.actions.values()]
        assert filters == [f"Alt+{number}" for number in range(7)]


async def test_closing_and_quitting_are_left_to_the_owner(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with window_on(tmp_path, qapp, shop=["a"]) as (window, _):
        asked: list[str] = []
        window.close_asked.connect(lambda: asked.append("close"))
        window.quit_asked.connect(lambda: asked.append("quit"))
        action_with(window, "Ctrl+W").trigger()
        action_with(window, "Ctrl+Q").trigger()
        assert asked == ["close", "quit"]
        assert window.isVisible()


async def test_no_control_is_without_a_name(tmp_path: Path, qapp: QApplication) -> None:
    async with window_on(tmp_path, qapp, shop=["a", "b"]) as (window, stage):
        window.activity.show()
        window.notice.tell("Something happened.", act_name="Undo", act=window.undo)
        await stage.app.check_now(stage.one("a").job)
        window.list.select(stage.one("a").key)
        await asyncio.sleep(0.5)
        assert unnamed_controls(window) == []


async def test_enter_presses_the_button_that_has_the_focus(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with window_on(tmp_path, qapp, shop=["a"]) as (window, stage):
        window.list.select(stage.one("a").key)
        await until(window.detail.header.check.isVisible)
        asked = heard(window.detail.check_asked)
        enter_on(window.detail.header.check)
        assert len(asked) == 1
        enter_on(window.list)
        assert len(asked) == 1


async def test_keys_go_to_the_tabs_of_docks_only_where_there_are_some(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with window_on(tmp_path, qapp, shop=["a"]) as (window, _):
        (tabs,) = window.findChildren(QTabBar)
        assert tabs.focusPolicy() is Qt.FocusPolicy.NoFocus
        window.activity.show()
        window.incidents.show()
        assert tabs.focusPolicy() is Qt.FocusPolicy.TabFocus
        assert tabs.accessibleName() == "Activity and incidents"
        window.incidents.hide()
        assert tabs.focusPolicy() is Qt.FocusPolicy.NoFocus


async def test_countdowns_tick_only_while_they_are_seen(tmp_path: Path, qapp: QApplication) -> None:
    async with window_on(tmp_path, qapp, shop=["a"]) as (window, _):
        assert window.ticking.is_going
        window.hide()
        assert not window.ticking.is_going
        window.show()
        assert window.ticking.is_going


async def test_a_tool_tip_tells_of_one_run(tmp_path: Path, qapp: QApplication) -> None:
    async with window_on(tmp_path, qapp, shop=["a"]) as (window, stage):
        await stage.app.check_now(stage.one("a").job)
        await until(lambda: stage.one("a").beats)
        area = window.list.visualRect(window.table.index(1, Column.STRIP))
        newest = QPoint(area.right() - 10, area.center().y())
        text = window.list.cells.beat_text(stage.one("a"), newest, area)
        assert "Down" in text
        assert window.list.cells.beat_text(stage.one("a"), area.topLeft(), area) == ""


async def test_a_screen_reader_is_told_of_changes_now_and_then(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(
        QAccessible, "updateAccessibility", lambda event: told.append(event.message())
    )
    async with window_on(tmp_path, qapp, shop=["a", "b"]) as (window, stage):
        monkeypatch.setattr(window, "isActiveWindow", lambda: False)
        stage.bridge.status_changed.emit(_went_down("a"), True)
        assert told == []
        monkeypatch.setattr(window, "isActiveWindow", lambda: True)
        for name in ("a", "b"):
            stage.bridge.status_changed.emit(_went_down(name), True)
        (sentence,) = told
        assert sentence.startswith("a, waiting for its first check, next check at 1 Jan")


def _went_down(name: str) -> StatusChanged:
    return StatusChanged("shop", name, None, 0, Status.UP, Status.DOWN, "")

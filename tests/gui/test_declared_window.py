"""The window while a configuration file says what is watched: all can be seen, little changed."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QMenu,
    QPushButton,
    QWidget,
)

from tests.alerts.build import ListNotifier
from tests.gui.accessibility import unnamed_controls
from tests.gui.dialog_rig import activate, enter_on, press, until, walked
from uptime_desktop import autostart
from uptime_desktop.app import App, opened
from uptime_desktop.config import ConfigFile
from uptime_desktop.domain.maintenance import OnceAt, Window
from uptime_desktop.domain.status import Status
from uptime_desktop.gui import declared_strip, theme
from uptime_desktop.gui.declared_strip import DeclaredStrip
from uptime_desktop.gui.desktop import Desktop
from uptime_desktop.gui.dialogs.bulk_edit import BulkEdit
from uptime_desktop.gui.dialogs.channel_form import ChannelForm
from uptime_desktop.gui.dialogs.maintenance import MaintenanceDialog
from uptime_desktop.gui.dialogs.maintenance_editor import MaintenanceEditor
from uptime_desktop.gui.dialogs.monitor_editor import MonitorEditor
from uptime_desktop.gui.dialogs.monitors_field import MonitorsField
from uptime_desktop.gui.dialogs.read_only import DeclaredNote
from uptime_desktop.gui.dialogs.settings import SettingsDialog
from uptime_desktop.gui.dialogs.settings_alerts import AlertsPage
from uptime_desktop.gui.dialogs.settings_channels import ChannelsPage
from uptime_desktop.gui.dialogs.settings_footer import Footer
from uptime_desktop.gui.dialogs.settings_heartbeats import HeartbeatsPage
from uptime_desktop.gui.dialogs.settings_listen_fields import PingKeyField
from uptime_desktop.gui.dialogs.site import SiteDialog
from uptime_desktop.gui.empty_state import EmptyState
from uptime_desktop.gui.faults import fault_sentences
from uptime_desktop.gui.main_window import MainWindow
from uptime_desktop.gui.translation import use_language
from uptime_desktop.gui.tray import Tray
from uptime_desktop.gui.tray_menu import tool_tip

pytestmark = pytest.mark.asyncio

NOTHING = "version = 1\n"
SHOP = """version = 1

[settings]
sound = false

[[channel]]
id = "ops"
name = "Ops chat"
url = "json://127.0.0.1:9/"

[[site]]
id = "shop"
name = "Shop"

[[site.monitor]]
id = "home"
name = "Home"
url = "http://127.0.0.1:9/"
cron = "0 0 1 1 *"
retries = 0

[[site.monitor]]
id = "api"
name = "Checkout API"
url = "http://127.0.0.1:9/api"
cron = "0 0 1 1 *"
retries = 0
depends_on = ["home"]

[[maintenance]]
id = "night"
name = "Backups"
cron = "0 3 * * *"
duration = "1h"
"""
WHERE = "uptime.toml decides about this. Edit it there."


@asynccontextmanager
async def desktop_on(
    folder: Path,
    qapp: QApplication,
    declared: str | None = SHOP,
    tray: Tray | None = None,
    *,
    agrees: bool = True,
) -> AsyncIterator[tuple[Desktop, MainWindow, App]]:
    file = folder / "uptime.toml"
    async with opened(folder / "uptime.db") as app:
        if agrees:
            app.agree_to_secret_file()
        if declared is not None:
            file.write_text(declared)
            await app.obey(ConfigFile(file, accept_changes=True))
        desktop = Desktop(qapp, app, tray or Tray(), lambda: None, ListNotifier())
        app.start()
        desktop.window.show()
        qapp.processEvents()
        try:
            yield desktop, desktop.window, app
        finally:
            await desktop.close()
            qapp.processEvents()


def entry(menu: QMenu, text: str) -> QAction:
    return next(action for action in menu.actions() if action.text() == text)


def opened_dialog(window: QWidget) -> QDialog:
    return next(one for one in window.findChildren(QDialog) if one.isVisible())


def changeable(widget: QWidget, *but: QWidget) -> list[QWidget]:
    """The controls in it that would still let something be changed."""
    parts = [one for one in widget.findChildren(QWidget) if one.isVisible() and one not in but]
    return [
        one
        for one in parts
        if (isinstance(one, QComboBox | QPushButton) and one.isEnabled())
        or (isinstance(one, QAbstractButton) and one.isCheckable() and one.isEnabled())
        or (isinstance(one, QLineEdit) and one.isEnabled() and not one.isReadOnly())
    ]


async def test_a_strip_says_where_monitors_come_from(tmp_path: Path, qapp: QApplication) -> None:
    async with desktop_on(tmp_path, qapp) as (_, window, _app):
        assert window.strip.isVisible()
        assert window.strip.sentence.text() == "Monitors come from uptime.toml. Edit them there."
        assert window.strip.sentence.toolTip() == str(tmp_path / "uptime.toml")
        assert unnamed_controls(window.strip) == []


async def test_without_a_file_there_is_no_strip(tmp_path: Path, qapp: QApplication) -> None:
    async with desktop_on(tmp_path, qapp, None) as (_, window, _app):
        assert not window.strip.isVisible()
        assert window.empty.isVisible()
        assert window.menus.add.isEnabled()
        assert window.menus.edit.text() == "Edit…"


async def test_the_file_is_opened_by_the_desktop(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def take(url: QUrl) -> bool:
        asked.append(url.toLocalFile())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", take)
    async with desktop_on(tmp_path, qapp) as (_, window, _app):
        window.strip.open_file.click()
        window.list.select(("shop", "api"))
        places = window.edit, window.open_settings, window.open_maintenance
        for place in (partial(window.edit_site, "shop"), *places):
            place()
            dialog = opened_dialog(window)
            note = dialog.findChild(DeclaredNote)
            assert note is not None
            enter_on(note.open_file)
            assert dialog.isVisible()
            dialog.reject()
    assert asked == [str(tmp_path / "uptime.toml")] * 5


async def test_a_file_that_nothing_opens_is_named(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _url: False)
    async with desktop_on(tmp_path, qapp) as (_, window, _app):
        said = window.strip.sentence.text()
        window.strip.open_file.click()
        path = tmp_path / "uptime.toml"
        assert window.notice.text == f"No program was found that opens {path}."
        assert window.strip.sentence.text() == said


async def test_keys_that_only_the_file_has_an_answer_to_say_so(
    tmp_path: Path, qapp: QApplication
) -> None:
    ctrl = Qt.KeyboardModifier.ControlModifier
    async with desktop_on(tmp_path, qapp) as (_, window, app):
        window.list.select(("shop", "home"))
        for key, modifier in (
            (Qt.Key.Key_Delete, Qt.KeyboardModifier.NoModifier),
            (Qt.Key.Key_V, ctrl),
            (Qt.Key.Key_N, ctrl),
        ):
            window.notice.hide()
            QTest.keyClick(window.list, key, modifier)
            assert window.notice.text == WHERE
        assert len(app.jobs) == 2


async def test_a_view_of_what_the_file_no_longer_says_tells_so(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with desktop_on(tmp_path, qapp) as (_, window, app):
        editor = MonitorEditor(app, window._tasks, app.find("api"), window)  # noqa: SLF001
        editor.show()
        file = tmp_path / "uptime.toml"
        file.write_text(SHOP.replace('"Home"', '"Start"'))
        await until(lambda: app.find("home").monitor.name == "Start")
        assert not editor.problem_row.isVisible()
        file.write_text(SHOP.replace("Checkout", "Payment"))
        await until(editor.problem_row.isVisible)
        assert "says something else by now" in editor.problem.headline.text()
        start, end = SHOP.index('[[site.monitor]]\nid = "api"'), SHOP.index("[[maintenance]]")
        file.write_text(SHOP[:start] + SHOP[end:])
        await until(lambda: "does not name this monitor any more" in editor.problem.headline.text())
        assert not editor.test_button.isEnabled()
        editor.reject()
        editor.deleteLater()
        qapp.processEvents()
        file.write_text(SHOP)
        await until(lambda: len(app.jobs) == 2)


async def test_one_click_takes_over_and_another_undoes_it(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(autostart, "_entry", lambda: autostart.DesktopFile(tmp_path / "entry"))
    async with desktop_on(tmp_path, qapp) as (_, window, app):
        strip = window.strip
        strip.take_over.click()
        assert app.declared_in is None
        assert "no longer followed, until the next start with --config" in strip.sentence.text()
        assert window.menus.add.isEnabled()
        assert window.menus.add.toolTip() == "Add"
        assert window.menus.edit.text() == "Edit…"
        assert [job.monitor.id for job in app.jobs] == ["home", "api"]
        assert unnamed_controls(strip) == []

        strip.undo.click()
        strip.undo.click()
        await until(lambda: app.declared_in)
        assert not window.notice.isVisible()
        assert not strip.undo.isVisible()
        assert not window.menus.add.isEnabled()
        (tmp_path / "uptime.toml").write_text("version = 1\n")
        await until(lambda: not app.jobs)


async def test_what_was_edited_since_is_not_undone_with_it(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(autostart, "_entry", lambda: autostart.DesktopFile(tmp_path / "entry"))
    async with desktop_on(tmp_path, qapp) as (_, window, app):
        window.strip.take_over.click()
        await app.remove(app.find("api"))
        window.strip.undo.click()
        await until(lambda: "differs from what is stored" in window.notice.text)
        assert app.declared_in is None
        assert [job.monitor.id for job in app.jobs] == ["home"]


async def test_keys_go_to_the_list_at_first(tmp_path: Path, qapp: QApplication) -> None:
    async with desktop_on(tmp_path, qapp) as (_, window, _app):
        activate(window)
        assert window.list.hasFocus()


async def test_after_a_while_taking_over_is_not_undone_any_more(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(autostart, "_entry", lambda: autostart.DesktopFile(tmp_path / "entry"))
    monkeypatch.setattr(declared_strip, "UNDO_S", 0.05)
    async with desktop_on(tmp_path, qapp) as (_, window, _app):
        window.strip.take_over.click()
        assert window.strip.isVisible()
        await until(lambda: not window.strip.isVisible())


async def test_who_starts_at_login_starts_with_the_file_until_it_is_taken_over(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = tmp_path / "entry"
    monkeypatch.setattr(autostart, "_entry", lambda: autostart.DesktopFile(entry))
    async with desktop_on(tmp_path, qapp) as (_, window, app):
        database, file = tmp_path / "uptime.db", tmp_path / "uptime.toml"
        assert app.start_options == ["--db", str(database), "--config", str(file)]
        autostart.turn_on(app.start_options)
        assert f"--minimised --db {database} --config {file}\n" in entry.read_text()
        window.strip.take_over.click()
        await until(lambda: f"--minimised --db {database}\n" in entry.read_text())


async def test_who_does_not_start_at_login_does_not_after_a_file_was_taken_over_either(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    class Entry(autostart.DesktopFile):
        def is_on(self) -> bool:
            asked.append(True)
            return super().is_on()

    entry = tmp_path / "entry"
    monkeypatch.setattr(autostart, "_entry", lambda: Entry(entry))
    async with desktop_on(tmp_path, qapp) as (_, window, _app):
        window.strip.take_over.click()
        await until(lambda: asked)
    assert not entry.exists()


async def test_what_defines_is_off_and_says_where(tmp_path: Path, qapp: QApplication) -> None:
    async with desktop_on(tmp_path, qapp) as (_, window, _app):
        menus = window.menus
        window.list.select(("shop", "home"))
        maintenance = next(
            action
            for action in menus.row_menu(QPoint()).actions()
            if action.menu() is not None and action.text() == "Start maintenance"
        )
        for action in (menus.add, menus.paste, menus.delete, maintenance):
            assert not action.isEnabled(), action.text()
            assert action.toolTip() == WHERE
        assert menus.edit.isEnabled()
        assert menus.edit.text() == "View…"
        assert window.detail.header.edit.text() == "View…"
        assert window.detail.header.edit.toolTip() == WHERE
        texts = [action.text() for action in menus.row_menu(QPoint(60, 5)).actions()]
        assert "View site…" in texts
        assert "Switch the site off" in texts


async def test_what_does_not_define_stays(tmp_path: Path, qapp: QApplication) -> None:
    async with desktop_on(tmp_path, qapp) as (desktop, window, app):
        window.list.select(("shop", "home"))
        menus, job = window.menus, app.find("home")
        assert menus.check.isEnabled()
        assert menus.compact.isEnabled()
        menus.pause.trigger()
        assert job.state.status is Status.PAUSED
        await until(menus.resume.isEnabled)
        menus.resume.trigger()
        await until(lambda: job.state.status is not Status.PAUSED)
        menus.check.trigger()
        await until(lambda: job.state.status is Status.DOWN)
        await until(menus.acknowledge.isEnabled)
        window.acts.acknowledge(window.selected)
        desktop.acts.switch_site("shop", on=False)
        await until(lambda: not app.sites["shop"].is_active)
        menus.compact.trigger()
        await until(lambda: app.settings.compact_rows)
        assert not window.notice.text


async def test_a_switch_that_the_file_sets_is_refused_in_its_words(
    tmp_path: Path, qapp: QApplication
) -> None:
    declared = SHOP.replace('name = "Shop"', 'name = "Shop"\nactive = true')
    async with desktop_on(tmp_path, qapp, declared) as (_, window, app):
        window.acts.switch_site("shop", on=False)
        await until(lambda: window.notice.text)
        path = tmp_path / "uptime.toml"
        assert window.notice.text == f"{path} says what is watched; change it there"
        assert app.sites["shop"].is_active


async def test_a_look_that_the_file_sets_cannot_be_switched(
    tmp_path: Path, qapp: QApplication
) -> None:
    declared = SHOP.replace("[settings]", "[settings]\ncompact_rows = true")
    async with desktop_on(tmp_path, qapp, declared) as (_, window, _app):
        assert window.menus.compact.isChecked()
        assert not window.menus.compact.isEnabled()
        assert window.menus.compact.toolTip() == WHERE


async def test_monitors_are_not_dragged_into_other_sites(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with desktop_on(tmp_path, qapp) as (_, window, app):
        assert not window.list.can_move
        app.take_over()
        assert window.list.can_move


async def test_the_tray_offers_no_maintenance(tmp_path: Path, qapp: QApplication) -> None:
    tray = Tray()
    async with desktop_on(tmp_path, qapp, tray=tray) as (_, _window, app):
        menu = tray.menu
        assert not entry(menu, "Start maintenance").isEnabled()
        assert entry(menu, "Start maintenance").toolTip() == WHERE
        assert entry(menu, "Check all now").isEnabled()
        assert entry(menu, "Pause all").isEnabled()
        app.take_over()
        assert entry(tray.menu, "Start maintenance").isEnabled()


async def test_only_what_the_file_decides_says_so_in_a_tray_menu_that_was_made_anew(
    tmp_path: Path, qapp: QApplication
) -> None:
    tray = Tray()
    async with desktop_on(tmp_path, qapp, tray=tray) as (desktop, _, _app):
        desktop.tray_menu.fill()
        told = [one.text() for one in tray.menu.actions() if one.toolTip() == WHERE]
        assert told == ["Start maintenance"]


async def test_a_file_without_monitors_leaves_nothing_to_add(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with desktop_on(tmp_path, qapp, NOTHING) as (_, window, app):
        assert window.declared_empty.isVisible()
        assert not window.empty.isVisible()
        assert window.declared_empty.hint.text() == (
            "uptime.toml names no monitors. What is added to it appears here by itself."
        )
        window.next_pane()
        window.activateWindow()
        qapp.processEvents()
        assert window.strip.open_file.hasFocus()
        (tmp_path / "uptime.toml").write_text(SHOP)
        await until(window.list.isVisible)
        assert len(app.jobs) == 2


async def test_tab_leaves_the_strip_of_a_file_without_monitors(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with desktop_on(tmp_path, qapp, NOTHING) as (_, window, _app):
        activate(window)
        window.strip.take_over.setFocus()
        press(window.strip.take_over, Qt.Key.Key_Tab)
        focused = qapp.focusWidget()
        assert focused is not None
        assert not window.strip.isAncestorOf(focused)


async def test_one_monitor_can_be_viewed_and_several_cannot(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with desktop_on(tmp_path, qapp) as (_, window, _app):
        window.list.selectAll()
        assert len(window.selected) == 2
        assert not window.menus.edit.isEnabled()
        window.edit()
        assert not window.findChildren(BulkEdit)


async def test_a_monitor_is_viewed_and_tried(tmp_path: Path, qapp: QApplication) -> None:
    async with desktop_on(tmp_path, qapp) as (_, window, app):
        window.list.select(("shop", "api"))
        window.edit()
        editor = opened_dialog(window)
        assert isinstance(editor, MonitorEditor)
        assert editor.windowTitle() == "View monitor"
        for fold in (editor.form.alerts.fold, *editor.form.kind_form.folds.values()):
            fold.open()
        qapp.processEvents()
        folds = [fold.button for fold in editor.form.kind_form.folds.values()]
        assert changeable(editor.form, *folds, editor.form.alerts.fold.button) == []
        assert editor.form.name.line.toolTip() == WHERE
        assert not editor.save_button.isVisible()
        before = app.find("api").monitor
        editor.save()
        upstream = editor.form.fields["depends_on"]
        assert isinstance(upstream, MonitorsField)
        flags = upstream.choices.flags(upstream.choices.index(0, 0))
        assert not flags & Qt.ItemFlag.ItemIsUserCheckable
        editor.test_button.click()
        await until(lambda: editor.outcome.headline.text().startswith("Down"))
        assert app.find("api").monitor is before
        assert unnamed_controls(editor.findChild(DeclaredNote)) == []  # type: ignore[arg-type]
        editor.reject()


async def test_tab_comes_by_everything_in_a_view_of_a_monitor(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with desktop_on(tmp_path, qapp) as (_, window, _app):
        window.list.select(("shop", "api"))
        window.edit()
        editor = opened_dialog(window)
        assert isinstance(editor, MonitorEditor)
        note = editor.findChild(DeclaredNote)
        assert note is not None
        activate(editor)
        note.open_file.setFocus()
        names = [one.accessibleName() for one in walked()]
        assert names[:5] == ["", "Kind of check", "Address", "Name", "Tags"]
        assert names.index("Time zone") < names.index("Status codes")
        assert names[-2:] == ["", ""]
        assert editor.buttons.isAncestorOf(walked()[-1])


async def test_paper_under_what_is_read_follows_the_theme(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with desktop_on(tmp_path, qapp) as (_, window, _app):
        window.list.select(("shop", "api"))
        window.edit()
        editor = opened_dialog(window)
        assert isinstance(editor, MonitorEditor)
        try:
            for scheme, tokens in (
                (Qt.ColorScheme.Dark, theme.DARK),
                (Qt.ColorScheme.Light, theme.LIGHT),
            ):
                theme.ask_for(scheme, qapp)
                qapp.processEvents()
                assert editor.form.name.line.palette().base().color() == tokens.window
        finally:
            theme.ask_for(Qt.ColorScheme.Unknown, qapp)
        editor.reject()


async def test_sites_and_maintenance_are_viewed(tmp_path: Path, qapp: QApplication) -> None:
    async with desktop_on(tmp_path, qapp) as (_, window, app):
        window.edit_site("shop")
        site = opened_dialog(window)
        assert isinstance(site, SiteDialog)
        assert site.windowTitle() == "View site"
        assert changeable(site.name) == changeable(site.alerts, site.alerts.fold.button) == []
        site.save()
        assert not site.save_button.isVisible()
        site.reject()

        window.open_maintenance()
        listing = opened_dialog(window)
        assert isinstance(listing, MaintenanceDialog)
        for button in (listing.add, listing.start, listing.switch, listing.end, listing.remove):
            assert not button.isEnabled()
            assert button.toolTip() == WHERE
        for act in (listing.plan, listing.switch_chosen, listing.remove_chosen):
            act()
        assert listing.edit.text() == "&View…"
        listing.edit.click()
        editor = opened_dialog(listing)
        assert isinstance(editor, MaintenanceEditor)
        assert editor.windowTitle() == "View maintenance"
        buttons = editor.buttons.findChildren(QPushButton)
        own = editor.findChild(DeclaredNote)
        assert own is not None
        assert changeable(editor, *buttons, own.open_file) == []
        editor.save()
        editor.reject()
        listing.reject()
        assert list(app.windows) == ["night"]


async def test_only_the_looks_are_set_here(tmp_path: Path, qapp: QApplication) -> None:
    declared = SHOP.replace("[settings]", "[settings]\nmono_icons = true")
    async with desktop_on(tmp_path, qapp, declared) as (_, window, app):
        window.open_settings()
        dialog = opened_dialog(window)
        assert isinstance(dialog, SettingsDialog)
        note = dialog.findChild(DeclaredNote)
        assert note is not None
        fields = dialog.page.fields
        assert {key for key, field in fields.items() if not field.editor.isEnabled()} == {
            "mono_icons"
        }
        assert note.isVisible()
        fields["compact_rows"].editor.click()  # type: ignore[attr-defined]
        await until(lambda: app.settings.compact_rows)
        dialog.restore_defaults()
        await until(lambda: not app.settings.compact_rows)
        assert app.settings.mono_icons
        for row in range(1, 6):
            dialog.show_page(row)
            dialog.page.refresh()
            assert note.isVisible()
            spared: list[QWidget] = [one for f in dialog.page.fields.values() for one in f.harmless]
            if isinstance(dialog.page, ChannelsPage):
                spared = [one.test for one in dialog.page.rows.values()]
            if isinstance(dialog.page, AlertsPage):
                spared = dialog.page.findChildren(QPushButton)
            assert changeable(dialog.page, *spared) == []
        dialog.accept()


async def test_the_ping_key_can_still_be_copied(tmp_path: Path, qapp: QApplication) -> None:
    key_of_jobs = '[settings]\nping_key = "some-key-for-jobs"\nlisten = "127.0.0.1:0"'
    declared = SHOP.replace("[settings]", key_of_jobs)
    async with desktop_on(tmp_path, qapp, declared) as (_, window, app):
        await until(app.listens_at)
        window.open_settings()
        dialog = opened_dialog(window)
        assert isinstance(dialog, SettingsDialog)
        dialog.show_page(4)
        assert isinstance(dialog.page, HeartbeatsPage)
        key = dialog.page.fields["ping_key"]
        assert isinstance(key, PingKeyField)
        assert key.copy.isEnabled()
        assert not key.generate.isEnabled()
        assert not key.remove.isEnabled()
        dialog.accept()


async def test_settings_follow_the_file_while_they_are_open(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with desktop_on(tmp_path, qapp) as (_, window, _app):
        window.open_settings()
        dialog = opened_dialog(window)
        assert isinstance(dialog, SettingsDialog)
        dialog.show_page(1)
        (tmp_path / "uptime.toml").write_text(
            SHOP.replace("[settings]", '[settings]\ndefault_timeout = "7s"')
        )
        field = dialog.page.fields["default_timeout"]
        await until(lambda: field.given() == "7s")
        dialog.accept()


async def test_what_is_refused_is_said_where_other_refusals_are(
    tmp_path: Path, qapp: QApplication
) -> None:
    """Dialogs that were opened before a file decided, which cannot be but for a race."""
    async with desktop_on(tmp_path, qapp, None) as (desktop, window, app):
        file = tmp_path / "uptime.toml"
        said = f"{file} says what is watched; change it there"
        file.write_text(SHOP)
        await app.apply(SHOP, file.name)
        job, tasks, now = app.find("home"), desktop.tasks, app.clock.wall()
        adding = MonitorEditor(app, tasks, None, window)
        editing = MonitorEditor(app, tasks, job, window)
        site = SiteDialog(app, tasks, app.sites["shop"], window)
        planning = MaintenanceEditor(app, tasks, None, window)
        listing = MaintenanceDialog(app, desktop.watch, desktop.acts, tasks, window)
        settings = SettingsDialog(app, tasks, window)
        settings.show_page(1)
        intervals = settings.page
        channel = ChannelForm(app, tasks, app.channels.known[0])
        bulk = BulkEdit(app, tasks, list(app.jobs), window)
        empty = EmptyState(app, tasks)
        await app.obey(ConfigFile(file))

        adding.set_target("http://127.0.0.1:9/new")
        adding.save()
        await until(lambda: adding.problem.headline.text() == said)
        editing.save()
        await until(lambda: editing.problem.headline.text() == said)
        site.save()
        await until(lambda: site.problem.headline.text() == said)
        planning.save()
        await until(lambda: planning.problem.headline.text() == said)
        listing.table.selectRow(0)
        listing.remove_chosen()
        await until(lambda: listing.notice.text == said)
        retries = intervals.fields["default_retries"]
        retries.fill("4")
        intervals.settle(retries)
        footer = settings.findChild(Footer)
        assert footer is not None
        await until(lambda: footer.state == f"Not saved: {said}")
        assert retries.given() == str(app.settings.default_retries) == "1"
        channel.save()
        await until(lambda: channel.problem.headline.text() == said)
        bulk.fields["retries"].fill("3")
        bulk.apply()
        await until(lambda: bulk.line.headline.text() == said)
        empty.input.setPlainText("http://127.0.0.1:9/new")
        empty.add()
        await until(lambda: empty.outcome.headline.text() == said)
        acts: list[Callable[[], None]] = [
            lambda: desktop.acts.add("http://127.0.0.1:9/pasted"),
            lambda: desktop.acts.move([job.key], "shop"),
            lambda: desktop.acts.start_maintenance(now + 3_600_000),
            lambda: window.acts.deletions.delete(desktop.watch.shown[:1]),
        ]
        for act in acts:
            window.notice.hide()
            act()
            await window.acts.deletions.finish()
            await until(lambda: window.notice.text == said)
        assert len(app.jobs) == 2
        for dialog in (adding, editing, site, planning, listing, settings, bulk):
            dialog.deleteLater()
        channel.deleteLater()
        empty.deleteLater()


async def test_maintenance_in_force_is_not_ended_from_the_tray(
    tmp_path: Path, qapp: QApplication
) -> None:
    tray = Tray()
    async with desktop_on(tmp_path, qapp, None, tray) as (_, _window, app):
        await app.apply(SHOP, "uptime.toml")
        now = app.clock.wall()
        window = Window("works", "Works", OnceAt(now - 1_000, now + 3_600_000))
        await app.save_window(window)
        menu = tray.menu
        assert menu.actions()[-5].text().startswith("End maintenance")
        assert menu.actions()[-5].isEnabled()
        file = tmp_path / "uptime.toml"
        file.write_text(await app.toml())
        await app.obey(ConfigFile(file))
        ends = tray.menu.actions()[-5]
        assert ends.text().startswith("End maintenance")
        assert not ends.isEnabled()


async def test_a_file_that_became_invalid_is_told_until_it_is_mended(
    tmp_path: Path, qapp: QApplication, caplog: pytest.LogCaptureFixture
) -> None:
    tray = Tray()
    async with desktop_on(tmp_path, qapp, SHOP, tray) as (desktop, window, app):
        file = tmp_path / "uptime.toml"
        with caplog.at_level(logging.ERROR):
            file.write_text(SHOP.replace('cron = "0 0 1 1 *"', 'every = "3s"'))
            await until(lambda: app.fault)
        strip = window.strip
        assert strip.sentence.text() == (
            f"What is watched stays as it was: {file}:19:9: site.shop.monitor.home.every: 3 s is"
            " too short. Allowed: 5 s to 30 d. And 1 more."
        )
        problems = [
            f"{file}:{line}:9: site.shop.monitor.{name}.every: 3 s is too short."
            " Allowed: 5 s to 30 d."
            for line, name in ((19, "home"), (26, "api"))
        ]
        assert strip.sentence.toolTip() == "\n".join(problems)
        assert [record.message for record in caplog.records] == [
            f"{file} was not taken; what is watched stays as it was",
            *problems,
        ]
        use_language(qapp, "zh_CN")
        strip.follow()
        assert "too short" not in strip.sentence.text()
        use_language(qapp, "en")
        tip = tool_tip(desktop.watch.summary(), app.clock.wall(), *fault_sentences(app))
        last = tip.splitlines()[-1]
        assert last.startswith("What is watched stays as it was: ")
        assert len(last) < 200
        (listed,) = (text for text in map(QAction.text, tray.menu.actions()) if "stays" in text)
        assert listed.startswith(
            "What is watched stays as it was: uptime.toml:19:9: site.shop.monitor.home.every: 3 s"
            " is too short"
        )
        file.write_text(SHOP)
        await until(lambda: app.fault is None)
        assert strip.sentence.text() == "Monitors come from uptime.toml. Edit them there."


@pytest.mark.parametrize(("share", "is_below"), [(3, False), (1.5, True)])
async def test_links_go_below_the_sentence_where_they_take_most_of_the_width(
    tmp_path: Path, qapp: QApplication, share: float, is_below: bool
) -> None:
    async with desktop_on(tmp_path, qapp) as (desktop, _window, app):
        strip = DeclaredStrip(app, desktop.tasks)
        links = strip.open_file, strip.take_over
        strip.resize(round(share * sum(link.sizeHint().width() for link in links)), 100)
        strip.show()
        qapp.processEvents()
        top, bottom = (one.mapTo(strip, QPoint()).y() for one in (strip.sentence, links[0]))
        assert (bottom >= top + strip.sentence.height()) is is_below
        strip.deleteLater()


async def test_passwords_in_the_file_need_a_place_that_is_agreed_to(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    async with desktop_on(tmp_path, qapp, "version = 1\n", agrees=False) as (_, window, app):
        strip, file = window.strip, tmp_path / "uptime.toml"
        assert not strip.allow_file.isVisible()
        file.write_text(SHOP)
        await until(strip.allow_file.isVisible)
        assert "This computer has no keyring to keep passwords in." in strip.sentence.text()
        assert unnamed_controls(strip) == []
        strip.allow_file.click()
        await until(lambda: app.fault is None)
        assert not strip.allow_file.isVisible()
        assert [job.monitor.id for job in app.jobs] == ["home", "api"]

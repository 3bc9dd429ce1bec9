"""What a monitor or a site depends on and whom trouble is told, asked in the same fields."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from tests.gui.dialog_rig import Rig, activate, heard, rigged, unnamed, until
from uptime_desktop.config import Settings
from uptime_desktop.domain.model import AlertRule, Setting
from uptime_desktop.gui.dialogs.alert_fields import AlertFields
from uptime_desktop.gui.dialogs.monitor_editor import MonitorEditor
from uptime_desktop.gui.dialogs.site import SiteDialog

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.usefixtures("qapp"),
    pytest.mark.qt_log_ignore("propagateSizeHints"),
]


async def two_sites(rig: Rig, **keys: Setting) -> None:
    """`web` in the shop, with these keys, and `router` at home."""
    url = "http://127.0.0.1:9/"
    await rig.app.add([{"name": "Router", "id": "router", "url": url}], "home")
    await rig.app.add([{"name": "Web", "id": "web", "url": url, **keys}], "shop")


def editor_of(rig: Rig, name: str | None) -> MonitorEditor:
    editor = MonitorEditor(rig.app, rig.tasks, None if name is None else rig.app.find(name))
    editor.open()
    activate(editor)
    return editor


def tick(alerts: AlertFields, *names: str) -> None:
    model = alerts.depends_on.choices
    for row in range(model.rowCount()):
        index = model.index(row, 0)
        if index.data() in names:
            model.setData(index, Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)


async def saved(editor: MonitorEditor) -> None:
    told = heard(editor.saved)
    editor.save()
    await until(lambda: told)


# The editor


async def test_nothing_said_is_left_to_the_settings(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await two_sites(rig)
        editor = editor_of(rig, "web")
        alerts = editor.form.alerts
        assert not alerts.fold.is_open
        assert alerts.given() == {}
        await saved(editor)
        assert rig.app.find("web").monitor.alert == AlertRule()


async def test_what_is_said_is_kept(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        rig.app.agree_to_secret_file()
        await rig.app.channels.add("Team chat", "json://127.0.0.1:9/")
        await two_sites(rig)
        editor = editor_of(rig, "web")
        alerts = editor.form.alerts
        tick(alerts, "Router")
        alerts.after.line.setText("3")
        alerts.repeat.line.setText("30m")
        alerts.recovery.combo.setCurrentIndex(alerts.recovery.combo.findData("no"))
        alerts.channels.combo.setCurrentIndex(1)
        alerts.channels.boxes["desktop"].setChecked(False)
        alerts.channels.boxes["team-chat"].setChecked(True)
        await saved(editor)
        monitor = rig.app.find("web").monitor
        assert monitor.depends_on == ("router",)
        assert monitor.alert == AlertRule(3, 1_800_000, False, ("team-chat",))
        again = editor_of(rig, "web")
        assert again.form.alerts.fold.is_open
        before = rig.app.find("web").monitor
        await saved(again)
        assert rig.app.find("web").monitor == before


async def test_a_whole_site_can_be_depended_on_but_not_ones_own(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await two_sites(rig)
        editor = editor_of(rig, "web")
        model = editor.form.alerts.depends_on.choices
        rows = [(model.index(row, 0).data(), model.index(row, 1).data()) for row in range(2)]
        assert rows == [("home", "whole site"), ("Router", "home")]
        tick(editor.form.alerts, "home")
        await saved(editor)
        assert rig.app.find("web").monitor.depends_on == ("site:home",)


async def test_a_circle_is_said_by_name_when_it_is_saved(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await two_sites(rig, depends_on=("router",))
        editor = editor_of(rig, "router")
        told = heard(editor.saved)
        tick(editor.form.alerts, "Web")
        editor.save()
        field = editor.form.alerts.depends_on
        await until(lambda: field.complaint.text)
        assert field.complaint.text == (
            "Depends on: it leads in a circle. Allowed: Router → Web → Router must end."
        )
        assert editor.form.alerts.fold.is_open
        assert not told
        editor.reject()


@pytest.mark.parametrize(
    ("key", "text", "problem"),
    [
        ("alert_after", "0", "Alert after: '0' is not a whole number in range. Allowed: 1 to 100."),
        ("repeat_every", "3s", "Again every: 3 s is too short. Allowed: 1 min to 30 d."),
    ],
)
async def test_a_refusal_is_said_beside_its_field(
    tmp_path: Path, key: str, text: str, problem: str
) -> None:
    async with rigged(tmp_path) as rig:
        await two_sites(rig)
        editor = editor_of(rig, "web")
        editor.form.fields[key].fill(text)
        complaints = {k: f.complaint.text for k, f in editor.form.fields.items()}
        assert {k: said for k, said in complaints.items() if said} == {key: problem}
        assert not editor.save_button.isEnabled()
        editor.reject()


async def test_what_holds_is_shown_while_nothing_is_written(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await rig.app.change_settings(Settings(alert_after=2, repeat_alerts_ms=3_600_000))
        await two_sites(rig)
        editor = editor_of(rig, "web")
        assert editor.form.alerts.after.line.placeholderText() == "2"
        assert editor.form.alerts.repeat.line.placeholderText() == "1 h"
        editor.reject()


async def test_no_channel_at_all_tells_nobody_and_says_so(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await two_sites(rig)
        editor = editor_of(rig, "web")
        channels = editor.form.alerts.channels
        editor.form.alerts.fold.open()
        assert not channels.boxes["desktop"].isVisible()
        channels.combo.setCurrentIndex(1)
        assert channels.boxes["desktop"].isVisible()
        assert channels.nobody.isHidden()
        channels.boxes["desktop"].setChecked(False)
        assert not channels.nobody.isHidden()
        assert channels.given() == ()
        assert not channels.boxes["sound"].isEnabled()
        editor.reject()


async def test_a_channel_that_is_gone_can_be_left_out(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        rig.app.agree_to_secret_file()
        await rig.app.channels.add("Pager", "json://127.0.0.1:9/pager", "pager")
        await two_sites(rig, channels=("pager", "desktop"))
        await rig.app.channels.remove("pager")
        editor = editor_of(rig, "web")
        channels = editor.form.alerts.channels
        assert channels.boxes["pager"].text() == "pager (missing)"
        channels.boxes["pager"].setChecked(False)
        await saved(editor)
        assert rig.app.find("web").monitor.alert.channels == ("desktop",)


# The site


async def test_a_site_gets_a_name_an_upstream_and_a_rule(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await two_sites(rig)
        dialog = SiteDialog(rig.app, rig.tasks, rig.app.sites["shop"])
        told = heard(dialog.saved)
        dialog.open()
        dialog.name.line.setText("The shop")
        tick(dialog.alerts, "Router")
        dialog.alerts.after.line.setText("2")
        await rig.app.switch_site("shop", on=False)
        dialog.save()
        await until(lambda: told)
        site = rig.app.sites["shop"]
        assert (site.name, site.depends_on, site.alert.after) == ("The shop", ("router",), 2)
        assert not site.is_active
        QApplication.processEvents()
    async with rigged(tmp_path) as rig:
        assert rig.app.sites["shop"] == site


async def test_a_site_without_a_name_is_refused_beside_it(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await two_sites(rig)
        dialog = SiteDialog(rig.app, rig.tasks, rig.app.sites["shop"])
        dialog.open()
        dialog.name.line.setText("  ")
        assert "cannot be a name" in dialog.name.complaint.text
        assert not dialog.save_button.isEnabled()
        dialog.reject()
        assert rig.app.sites["shop"].name == "shop"


async def test_a_circle_of_sites_is_said_by_name(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await two_sites(rig, depends_on=("site:home",))
        dialog = SiteDialog(rig.app, rig.tasks, rig.app.sites["home"])
        dialog.open()
        tick(dialog.alerts, "Web")
        dialog.save()
        await until(lambda: dialog.alerts.depends_on.complaint.text)
        assert "site home" in dialog.alerts.depends_on.complaint.text
        assert dialog.isVisible()
        dialog.reject()


async def test_every_control_of_the_site_has_a_name(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await two_sites(rig)
        dialog = SiteDialog(rig.app, rig.tasks, rig.app.sites["shop"])
        assert unnamed(dialog) == []
        dialog.deleteLater()
        QApplication.processEvents()

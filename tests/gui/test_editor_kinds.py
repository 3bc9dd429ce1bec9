"""The editor and the kinds of check: which one an address means, and what each has no use for."""

from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from tests.gui.dialog_rig import Rig, activate, heard, press, rigged, until
from uptime_desktop.checks.registry import KINDS
from uptime_desktop.domain.model import Monitor, Setting
from uptime_desktop.gui.dialogs.form import tab_stops
from uptime_desktop.gui.dialogs.monitor_editor import MonitorEditor
from uptime_desktop.gui.dialogs.monitors_field import MonitorsField
from uptime_desktop.gui.dialogs.written_fields import TextField

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.usefixtures("qapp"),
    pytest.mark.qt_log_ignore("propagateSizeHints"),
]

URL = "https://shop.example/health"


def editor_of(rig: Rig, name: str | None = None) -> MonitorEditor:
    editor = MonitorEditor(rig.app, rig.tasks, None if name is None else rig.app.find(name))
    editor.open()
    activate(editor)
    return editor


def paste(editor: MonitorEditor, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    line = target_of(editor).line
    line.selectAll()
    press(line, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)


def target_of(editor: MonitorEditor) -> TextField:
    field = editor.form.target
    assert isinstance(field, TextField)
    return field


def members_of(editor: MonitorEditor) -> MonitorsField:
    field = editor.form.fields["members"]
    assert isinstance(field, MonitorsField)
    return field


async def add_two(rig: Rig) -> None:
    await rig.app.add([{"name": "Web", "id": "web", "url": URL}], "Shop")
    await rig.app.add([{"name": "Database", "id": "db", "kind": "tcp", "host": "db:1"}], "Shop")


# Which kind


async def test_a_pasted_address_chooses_the_kind_and_goes_on_there(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig)
        editor.form.name.fill("Mine")
        paste(editor, "nas.lan:445")
        assert editor.kinds.kind.name == "tcp"
        assert target_of(editor).text() == "nas.lan:445"
        assert QApplication.focusWidget() is target_of(editor).line
        paste(editor, URL)
        assert editor.kinds.kind.name == "http"
        assert editor.form.given()["name"] == "Mine"
        editor.reject()


async def test_a_kind_that_a_person_chose_stays_if_the_address_fits(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig)
        editor.kinds.choose("tcp")
        paste(editor, "nas.lan")
        assert editor.kinds.kind.name == "tcp"
        paste(editor, URL)
        assert editor.kinds.kind.name == "http"
        editor.reject()


async def test_in_an_edit_the_kind_stays_whatever_is_pasted(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await add_two(rig)
        editor = editor_of(rig, "web")
        paste(editor, "nas.lan:445")
        assert editor.kinds.kind.name == "http"
        editor.reject()


async def test_what_was_typed_survives_the_way_through_other_kinds(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig)
        target_of(editor).line.setText(URL)
        editor.form.name.fill("Mine")
        editor.form.schedule.fields["every"].fill("5m")
        for kind in [*KINDS, "http"]:
            editor.kinds.choose(kind)
        assert target_of(editor).text() == URL
        given = editor.form.given()
        assert (given["name"], given["every"]) == ("Mine", "5m")
        editor.kinds.choose("tcp")
        target_of(editor).line.setText("other.example:81")
        editor.kinds.choose("http")
        assert target_of(editor).text() == "other.example:81"
        editor.reject()


@pytest.mark.parametrize("kind", KINDS)
async def test_tab_goes_in_reading_order(tmp_path: Path, kind: str) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig)
        editor.kinds.choose("http" if kind != "http" else "tcp")
        editor.kinds.choose(kind)
        form = editor.form.kind_form
        for fold in form.folds.values():
            fold.open()
        editor.resize(editor.width(), 2_400)
        QApplication.processEvents()
        chain: list[QWidget] = [editor.kinds]
        while (following := chain[-1].nextInFocusChain()) is not editor.kinds:
            assert following is not None
            chain.append(following)
        seen = [*tab_stops(form.target_form), *tab_stops(form)]
        seen = [stop for stop in seen if stop.isVisible()]
        places = [chain.index(stop) for stop in (editor.kinds, *seen, editor.save_button)]
        assert places == sorted(places)
        tops = [stop.mapTo(editor, stop.rect().topLeft()).y() for stop in seen]
        assert all(after - before > -40 for before, after in pairwise(tops))
        editor.reject()


# Groups


async def test_a_group_is_made_of_others_and_has_no_schedule(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await add_two(rig)
        editor = editor_of(rig)
        editor.kinds.choose("group")
        for part in (editor.form.schedule, editor.preview, editor.test_button, editor.outcome):
            assert not part.isVisible()
        members_of(editor).fill(("web", "db"))
        rule = editor.form.fields["rule"]
        rule.fill("any")
        assert editor.form.name.line.placeholderText() == "Group"
        editor.form.name.fill("All of it")
        saved = heard(editor.saved)
        assert editor.save_button.isEnabled()
        editor.save()
        await until(lambda: saved)
        (monitor,) = saved
        assert isinstance(monitor, Monitor)
        assert monitor.is_passive
        assert monitor.settings == {"members": ("web", "db"), "rule": "any"}


async def test_other_kinds_have_their_schedule_again(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig)
        editor.kinds.choose("group")
        editor.kinds.choose("http")
        for part in (editor.form.schedule, editor.preview, editor.test_button):
            assert part.isVisible()
        editor.set_target(URL)
        assert editor.form.given()["every"] == "1m"
        editor.reject()


async def test_a_wrong_interval_is_no_reason_against_a_group(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await add_two(rig)
        editor = editor_of(rig)
        editor.form.schedule.fields["every"].fill("1s")
        assert not editor.save_button.isEnabled()
        editor.kinds.choose("group")
        members_of(editor).fill(("web",))
        assert editor.save_button.isEnabled()
        editor.reject()


async def test_a_group_without_members_is_told_when_one_tries_to_save(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await add_two(rig)
        editor = editor_of(rig)
        editor.kinds.choose("group")
        members = members_of(editor)
        assert members.complaint.text == ""
        editor.save()
        assert members.complaint.text.startswith("Members: ")
        assert QApplication.focusWidget() is members.filter
        editor.reject()


async def test_a_group_is_not_offered_to_itself_and_keeps_what_is_missing(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await add_two(rig)
        keys: dict[str, Setting] = {
            "name": "Both",
            "id": "both",
            "kind": "group",
            "members": ("web", "db"),
        }
        await rig.app.add([keys])
        await rig.app.remove(rig.app.find("db"))
        editor = editor_of(rig, "both")
        model = members_of(editor).choices
        names = [model.index(row, 0).data() for row in range(model.rowCount())]
        assert names == ["Web", "db"]
        assert editor.form.given()["members"] == ("web", "db")
        saved = heard(editor.saved)
        editor.save()
        await until(lambda: members_of(editor).complaint.text)
        assert "there is no monitor 'db'" in members_of(editor).complaint.text
        assert not saved
        members_of(editor).fill(("web",))
        editor.save()
        await until(lambda: saved)
        assert rig.app.find("both").monitor.settings["members"] == ("web",)


# Jobs that report to us


async def test_of_a_job_that_reports_only_when_it_does_is_asked(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig)
        editor.form.schedule.modes["at"].setChecked(True)
        editor.kinds.choose("heartbeat")
        assert editor.form.schedule.isVisible()
        for key in ("cadence", "at", "timeout", "backoff", "jitter"):
            assert not editor.form.schedule.fields[key].isVisible()
        assert not editor.test_button.isVisible()
        editor.form.name.fill("Backup")
        assert editor.form.given() == {"kind": "heartbeat", "name": "Backup", "every": "1d"}
        editor.form.schedule.modes["cron"].setChecked(True)
        editor.form.schedule.fields["cron"].fill("0 3 * * *")
        assert editor.form.given()["cron"] == "0 3 * * *"
        assert editor.save_button.isEnabled()
        editor.kinds.choose("http")
        assert editor.form.schedule.fields["timeout"].isVisible()
        editor.reject()


# What there is no field for


async def test_an_edit_keeps_what_it_does_not_show(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await add_two(rig)
        keys: dict[str, Setting] = {
            "depends_on": ("db",),
            "alert_after": 3,
            "recovery_notice": "no",
        }
        await rig.app.add([{"name": "Third", "id": "third", "url": URL, **keys}])
        before = rig.app.find("third").monitor
        editor = editor_of(rig, "third")
        saved = heard(editor.saved)
        editor.save()
        await until(lambda: saved)
        assert rig.app.find("third").monitor == before

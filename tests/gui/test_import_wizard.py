"""Taking over from another program: nothing changes before it is seen, and nothing stays of what
was cancelled."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog

from tests.exchange import kuma_files
from tests.gui.dialog_rig import Rig, enter_on, heard, press, rigged, unnamed, until
from tests.gui.scene import scene
from uptime_desktop.config import ConfigFile
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.report import Fate, Line, Report
from uptime_desktop.gui.dialogs import import_report
from uptime_desktop.gui.dialogs.export import ExportDialog
from uptime_desktop.gui.dialogs.import_report import ReportTable, Thing, told_lines
from uptime_desktop.gui.dialogs.import_wizard import ImportDialog
from uptime_desktop.gui.dialogs.import_words import will_be_text
from uptime_desktop.gui.main_window import MainWindow
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.gui.translation import use_language
from uptime_desktop.importing import Sighted

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("qapp")]


def kuma_backup(folder: Path, *monitors: dict[str, object]) -> Path:
    path = folder / "kuma.json"
    source = {**kuma_files.backup(), "notificationList": [], "proxyList": []}
    path.write_text(json.dumps({**source, "monitorList": list(monitors) or two_pings()}))
    return path


def two_pings() -> list[dict[str, object]]:
    return [
        kuma_files.monitor(1, "Gateway", "ping", hostname="127.0.0.1", active=False),
        kuma_files.monitor(2, "NAS", "ping", hostname="127.0.0.1", active=False),
    ]


def kuma_database(folder: Path) -> Path:
    """With a history, so that there is something to wait for."""
    path = folder / "kuma.db"
    connection = kuma_files.create(path, 1)
    for number in (1, 2):
        row = {"id": number, "name": f"M{number}", "type": "ping", "hostname": "127.0.0.1"}
        kuma_files.insert(connection, "monitor", {**row, "active": 0})
        beat = {"monitor_id": number, "status": 1, "ping": 20, "msg": "", "important": 0}
        times = (kuma_files.time_text(kuma_files.NOW - n * 60_000) for n in range(1, 4))
        kuma_files.insert(connection, "heartbeat", *({**beat, "time": at} for at in times))
    connection.close()
    return path


@asynccontextmanager
async def wizard_on(folder: Path) -> AsyncIterator[tuple[ImportDialog, Rig]]:
    async with rigged(folder) as rig:
        dialog = ImportDialog(rig.app, rig.tasks)
        dialog.open()
        QApplication.processEvents()
        yield dialog, rig
        if dialog.isVisible():
            dialog.reject()
        dialog.deleteLater()
        QApplication.processEvents()


async def seen(dialog: ImportDialog, path: Path) -> None:
    dialog.choice.take(str(path))
    await until(lambda: dialog.page is dialog.report)


async def test_there_is_nothing_to_look_into_at_first(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, _):
        assert dialog.page is dialog.choice
        assert not dialog.go_on.isEnabled()
        dialog.choice.line.setText("somewhere")
        assert dialog.go_on.isEnabled()
        assert unnamed(dialog) == []


async def test_a_file_is_recognised_and_nothing_changes_by_looking(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, rig):
        await seen(dialog, kuma_backup(tmp_path))
        assert dialog.report.title.text() == "kuma.json, from Uptime Kuma"
        assert dialog.report.counts.text() == "2 monitors, 1 site"
        assert dialog.report.will_be.text() == "2 monitors will be added."
        assert not rig.app.jobs
        assert unnamed(dialog) == []


@pytest.mark.parametrize("scale", [1, 2])
async def test_all_pages_have_one_size_whichever_that_of_the_text_is(
    tmp_path: Path, qapp: QApplication, scale: int
) -> None:
    usual, large = qapp.font(), qapp.font()
    large.setPointSizeF(usual.pointSizeF() * scale)
    qapp.setFont(large)
    async with wizard_on(tmp_path) as (dialog, _):
        width = dialog.width()
        await seen(dialog, kuma_backup(tmp_path))
        assert dialog.report.minimumSizeHint().width() <= width
    qapp.setFont(usual)


async def test_a_folder_can_be_taken(tmp_path: Path) -> None:
    folder = tmp_path / "gatus"
    folder.mkdir()
    (folder / "config.yaml").write_text(
        "endpoints:\n  - name: Home\n    url: http://127.0.0.1:9/\n"
        '    conditions: ["[STATUS] == 200"]\n'
    )
    async with wizard_on(tmp_path) as (dialog, _):
        await seen(dialog, folder)
        assert dialog.report.title.text() == "gatus, from Gatus"
        assert dialog.report.counts.text().startswith("1 monitor")


@pytest.mark.parametrize(
    "content",
    [b"\xff\xd8\xff\x00" * 9, b"[" * 100_000, b"{}", b"", b"SQLite format 3\0" + b"?" * 99],
)
async def test_a_wrong_file_is_refused_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "wrong.json"
    path.write_bytes(content)
    async with wizard_on(tmp_path) as (dialog, rig):
        dialog.choice.take(str(path))
        await until(dialog.go_on.isEnabled)
        assert dialog.page is dialog.choice
        said = dialog.choice.outcome.headline.text()
        assert "wrong.json" in said
        assert "\n" not in said
        assert not rig.problems
        dialog.choice.line.setText(str(tmp_path))
        assert not dialog.choice.outcome.headline.text()


async def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, _):
        dialog.choice.line.setText(str(tmp_path / "nowhere.json"))
        enter_on(dialog.go_on)
        await until(dialog.go_on.isEnabled)
        assert dialog.choice.line.hasFocus()
        assert "cannot be read" in dialog.choice.outcome.headline.text()


async def test_whose_it_is_can_be_said(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, _):
        program = dialog.choice.program
        assert [program.itemText(n) for n in range(program.count())] == [
            "recognised by itself",
            "Uptime Kuma",
            "Gatus",
            "Healthchecks",
            "Uptime-Watcher",
        ]
        program.setCurrentIndex(program.findData("healthchecks"))
        dialog.choice.take(str(kuma_backup(tmp_path)))
        await until(dialog.go_on.isEnabled)
        assert dialog.page is dialog.choice
        assert dialog.choice.outcome.headline.text()


async def test_a_file_can_be_dropped(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, _):
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(kuma_backup(tmp_path)))])
        hand = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, *hand)
        QApplication.sendEvent(dialog.choice.place, enter)
        assert enter.isAccepted()
        drop = QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, *hand)
        QApplication.sendEvent(dialog.choice.place, drop)
        await until(lambda: dialog.page is dialog.report)


async def test_text_cannot_be_dropped(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, _):
        data = QMimeData()
        data.setText("not a file")
        hand = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, *hand)
        enter.ignore()
        QApplication.sendEvent(dialog.choice.place, enter)
        assert not enter.isAccepted()


async def test_a_file_can_be_looked_for(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, _):
        enter_on(dialog.choice.place.folder)
        finder = dialog.findChild(QFileDialog)
        assert finder is not None
        assert finder.fileMode() is QFileDialog.FileMode.Directory
        finder.fileSelected.emit(str(kuma_backup(tmp_path)))
        finder.close()
        await until(lambda: dialog.page is dialog.report)


async def test_every_field_is_told_by_thing(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, _):
        await seen(dialog, kuma_backup(tmp_path))
        model = dialog.report.lines.model
        heads = [row.name for row in model.rows if isinstance(row, Thing)]
        assert heads.count("Gateway") == heads.count("NAS") == 1
        paths = [model.text(row, 0) for row in range(model.rowCount())]
        assert "monitorList[0].hostname" in paths
        shown = sum(not isinstance(row, Thing) for row in model.rows)
        assert dialog.report.lines.filters[None].text() == f"All {shown}"
        place = paths.index("monitorList[0].hostname")
        assert model.sentence(place) == (
            "Field monitorList[0].hostname, Value 127.0.0.1, Became mapped, How host"
        )


async def test_lines_are_found_by_fate_and_by_words(qapp: QApplication) -> None:
    lines = [
        Line("Shop", "a.url", "http://shop", Fate.MAPPED, "url"),
        Line("Shop", "a.weight", "2000", Fate.UNSUPPORTED, "nothing like it"),
        Line("", "version", "1.23", Fate.UNSUPPORTED, "only for reading"),
    ]
    table = ReportTable(Tasks(print))
    await table.show_lines(told_lines(lines), ["Shop"])
    model = table.model

    def texts() -> list[str]:
        return [model.text(row, 0) for row in range(model.rowCount())]

    assert texts() == ["Shop", "a.url", "a.weight", "The file itself", "version"]
    assert model.sentence(0) == "Shop, 2 fields, here already, stays as it is"
    assert table.filters[Fate.MAPPED].text() == "Mapped 1"
    assert not table.filters[Fate.APPROXIMATED].isEnabled()
    table.filters[Fate.UNSUPPORTED].click()
    await until(lambda: texts() == ["Shop", "a.weight", "The file itself", "version"])
    table.search.setText(" SHOP ")
    await until(lambda: texts() == ["Shop", "a.weight"])
    table.show()
    qapp.processEvents()
    assert not table.grab().isNull()
    await table.show_lines(told_lines(lines[:1]), [])
    assert texts() == ["Shop", "a.url"]
    assert table.search.text() == ""
    table.hide()
    table.deleteLater()


async def test_where_no_line_matches_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(import_report, "paint_instead", lambda _, text: said.append(text))
    table = ReportTable(Tasks(print))
    await table.show_lines(told_lines([Line("Shop", "a.url", "x", Fate.MAPPED, "url")]), [])
    table.grab()
    assert not said
    table.search.setText("nothing like it")
    await until(lambda: not table.model.rowCount())
    table.grab()
    assert set(said) == {"No field matches."}
    table.deleteLater()


async def test_letters_are_gathered_and_many_lines_leave_room_for_others() -> None:
    lines = [Line(f"{n // 9}", "url", "x", Fate.MAPPED, "url") for n in range(30_000)]
    table = ReportTable(Tasks(print))
    showing = asyncio.ensure_future(table.show_lines(told_lines(lines), []))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not showing.done()
    await showing
    arranged = heard(table.model.modelReset)
    for text in ("1", "12", "123"):
        table.search.setText(text)
    await until(lambda: arranged)
    table.filters[Fate.MAPPED].click()
    table.filters[None].click()
    await until(lambda: len(arranged) > 1)
    assert len(arranged) == 2
    table.deleteLater()


async def test_it_is_brought_in_and_shown(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, rig):
        asked = heard(dialog.shown)
        await seen(dialog, kuma_backup(tmp_path))
        dialog.go_on.click()
        await until(dialog.last_page.outcome.isVisible)
        assert dialog.last_page.outcome.headline.text() == "Added: 2 monitors, 1 site"
        assert {job.monitor.name for job in rig.app.jobs} == {"Gateway", "NAS"}
        assert asked == []
        assert dialog.go_on.text() == "&Show monitors"
        assert dialog.go_on.hasFocus()
        dialog.go_on.click()
        assert asked == [tuple(job.key for job in rig.app.jobs)]
        assert not dialog.isVisible()


async def test_sentences_follow_each_other_as_the_language_has_it(
    tmp_path: Path, qapp: QApplication
) -> None:
    path = kuma_backup(tmp_path)
    async with rigged(tmp_path) as rig:
        await rig.app.bring_in(await rig.app.look_into(path))
        seen = await rig.app.look_into(path)
    use_language(qapp, "zh_CN")
    text = will_be_text(seen)
    use_language(qapp, "en")
    assert text.count("。") == 2
    assert "。 " not in text


async def test_what_a_window_of_the_same_name_lacks_is_no_monitor_left_out() -> None:
    report = Report()
    report.note("Shop", "", "", Fate.APPROXIMATED, "it is only for the monitors of this file")
    found = Found("Another", report, monitors=({"id": "shop", "name": "Shop"},))
    assert will_be_text(Sighted(found, frozenset())) == "1 monitor will be added."


async def test_what_is_here_already_is_named_and_left_alone(tmp_path: Path) -> None:
    path = kuma_backup(tmp_path)
    async with wizard_on(tmp_path) as (dialog, rig):
        await rig.app.bring_in(await rig.app.look_into(path))
        before = [job.monitor for job in rig.app.jobs]
        await seen(dialog, path)
        assert dialog.report.will_be.text() == (
            "0 monitors will be added. 2 are here already and stay as they are: Gateway, NAS."
        )
        dialog.go_on.click()
        await until(lambda: "nothing new" in dialog.last_page.outcome.headline.text())
        assert not dialog.go_on.isEnabled()
        assert dialog.leave.hasFocus()
        assert [job.monitor for job in rig.app.jobs] == before


async def test_history_comes_along(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, rig):
        await seen(dialog, kuma_database(tmp_path))
        assert dialog.report.counts.text() == "2 monitors, 1 site, history of 2 monitors"
        progress = heard(dialog.last_page.progress.bar.valueChanged)
        dialog.bring_in()
        await until(dialog.last_page.outcome.headline.text)
        said = dialog.last_page.outcome.headline.text()
        assert said == "Added: 2 monitors, 1 site, history of 2 monitors"
        assert progress[-1] == 4
        assert len(rig.app.jobs) == 2


async def test_of_what_was_cancelled_nothing_stays(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, rig):
        await seen(dialog, kuma_database(tmp_path))
        dialog.last_page.progress.bar.valueChanged.connect(
            lambda _: dialog.last_page.progress.cancel.click()
        )
        dialog.bring_in()
        assert dialog.page is dialog.last_page
        assert not dialog.go_on.isVisible()
        await until(lambda: dialog.page is dialog.report)
        assert dialog.problem.headline.text() == "Cancelled. Nothing was changed."
        assert not dialog.allow_file.isVisible()
        assert not rig.app.jobs
        assert not rig.app.sites


async def test_enter_cancels_where_that_has_the_focus(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, rig):
        await seen(dialog, kuma_database(tmp_path))
        enter_on(dialog.go_on)
        assert dialog.last_page.progress.cancel.hasFocus()
        enter_on(dialog.last_page.progress.cancel)
        await until(lambda: dialog.page is dialog.report)
        assert not rig.app.jobs


async def test_enter_imports_nothing_while_the_report_is_looked_through(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, _):
        await seen(dialog, kuma_backup(tmp_path))
        lines = dialog.report.lines
        for part in (lines.search, lines.filters[Fate.MAPPED], lines.table):
            enter_on(part)
            assert dialog.page is dialog.report


async def test_enter_goes_back_from_the_report_where_that_has_the_focus(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, _):
        await seen(dialog, kuma_backup(tmp_path))
        enter_on(dialog.back)
        assert dialog.page is dialog.choice


async def test_escape_cancels_first_and_leaves_then(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, rig):
        await seen(dialog, kuma_database(tmp_path))
        dialog.bring_in()
        press(dialog, Qt.Key.Key_Escape)
        press(dialog, Qt.Key.Key_Escape)
        assert dialog.isVisible()
        await until(lambda: dialog.page is dialog.report)
        assert not rig.app.jobs
        press(dialog, Qt.Key.Key_Escape)
        assert not dialog.isVisible()


@pytest.mark.parametrize("step", ["look_into", "bring_in"])
async def test_what_fails_in_a_way_nobody_thought_of_ends_and_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    async def fail(*_: object) -> None:
        raise ZeroDivisionError

    async with wizard_on(tmp_path) as (dialog, rig):
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        if step == "bring_in":
            await seen(dialog, kuma_backup(tmp_path))
        monkeypatch.setattr(rig.app, step, fail)
        if step == "bring_in":
            dialog.bring_in()
            await until(dialog.problem.isVisible)
            said = dialog.problem.headline.text()
        else:
            dialog.choice.take(str(kuma_backup(tmp_path)))
            await until(lambda: "failed" in dialog.choice.outcome.headline.text())
            said = dialog.choice.outcome.headline.text()
        assert said == "It failed where it should not have: ZeroDivisionError()"
        assert dialog.go_on.isEnabled()


async def test_passwords_need_a_place_that_was_agreed_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    secret = kuma_files.monitor(
        1,
        "Shop",
        "http",
        url="http://127.0.0.1:9/",
        active=False,
        authMethod="basic",
        basic_auth_user="jo",
        basic_auth_pass="hunter2",
    )
    async with wizard_on(tmp_path) as (dialog, rig):
        await seen(dialog, kuma_backup(tmp_path, secret))
        dialog.go_on.click()
        await until(dialog.allow_file.isVisible)
        assert dialog.page is dialog.report
        assert "keyring" in dialog.problem.headline.text()
        assert not rig.app.jobs
        enter_on(dialog.allow_file)
        await until(dialog.last_page.outcome.isVisible)
        assert len(rig.app.jobs) == 1


async def test_while_a_file_decides_it_is_refused_naming_the_file(tmp_path: Path) -> None:
    file = tmp_path / "uptime.toml"
    file.write_text("version = 1\n")
    async with wizard_on(tmp_path) as (dialog, rig):
        await rig.app.obey(ConfigFile(file))
        await seen(dialog, kuma_backup(tmp_path))
        dialog.go_on.click()
        await until(dialog.problem.headline.text)
        assert dialog.problem.headline.text() == (f"{file} says what is watched; change it there")
        assert dialog.page is dialog.report


async def test_a_backup_of_ours_is_restored_into_nothing(tmp_path: Path) -> None:
    backup = tmp_path / "backup.json"
    async with rigged(tmp_path) as rig:
        monitors = [
            {"name": name, "url": "http://127.0.0.1:9/", "cron": "0 0 1 1 *"} for name in "ab"
        ]
        await rig.app.add(monitors, "shop")
        await rig.app.back_up(backup)
        dialog = ImportDialog(rig.app, rig.tasks)
        await seen(dialog, backup)
        assert dialog.report.counts.text() == "2 monitors, 1 site"
        assert not dialog.report.lines.isVisibleTo(dialog)
        said = "A backup is only restored where nothing is set up."
        assert dialog.report.will_be.text() == said
        assert dialog.go_on.text() == "&Restore"
        assert not dialog.go_on.isEnabled()
        dialog.deleteLater()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    async with wizard_on(elsewhere) as (dialog, rig):
        await seen(dialog, backup)
        assert dialog.report.will_be.text().startswith("All of it is restored")
        dialog.go_on.click()
        await until(dialog.last_page.outcome.isVisible)
        assert dialog.last_page.outcome.headline.text() == "Restored: 2 monitors, 1 site"
        assert {job.monitor.name for job in rig.app.jobs} == {"a", "b"}


async def test_closing_while_it_reads_ends_that(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, rig):
        dialog.choice.take(str(kuma_backup(tmp_path)))
        assert dialog.choice.outcome.headline.text() == "Reading…"
        dialog.reject()
        await rig.tasks.close()
        assert dialog.page is dialog.choice
        assert not rig.app.jobs


async def test_back_leads_to_another_file(tmp_path: Path) -> None:
    async with wizard_on(tmp_path) as (dialog, _):
        await seen(dialog, kuma_backup(tmp_path))
        dialog.back.click()
        assert dialog.page is dialog.choice
        assert dialog.go_on.isEnabled()
        assert not dialog.back.isVisible()
        await seen(dialog, kuma_database(tmp_path))
        assert dialog.report.title.text() == "kuma.db, from Uptime Kuma"


async def test_from_the_window_and_back_to_it(tmp_path: Path, qapp: QApplication) -> None:
    async with scene(tmp_path) as stage:
        window = MainWindow(stage.app, stage.bridge, stage.watch, stage.acts, stage.tasks)
        window.show()
        qapp.processEvents()
        window.empty.import_link.click()
        window.menus.bring_in.trigger()
        (dialog,) = window.findChildren(ImportDialog)
        await seen(dialog, kuma_backup(tmp_path))
        dialog.bring_in()
        await until(dialog.last_page.outcome.isVisible)
        window.filters.search.setText("nothing like it")
        dialog.go_on.click()
        assert [one.monitor.name for one in window.selected] == ["Gateway"]
        assert window.filters.search.text() == ""
        window.menus.write_out.trigger()
        (export,) = window.findChildren(ExportDialog)
        assert export.whose.count() == 2
        export.reject()
        window.hide()
        window.deleteLater()
        qapp.processEvents()

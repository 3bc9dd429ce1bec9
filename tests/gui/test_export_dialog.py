"""What is written is what was asked for, where it was asked for, or nothing is."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QFileDialog

from tests.gui.dialog_rig import Rig, enter_on, rigged, unnamed, until
from uptime_desktop.domain.events import CheckFinished, Event
from uptime_desktop.gui.dialogs.export import ExportDialog
from uptime_desktop.gui.dialogs.labels import Hint

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("qapp")]
TOML, BACKUP, RUNS = range(3)


@asynccontextmanager
async def export_on(folder: Path, *selected: str) -> AsyncIterator[tuple[ExportDialog, Rig]]:
    async with rigged(folder) as rig:
        monitors = [
            {"name": name, "url": f"http://127.0.0.1:9/{name}", "cron": "0 0 1 1 *", "retries": 0}
            for name in ("a", "b")
        ]
        await rig.app.add(monitors, "shop")
        numbers = [rig.app.find(name).monitor.number for name in selected]
        dialog = ExportDialog(rig.app, rig.tasks, numbers)
        dialog.open()
        QApplication.processEvents()
        yield dialog, rig
        dialog.reject()
        dialog.deleteLater()
        QApplication.processEvents()


def leftovers(folder: Path, name: str) -> list[Path]:
    return list(folder.glob(f"*{name}*"))


async def said(dialog: ExportDialog) -> str:
    dialog.write.click()
    await until(dialog.outcome.isVisible)
    return dialog.outcome.headline.text()


async def run_all(rig: Rig) -> None:
    """And wait until all is on disk."""
    finished: list[Event] = []
    rig.app.bus.subscribe(
        lambda event, _: finished.append(event) if isinstance(event, CheckFinished) else None
    )
    for job in rig.app.jobs:
        await rig.app.check_now(job)
    await until(lambda: len(finished) == len(rig.app.jobs))


async def test_the_configuration_is_written(tmp_path: Path) -> None:
    async with export_on(tmp_path) as (dialog, _):
        assert unnamed(dialog) == []
        path = tmp_path / "uptime.toml"
        dialog.line.setText(str(path))
        assert await said(dialog) == f"Written to {path}"
        assert 'id = "shop"' in path.read_text()
        assert dialog.open_folder.isVisible()


async def test_a_configuration_that_is_there_keeps_its_comments(tmp_path: Path) -> None:
    path = tmp_path / "uptime.toml"
    path.write_text("version = 1\n# ours since 2019\n")
    async with export_on(tmp_path) as (dialog, _):
        dialog.line.setText(str(path))
        assert await said(dialog) == f"Written to {path}"
        assert "# ours since 2019" in path.read_text()
        assert 'id = "shop"' in path.read_text()


async def test_a_broken_configuration_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "uptime.toml"
    path.write_text("version = [\n")
    async with export_on(tmp_path) as (dialog, _):
        dialog.line.setText(str(path))
        assert "uptime.toml:" in await said(dialog)
        assert path.read_text() == "version = [\n"
        assert not dialog.open_folder.isVisible()


async def test_everything_is_written(tmp_path: Path) -> None:
    async with export_on(tmp_path) as (dialog, rig):
        await run_all(rig)
        dialog.radios[BACKUP].click()
        path = tmp_path / "all.json"
        dialog.line.setText(str(path))
        assert await said(dialog) == f"Written to {path}"
        assert json.loads(path.read_bytes())["format"] == "uptime-desktop-backup"
        assert (await rig.app.look_into_backup(path)).rows["monitors"] == 2


@pytest.mark.parametrize(("choice", "names"), [(0, {"a", "b"}), (1, {"b"})])
async def test_runs_are_written_of_all_or_of_the_selected(
    tmp_path: Path, choice: int, names: set[str]
) -> None:
    async with export_on(tmp_path, "b") as (dialog, rig):
        await run_all(rig)
        assert not dialog.whose.isEnabled()
        dialog.radios[RUNS].click()
        assert dialog.whose.itemText(1) == "of the selected monitor"
        dialog.whose.setCurrentIndex(choice)
        path = tmp_path / "runs.csv"
        dialog.line.setText(str(path))
        assert await said(dialog) == f"Written to {path}"
        header, *rows = path.read_text().splitlines()
        assert header.startswith("site,monitor,name")
        assert {row.split(",")[2] for row in rows} == names


async def test_with_nothing_selected_there_is_no_choice(tmp_path: Path) -> None:
    async with export_on(tmp_path) as (dialog, _):
        dialog.radios[RUNS].click()
        assert not dialog.whose.isEnabled()
        assert dialog.whose.count() == 1


async def test_the_name_follows_the_kind_until_it_is_ones_own(tmp_path: Path) -> None:
    async with export_on(tmp_path) as (dialog, _):
        assert dialog.line.text().endswith("uptime.toml")
        dialog.line.setText(str(tmp_path / "uptime.toml"))
        dialog.radios[BACKUP].click()
        assert dialog.path == tmp_path / "uptime-desktop-backup.json"
        dialog.line.setText(str(tmp_path / "mine.txt"))
        dialog.radios[RUNS].click()
        assert dialog.path == tmp_path / "mine.txt"
        dialog.line.clear()
        assert not dialog.write.isEnabled()


async def test_a_file_is_replaced_only_by_a_second_word(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("precious")
    async with export_on(tmp_path) as (dialog, _):
        dialog.radios[RUNS].click()
        dialog.line.setText(str(path))
        assert await said(dialog) == "runs.csv is there already."
        assert path.read_text() == "precious"
        assert dialog.write.text() == "&Replace it"
        dialog.line.setText(str(path) + "x")
        assert dialog.write.text() == "&Export"
        dialog.line.setText(str(path))
        assert await said(dialog) == "runs.csv is there already."
        dialog.write.click()
        await until(lambda: dialog.outcome.headline.text() == f"Written to {path}")
        assert path.read_text() != "precious"


async def test_what_the_file_dialog_agreed_to_is_not_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("precious")
    async with export_on(tmp_path) as (dialog, _):
        dialog.radios[RUNS].click()
        dialog.browse.click()
        finder = dialog.findChild(QFileDialog)
        assert finder is not None
        assert finder.acceptMode() is QFileDialog.AcceptMode.AcceptSave
        finder.fileSelected.emit(str(path))
        finder.close()
        assert await said(dialog) == f"Written to {path}"


async def test_where_nothing_can_be_written_it_says_so(tmp_path: Path) -> None:
    async with export_on(tmp_path) as (dialog, rig):
        path = tmp_path / "nowhere" / "uptime.toml"
        dialog.line.setText(str(path))
        assert await said(dialog) == f"{path} cannot be written: No such file or directory"
        assert not rig.problems
        assert dialog.write.isEnabled()


@pytest.mark.parametrize("name", ["x" * 300, "~nosuch/uptime.toml", "."])
async def test_no_name_however_odd_holds_it_up(tmp_path: Path, name: str) -> None:
    async with export_on(tmp_path) as (dialog, _):
        dialog.line.setText(name if name.startswith("~") else str(tmp_path / name))
        assert "cannot be written: " in await said(dialog)
        assert dialog.leave.isEnabled()


async def test_what_fails_in_a_way_nobody_thought_of_ends_and_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_path: Path) -> None:
        raise ZeroDivisionError

    async with export_on(tmp_path) as (dialog, rig):
        monkeypatch.setattr(rig.app, "export_toml", fail)
        loud = list[object]()
        asyncio.get_running_loop().set_exception_handler(lambda _, what: loud.append(what))
        assert await said(dialog) == "It failed where it should not have: ZeroDivisionError()"
        assert dialog.leave.isEnabled()
        assert loud


async def test_of_what_was_cancelled_nothing_is_written(tmp_path: Path) -> None:
    async with export_on(tmp_path) as (dialog, rig):
        await run_all(rig)
        dialog.radios[BACKUP].click()
        path = tmp_path / "all.json"
        dialog.line.setText(str(path))
        dialog.write.click()
        assert dialog.progress.isVisible()
        assert not dialog.leave.isEnabled()
        dialog.reject()
        dialog.reject()
        assert dialog.isVisible()
        await until(dialog.outcome.isVisible)
        assert dialog.outcome.headline.text() == "Cancelled. Nothing was written."
        assert leftovers(tmp_path, "all.json") == []
        assert dialog.write.isEnabled()


async def test_the_folder_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def refuse(url: QUrl) -> bool:
        asked.append(url.toLocalFile())
        return False

    monkeypatch.setattr(QDesktopServices, "openUrl", refuse)
    async with export_on(tmp_path) as (dialog, _):
        dialog.line.setText(str(tmp_path / "uptime.toml"))
        await said(dialog)
        enter_on(dialog.open_folder)
        assert asked == [str(tmp_path)]
        assert dialog.outcome.headline.text() == f"No program was found that opens {tmp_path}."


async def test_enter_leaves_where_that_has_the_focus(tmp_path: Path) -> None:
    async with export_on(tmp_path) as (dialog, _):
        dialog.line.setText(str(tmp_path / "uptime.toml"))
        enter_on(dialog.leave)
        assert not dialog.isVisible()


async def test_enter_in_the_line_exports_and_once_more_leaves(tmp_path: Path) -> None:
    async with export_on(tmp_path) as (dialog, _):
        dialog.line.setText(str(tmp_path / "uptime.toml"))
        enter_on(dialog.line)
        assert dialog.progress.cancel.hasFocus()
        await until(dialog.open_folder.isVisible)
        assert dialog.leave.hasFocus()


async def test_the_focus_goes_on_to_what_comes_next(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").touch()
    async with export_on(tmp_path) as (dialog, _):
        dialog.radios[RUNS].click()
        dialog.line.setText(str(tmp_path / "runs.csv"))
        enter_on(dialog.write)
        await until(dialog.outcome.isVisible)
        assert dialog.browse.hasFocus()
        dialog.line.setText(str(tmp_path / "nowhere" / "runs.csv"))
        enter_on(dialog.write)
        await until(dialog.outcome.isVisible)
        assert dialog.line.hasFocus()
        dialog.line.setText(str(tmp_path / "more.csv"))
        enter_on(dialog.write)
        dialog.cancel()
        await until(dialog.outcome.isVisible)
        assert dialog.write.hasFocus()


async def test_it_cannot_be_made_so_small_that_words_are_cut(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with export_on(tmp_path) as (dialog, _):
        dialog.resize(1, 1)
        qapp.processEvents()
        for words in dialog.findChildren(Hint):
            assert words.height() >= words.heightForWidth(words.width())

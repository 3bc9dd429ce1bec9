"""Maintenance is planned in words and by hand, and what is wrong is said beside its field."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gui.dialog_rig import activate, heard, press, unnamed
from tests.gui.maintenance_stage import Stage, at, saved, staged, window
from uptime_desktop.domain.maintenance import Mode, OnceAt, Weekly, Window
from uptime_desktop.domain.maintenance_definition import describe_window
from uptime_desktop.domain.model import HOUR_MS
from uptime_desktop.gui.dialogs.maintenance import MaintenanceDialog
from uptime_desktop.gui.dialogs.maintenance_editor import MaintenanceEditor
from uptime_desktop.gui.dialogs.maintenance_week import DAY, WeekGrid
from uptime_desktop.gui.dialogs.maintenance_when import WeeklyFields


@asynccontextmanager
async def editing(
    folder: Path, qtbot: QtBot, planned: Window | None = None
) -> AsyncIterator[tuple[MaintenanceEditor, Stage]]:
    async with staged(folder) as stage:
        if planned is not None:
            await stage.app.save_window(planned)
        editor = MaintenanceEditor(stage.app, stage.tasks, planned)
        qtbot.addWidget(editor)
        editor.show()
        QApplication.processEvents()
        yield editor, stage


def times(editor: MaintenanceEditor) -> list[str]:
    return [time.text() for time, _ in editor.preview.rows if time.text()]


def drag(grid: WeekGrid, start: QPoint, *ways: QPoint) -> None:
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(grid, left, pos=start)
    for way in ways:
        QTest.mouseMove(grid, way)
    QTest.mouseRelease(grid, left, pos=ways[-1])


def drawn(weekly: WeeklyFields) -> tuple[str, str, str]:
    """What the fields say of what was drawn."""
    return ",".join(weekly.days.given()), weekly.at.given(), weekly.duration.text()


def inside(grid: WeekGrid, day: int, hour: int, minute: int = 0) -> QPoint:
    """A little into a step of the week."""
    return grid.point_of(day * DAY + hour * 60 + minute) + QPoint(0, 2)


@pytest.mark.asyncio
async def test_a_new_window_is_each_sunday_night_for_everything(
    tmp_path: Path, qtbot: QtBot
) -> None:
    async with editing(tmp_path, qtbot) as (editor, stage):
        assert times(editor) == [
            "Sun 22 Nov 02:00 – 04:00",
            "Sun 29 Nov 02:00 – 04:00",
            "Sun 6 Dec 02:00 – 04:00",
            "Sun 13 Dec 02:00 – 04:00",
            "Sun 20 Dec 02:00 – 04:00",
        ]
        made = await saved(editor)
        assert made == Window(
            "maintenance", "Maintenance", Weekly(frozenset({6}), 120, 2 * HOUR_MS)
        )
        assert stage.app.windows == {"maintenance": made}


@pytest.mark.asyncio
async def test_the_fields_say_the_rest(tmp_path: Path, qtbot: QtBot) -> None:
    async with editing(tmp_path, qtbot) as (editor, _):
        editor.name.fill("Router firmware")
        editor.when.choose("cron")
        editor.when.cron.cron.fill("30 3 1 * *")
        editor.when.cron.duration.fill("45m")
        editor.when.cron.zone.fill("Europe/Berlin")
        editor.scope.fill(["home"], ["search"])
        editor.modes[Mode.PAUSE].setChecked(True)
        assert describe_window(await saved(editor)) == {
            "id": "router-firmware",
            "name": "Router firmware",
            "cron": "30 3 1 * *",
            "tz": "Europe/Berlin",
            "duration": "45m",
            "mode": "pause",
            "sites": ("home",),
            "monitors": ("search",),
        }


@pytest.mark.asyncio
async def test_a_weekly_window_is_drawn_and_snaps_to_quarters(tmp_path: Path, qtbot: QtBot) -> None:
    async with editing(tmp_path, qtbot) as (editor, _):
        grid, weekly = editor.preview.grid, editor.when.weekly
        drag(grid, inside(grid, 2, 14), inside(grid, 2, 15), inside(grid, 2, 16, 45))
        assert drawn(weekly) == ("wed", "14:00", "3h")
        drag(grid, inside(grid, 2, 20), inside(grid, 2, 18, 15))
        assert drawn(weekly) == ("wed", "18:15", "2h")
        assert times(editor)[0] == "Wed 18 Nov 18:15 – 20:15"


@pytest.mark.asyncio
async def test_a_press_alone_draws_nothing(tmp_path: Path, qtbot: QtBot) -> None:
    async with editing(tmp_path, qtbot) as (editor, _):
        grid = editor.preview.grid
        told = heard(grid.drawn)
        QTest.mouseClick(grid, Qt.MouseButton.LeftButton, pos=inside(grid, 2, 14))
        assert not told
        drag(grid, inside(grid, 2, 14), inside(grid, 2, 15), inside(grid, 2, 14))
        assert drawn(editor.when.weekly) == ("wed", "14:00", "15m")


@pytest.mark.asyncio
async def test_drawing_goes_on_in_the_next_day(tmp_path: Path, qtbot: QtBot) -> None:
    async with editing(tmp_path, qtbot) as (editor, _):
        grid = editor.preview.grid
        drag(grid, inside(grid, 4, 22), inside(grid, 5, 5, 45))
        assert drawn(editor.when.weekly) == ("fri", "22:00", "8h")


@pytest.mark.asyncio
async def test_a_click_on_the_name_of_a_day_adds_it_or_leaves_it_out(
    tmp_path: Path, qtbot: QtBot
) -> None:
    async with editing(tmp_path, qtbot) as (editor, _):
        grid = editor.preview.grid
        for day in (1, 3, 6):
            QTest.mouseClick(grid, Qt.MouseButton.LeftButton, pos=grid.title_point(day))
        assert drawn(editor.when.weekly) == ("tue,thu", "02:00", "2h")
        assert [block.start // DAY for block in grid.week.blocks] == [1, 3]
        drag(grid, inside(grid, 3, 10), inside(grid, 3, 10, 45))
        assert drawn(editor.when.weekly) == ("tue,thu", "10:00", "1h")


@pytest.mark.asyncio
async def test_a_block_is_moved_by_its_middle_and_stretched_by_its_end(
    tmp_path: Path, qtbot: QtBot
) -> None:
    async with editing(tmp_path, qtbot, window(days="mon,wed")) as (editor, _):
        grid, weekly = editor.preview.grid, editor.when.weekly
        drag(grid, inside(grid, 0, 2, 30), inside(grid, 0, 5), inside(grid, 1, 6))
        assert drawn(weekly) == ("tue,thu", "05:30", "2h")
        end = grid.point_of(DAY + 7 * 60 + 30) - QPoint(0, 2)
        drag(grid, end, inside(grid, 1, 9, 15))
        assert drawn(weekly) == ("tue,thu", "05:30", "4h")


@pytest.mark.asyncio
async def test_what_the_mouse_does_keys_do_too(tmp_path: Path, qtbot: QtBot) -> None:
    async with editing(tmp_path, qtbot) as (editor, _):
        grid, weekly = editor.preview.grid, editor.when.weekly
        activate(editor)
        grid.setFocus()
        press(grid, Qt.Key.Key_Down)
        press(grid, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
        assert drawn(weekly) == ("sun", "02:15", "135m")
        press(grid, Qt.Key.Key_Up)
        press(grid, Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
        press(grid, Qt.Key.Key_Right)
        press(grid, Qt.Key.Key_Space)
        assert drawn(weekly) == ("tue,sun", "02:00", "2h")
        for _ in range(12):
            press(grid, Qt.Key.Key_Up)
        assert drawn(weekly) == ("tue,sun", "00:00", "2h")


@pytest.mark.asyncio
async def test_tab_comes_by_the_week_before_the_buttons(tmp_path: Path, qtbot: QtBot) -> None:
    async with editing(tmp_path, qtbot) as (editor, _):
        activate(editor)
        editor.modes[Mode.SILENCE].setFocus()
        press(editor.modes[Mode.SILENCE], Qt.Key.Key_Tab)
        assert editor.preview.grid.hasFocus()
        press(editor.preview.grid, Qt.Key.Key_Tab)
        assert editor.save_button.hasFocus()


@pytest.mark.asyncio
async def test_one_for_once_is_drawn_on_the_week_it_is_in(tmp_path: Path, qtbot: QtBot) -> None:
    async with editing(tmp_path, qtbot) as (editor, _):
        editor.when.choose("starts")
        editor.judge()
        grid = editor.preview.grid
        assert grid.week.titles[2] == "Wed 18"
        assert times(editor) == ["Wed 18 Nov 13:00 – 15:00"]
        drag(grid, inside(grid, 5, 8), inside(grid, 5, 9, 45))
        assert times(editor) == ["Sat 21 Nov 08:00 – 10:00"]
        grid.setFocus()
        press(grid, Qt.Key.Key_Right)
        press(grid, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
        assert times(editor) == ["Sun 22 Nov 08:00 – 10:15"]
        assert (await saved(editor)).when == OnceAt(at(4, 8), at(4, 10, 15))


@pytest.mark.asyncio
async def test_a_cron_window_is_shown_on_the_week_it_comes_in(tmp_path: Path, qtbot: QtBot) -> None:
    async with editing(tmp_path, qtbot, window(cron="0 2 24 12 *", duration="3h")) as (editor, _):
        grid = editor.preview.grid
        assert grid.week.titles[3] == "Thu 24"
        assert [(block.start, block.minutes) for block in grid.week.blocks] == [
            (3 * DAY + 120, 180)
        ]
        told = heard(grid.drawn)
        drag(grid, inside(grid, 2, 8), inside(grid, 2, 9))
        assert not told
        assert times(editor)[0] == "Thu 24 Dec 02:00 – 05:00"


@pytest.mark.asyncio
async def test_what_is_wrong_is_said_beside_its_field(tmp_path: Path, qtbot: QtBot) -> None:
    async with editing(tmp_path, qtbot) as (editor, stage):
        weekly = editor.when.weekly
        weekly.duration.fill("8d")
        said = weekly.duration.complaint.text
        assert said == "Duration: 8 d is too long. Allowed: 1 min to 7 d."
        assert editor.preview.summary.text() == "No preview: Duration is not valid."
        assert not times(editor)
        assert not editor.save_button.isEnabled()
        weekly.duration.fill("2h")
        weekly.days.choose(frozenset())
        assert weekly.days.complaint.text.startswith("Days: no day of the week is named")
        weekly.days.choose(frozenset(range(7)))
        weekly.duration.fill("1d")
        assert "runs into its next start again and again" in weekly.duration.complaint.text
        weekly.duration.fill("2h")
        weekly.zone.fill("Mars")
        assert weekly.zone.complaint.text.startswith("Time zone: 'Mars' is not a known time zone")
        editor.save()
        assert not stage.app.windows
        weekly.zone.fill("")
        assert editor.save_button.isEnabled()
        assert not editor.refused


@pytest.mark.asyncio
async def test_dates_are_refused_in_words_not_in_notation(tmp_path: Path, qtbot: QtBot) -> None:
    async with editing(tmp_path, qtbot) as (editor, _):
        editor.when.choose("starts")
        ends = editor.when.once.ends
        ends.moment.setDateTime(editor.when.once.starts.moment.dateTime())
        assert ends.complaint.text == "To: it is not after the start. Allowed: a later time."
        editor.when.once.draw(0, 60)
        assert ends.complaint.text == "To: it is past. Allowed: a time to come."


@pytest.mark.asyncio
async def test_nothing_chosen_does_not_mean_everything(tmp_path: Path, qtbot: QtBot) -> None:
    async with editing(tmp_path, qtbot) as (editor, _):
        editor.scope.some.setChecked(True)
        assert editor.scope.sites.complaint.text.startswith("Sites: nothing is chosen")
        assert not editor.save_button.isEnabled()
        editor.scope.monitors.fill(("nas",))
        assert editor.save_button.isEnabled()
        editor.scope.everything.setChecked(True)
        assert (await saved(editor)).monitors == frozenset()


@pytest.mark.asyncio
async def test_an_edit_keeps_what_is_not_in_the_form(tmp_path: Path, qtbot: QtBot) -> None:
    early = replace(window(), is_on=False, off_until=at(4, 4))
    async with editing(tmp_path, qtbot, early) as (editor, _):
        editor.name.fill("Other name")
        assert await saved(editor) == replace(early, name="Other name")


@pytest.mark.asyncio
async def test_other_times_are_not_ended_early(tmp_path: Path, qtbot: QtBot) -> None:
    async with editing(tmp_path, qtbot, replace(window(), off_until=at(4, 4))) as (editor, _):
        editor.when.weekly.at.fill("03:00")
        assert (await saved(editor)).off_until is None


@pytest.mark.asyncio
async def test_every_control_has_a_name(tmp_path: Path, qtbot: QtBot) -> None:
    async with editing(tmp_path, qtbot) as (editor, stage):
        for way in ("days", "starts", "cron"):
            editor.when.choose(way)
            editor.judge()
            assert unnamed(editor) == []
        dialog = MaintenanceDialog(stage.app, stage.watch, stage.acts, stage.tasks)
        qtbot.addWidget(dialog)
        dialog.notice.tell("Deploys was removed.", act_name="Undo", act=dialog.undo)
        assert unnamed(dialog) == []

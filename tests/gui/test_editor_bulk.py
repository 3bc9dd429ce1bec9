"""Several monitors changed at once: what is touched changes in each, all else stays."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from tests.fakes import FakeClock
from tests.gui.dialog_rig import Rig, activate, heard, press, rigged, unnamed, until
from uptime_desktop.domain.model import Cadence, Cron, Every, Policy, Setting
from uptime_desktop.domain.notation import instant_text
from uptime_desktop.engine.clock import wall_now
from uptime_desktop.gui.dialogs.bulk_edit import BulkEdit
from uptime_desktop.gui.dialogs.written_fields import TextField

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.usefixtures("qapp"),
    pytest.mark.qt_log_ignore("propagateSizeHints"),  # windows without a screen have none
]

URL = "https://shop.example/"


async def bulk_of(rig: Rig, *given: dict[str, Setting]) -> BulkEdit:
    await rig.app.add({"name": f"m{n}", "url": URL, **one} for n, one in enumerate(given))
    dialog = BulkEdit(rig.app, rig.tasks, rig.app.jobs)
    dialog.open()
    activate(dialog)
    return dialog


def line_of(dialog: BulkEdit, key: str) -> TextField:
    field = dialog.fields[key]
    assert isinstance(field, TextField)
    return field


def complaints(dialog: BulkEdit) -> list[str]:
    return [key for key, field in dialog.fields.items() if field.complaint.text]


async def test_what_differs_reads_mixed_and_nothing_touched_is_nothing_to_do(
    tmp_path: Path,
) -> None:
    async with rigged(tmp_path) as rig:
        dialog = await bulk_of(rig, {"every": "60s"}, {"every": "5m", "backoff": "none"})
        assert line_of(dialog, "every").line.placeholderText() == "mixed"
        assert line_of(dialog, "timeout").line.placeholderText() == "30s"
        assert dialog.fields["backoff"].editor.currentText() == "as now: mixed"  # type: ignore[attr-defined]
        assert dialog.given() == {}
        assert not dialog.apply_button.isEnabled()
        changed = heard(dialog.changed)
        dialog.apply()
        assert not changed
        dialog.reject()


async def test_only_what_is_touched_changes(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        grid = {"every": "5m", "cadence": "grid", "anchor": "2026-01-01T00:00:00Z"}
        dialog = await bulk_of(
            rig,
            {"every": "60s", "retries": 3, "keyword": "ok", "tags": "prod,old"},
            {**grid, "timeout": "5s"},
            {"cron": "0 9 * * *", "tz": "Europe/Berlin", "tags": "old"},
        )
        changed = heard(dialog.changed)
        line_of(dialog, "every").line.setText("2m")
        dialog.fields["backoff"].fill("ladder")
        line_of(dialog, "add_tags").line.setText("prod, new")
        line_of(dialog, "remove_tags").line.setText("old")
        dialog.apply()
        await until(lambda: changed)
        assert dialog.line.headline.text() == "3 monitors changed"
        plain, on_grid, was_cron = (job.monitor for job in rig.app.jobs)
        assert plain.schedule == was_cron.schedule == Every(120_000)
        assert isinstance(on_grid.schedule, Every)
        assert on_grid.schedule.cadence is Cadence.GRID
        assert [one.tags for one in (plain, on_grid, was_cron)] == [("prod", "new")] * 3
        assert {one.backoff.policy for one in (plain, on_grid, was_cron)} == {Policy.LADDER}
        assert (plain.retries, plain.settings["keyword"], on_grid.timeout_ms) == (3, "ok", 5_000)
        assert dialog.given() == {}
        assert line_of(dialog, "every").line.placeholderText() == "2m"
        dialog.reject()


async def test_a_schedule_that_is_not_touched_stays(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        dialog = await bulk_of(rig, {"cron": "0 9 * * *"}, {"every": "60s"})
        changed = heard(dialog.changed)
        line_of(dialog, "retries").line.setText("0")
        dialog.apply()
        await until(lambda: changed)
        first, second = (job.monitor for job in rig.app.jobs)
        assert isinstance(first.schedule, Cron)
        assert second.schedule == Every(60_000)
        assert first.retries == second.retries == 0
        dialog.reject()


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("every", "3s"),
        ("timeout", "1h"),
        ("retries", "many"),
        ("add_tags", "x" * 201),
        ("remove_tags", "x" * 201),
    ],
)
async def test_a_refusal_is_said_beside_its_field_and_nothing_changes(
    tmp_path: Path, key: str, text: str
) -> None:
    async with rigged(tmp_path) as rig:
        dialog = await bulk_of(rig, {}, {})
        before = [job.monitor for job in rig.app.jobs]
        changed = heard(dialog.changed)
        line_of(dialog, key).line.setText(text)
        assert complaints(dialog) == [key]
        assert line_of(dialog, key).line.accessibleDescription()
        assert not dialog.apply_button.isEnabled()
        press(dialog, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert QApplication.focusWidget() is line_of(dialog, key).line
        assert not changed
        assert [job.monitor for job in rig.app.jobs] == before
        dialog.reject()


async def test_one_that_cannot_be_changed_is_named_and_none_is(tmp_path: Path) -> None:
    clock = FakeClock(wall_now())
    async with rigged(tmp_path, clock) as rig:
        soon = instant_text(clock.wall() + 60_000)
        dialog = await bulk_of(rig, {"every": "60s"}, {"at": soon, "name": "Move"})
        before = rig.app.jobs[0].monitor
        changed = heard(dialog.changed)
        await clock.advance(120_000)
        line_of(dialog, "retries").line.setText("0")
        dialog.apply()
        await until(dialog.line.headline.text)
        assert dialog.line.headline.text().startswith(f"Move: '{soon}' is past.")
        assert dialog.line.detail.text() == "Nothing was changed."
        assert rig.app.jobs[0].monitor == before
        assert not changed
        dialog.reject()


async def test_when_the_store_fails_midway_it_says_how_far_it_came(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        dialog = await bulk_of(rig, {}, {}, {})
        with closing(sqlite3.connect(tmp_path / "uptime.db")) as database:
            database.execute("DELETE FROM monitors WHERE id = ?", (rig.app.jobs[1].monitor.id,))
            database.commit()
        changed = heard(dialog.changed)
        line_of(dialog, "retries").line.setText("0")
        dialog.apply()
        await until(lambda: changed)
        assert dialog.line.headline.text()
        assert dialog.line.detail.text() == "1 monitor changed"
        assert dialog.given() == {"retries": "0"}
        dialog.reject()


async def test_every_control_has_a_name(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        dialog = await bulk_of(rig, {}, {})
        assert unnamed(dialog) == []
        dialog.reject()


async def test_what_follows_others_takes_no_times(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await rig.app.add([{"name": "m0", "id": "m0", "url": URL}])
        await rig.app.add([{"kind": "group", "members": ("m0",), "name": "all"}])
        dialog = await bulk_of(rig)
        changed = heard(dialog.changed)
        line_of(dialog, "timeout").line.setText("10s")
        line_of(dialog, "add_tags").line.setText("prod")
        dialog.apply()
        await until(lambda: changed)
        monitors = {job.monitor.id: job.monitor for job in rig.app.jobs}
        assert monitors["m0"].timeout_ms == 10_000
        assert {one.tags for one in monitors.values()} == {("prod",)}
        dialog.reject()


async def test_where_all_follow_others_only_tags_can_be_changed(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await rig.app.add([{"name": "web", "id": "web", "url": URL}])
        await rig.app.add([{"kind": "group", "members": ("web",), "name": n} for n in ("a", "b")])
        dialog = BulkEdit(rig.app, rig.tasks, rig.app.jobs[1:])
        assert [key for key, field in dialog.fields.items() if field.isEnabled()] == [
            "add_tags",
            "remove_tags",
        ]
        dialog.reject()

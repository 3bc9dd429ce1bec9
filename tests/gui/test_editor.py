"""The editor: what is typed becomes a monitor, and what cannot be one is told beside its field."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAccessible, QScreen
from PySide6.QtWidgets import QApplication, QLineEdit

from tests.gui.dialog_rig import (
    Rig,
    activate,
    enter_on,
    heard,
    press,
    rigged,
    unnamed,
    until,
    walked,
)
from tests.website import Website
from uptime_desktop.checks.registry import KINDS
from uptime_desktop.config import Settings
from uptime_desktop.domain.definition import describe_monitor
from uptime_desktop.domain.model import Every, Monitor, Policy, Setting
from uptime_desktop.gui.dialogs.maintenance_editor import MaintenanceEditor
from uptime_desktop.gui.dialogs.mapping_field import MappingField
from uptime_desktop.gui.dialogs.monitor_editor import MonitorEditor
from uptime_desktop.gui.dialogs.written_fields import LinesField, TextField

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.usefixtures("qapp"),
    pytest.mark.qt_log_ignore("propagateSizeHints"),  # windows without a screen have none
]

URL = "https://shop.example/health"
CTRL = Qt.KeyboardModifier.ControlModifier


def editor_of(rig: Rig, target: str = "", *, edit: bool = False) -> MonitorEditor:
    editor = MonitorEditor(rig.app, rig.tasks, rig.app.jobs[0] if edit else None)
    editor.open()
    activate(editor)
    if target:
        editor.set_target(target)
    return editor


def type_into(editor: MonitorEditor, key: str, text: str) -> None:
    field = editor.form.fields[key]
    assert isinstance(field, TextField)
    field.line.setText(text)


def target_of(editor: MonitorEditor) -> TextField:
    field = editor.form.target
    assert isinstance(field, TextField)
    return field


def complaints(editor: MonitorEditor) -> dict[str, str]:
    fields = editor.form.fields.items()
    return {key: field.complaint.text for key, field in fields if field.complaint.text}


def description(editor: MonitorEditor, key: str) -> str:
    proxy = editor.form.fields[key].focusProxy()
    assert proxy is not None
    return QAccessible.queryAccessibleInterface(proxy).text(QAccessible.Text.Description)


async def test_what_is_typed_is_watched(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig, URL)
        saved, ended = heard(editor.saved), heard(editor.accepted)
        type_into(editor, "name", "Checkout")
        type_into(editor, "tags", "prod, pay")
        type_into(editor, "every", "90s")
        type_into(editor, "keyword", "ok")
        editor.form.site.combo.setEditText("Shop")
        editor.save()
        await until(lambda: ended)
        (monitor,) = saved
        assert isinstance(monitor, Monitor)
        assert (monitor.name, monitor.site_id, monitor.tags) == (
            "Checkout",
            "Shop",
            ("prod", "pay"),
        )
        assert monitor.schedule == Every(90_000)
        assert monitor.settings == {"url": URL, "keyword": "ok"}


async def test_a_monitor_nobody_named_is_called_by_its_address(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig, "db.example:5432")
        assert editor.kinds.kind.name == "tcp"
        assert editor.form.name.line.placeholderText() == "db.example:5432"
        saved = heard(editor.saved)
        editor.save()
        await until(lambda: saved)
        assert rig.app.jobs[0].monitor.name == "db.example:5432"


async def test_a_new_monitor_begins_with_the_defaults_of_the_settings(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        changed = Settings(default_interval_ms=300_000, default_backoff=Policy.LADDER)
        await rig.app.change_settings(changed)
        editor = editor_of(rig, URL)
        saved = heard(editor.saved)
        editor.save()
        await until(lambda: saved)
        monitor = rig.app.jobs[0].monitor
        assert (monitor.schedule, monitor.backoff.policy) == (Every(300_000), Policy.LADDER)


async def test_the_address_goes_along_to_another_kind_and_answers_wait(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig, URL)
        type_into(editor, "keyword", "ok")
        editor.kinds.choose("tcp")
        assert target_of(editor).line.text() == "shop.example:443"
        assert "keyword" not in editor.form.fields
        editor.kinds.choose("http")
        assert target_of(editor).line.text() == URL
        assert editor.form.given()["keyword"] == "ok"
        editor.reject()


# What is wrong


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("every", "3s", "Interval: 3 s is too short. Allowed: 5 s to 30 d."),
        ("every", "", "Interval: '' is not a duration."),
        ("timeout", "10m", "Timeout: 10 min is too long. Allowed: 1 s to 5 min."),
        ("retries", "11", "Retries: '11' is not a whole number in range. Allowed: 0 to 10."),
        ("backoff_cap", "1s", "Backoff limit: 1 s is too short."),
        ("jitter", "0.6", "Spread: '0.6' is not a fraction in range. Allowed: 0 to 0.5."),
        ("min_interval", "soon", "Shortest wait: 'soon' is not a duration."),
        ("max_interval", "40d", "Longest wait: 40 d is too long."),
        ("auto_pause_after", "-1", "Pause after: '-1' is not a whole number in range."),
        ("name", "x" * 201, "Name: 'xxx"),
        ("url", "ftp://shop.example", "Address: 'ftp://shop.example' is not a web address."),
        ("accepted_codes", "2xx", "Status codes: '2xx' is not a range of codes."),
        ("latency_threshold", "2", "Slow over: '2' is not a duration."),
        ("max_body", "many", "Most bytes read: 'many' is not a whole number in range."),
        ("keyword", "x" * 4_097, "Has the text: 4097 characters are out of range."),
    ],
)
async def test_a_refusal_is_said_beside_its_field_only(
    tmp_path: Path, key: str, text: str, said: str
) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig, URL)
        saved = heard(editor.saved)
        type_into(editor, key, text)
        assert list(complaints(editor)) == [key]
        assert complaints(editor)[key].startswith(said)
        assert description(editor, key) == complaints(editor)[key]
        assert not editor.save_button.isEnabled()
        press(editor, Qt.Key.Key_Return, CTRL)
        assert not saved
        assert not rig.app.jobs
        editor.reject()


@pytest.mark.parametrize(
    ("keys", "refused"),
    [
        ({"cron": "61 * * * *"}, "cron"),
        ({"cron": "0 0 30 2 *"}, "cron"),
        ({"cron": ""}, "cron"),
        ({"cron": "0 9 * * *", "tz": "Mars/Base"}, "tz"),
        ({"cron": "*/5 * * * *", "dialect": "posix"}, "cron"),
        ({"at": "2020-01-01T00:00:00Z"}, "at"),
        ({"every": "5s", "cadence": "grid"}, "every"),
        ({"every": "60s", "min_interval": "10m", "max_interval": "5m"}, "min_interval"),
        ({"every": "60s", "backoff": "fixed", "retry_delay": "1s"}, "retry_delay"),
    ],
)
async def test_so_is_one_about_the_schedule(
    tmp_path: Path, keys: Mapping[str, Setting], refused: str
) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig, URL)
        editor.form.schedule.fill(keys)
        assert list(complaints(editor)) == [refused]
        assert editor.preview.forecast is None
        assert editor.preview.summary.text().startswith("No preview: ")
        editor.reject()


async def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig, URL)
        for key in ("every", "timeout", "retries", "latency_threshold"):
            type_into(editor, key, "x")
        assert set(complaints(editor)) == {"every", "timeout", "retries", "latency_threshold"}
        type_into(editor, "timeout", "10s")
        assert "timeout" not in complaints(editor)
        editor.reject()


async def test_a_form_just_opened_blames_nobody_until_one_tries_to_save(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig)
        assert complaints(editor) == {}
        assert not editor.save_button.isEnabled()
        editor.form.name.setFocus()
        press(editor, Qt.Key.Key_Return, CTRL)
        await until(lambda: complaints(editor))
        assert list(complaints(editor)) == ["url"]
        assert QApplication.focusWidget() is target_of(editor).line
        editor.reject()


async def test_a_wrong_field_that_is_folded_away_is_shown_and_gets_the_focus(
    tmp_path: Path,
) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig, URL)
        type_into(editor, "max_body", "many")
        fold = next(
            fold
            for fold in editor.form.kind_form.folds.values()
            if fold.content.isAncestorOf(editor.form.fields["max_body"])
        )
        assert not fold.is_open
        editor.save()
        assert fold.is_open
        assert QApplication.focusWidget() is editor.form.fields["max_body"].focusProxy()
        editor.reject()


async def test_headers_given_twice_are_refused_beside_the_headers(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig, URL)
        for number in (0, 1):
            rows = headers_of(editor).rows()
            rows[number][0].setText("X-Team")
            rows[number][1].setText(str(number))
        assert complaints(editor) == {
            "headers": "Headers: 'X-Team' is given twice. Allowed: each name once."
        }
        headers_of(editor).rows()[0][2].click()
        assert complaints(editor) == {}
        assert editor.form.given()["headers"] == {"X-Team": "1"}
        editor.reject()


async def test_what_the_store_refuses_is_a_line_and_nothing_typed_is_lost(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await rig.app.add([{"name": "web", "url": URL}])
        job = rig.app.jobs[0]
        job.monitor = replace(job.monitor, id="other")  # so that the store refuses
        editor = editor_of(rig, URL)
        saved = heard(editor.saved)
        type_into(editor, "name", "web")
        editor.save()
        await until(lambda: not editor.problem_row.isHidden())
        assert "there is already a monitor web" in editor.problem.headline.text()
        assert editor.allow_file.isHidden()
        assert not saved
        assert editor.isVisible()
        assert editor.form.name.line.text() == "web"
        assert editor.save_button.isEnabled()
        type_into(editor, "name", "web 2")
        assert editor.problem_row.isHidden()
        editor.save()
        await until(lambda: saved)


# Edit


EDITED: list[dict[str, Setting]] = [
    {"url": URL, "every": "90s", "tags": ("a", "b")},
    {"url": URL, "every": "5m", "cadence": "grid", "anchor": "2026-01-01T00:00:30.250Z"},
    {"url": URL, "cron": "0 9 * * 1-5", "tz": "Europe/Berlin"},
    {"url": URL, "cron": "0 9 * * 1-5", "dialect": "posix"},
    {"url": URL, "at": "2999-01-01T12:00:00Z"},
    {"url": URL, "every": "60s", "backoff": "fixed", "retry_delay": "30s", "jitter": "0.25"},
    {"url": URL, "every": "60s", "min_interval": "10s", "max_interval": "2h", "retries": 3},
    {"url": URL, "every": "60s", "auto_pause_after": 4, "catch_up": "skip", "timeout": "5s"},
    {
        "url": URL,
        "every": "60s",
        "method": "POST",
        "body": "a\nb",
        "headers": {"X-Team": "pay"},
        "accepted_codes": ("200-299", "401"),
        "follow_redirects": False,
        "latency_threshold": "1500ms",
    },
    {"kind": "tcp", "host": "db.example", "port": 5432, "send": r"PING\r\n", "every": "60s"},
]


@pytest.mark.parametrize("given", EDITED)
async def test_an_edit_that_touches_nothing_changes_nothing(
    tmp_path: Path, given: dict[str, Setting]
) -> None:
    async with rigged(tmp_path) as rig:
        (before,) = await rig.app.add([{"name": "web", **given}])
        editor = editor_of(rig, edit=True)
        saved = heard(editor.saved)
        editor.save()
        await until(lambda: saved)
        (job,) = rig.app.jobs
        assert meant(job.monitor) == meant(before)
        assert replace(job.monitor, settings={}) == replace(before, settings={})


def meant(monitor: Monitor) -> dict[str, str]:
    """Numbers come back as the texts they were typed as."""
    return {key: str(value) for key, value in describe_monitor(monitor).items()}


async def test_in_an_edit_only_its_own_kind_can_be_chosen(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await rig.app.add([{"name": "db", "kind": "tcp", "host": "db.example:5432"}])
        editor = editor_of(rig, edit=True)
        rows = range(editor.kinds.count())
        enabled = {
            editor.kinds.item(row).text(): bool(
                editor.kinds.item(row).flags() & Qt.ItemFlag.ItemIsEnabled
            )
            for row in rows
        }
        assert [name for name, can_be in enabled.items() if can_be] == ["TCP port"]
        assert len(enabled) == len(KINDS)
        assert "site" not in editor.form.fields
        editor.reject()


# Secrets


def headers_of(editor: MonitorEditor) -> MappingField:
    field = editor.form.fields["headers"]
    assert isinstance(field, MappingField)
    return field


async def add_secret(rig: Rig, **more: Setting) -> None:
    rig.app.agree_to_secret_file()
    headers = {"Authorization": "Bearer geheim", "X-Team": "pay"}
    await rig.app.add([{"name": "web", "id": "web", "url": URL, "headers": headers, **more}])


def texts_of(editor: MonitorEditor) -> str:
    return " ".join(line.text() + line.placeholderText() for line in editor.findChildren(QLineEdit))


async def test_a_stored_secret_is_kept_and_never_shown(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await add_secret(rig, url="https://me:geheim@shop.example/")
        before = rig.app.jobs[0].monitor
        editor = editor_of(rig, edit=True)
        assert complaints(editor) == {}
        assert "geheim" not in texts_of(editor)
        assert "secret:" not in texts_of(editor)
        assert "https://shop.example/ (kept" in target_of(editor).line.placeholderText()
        (_, value, _), *_ = headers_of(editor).rows()
        assert value.placeholderText().startswith("kept")
        assert value.echoMode() is QLineEdit.EchoMode.Password
        saved = heard(editor.saved)
        editor.save()
        await until(lambda: saved)
        assert rig.app.jobs[0].monitor == before


async def test_a_secret_typed_over_is_replaced(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await add_secret(rig)
        editor = editor_of(rig, edit=True)
        saved = heard(editor.saved)
        headers_of(editor).rows()[0][1].setText("Bearer neu")
        editor.save()
        await until(lambda: saved)
        secrets = (tmp_path / "uptime.db.secrets.json").read_text()
        assert "Bearer neu" in secrets
        assert "geheim" not in secrets


async def test_a_kept_text_can_be_forgotten(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await add_secret(rig, method="POST", body="password=geheim")
        editor = editor_of(rig, edit=True)
        body = editor.form.fields["body"]
        assert body.given() == "secret:web/body"
        assert isinstance(body, LinesField)
        body.forget.click()
        assert body.given() is None
        editor.reject()


async def test_enter_unfolds_what_is_folded_away_and_saves_nothing(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig, URL)
        fold = editor.form.alerts.fold
        enter_on(fold.button)
        assert fold.is_open
        assert editor.isVisible()
        enter_on(fold.button)
        assert not fold.is_open
        editor.reject()


async def test_where_no_keyring_is_a_private_file_is_offered(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig, URL)
        saved = heard(editor.saved)
        name, value, _ = headers_of(editor).rows()[0]
        name.setText("Authorization")
        value.setText("Bearer geheim")
        editor.save()
        await until(lambda: not editor.problem_row.isHidden())
        assert "no keyring" in editor.problem.headline.text()
        assert not saved
        assert not editor.allow_file.isHidden()
        enter_on(editor.allow_file)
        await until(lambda: saved)
        assert "geheim" in (tmp_path / "uptime.db.secrets.json").read_text()


# Test now


async def test_what_is_typed_is_tried_and_not_stored(tmp_path: Path, website: Website) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig, f"{website.url}/up")
        saved = heard(editor.saved)
        press(editor, Qt.Key.Key_S, Qt.KeyboardModifier.AltModifier)
        await until(lambda: editor.outcome.headline.text().startswith("Up: HTTP 200 OK in "))
        assert "connect" in editor.outcome.detail.text()
        type_into(editor, "url", f"{website.url}/down")
        type_into(editor, "every", "3s")  # no reason not to try it
        editor.test_button.click()
        await until(lambda: editor.outcome.headline.text().startswith("Down: HTTP 503"))
        assert website.asked == ["/up", "/down"]
        assert not rig.app.jobs
        assert not saved
        editor.reject()


async def test_a_try_says_what_was_not_as_expected(tmp_path: Path, website: Website) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig, f"{website.url}/down")
        type_into(editor, "keyword", "pong")
        editor.test_button.click()
        await until(lambda: editor.outcome.headline.text().startswith("Down"))
        told = editor.outcome.detail.text()
        assert told.startswith("status: expected 200-399, found 503, and 1 more · 127.0.0.1")
        editor.reject()


async def test_a_monitor_with_a_kept_secret_can_be_tried(tmp_path: Path, website: Website) -> None:
    async with rigged(tmp_path) as rig:
        await add_secret(rig, url=f"{website.url}/up")
        editor = editor_of(rig, edit=True)
        editor.test_button.click()
        await until(lambda: editor.outcome.headline.text().startswith("Up"))
        editor.reject()


async def test_a_try_can_be_stopped_and_ends_with_the_dialog(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig, "192.0.2.1:81")
        editor.test_button.click()
        assert editor.test_button.text() == "&Stop test"
        assert editor.outcome.headline.text() == "Checking…"
        editor.test_button.click()
        assert editor.test_button.text() == "Te&st now"
        assert editor.outcome.headline.text() == ""
        editor.test_button.click()
        editor.reject()
        await rig.tasks.close()
        assert rig.app._runner.under_way == 0  # noqa: SLF001


async def test_nothing_can_be_tried_without_an_address(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig)
        assert not editor.test_button.isEnabled()
        editor.set_target(URL)
        assert editor.test_button.isEnabled()
        editor.reject()


# For everyone


@pytest.mark.parametrize("kind", KINDS)
async def test_every_control_has_a_name(tmp_path: Path, kind: str) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig)
        editor.kinds.choose(kind)
        for fold in editor.form.kind_form.folds.values():
            fold.open()
        editor.form.schedule.fold.open()
        assert unnamed(editor) == []
        editor.reject()


async def test_at_twice_the_text_size_it_fits_on_a_common_screen(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = QSize(1366, 768)
    monkeypatch.setattr(QScreen, "availableSize", lambda _: screen)
    usual, large = qapp.font(), qapp.font()
    large.setPointSizeF(usual.pointSizeF() * 2)
    async with rigged(tmp_path) as rig:
        qapp.setFont(large)
        for dialog in (editor_of(rig), MaintenanceEditor(rig.app, rig.tasks)):
            assert dialog.minimumSizeHint().width() <= screen.width()
            dialog.reject()
        qapp.setFont(usual)


async def test_tab_comes_by_the_list_of_kinds_whichever_was_chosen(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig)
        for kind in ("ping", "http"):
            editor.kinds.choose(kind)
            editor.kinds.setFocus()
            names = [one.accessibleName() for one in walked()]
            assert names[:3] == ["Kind of check", target_of(editor).title, "Name"]
        editor.reject()


async def test_leaving_stores_nothing(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        editor = editor_of(rig, URL)
        saved, left = heard(editor.saved), heard(editor.rejected)
        press(editor, Qt.Key.Key_Escape)
        assert left
        assert not saved
        assert not rig.app.jobs

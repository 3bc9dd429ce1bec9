"""The settings dialog on a real app: what is changed holds at once and after the next start."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from uptime_desktop import autostart
from uptime_desktop.app import App, opened
from uptime_desktop.config import Settings, describe_settings, parse_settings
from uptime_desktop.domain.model import DAY_MS, Policy
from uptime_desktop.gui.dialogs.settings import SettingsDialog
from uptime_desktop.gui.dialogs.settings_alerts import QuietHoursField
from uptime_desktop.gui.dialogs.settings_fields import (
    ChoiceField,
    CountField,
    DurationField,
    PercentField,
    SettingField,
    SwitchField,
)
from uptime_desktop.gui.dialogs.settings_form import SettingsPage
from uptime_desktop.gui.dialogs.settings_intervals import chain_text, jitter_text
from uptime_desktop.gui.dialogs.settings_listen_fields import ListenField, PingKeyField
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.gui.translation import use_language
from uptime_desktop.store.errors import StoreError

pytestmark = [
    pytest.mark.asyncio,
    # The platform without a screen says so about every window.
    pytest.mark.qt_log_ignore("does not support propagateSizeHints"),
]

GENERAL, INTERVALS, ALERTS, CHANNELS, HEARTBEATS, HISTORY = range(6)
_PATIENCE_S = 10


class KnownTasks(Tasks):
    """Remembers what was begun last."""

    latest: "asyncio.Task[object]"

    def start(self, work: Coroutine[Any, Any, object]) -> "asyncio.Task[object]":
        self.latest = super().start(work)
        return self.latest


@dataclass
class Scene:
    """The dialog, and an app of which every change can be awaited."""

    app: App
    tasks: "KnownTasks"
    dialog: SettingsDialog
    changed: asyncio.Event

    def field(self, page: int, key: str) -> SettingField:
        self.dialog.show_page(page)
        return self.dialog.page.fields[key]

    async def saved(self) -> None:
        """Until all that was asked for is done, or has failed."""
        await asyncio.wait_for(self.tasks.latest, _PATIENCE_S)
        self.changed.clear()

    def label(self, text: str) -> QLabel:
        return next(one for one in self.dialog.findChildren(QLabel) if text in one.text())

    def button(self, text: str) -> QAbstractButton:
        return next(
            one
            for one in self.dialog.findChildren(QAbstractButton)
            if one.text().replace("&", "") == text
        )


@asynccontextmanager
async def settings_of(database: Path) -> AsyncIterator[Scene]:
    async with opened(database) as app:
        problems: list[str] = []
        tasks = KnownTasks(problems.append)
        dialog = SettingsDialog(app, tasks)
        changed = asyncio.Event()
        app.on_redefined(changed.set)
        dialog.show()
        yield Scene(app, tasks, dialog, changed)
        dialog.close()
        delete(dialog)
        await tasks.close()
        assert problems == []


@pytest.fixture
def database(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    use_language(qapp, "en")
    yield tmp_path / "uptime.db"
    use_language(qapp, "en")
    qapp.processEvents()


def delete(dialog: SettingsDialog) -> None:
    """Here and now: left to the garbage collector, it might happen on another thread."""
    dialog.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def enter(field: SettingField, text: str) -> None:
    """Do what a person does to have this value, up to and including Enter."""
    match field:
        case QuietHoursField():
            field.fill(text)
            field.combo.activated.emit(field.combo.currentIndex())
        case ListenField():
            field.fill(text)
            field.combo.activated.emit(field.combo.currentIndex())
        case DurationField() | PingKeyField():
            field.line.selectAll()
            QTest.keyClicks(field.line, text)
            QTest.keyClick(field.line, Qt.Key.Key_Return)
        case CountField() | PercentField():
            field.spin.selectAll()
            QTest.keyClicks(field.spin, text)
            QTest.keyClick(field.spin, Qt.Key.Key_Return)
        case ChoiceField():
            field.combo.setCurrentIndex(field.combo.findData(text))
            field.combo.activated.emit(field.combo.currentIndex())
        case SwitchField():
            QTest.keyClick(field.box, Qt.Key.Key_Space)


@pytest.mark.parametrize(
    ("page", "key", "typed", "stored"),
    [
        (GENERAL, "language", "zh_CN", "zh_CN"),
        (GENERAL, "start_minimised", "", "true"),
        (GENERAL, "mono_icons", "", "true"),
        (GENERAL, "compact_rows", "", "true"),
        (INTERVALS, "default_interval", "90s", "90s"),
        (INTERVALS, "default_interval", "2 m", "2m"),
        (INTERVALS, "default_jitter", "12.5", "0.125"),
        (INTERVALS, "default_timeout", "5s", "5s"),
        (INTERVALS, "default_retries", "3", "3"),
        (INTERVALS, "default_backoff", "ladder", "ladder"),
        (INTERVALS, "backoff_cap", "2h", "2h"),
        (INTERVALS, "staleness_window", "0s", "0s"),
        (INTERVALS, "default_catch_up", "skip", "skip"),
        (INTERVALS, "max_concurrent", "10", "10"),
        (INTERVALS, "per_origin", "2", "2"),
        (ALERTS, "notifications", "", "false"),
        (ALERTS, "notify_recovery", "", "false"),
        (ALERTS, "sound", "", "true"),
        (ALERTS, "alert_after", "3", "3"),
        (ALERTS, "repeat_alerts", "30m", "30m"),
        (ALERTS, "quiet_hours", "23:00-06:30", "23:00-06:30"),
        (HEARTBEATS, "listen", "[::1]:9000", "[::1]:9000"),
        (HEARTBEATS, "ping_key", "a-key-of-16-letters", "a-key-of-16-letters"),
        (HISTORY, "raw_history", "30d", "30d"),
        (HISTORY, "five_minute_history", "20d", "20d"),
        (HISTORY, "hourly_history", "400d", "400d"),
    ],
)
async def test_each_control_holds_at_once_and_after_a_restart(
    database: Path, page: int, key: str, typed: str, stored: str
) -> None:
    expected = parse_settings({key: stored})
    async with settings_of(database) as scene:
        enter(scene.field(page, key), typed)
        await scene.saved()
        assert scene.app.settings == expected
        assert scene.label("Saved and in use").isVisible()
    async with settings_of(database) as scene:
        assert scene.app.settings == expected
        assert scene.field(page, key).given() == stored


async def test_every_setting_but_the_safety_net_has_a_control(database: Path) -> None:
    async with settings_of(database) as scene:
        shown: set[str] = set()
        for page in (GENERAL, INTERVALS, ALERTS, CHANNELS, HEARTBEATS, HISTORY):
            scene.dialog.show_page(page)
            shown |= scene.dialog.page.fields.keys()
        assert shown == describe_settings(Settings()).keys() - {"stuck_after"} | {"start_at_login"}


async def test_typed_text_is_used_when_typing_stops(database: Path) -> None:
    async with settings_of(database) as scene:
        field = scene.field(INTERVALS, "default_interval")
        assert isinstance(field, DurationField)
        field.line.selectAll()
        QTest.keyClicks(field.line, "60m")
        assert scene.app.settings == Settings()
        await asyncio.wait_for(scene.changed.wait(), _PATIENCE_S)
        assert scene.app.settings.default_interval_ms == 3_600_000
        assert field.line.text() == "60m"


async def test_closing_uses_what_was_typed(database: Path) -> None:
    async with settings_of(database) as scene:
        field = scene.field(INTERVALS, "default_timeout")
        assert isinstance(field, DurationField)
        field.line.selectAll()
        QTest.keyClicks(field.line, "7s")
        scene.button("Close").click()
        await scene.saved()
        assert scene.app.settings.default_timeout_ms == 7_000


async def test_saving_goes_on_when_the_dialog_is_gone(database: Path) -> None:
    async with opened(database) as app:
        tasks = KnownTasks(lambda _: None)
        dialog = SettingsDialog(app, tasks)
        enter(dialog.page.fields["compact_rows"], "")
        delete(dialog)
        await asyncio.wait_for(tasks.latest, _PATIENCE_S)
        assert app.settings.compact_rows


async def test_a_refusal_stands_under_its_field_and_changes_nothing(database: Path) -> None:
    async with settings_of(database) as scene:
        field = scene.field(INTERVALS, "default_interval")
        enter(field, "3s")
        refusal = "Default interval: 3 s is too short. Allowed: 5 s to 30 d."
        assert field.complaint.text == refusal
        assert field.complaint.isVisible()
        assert field.editor.accessibleDescription() == refusal
        assert scene.label("The marked value is not in use").isVisible()
        assert not scene.changed.is_set()
        enter(field, "30s")
        await scene.saved()
        assert not field.complaint.isVisible()
        assert field.editor.accessibleDescription().startswith("5 s to 30 d")
        assert scene.label("Saved and in use").isVisible()
    async with opened(database) as app:
        assert app.settings == Settings(default_interval_ms=30_000)


async def test_enter_ends_the_typing_and_not_the_dialog(database: Path) -> None:
    async with settings_of(database) as scene:
        enter(scene.field(INTERVALS, "default_timeout"), "5s")
        assert scene.dialog.isVisible()
        await scene.saved()


async def test_changes_are_undone_and_redone_in_order(database: Path) -> None:
    async with settings_of(database) as scene:
        undo = scene.button("Undo")
        assert not undo.isVisible()
        enter(scene.field(INTERVALS, "default_retries"), "5")
        await scene.saved()
        enter(scene.field(ALERTS, "sound"), "")
        await scene.saved()
        assert undo.isVisible()
        undo.click()
        await scene.saved()
        assert scene.app.settings == Settings(default_retries=5)
        assert scene.field(ALERTS, "sound").given() == "false"
        undo.click()
        await scene.saved()
        assert scene.app.settings == Settings()
        assert scene.field(INTERVALS, "default_retries").given() == "1"
        assert not undo.isVisible()
        scene.dialog.redo()
        await scene.saved()
        assert scene.app.settings == Settings(default_retries=5)


async def test_undo_drops_what_was_refused_as_well(database: Path) -> None:
    async with settings_of(database) as scene:
        enter(scene.field(INTERVALS, "default_retries"), "5")
        await scene.saved()
        interval = scene.field(INTERVALS, "default_interval")
        enter(interval, "3s")
        scene.dialog.undo()
        await scene.saved()
        assert scene.app.settings == Settings()
        assert interval.given() == "1m"
        assert interval.complaint.text == ""


async def test_the_same_value_in_other_words_is_no_change(database: Path) -> None:
    async with settings_of(database) as scene:
        enter(scene.field(INTERVALS, "default_interval"), "60s")
        assert not scene.button("Undo").isVisible()
        assert not scene.changed.is_set()


async def test_defaults_are_restored_on_the_page_that_is_shown(database: Path) -> None:
    async with settings_of(database) as scene:
        await scene.app.change_settings(Settings(default_retries=5, per_origin=1, sound=True))
        scene.changed.clear()
        scene.dialog.show_page(INTERVALS)
        scene.button("Restore defaults").click()
        await scene.saved()
        assert scene.app.settings == Settings(sound=True)
        scene.button("Undo").click()
        await scene.saved()
        assert scene.app.settings == Settings(default_retries=5, per_origin=1, sound=True)


async def test_what_cannot_be_saved_is_said_and_taken_back(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_app: App, _changed: Settings) -> None:
        raise StoreError("the disk is full")

    async with settings_of(database) as scene:
        monkeypatch.setattr(App, "change_settings", fail)
        field = scene.field(ALERTS, "sound")
        enter(field, "")
        await scene.saved()
        assert scene.label("Not saved: the disk is full").isVisible()
        assert field.given() == "false"
        assert not scene.button("Undo").isVisible()


async def test_start_at_login_is_switched_and_undone(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _use_a_desktop_file(monkeypatch, database.parent / "entry")
    async with settings_of(database) as scene:
        field = scene.field(GENERAL, "start_at_login")
        assert field.given() == "false"
        enter(field, "")
        await scene.saved()
        assert autostart.is_on()
        # A start at login watches the same as this one.
        assert f"--db {database}\n" in (database.parent / "entry").read_text()
        assert scene.app.settings == Settings()
    async with settings_of(database) as scene:
        field = scene.field(GENERAL, "start_at_login")
        assert field.given() == "true"
        enter(field, "")
        await scene.saved()
        assert not autostart.is_on()
        scene.dialog.undo()
        await scene.saved()
        assert autostart.is_on()


async def test_a_login_entry_that_cannot_be_written_is_said(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (database.parent / "file").touch()
    _use_a_desktop_file(monkeypatch, database.parent / "file" / "entry")
    async with settings_of(database) as scene:
        field = scene.field(GENERAL, "start_at_login")
        enter(field, "")
        await scene.saved()
        assert "start at login cannot be changed" in scene.label("Not saved: ").text()
        assert field.given() == "false"


async def test_another_language_is_spoken_at_once(database: Path, qapp: QApplication) -> None:
    async with settings_of(database) as scene:
        app = scene.app
        app.on_redefined(lambda: use_language(qapp, app.settings.language or "en"))
        enter(scene.field(INTERVALS, "default_retries"), "5")
        await scene.saved()
        before = scene.field(GENERAL, "language")
        enter(before, "zh_CN")
        await scene.saved()
        qapp.processEvents()
        after = scene.field(GENERAL, "language")
        assert after is not before
        assert after.given() == "zh_CN"
        scene.dialog.undo()
        await scene.saved()
        assert scene.app.settings == Settings(default_retries=5)
        assert scene.field(INTERVALS, "default_retries").given() == "5"


async def test_the_languages_are_named_in_themselves(database: Path) -> None:
    async with settings_of(database) as scene:
        field = scene.field(GENERAL, "language")
        assert isinstance(field, ChoiceField)
        names = [field.combo.itemText(row) for row in range(field.combo.count())]
        assert names == ["System", "English", "简体中文"]


async def test_a_test_notice_can_be_asked_for_while_there_are_notices(
    database: Path, qtbot: QtBot
) -> None:
    async with settings_of(database) as scene:
        notices = scene.field(ALERTS, "notifications")
        send = scene.button("Send test")
        with qtbot.waitSignal(scene.dialog.test_notification_asked, timeout=0):
            send.click()
        enter(notices, "")
        await scene.saved()
        assert not send.isEnabled()
        assert not scene.field(ALERTS, "sound").editor.isEnabled()
        with qtbot.assertNotEmitted(scene.dialog.test_notification_asked):
            send.click()


async def test_history_gets_shorter_only_after_a_question(database: Path) -> None:
    async with settings_of(database) as scene:
        field = scene.field(HISTORY, "raw_history")
        enter(field, "3d")
        assert scene.label("Those older than 3 d are lost for good").isVisible()
        assert scene.label("The marked value is not in use").isVisible()
        assert not scene.changed.is_set()
        QTest.mouseClick(_shown(scene, "Forget them"), Qt.MouseButton.LeftButton)
        await scene.saved()
        assert scene.app.settings == Settings(raw_history_ms=3 * DAY_MS)
        assert not scene.label("Those older than 3 d").isVisible()
        assert scene.label("Saved and in use").isVisible()


async def test_a_question_goes_with_what_raised_it(database: Path) -> None:
    async with settings_of(database) as scene:
        field = scene.field(HISTORY, "raw_history")
        enter(field, "3d")
        question = scene.label("Those older than")
        enter(field, "3")
        assert not question.isVisible()
        assert "is not a duration" in field.complaint.text
        enter(field, "3d")
        assert question.isVisible()
        enter(field, "14d")
        assert not question.isVisible()
        assert scene.label("Saved and in use").isVisible()
        assert not scene.changed.is_set()


async def test_default_history_that_is_shorter_asks_too(database: Path) -> None:
    async with settings_of(database) as scene:
        kept = Settings(raw_history_ms=90 * DAY_MS, five_minute_history_ms=10 * DAY_MS)
        await scene.app.change_settings(kept)
        scene.changed.clear()
        scene.dialog.show_page(HISTORY)
        scene.button("Restore defaults").click()
        await scene.saved()
        assert scene.app.settings == Settings(raw_history_ms=90 * DAY_MS)
        assert scene.label("Those older than 14 d").isVisible()


async def test_pages_are_made_when_they_are_looked_at(database: Path) -> None:
    async with settings_of(database) as scene:
        pages = scene.dialog.findChildren(SettingsPage)
        assert [type(page).__name__ for page in pages] == ["GeneralPage"]


async def test_how_many_monitors_have_the_interval_is_said(database: Path) -> None:
    async with opened(database) as app:
        await app.add({"name": name, "url": "https://x.example"} for name in ("a", "b"))
        await app.add([{"name": "c", "url": "https://x.example", "every": "5m"}])
    async with settings_of(database) as scene:
        field = scene.field(INTERVALS, "default_interval")
        assert field.hint.text() == "5 s to 30 d. 2 of 3 monitors have this one."
        enter(field, "5m")
        await scene.saved()
        assert field.hint.text() == "5 s to 30 d. 1 of 3 monitors have this one."


async def test_the_longest_wait_can_be_set_only_where_waits_double(database: Path) -> None:
    async with settings_of(database) as scene:
        cap = scene.field(INTERVALS, "backoff_cap")
        assert cap.editor.isEnabled()
        enter(scene.field(INTERVALS, "default_backoff"), "none")
        await scene.saved()
        assert not cap.editor.isEnabled()
        assert scene.label("1 min each time").isVisible()


@pytest.mark.parametrize(
    ("settings", "chain"),
    [
        (Settings(), "1 min → 2 min → 4 min → 8 min → 16 min → 32 min → 1 h"),
        (Settings(default_interval_ms=7_200_000), "2 h each time"),
        (
            Settings(default_backoff=Policy.CAPPED32),
            "1 min → 2 min → 4 min → 8 min → 16 min → 32 min",
        ),
        (
            Settings(default_backoff=Policy.LADDER),
            "1 min → 1 min → 1 min → 5 min → 15 min → paused",
        ),
        (
            Settings(default_backoff=Policy.FIXED, default_interval_ms=3_600_000),
            "1 h → 5 min",
        ),
        (Settings(default_backoff=Policy.NONE), "1 min each time"),
        (
            Settings(default_interval_ms=5_000, backoff_cap_ms=30 * DAY_MS),
            (
                "5 s → 10 s → 20 s → 40 s → 80 s → 2 min 40 s → 5 min 20 s → 10 min 40 s"
                " → 21 min 20 s → 42 min 40 s → 1 h 25 min → 2 h 50 min → …"
            ),
        ),
    ],
)
async def test_the_waits_are_written_out(settings: Settings, chain: str) -> None:
    assert " ".join(chain_text(settings).split()) == chain


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (Settings(), "1 min becomes 54 s to 1 min 06 s, so checks do not pile up."),
        (
            Settings(default_interval_ms=5_000),
            "5 s becomes 5 s to 5.5 s, so checks do not pile up.",
        ),
        (
            Settings(default_jitter_ppm=0),
            "0 to 50 %. Nothing moves, so checks may pile up.",
        ),
    ],
)
async def test_what_jitter_does_is_written_out(settings: Settings, sentence: str) -> None:
    assert jitter_text(settings) == sentence


async def test_every_control_has_a_name_and_every_field_its_effect(database: Path) -> None:
    async with settings_of(database) as scene:
        nameless = []
        for page in (GENERAL, INTERVALS, ALERTS, CHANNELS, HEARTBEATS, HISTORY):
            scene.dialog.show_page(page)
            controls = (scene.dialog.page, *_controls(scene.dialog))
            nameless += [one for one in controls if not _spoken_name(one)]
            for field in scene.dialog.page.fields.values():
                assert field.editor.accessibleDescription(), field.key
        assert nameless == []


async def test_scrolling_past_a_field_changes_nothing(database: Path) -> None:
    async with settings_of(database) as scene:
        for key in ("default_retries", "default_jitter", "default_backoff"):
            field = scene.field(INTERVALS, key)
            before = field.given()
            position = QPointF(field.editor.rect().center())
            turned = QWheelEvent(
                position,
                QPointF(field.editor.mapToGlobal(position.toPoint())),
                QPoint(),
                QPoint(0, 120),
                Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier,
                Qt.ScrollPhase.NoScrollPhase,
                False,
            )
            QApplication.sendEvent(field.editor, turned)
            assert field.given() == before


def _use_a_desktop_file(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Whatever system this is."""
    monkeypatch.setattr(autostart, "_entry", lambda: autostart.DesktopFile(path))


def _shown(scene: Scene, text: str) -> QAbstractButton:
    return next(
        one
        for one in scene.dialog.findChildren(QAbstractButton)
        if one.text().replace("&", "") == text and one.isVisible()
    )


def _controls(dialog: SettingsDialog) -> list[QWidget]:
    """What the tab key stops at."""
    kinds = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QListWidget)
    return [
        one
        for one in dialog.findChildren(QWidget)
        if isinstance(one, kinds) and one.isVisible() and one.focusProxy() is None
    ]


def _spoken_name(control: QWidget) -> str:
    return QAccessible.queryAccessibleInterface(control).text(QAccessible.Text.Name)

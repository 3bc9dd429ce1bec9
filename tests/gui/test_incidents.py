"""Incidents in the window: what follows from what, the story of each, and what is done about it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.gui.accessibility import unnamed_controls
from tests.gui.dialog_rig import heard, until
from tests.gui.scene import Scene, scene
from uptime_desktop.domain.model import Setting
from uptime_desktop.gui import sentences
from uptime_desktop.gui.detail.incidents import Incidents
from uptime_desktop.gui.incident_story import IncidentStory
from uptime_desktop.gui.incidents_dock import IncidentsDock

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("qapp")]


@asynccontextmanager
async def in_trouble(tmp_path: Path) -> AsyncIterator[Scene]:
    """`router` is down, and so is `nas`, which depends on it; `web` is down by itself."""
    async with scene(tmp_path, home=["router", "nas"], shop=["web"]) as stage:
        nas = stage.one("nas").job
        keys: dict[str, Setting] = {
            "name": "nas",
            "url": "http://127.0.0.1:9/nas",
            "cron": "0 0 1 1 *",
        }
        await stage.app.edit(nas, {**keys, "retries": 0, "depends_on": ("router",)})
        for name in ("router", "nas", "web"):
            await stage.app.check_now(stage.one(name).job)
        await until(lambda: all(one.trouble_since for one in stage.watch.shown))
        yield stage


async def number_of(stage: Scene, name: str) -> int:
    (one,) = await stage.app.history.incidents(stage.one(name).monitor.number)
    return one.number


# Cause and order


async def test_what_only_follows_comes_after_and_says_so(tmp_path: Path) -> None:
    async with in_trouble(tmp_path) as stage:
        await until(lambda: stage.one("nas").cause == "router")
        failing = stage.watch.summary().failing
        assert [one.monitor.name for one in failing] == ["router", "web", "nas"]
        now = stage.app.clock.wall()
        assert sentences.menu_line(failing[2], now).endswith(", follows router")
        assert "follows" not in sentences.menu_line(failing[0], now)


async def test_it_follows_no_longer_once_the_cause_is_gone(tmp_path: Path) -> None:
    async with in_trouble(tmp_path) as stage:
        await until(lambda: stage.one("nas").cause)
        await stage.app.remove(stage.one("router").job)
        assert stage.one("nas").cause == ""


async def test_a_site_can_be_the_cause(tmp_path: Path) -> None:
    async with in_trouble(tmp_path) as stage:
        shop = stage.app.sites["shop"]
        await stage.app.change_site(replace(shop, depends_on=("site:home",)))
        assert stage.one("web").cause == "home"


# The story


async def test_the_story_tells_all_that_happened(tmp_path: Path) -> None:
    async with in_trouble(tmp_path) as stage:
        number = await number_of(stage, "web")
        await stage.app.acknowledge_incident(number)
        await stage.app.snooze_incident(number, None)
        await stage.app.write_note(number, "the provider knows")
        section = Incidents(stage.app, stage.tasks)
        found = await stage.app.history.incidents(stage.one("web").monitor.number)
        section.show_monitor("web")
        section.show_incidents(found, stage.app.clock.wall())
        assert section.story.isHidden()
        section.table.selectRow(0)
        await until(lambda: not section.story.isHidden())
        assert section.story.headline.text().startswith("web has been down for")
        assert section.story.story.texts[1:] == [
            "Acknowledged",
            "Snoozed until it recovers",
            "Note: the provider knows",
        ]
        section.story.close_button.click()
        assert section.story.isHidden()
        assert not section.table.currentIndex().isValid()
        shiboken6.delete(section)


async def test_without_incidents_there_is_no_empty_table(tmp_path: Path) -> None:
    async with scene(tmp_path, shop=["web"]) as stage:
        section = Incidents(stage.app, stage.tasks)
        section.show_incidents([], 0)
        assert section.table.isHidden()
        shiboken6.delete(section)


async def test_what_follows_says_from_what(tmp_path: Path) -> None:
    async with in_trouble(tmp_path) as stage:
        number = await number_of(stage, "nas")

        async def follows() -> bool:
            incident, _ = await stage.app.history.incident(number)
            return incident.cascade_reason is not None

        while not await follows():
            QApplication.processEvents()
        story = IncidentStory(stage.app, stage.tasks)
        story.show_incident(number, "nas")
        await until(lambda: not story.isHidden())
        assert story.cause.text() == "Low: caused by router, which is down"
        shiboken6.delete(story)


async def test_buttons_do_what_they_say_to_this_incident_alone(tmp_path: Path) -> None:
    async with in_trouble(tmp_path) as stage:
        number = await number_of(stage, "web")
        dock = IncidentsDock(stage.app, stage.bridge, stage.watch, stage.tasks)
        dock.show()
        await until(lambda: dock.model.rows)
        dock.table.selectRow([one.number for one in dock.model.rows].index(number))
        story = dock.story
        await until(lambda: story.headline.text().startswith("web"))
        story.acknowledge.click()
        await until(lambda: "Acknowledged" in story.story.texts)
        assert not story.acknowledge.isEnabled()
        story.snooze.click()
        await until(lambda: any(text.startswith("Snoozed until") for text in story.story.texts))
        story.add_note.click()
        assert not story.keep_note.isEnabled()
        QTest.keyClicks(story.note, "ask Ann")
        QTest.keyClick(story.note, Qt.Key.Key_Return)
        await until(lambda: "Note: ask Ann" in story.story.texts)
        assert story.note.isHidden()
        others = [one for one in await stage.app.history.incidents() if one.number != number]
        assert all(one.acknowledged_at is None and not one.note for one in others)
        shiboken6.delete(dock)


async def test_escape_leaves_a_note_unwritten(tmp_path: Path) -> None:
    async with in_trouble(tmp_path) as stage:
        story = IncidentStory(stage.app, stage.tasks)
        story.show_incident(await number_of(stage, "web"), "web")
        await until(lambda: not story.isHidden())
        story.add_note.click()
        QTest.keyClicks(story.note, "never mind")
        QTest.keyClick(story.note, Qt.Key.Key_Escape)
        assert story.note.isHidden()
        assert story.note.text() == ""
        shiboken6.delete(story)


# All of them


async def test_open_ones_come_first_and_what_follows_last(tmp_path: Path) -> None:
    async with in_trouble(tmp_path) as stage:
        dock = IncidentsDock(stage.app, stage.bridge, stage.watch, stage.tasks)
        dock.reload()
        assert dock.model.rows == []  # nobody sees it
        dock.show()
        await until(lambda: dock.model.rows and dock.model.text(2, 3) == "low")
        names = [dock.model.text(row, 1) for row in range(3)]
        assert names == ["web", "router", "nas"]
        assert dock.model.text(2, 4).startswith("follows router · ")
        assert dock.summary.text() == "3 open"
        opened = heard(dock.opened)
        dock.table.doubleClicked.emit(dock.model.index(0, 0))
        assert opened == [("shop", "web")]
        await stage.app.remove(*(job for job in stage.app.jobs))
        await until(lambda: not dock.model.rows)
        assert dock.story.isHidden()
        assert not dock.nothing.isHidden()
        shiboken6.delete(dock)


async def test_every_control_has_a_name(tmp_path: Path) -> None:
    async with in_trouble(tmp_path) as stage:
        dock = IncidentsDock(stage.app, stage.bridge, stage.watch, stage.tasks)
        dock.show()
        await until(lambda: dock.model.rows)
        assert unnamed_controls(dock) == []
        shiboken6.delete(dock)

"""The panel beside the list, on a real app that watches a real website."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from tests.fakes import until
from tests.gui.accessibility import unnamed_controls
from tests.website import Website
from uptime_desktop.app import App, opened
from uptime_desktop.domain.model import HOUR_MS, Pause, PauseReason, Setting
from uptime_desktop.domain.status import Status
from uptime_desktop.gui.bridge import Bridge
from uptime_desktop.gui.detail.panel import DetailPanel
from uptime_desktop.gui.moments import tomorrow_morning
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.gui.watch import Watch, Watched
from uptime_desktop.history import History, RunRow

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("qapp")]

ASKED = ("check", "acknowledge", "snooze", "pause", "resume", "edit")


@dataclass
class Shown:
    app: App
    watch: Watch
    panel: DetailPanel

    def one(self, name: str) -> Watched:
        return next(one for one in self.watch.monitors.values() if one.monitor.name == name)

    async def check(self, name: str) -> None:
        await self.app.check_now(self.one(name).job)

    async def show(self, name: str) -> Watched:
        one = self.one(name)
        self.panel.show_monitor(one)
        await until(lambda: self.panel.log.heading.summary != "")
        return one


@asynccontextmanager
async def shown(tmp_path: Path, website: Website) -> AsyncIterator[Shown]:
    """`good` and `bad` are watched, but only checked when asked for."""
    async with opened(tmp_path / "uptime.db") as app:
        app.start_timer_only()
        paths = {"good": "up", "bad": "down"}
        common: dict[str, Setting] = {"cron": "0 0 1 1 *", "retries": 0, "tags": ("prod",)}
        await app.add(
            (
                {"name": name, "url": f"{website.url}/{path}"} | common
                for name, path in paths.items()
            ),
            "shop",
        )
        problems: list[str] = []
        tasks = Tasks(problems.append)
        bridge = Bridge(app)
        watch = Watch(app, bridge)
        panel = DetailPanel(app, watch, tasks)
        try:
            yield Shown(app, watch, panel)
        finally:
            await tasks.close()
            bridge.close()
            if shiboken6.isValid(panel):
                shiboken6.delete(panel)
        assert problems == []


def heard(signal: SignalInstance) -> list[tuple[object, ...]]:
    told: list[tuple[object, ...]] = []
    signal.connect(lambda *values: told.append(values))
    return told


async def test_a_failing_monitor_is_told_in_full(tmp_path: Path, website: Website) -> None:
    async with shown(tmp_path, website) as scene:
        await scene.check("bad")
        await until(lambda: scene.one("bad").trouble_since is not None)
        await scene.show("bad")
        panel = scene.panel
        assert panel.header.title.text() == "bad"
        assert "Down for 0 s" in panel.header.status.text()
        assert "HTTP 503 Service Unavailable" in panel.header.status.text()
        assert panel.header.schedule.text().startswith("Failed once, next try ")
        assert f'href="{website.url}/down"' in panel.header.target.text()
        assert "· shop · tags: prod" in panel.header.target.text()
        assert panel.incidents.heading.summary == "1 in 30 days, 1 open"
        assert panel.log.heading.summary == "1 run in 24 h"
        await until(lambda: panel.evidence.body.toPlainText() == "ok")
        assert "503 Service Unavailable" in panel.evidence.answer.text()
        assert panel.evidence.command.text().startswith("curl ")


async def test_a_monitor_that_never_ran_has_nothing_to_show(
    tmp_path: Path, website: Website
) -> None:
    async with shown(tmp_path, website) as scene:
        await scene.show("good")
        panel = scene.panel
        assert "Waiting for its first check" in panel.header.status.text()
        assert panel.incidents.heading.summary == "none in 30 days"
        assert panel.evidence.isHidden()


async def test_what_happens_is_shown_as_it_happens(tmp_path: Path, website: Website) -> None:
    async with shown(tmp_path, website) as scene:
        await scene.check("bad")
        await scene.show("bad")
        panel = scene.panel
        website.has_recovered = True
        await scene.check("bad")
        await until(lambda: len(panel.log.model.rows) == 2)
        assert panel.log.model.rows[0].status is Status.UP
        assert ">Up<" in panel.header.status.text()
        await until(lambda: panel.incidents.heading.summary == "1 in 30 days")
        assert not panel.header.acknowledge.isEnabled()


async def test_what_happens_to_others_asks_nothing_of_history(
    tmp_path: Path, website: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shown(tmp_path, website) as scene:
        one = await scene.show("good")
        history = scene.app.history
        asked: list[int] = []

        async def runs(number: int, **named: Any) -> Sequence[RunRow]:
            asked.append(number)
            return await History.runs(history, number, **named)

        monkeypatch.setattr(history, "runs", runs)
        scene.watch.changed.emit(frozenset({scene.one("bad").key}))
        scene.watch.changed.emit(frozenset({one.key}))
        assert asked == []
        await scene.check("good")
        await until(lambda: len(scene.panel.log.model.rows) == 1)
        assert asked == [one.monitor.number]


async def test_the_monitor_shown_last_is_the_one_that_stays(
    tmp_path: Path, website: Website
) -> None:
    async with shown(tmp_path, website) as scene:
        await scene.check("good")
        await scene.check("bad")
        for name in ("good", "bad", "good", "bad"):
            scene.panel.show_monitor(scene.one(name))
        await until(lambda: scene.panel.log.heading.summary != "")
        bad = scene.one("bad").monitor.number
        assert {run.monitor_number for run in scene.panel.log.model.rows} == {bad}


async def test_a_panel_that_is_gone_is_not_told_what_was_found(
    tmp_path: Path, website: Website
) -> None:
    async with shown(tmp_path, website) as scene:
        await scene.check("bad")
        scene.panel.show_monitor(scene.one("bad"))
        shiboken6.delete(scene.panel)
        await scene.check("bad")
        await until(lambda: len(scene.one("bad").beats) == 2)
        scene.watch.rebuild()


async def test_a_monitor_that_was_removed_is_shown_no_more(
    tmp_path: Path, website: Website
) -> None:
    async with shown(tmp_path, website) as scene:
        one = await scene.show("good")
        await scene.app.remove(one.job)
        scene.panel.show()
        assert not scene.panel.header.isVisible()
        assert scene.panel.log.model.rowCount() == 0


async def test_a_monitor_that_went_before_the_list_heard_of_it_is_not_shown(
    tmp_path: Path, website: Website
) -> None:
    async with shown(tmp_path, website) as scene:
        one = scene.one("good")
        await scene.app.remove(one.job)
        scene.panel.show_monitor(one)
        assert not scene.panel.header.isVisible()


async def test_an_edit_is_shown_at_once(tmp_path: Path, website: Website) -> None:
    async with shown(tmp_path, website) as scene:
        one = await scene.show("good")
        await scene.app.edit(one.job, {"name": "better", "url": f"{website.url}/up", "every": "5m"})
        assert scene.panel.header.title.text() == "better"
        assert "every 5 min" in scene.panel.header.schedule.text()


async def test_every_button_asks_for_its_act_and_no_other(tmp_path: Path, website: Website) -> None:
    async with shown(tmp_path, website) as scene:
        await scene.check("bad")
        one = await scene.show("bad")
        header = scene.panel.header
        snooze, pause = header.menu_actions
        now = scene.app.clock.wall()
        acts: list[tuple[Callable[[], None], str, tuple[object, ...]]] = [
            (header.check.click, "check", (one,)),
            (header.acknowledge.click, "acknowledge", (one,)),
            (snooze[0].trigger, "snooze", (one, HOUR_MS)),
            (snooze[1].trigger, "snooze", (one, None)),
            (pause[1].trigger, "pause", (one, tomorrow_morning(now))),
            (pause[2].trigger, "pause", (one, None)),
            (header.edit.click, "edit", (one,)),
        ]
        told = {name: heard(getattr(scene.panel, f"{name}_asked")) for name in ASKED}
        for act, name, values in acts:
            act()
            assert {key: value for key, value in told.items() if value} == {name: [values]}
            told[name].clear()
        pause[0].trigger()
        ((paused, until_at),) = told["pause"]
        assert paused is one
        assert isinstance(until_at, int)
        assert abs(until_at - now - HOUR_MS) < 10_000


async def test_without_an_incident_there_is_nothing_to_acknowledge_or_snooze(
    tmp_path: Path, website: Website
) -> None:
    async with shown(tmp_path, website) as scene:
        await scene.check("good")
        await scene.show("good")
        acknowledged = heard(scene.panel.acknowledge_asked)
        scene.panel.header.acknowledge.click()
        assert acknowledged == []
        assert not scene.panel.header.snooze.isEnabled()


async def test_what_was_acknowledged_cannot_be_again(tmp_path: Path, website: Website) -> None:
    async with shown(tmp_path, website) as scene:
        await scene.check("bad")
        one = await scene.show("bad")
        header = scene.panel.header
        assert header.acknowledge.isEnabled()
        await scene.app.acknowledge(one.job)
        model = scene.panel.incidents.model
        await until(lambda: model.rowCount() == 1 and model.text(0, 3) == "acknowledged")
        assert not header.acknowledge.isEnabled()
        assert header.snooze.isEnabled()


async def test_a_paused_monitor_can_be_resumed_and_not_paused(
    tmp_path: Path, website: Website
) -> None:
    async with shown(tmp_path, website) as scene:
        one = await scene.show("good")
        header = scene.panel.header
        assert header.resume.isHidden()
        scene.app.pause(one.job)
        await until(lambda: not header.resume.isHidden())
        assert header.pause.isHidden()
        resumed = heard(scene.panel.resume_asked)
        header.resume.click()
        assert resumed == [(one,)]


async def test_what_its_site_paused_cannot_be_resumed_here(
    tmp_path: Path, website: Website
) -> None:
    async with shown(tmp_path, website) as scene:
        one = await scene.show("good")
        one.job.state = replace(one.state, pause=Pause(PauseReason.SITE))
        scene.panel.tick()
        resumed = heard(scene.panel.resume_asked)
        scene.panel.header.resume.click()
        assert resumed == []
        assert scene.panel.header.resume.toolTip()


async def test_the_curl_line_is_copied_only_where_there_is_one(
    tmp_path: Path, website: Website
) -> None:
    async with shown(tmp_path, website) as scene:
        QGuiApplication.clipboard().setText("mine")
        scene.panel.copy_curl()
        assert QGuiApplication.clipboard().text() == "mine"
        await scene.check("bad")
        await scene.show("bad")
        await until(scene.panel.evidence.copy_command.isEnabled)
        scene.panel.copy_curl()
        assert QGuiApplication.clipboard().text().startswith("curl ")


async def test_the_chart_is_made_when_it_is_first_seen(tmp_path: Path, website: Website) -> None:
    async with shown(tmp_path, website) as scene:
        await scene.check("bad")
        await scene.show("bad")
        times = scene.panel.times
        assert times.chart is None
        scene.panel.show()
        await until(lambda: times.chart is not None)
        QApplication.processEvents()
        assert not scene.panel.grab().isNull()
        await until(lambda: times.frame.accessibleDescription().startswith("Last 24 hours, "))


async def test_another_span_is_asked_for_once(tmp_path: Path, website: Website) -> None:
    async with shown(tmp_path, website) as scene:
        await scene.check("good")
        await scene.show("good")
        times = scene.panel.times
        chosen = heard(times.span_chosen)
        hour, day, *_ = times.spans.buttons()
        day.click()
        assert chosen == []
        hour.click()
        assert chosen == [(HOUR_MS,)]
        await until(lambda: times.frame.accessibleDescription().startswith("Last hour, "))


async def test_every_control_has_a_name(tmp_path: Path, website: Website) -> None:
    async with shown(tmp_path, website) as scene:
        await scene.check("bad")
        await scene.show("bad")
        scene.panel.show()
        await until(lambda: scene.panel.times.chart is not None)
        assert unnamed_controls(scene.panel) == []


async def test_tab_goes_through_the_panel_as_it_is_read(tmp_path: Path, website: Website) -> None:
    async with shown(tmp_path, website) as scene:
        await scene.check("bad")
        await scene.show("bad")
        panel = scene.panel
        panel.resize(580, 1200)
        panel.show()
        await until(panel.evidence.copy_command.isEnabled)
        QApplication.processEvents()
        places = [_place(one, panel) for one in _tab_chain(panel)]
        assert len(places) > 10
        assert places == sorted(places)


def _tab_chain(panel: QWidget) -> list[QWidget]:
    chain: list[QWidget] = []
    one = panel.nextInFocusChain()
    while one is not None and one is not panel:
        takes_tab = bool(one.focusPolicy() & Qt.FocusPolicy.TabFocus)
        if takes_tab and one.isVisible() and one.isEnabled():
            chain.append(one)
        one = one.nextInFocusChain()
    return chain


def _place(widget: QWidget, panel: QWidget) -> tuple[int, int]:
    """Line by line, from the left."""
    at = widget.mapTo(panel, widget.rect().center())
    return at.y() // 12, at.x()

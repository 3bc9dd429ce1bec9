"""Events of the engine arrive as signals of the same name, and together at most four times a
second."""

from pathlib import Path

import pytest
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication

from tests.fakes import until
from uptime_desktop.app import opened
from uptime_desktop.domain.events import Event, ManualCheckStarted, MonitorResumed
from uptime_desktop.gui.bridge import Bridge, signal_name

pytestmark = pytest.mark.asyncio

OTHER_SIGNALS = {"monitors_changed", "redefined"}


async def test_every_event_has_its_signal_and_every_signal_its_event() -> None:
    events = {signal_name(kind) for kind in Event.__subclasses__()}
    signals = {name for name, value in vars(Bridge).items() if isinstance(value, Signal)}
    assert signals - OTHER_SIGNALS == events


async def test_an_event_is_told_by_its_own_signal_and_by_no_other(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        bridge = Bridge(app)
        heard: list[tuple[str, object, bool]] = []
        for name in {signal_name(kind) for kind in Event.__subclasses__()}:
            getattr(bridge, name).connect(
                lambda event, persisted, name=name: heard.append((name, event, persisted))
            )
        event = ManualCheckStarted("shop", "web", None, 1)
        app.bus.publish(event, False)
        assert heard == [("manual_check_started", event, False)]
        bridge.close()
        app.bus.publish(event, True)
        assert len(heard) == 1
    qapp.processEvents()


async def test_many_events_are_one_change_of_the_picture(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        bridge = Bridge(app)
        changes: list[frozenset[tuple[str, str]]] = []
        bridge.monitors_changed.connect(changes.append)
        for number in range(1_000):
            app.bus.publish(MonitorResumed("shop", f"m{number % 3}", None, number), True)
        assert changes == []
        await until(lambda: changes)
        assert changes == [frozenset({("shop", "m0"), ("shop", "m1"), ("shop", "m2")})]


async def test_what_is_watched_anew_is_told(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db") as app:
        bridge = Bridge(app)
        told: list[bool] = []
        bridge.redefined.connect(lambda: told.append(True))
        (monitor,) = await app.add([{"name": "web", "url": "https://x.example", "every": "1h"}])
        assert len(told) == 1
        await app.remove(app.job_of(monitor))
        assert len(told) == 2

"""Windows of maintenance on a wall clock that stands still, and an app to plan them in."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from tests.fakes import FakeClock
from tests.gui.dialog_rig import heard, rigged, until
from uptime_desktop.app import App
from uptime_desktop.domain.maintenance import OnceAt, Window
from uptime_desktop.domain.maintenance_definition import parse_window
from uptime_desktop.domain.model import Setting
from uptime_desktop.gui.acts import Acts
from uptime_desktop.gui.bridge import Bridge
from uptime_desktop.gui.dialogs.maintenance_editor import MaintenanceEditor
from uptime_desktop.gui.moments import instant
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.gui.watch import Watch, Watched

NOON = datetime(2026, 11, 18, 12)  # noqa: DTZ001 - on the wall here, wherever that is
NOW = instant(NOON)
HERE = NOON.astimezone().tzinfo
NIGHTLY: dict[str, Setting] = {"days": "sun", "at": "02:00", "duration": "2h"}
SITES = {"shop": ["Checkout", "Search"], "home": ["NAS"]}


def at(day: int, hour: int, minute: int = 0) -> int:
    """An instant so many days from today, on the wall here."""
    return instant(NOON.replace(hour=hour, minute=minute) + timedelta(days=day))


def window(name: str = "Deploys", **given: Setting) -> Window:
    times = given if "cron" in given else {**NIGHTLY, **given}
    return parse_window({"id": name.lower(), "name": name, **times}, NOW, is_new=False)


def once(name: str, starts_at: int, ends_at: int, **changes: object) -> Window:
    return replace(Window(name.lower(), name, OnceAt(starts_at, ends_at)), **changes)  # type: ignore[arg-type]


@dataclass
class Stage:
    app: App
    tasks: Tasks
    clock: FakeClock
    bridge: Bridge
    watch: Watch
    acts: Acts

    def one(self, name: str) -> Watched:
        return next(one for one in self.watch.monitors.values() if one.monitor.name == name)

    @property
    def window(self) -> Window:
        (only,) = self.app.windows.values()
        return only


@asynccontextmanager
async def staged(folder: Path) -> AsyncIterator[Stage]:
    clock = FakeClock(NOW)
    assert HERE is not None
    clock.local_zone = HERE
    async with rigged(folder, clock) as rig:
        for site_id, names in SITES.items():
            given = ({"name": name, "url": "http://127.0.0.1:9", "every": "30d"} for name in names)
            await rig.app.add(given, site_id)
        bridge = Bridge(rig.app)
        watch = Watch(rig.app, bridge)
        acts = Acts(rig.app, watch, rig.tasks)
        yield Stage(rig.app, rig.tasks, clock, bridge, watch, acts)
        bridge.close()


async def saved(editor: MaintenanceEditor) -> Window:
    told = heard(editor.saved)
    editor.save_button.click()
    await until(lambda: told)
    (made,) = told
    assert isinstance(made, Window)
    return made

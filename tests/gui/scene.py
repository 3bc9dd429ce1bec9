"""An app with monitors in it, and the parts of a window around it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from uptime_desktop.app import App, opened
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.status import Status
from uptime_desktop.gui.acts import Acts
from uptime_desktop.gui.bridge import Bridge
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.gui.watch import Watch, Watched


@dataclass
class Scene:
    app: App
    bridge: Bridge
    watch: Watch
    tasks: Tasks
    acts: Acts
    problems: list[str] = field(default_factory=list)

    def one(self, name: str) -> Watched:
        return next(one for one in self.watch.monitors.values() if one.monitor.name == name)

    def set_status(self, name: str, status: Status, *, failures: int = 0) -> Watched:
        """Have a monitor stand like this, as if a run had said so."""
        one = self.one(name)
        one.job.state = replace(one.job.state, health=status, consecutive_failures=failures)
        return one


@asynccontextmanager
async def scene(tmp_path: Path, **sites: list[str]) -> AsyncIterator[Scene]:
    """Sites by their ids with the names of their monitors, none of which runs by itself."""
    async with opened(tmp_path / "uptime.db") as app:
        app.start_timer_only()
        for site_id, names in sites.items():
            await app.add((_quiet(name) for name in names), site_id)
        problems: list[str] = []
        tasks = Tasks(problems.append)
        bridge = Bridge(app)
        watch = Watch(app, bridge)
        acts = Acts(app, watch, tasks)
        try:
            yield Scene(app, bridge, watch, tasks, acts, problems)
        finally:
            await tasks.close()
            bridge.close()


def _quiet(name: str) -> dict[str, Setting]:
    """Due in an hour, at an address where nobody answers."""
    return {"name": name, "url": f"http://127.0.0.1:9/{name}", "cron": "0 0 1 1 *", "retries": 0}

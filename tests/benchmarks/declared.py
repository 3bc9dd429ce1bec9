"""What it costs to plan and apply a configuration file of 5 000 monitors.

.venv/bin/python -m tests.benchmarks.declared [MONITORS]

Processor time of each step in a running app, next to reading the same file with `tomllib` alone,
and how late a beat of 10 ms came on the loop meanwhile: first without a window, then with the
window open on Qt's loop; of addresses in plain lines, and of several kinds in what spellings there
are.
"""

import asyncio
import os
import sys
import tempfile
import time
import tomllib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

from uptime_desktop.app import App, opened
from uptime_desktop.declaring import Plan
from uptime_desktop.slices import give_way_soon

BEAT_S: Final = 0.01
SITES: Final = 50


PLAIN: Final = (
    """\
url = "http://127.0.0.1:9/{path}{number}"
every = "30m"
tags = ["many"]""",
)
MIXED: Final = (
    """\
url = "http://127.0.0.1:9/{path}{number}?a=1" # an address
method = "POST"
body = \"""
some
text\"""
headers = {{ Accept = "application/json", X-Number = "{number}" }}
json_query = ["status == ok", "n < {number}"]
accepted_codes = "200-299,301"
latency_threshold = "800ms"
timeout = "7s"
alert_after = 2
tags = [
    "many", # of them
    "other",
]""",
    """\
kind = "tcp"
host = "127.0.0.1"
port = 9
every = "3{number}m"
tags = ["{path}"]
backoff = "ladder\"""",
    """\
kind = "ping"
host = "127.0.0.1"
cron = "*/20 * * * *"
tz = "Europe/Berlin"
depends_on = ["m-0-0"]
tags = ["{path}"]""",
    """\
kind = "heartbeat"
cron = "{number} 3 * * *"
grace = "10m"
tags = ["{path}"]""",
)


def declaration(monitors: int, sorts: Sequence[str], path: str = "") -> str:
    """A file of monitors on nothing that answers, in sites of equal size."""
    lines = ["version = 1", "[settings]", 'default_interval = "1h"']
    for site in range(SITES):
        lines += ["[[site]]", f'id = "site-{site}"', f'name = "Site {site}"']
        for number in range(monitors // SITES):
            sort = sorts[number % len(sorts)].format(path=path, number=number % 60)
            lines += [
                "[[site.monitor]]",
                f'id = "m-{site}-{number}"',
                f'name = "Monitor {site} {number}"',
                sort,
                "",
            ]
    return "\n".join(lines)


class Beat:
    """How late a task that only waits comes to its turn."""

    def __init__(self) -> None:
        self.late_ms: list[float] = []
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(BEAT_S)
            self.late_ms.append((time.perf_counter() - before - BEAT_S) * 1_000)

    def end(self) -> list[float]:
        self._task.cancel()
        return sorted(self.late_ms) or [0.0]


async def measured(name: str, act: Callable[[], Awaitable[Plan]], read_s: float) -> None:
    beat, before, begun = Beat(), time.process_time(), time.perf_counter()
    plan = await act()
    spent, lasted = time.process_time() - before, time.perf_counter() - begun
    # What follows from it, such as the window's rows, is part of it.
    await asyncio.sleep(1)
    late = beat.end()
    print(
        f"{name:24} {len(plan.differences):5} differences, {spent:.2f} s of processor"
        f" ({spent / read_s:.1f} × reading the file), {lasted:.2f} s,"
        f" stall p99 {late[len(late) * 99 // 100]:.1f} ms, max {late[-1]:.1f} ms",
        flush=True,
    )


async def steps(app: App, monitors: int) -> None:
    for name, sorts in (("plain", PLAIN), ("mixed", MIXED)):
        print(name)
        await steps_of(app, declaration(monitors, sorts), declaration(monitors, sorts, "other"))


async def steps_of(app: App, text: str, other: str) -> None:
    before = time.process_time()
    tomllib.loads(text)
    read_s = time.process_time() - before
    print(f"{len(text) / 1e6:.1f} MB, read by tomllib in {read_s:.2f} s of processor")
    await measured("plan, all new", lambda: app.plan(text, "a.toml"), read_s)
    await measured("apply, all new", lambda: app.apply(text, "a.toml"), read_s)
    await measured("plan, nothing differs", lambda: app.plan(text, "a.toml"), read_s)
    await measured("plan, all changed", lambda: app.plan(other, "b.toml"), read_s)
    await measured("apply, all changed", lambda: app.apply(other, "b.toml"), read_s)
    await measured("apply, all removed", lambda: app.apply("version = 1", "c.toml"), read_s)


async def without_window(database: Path, monitors: int) -> None:
    give_way_soon()
    async with opened(database) as app:
        app.start()
        await steps(app, monitors)


def with_window(database: Path, monitors: int) -> None:
    """The program itself with its window open, on a screen that nobody sees."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from uptime_desktop.gui import run as gui  # noqa: PLC0415
    from uptime_desktop.gui.desktop import Desktop  # noqa: PLC0415
    from uptime_desktop.server.instance import Instance  # noqa: PLC0415

    begin = Desktop.begin

    async def measure(desktop: Desktop) -> None:
        desktop.open()
        await asyncio.sleep(2)
        await steps(desktop._app, monitors)  # noqa: SLF001
        desktop._on_quit()  # noqa: SLF001

    def begin_and_measure(self: Desktop, *, minimised: bool) -> None:
        begin(self, minimised=minimised)
        self.tasks.start(measure(self))

    Desktop.begin = begin_and_measure  # type: ignore[method-assign]
    instance = Instance(database)
    instance.acquire()
    gui.run(database, instance)


def main() -> None:
    monitors = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    with tempfile.TemporaryDirectory() as folder:
        print("without a window")
        asyncio.run(without_window(Path(folder) / "plain.db", monitors))
        print("with the window open")
        with_window(Path(folder) / "window.db", monitors)


if __name__ == "__main__":
    main()

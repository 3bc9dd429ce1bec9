"""What the desktop costs, on a private screen with a real tray.

.venv/bin/python -m tests.benchmarks.desktop [start|idle|busy|table …]

`start`: processor time from nothing to an icon in the tray. `idle`: memory and wake-ups with 50
monitors and no window. `busy`: how long the loop stalls with 3 000 monitors every 60 s and the
window open, by a beat of 10 ms. `table`: opening the window on 10 000 rows, and a key in its
search.
"""

import asyncio
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final

from tests.benchmarks.watching import target
from tests.desktop.processes import Program, wait_until
from tests.desktop.rig import Desktop, Tray, private_desktop
from uptime_desktop.app import opened

ROOT: Final = Path(__file__).parents[2]
TICKS: Final = os.sysconf("SC_CLK_TCK")
BEAT_S: Final = 0.01


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def status_of(pid: int, name: str) -> int:
    return int(Path(f"/proc/{pid}/status").read_text().split(f"\n{name}:")[1].split()[0])


def wakes(pid: int) -> int:
    threads = Path(f"/proc/{pid}/task").iterdir()
    name = "\nvoluntary_ctxt_switches:"
    return sum(int((one / "status").read_text().split(name)[1].split()[0]) for one in threads)


async def fill(database: Path, port: int, count: int, every: str) -> None:
    async with opened(database) as app:
        await app.add(
            (
                {"name": f"Monitor {n}", "url": f"http://127.0.0.1:{port}/{n}", "every": every}
                for n in range(count)
            ),
            "many",
        )


def start(desktop: Desktop, database: Path, *words: str) -> Program:
    command = (sys.executable, "-m", "uptime_desktop", "run", "--db", str(database), *words)
    return desktop.run("program", *command, PYTHONPATH=str(ROOT))


def measure_start(folder: Path) -> None:
    """Several times, for the first one finds cold caches."""
    times = []
    with private_desktop() as desktop:
        desktop.start_tray(Tray.XEMBED)
        for number in range(7):
            program = start(desktop, folder / f"{number}.db", "--minimised")
            desktop.display.tray_icon(program)
            times.append(cpu_s(program.pid))
            program.stop()
    times.sort()
    print(
        f"start   {statistics.median(times):.2f} s of processor until the icon is there"
        f" ({times[0]:.2f} to {times[-1]:.2f})"
    )


def measure_idle(folder: Path) -> None:
    with target(folder / "arrivals") as port, private_desktop() as desktop:
        asyncio.run(fill(folder / "idle.db", port, 50, "1h"))
        desktop.start_tray(Tray.STATUS_NOTIFIER)
        program = start(desktop, folder / "idle.db", "--minimised")
        time.sleep(40)
        rss, before = status_of(program.pid, "VmRSS") / 1_024, wakes(program.pid)
        cpu = cpu_s(program.pid)
        time.sleep(30)
        print(
            f"idle    {rss:.0f} MiB with 50 monitors and no window,"
            f" {(wakes(program.pid) - before) / 30:.1f} wake-ups a second,"
            f" {(cpu_s(program.pid) - cpu) / 30:.2%} of a processor"
        )
        program.stop()


def measure_busy(folder: Path) -> None:
    """The program itself, with a beat beside it on its loop."""
    with target(folder / "arrivals") as port, private_desktop() as desktop:
        asyncio.run(fill(folder / "busy.db", port, 3_000, "60s"))
        desktop.start_tray(Tray.XEMBED)
        words = (sys.executable, "-m", "tests.benchmarks.desktop", "beat", str(folder / "busy.db"))
        program = desktop.run("beat", *words, PYTHONPATH=str(ROOT))
        wait_until("it was measured", lambda: "stall" in program.printed, program, within_s=150)
        print(program.printed.strip())
        program.stop()


def beat(database: Path) -> None:
    """Run the desktop with its window open; how late a beat of 10 ms comes after a while."""
    from uptime_desktop.gui import run as gui  # noqa: PLC0415
    from uptime_desktop.gui.desktop import Desktop as Shown  # noqa: PLC0415
    from uptime_desktop.server.instance import Instance  # noqa: PLC0415

    late: list[float] = []

    async def measure() -> None:
        await asyncio.sleep(40)
        end = time.perf_counter() + 60
        while (before := time.perf_counter()) < end:
            await asyncio.sleep(BEAT_S)
            late.append((time.perf_counter() - before - BEAT_S) * 1_000)
        late.sort()
        middle, most = late[len(late) // 2], late[len(late) * 99 // 100]
        print(
            f"busy    stall p50 {middle:.1f} ms, p99 {most:.1f} ms, max {late[-1]:.1f} ms"
            f" over {len(late)} beats",
            flush=True,
        )

    begin = Shown.begin

    def begin_and_measure(self: Shown, *, minimised: bool) -> None:
        begin(self, minimised=minimised)
        self.tasks.start(measure())

    Shown.begin = begin_and_measure  # type: ignore[method-assign]
    instance = Instance(database)
    instance.acquire()
    gui.run(database, instance)


def measure_table(folder: Path) -> None:
    asyncio.run(fill(folder / "table.db", 9, 10_000, "1h"))
    with closing(sqlite3.connect(folder / "table.db")) as connection:
        # Ten thousand monitors, none of which is due.
        connection.execute("UPDATE states SET next_run_at = next_run_at + 3600000000")
        connection.commit()
    with private_desktop() as desktop:
        words = (sys.executable, "-m", "tests.benchmarks.desktop", "rows", str(folder / "table.db"))
        program = desktop.run("rows", *words, PYTHONPATH=str(ROOT))
        wait_until("it was measured", lambda: "key" in program.printed, program, within_s=60)
        print(program.printed.strip())


async def _rows(database: Path) -> None:
    from PySide6.QtTest import QTest  # noqa: PLC0415
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415

    from uptime_desktop.gui.desktop import Desktop as Shown  # noqa: PLC0415
    from uptime_desktop.gui.tray import Tray as Icon  # noqa: PLC0415

    qt = QApplication.instance()
    assert isinstance(qt, QApplication)
    async with opened(database, has_coarse_timers=True) as app:
        shown = Shown(qt, app, Icon(), lambda: None)
        await asyncio.sleep(2)
        opening_ms = await _outside_tasks(shown.open)
        await asyncio.sleep(1)
        search = shown.window.filters.search
        keys = [
            await _outside_tasks(partial(QTest.keyClicks, search, letter))
            for letter in "monitor 77"
        ]
        print(
            f"table   {len(app.jobs)} rows: open in {opening_ms:.0f} ms,"
            f" a key in the search {statistics.median(keys):.1f} ms, at most {max(keys):.1f} ms",
            flush=True,
        )
        await shown.close()


async def _outside_tasks(act: Callable[[], object]) -> float:
    """Milliseconds until what this does is on the screen; no task may be under way meanwhile."""
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415

    took: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    def measure() -> None:
        before = time.perf_counter()
        act()
        QApplication.processEvents()
        took.set_result((time.perf_counter() - before) * 1_000)

    asyncio.get_running_loop().call_soon(measure)
    return await took


def rows(database: Path) -> None:
    import qasync  # noqa: PLC0415

    from uptime_desktop.gui.run import application  # noqa: PLC0415

    loop = qasync.QEventLoop(application())
    with loop:
        loop.run_until_complete(_rows(database))


def main() -> None:
    measures = {
        "start": measure_start,
        "idle": measure_idle,
        "busy": measure_busy,
        "table": measure_table,
    }
    for name in sys.argv[1:] or measures:
        with tempfile.TemporaryDirectory() as folder:
            measures[name](Path(folder))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["beat", database]:
            beat(Path(database))
        case ["rows", database]:
            rows(Path(database))
        case _:
            main()

"""How late runs start with very many monitors, on the loop of the desktop and on a plain one.

.venv/bin/python -m tests.benchmarks.lateness [MONITORS] [SECONDS]

The checks are fakes that answer at once: what is measured is the timer heap and the scheduler.
Never early; the 99th percentile under 50 ms on a quiet machine.
"""

import asyncio
import os
import random
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

from uptime_desktop.domain.model import Every, Monitor, Outcome
from uptime_desktop.domain.plan import spread_ms
from uptime_desktop.domain.records import Change
from uptime_desktop.domain.status import Status
from uptime_desktop.engine.clock import SystemClock
from uptime_desktop.engine.runner import Limits, Runner
from uptime_desktop.engine.scheduler import Memory, Scheduler
from uptime_desktop.engine.timer import Timer

INTERVAL_MS: Final = 60_000


class Measuring:
    """A journal that compares when a run was planned for with when it started."""

    def __init__(self) -> None:
        self.planned: dict[int, int] = {}
        self.late_ms: list[int] = []

    def submit(self, change: Change) -> None:
        started_at = change.state.running_since
        if started_at is not None and change.run is None:
            planned = self.planned.pop(change.monitor_number, None)
            if planned is not None:
                self.late_ms.append(started_at - planned)
        elif change.run is not None and change.state.next_run_at is not None:
            self.planned[change.monitor_number] = change.state.next_run_at

    def on_kept(self, tell: Callable[[Sequence[Change], bool], None]) -> None:
        """Nobody is told: only the start of runs matters here."""


async def answer(_: Monitor) -> Outcome:
    return Outcome(Status.UP)


async def measure(count: int, seconds: int, is_loop_coarse: bool) -> tuple[list[int], float]:
    clock, journal = SystemClock(is_loop_coarse=is_loop_coarse), Measuring()
    timer = Timer(clock)
    runner = Runner(answer, timer, clock, Limits())
    scheduler = Scheduler(
        clock, timer, runner, journal, random.Random(1), lambda monitor: monitor.id, Memory()
    )
    ringing = asyncio.ensure_future(timer.run())
    scheduler.add(
        Monitor("site", f"m{number}", number + 1, Every(INTERVAL_MS)) for number in range(count)
    )
    await asyncio.sleep(spread_ms(count - 1, count, INTERVAL_MS) / 1_000 + 5)
    journal.late_ms.clear()
    before = time.process_time()
    await asyncio.sleep(seconds)
    used = (time.process_time() - before) / seconds
    ringing.cancel()
    return sorted(journal.late_ms), used


def on_qasync(work: Coroutine[Any, Any, tuple[list[int], float]]) -> tuple[list[int], float]:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("QT_API", "pyside6")
    from PySide6.QtCore import QCoreApplication  # noqa: PLC0415 - the plain loop needs no Qt

    application = QCoreApplication([])
    import qasync  # noqa: PLC0415 - finds the Qt that is already loaded

    loop = qasync.QEventLoop(application)
    with loop:
        found: tuple[list[int], float] = loop.run_until_complete(work)
    return found


def report(name: str, late_ms: list[int], used: float) -> None:
    def percentile(fraction: float) -> int:
        return late_ms[int(fraction * (len(late_ms) - 1))]

    print(
        f"{name:8} {len(late_ms):6} runs, earliest {late_ms[0]} ms, median {percentile(0.5)} ms,"
        f" p99 {percentile(0.99)} ms, latest {late_ms[-1]} ms late; {used:.1%} of a processor"
    )


def main() -> None:
    numbers = [int(word) for word in sys.argv[1:]]
    count, seconds = [*numbers, *(10_000, 60)[len(numbers) :]]
    loops: dict[str, Callable[[Any], tuple[list[int], float]]] = {
        "asyncio": asyncio.run,
        "qasync": on_qasync,
    }
    print(f"{count} monitors every {INTERVAL_MS // 1_000} s")
    for name, run in loops.items():
        report(name, *run(measure(count, seconds, is_loop_coarse=name == "qasync")))


if __name__ == "__main__":
    main()

"""What keeping results costs: room on disk, bytes written, time per row.

.venv/bin/python -m tests.benchmarks.store [--paced]

500 monitors at 25 runs a second, jittered, two in a hundred failing, without evidence and with
evidence for every run (2 KiB of body that hardly compresses; what is kept of it is bounded).
Groups hold what 200 ms bring: 5 starts and 5 results. `--paced` takes as long as it would
(a minute and a half), so that the kernel flushes in between as it would.
"""

import random
import sys
import tempfile
import time
from datetime import UTC
from pathlib import Path
from typing import Final

from peewee import SqliteDatabase

from uptime_desktop.domain import plan
from uptime_desktop.domain.model import Evidence, Monitor, Outcome
from uptime_desktop.domain.records import Change, Run
from uptime_desktop.domain.status import Status
from uptime_desktop.store.db import open_store
from uptime_desktop.store.documents import Json
from uptime_desktop.store.monitors import add_monitor
from uptime_desktop.store.sites import add_site
from uptime_desktop.store.writer import Writer

START: Final = 1_790_000_000_000
MONITORS: Final = 500
RUNS_A_GROUP: Final = 5
GROUP_MS: Final = 200
WARM_UP_RUNS: Final = 30_000
MEASURED_RUNS: Final = 10_000
PACED_RUNS: Final = 2_000


class Load:
    """Runs of jittered monitors in the order in which they would end."""

    def __init__(self, with_evidence: bool):
        self.chance = random.Random(1)
        self._with_evidence = with_evidence
        self.now = START
        self.monitors = [Monitor("site", f"m{n}", n) for n in range(1, MONITORS + 1)]
        self.states = {m.number: plan.begin(m, START, UTC).state for m in self.monitors}
        self._waiting = list(self.monitors)
        self._running: list[Monitor] = []

    def group(self) -> list[Change]:
        """What 200 ms bring: those started in the group before end, as many others start."""
        self.now += GROUP_MS
        ending, self._running = self._running, []
        changes = [self._end(monitor) for monitor in ending]
        for _ in range(RUNS_A_GROUP):
            monitor = self._waiting.pop(self.chance.randrange(len(self._waiting) // 2))
            changes.append(self._start(monitor))
            self._running.append(monitor)
        self._waiting += ending
        return changes

    def _start(self, monitor: Monitor) -> Change:
        state = plan.start(monitor, self.states[monitor.number], self.now).state
        self.states[monitor.number] = state
        return Change(monitor.number, state)

    def _end(self, monitor: Monitor) -> Change:
        started_at = self.states[monitor.number].running_since or self.now
        response_ms = self.chance.lognormvariate(4.6 + monitor.number % 7 / 4, 0.25)
        seen = self._evidence() if self._with_evidence else None
        outcome = Outcome(Status.UP, "", response_ms, evidence=seen)
        if self.chance.random() < 0.02:
            outcome = Outcome(Status.DOWN, "connection refused", attempts=2, evidence=seen)
        before = self.states[monitor.number]
        after = plan.advance(monitor, before, outcome, self.now, self.chance.random(), UTC)
        self.states[monitor.number] = after.state
        run = Run(started_at, 0, before.source, outcome)
        return Change(monitor.number, after.state, run, after.events)

    def _evidence(self) -> Evidence:
        body = " ".join(self.chance.choices(WORDS, k=280))[:2_048]
        return Evidence(
            (("dns", 1.25), ("connect", 10.5), ("tls", 20.25), ("first byte", 48.0)),
            "192.0.2.7:443",
            "HTTP/1.1 200 OK",
            tuple((f"x-header-{n}", str(self.chance.random())) for n in range(8)),
            body,
            repeat_with="curl -sS -m 30 https://shop.example/",
        )


WORDS: Final = [f"{random.Random(n).getrandbits(24):x}" for n in range(400)]


def written_bytes() -> tuple[int, int]:
    """What this process handed to the kernel, and what of it the kernel must bring to storage."""
    with Path("/proc/self/io").open() as file:
        values = dict(line.split(": ") for line in file.read().splitlines())
    return int(values["wchar"]), int(values["write_bytes"])


def ready(folder: Path, load: Load, group_size: int) -> Writer:
    open_store(folder / "uptime.db", START).store.close()
    writer = Writer(folder / "uptime.db", lambda: load.now, group_size=group_size)
    writer.call(add_site, "site", "Site").result()
    writer.call(add_all, load.monitors).result()
    return writer


def add_all(db: SqliteDatabase, monitors: list[Monitor]) -> None:
    definition: dict[str, Json] = {"url": "https://shop.example/", "every": "60s"}
    for one in monitors:
        add_monitor(db, id=one.id, site_id="site", name=one.id, kind="http", definition=definition)


def run(writer: Writer, load: Load, runs: int, paced: bool = False) -> None:
    begun = time.monotonic()
    for number in range(runs // RUNS_A_GROUP):
        for change in load.group():
            writer.submit(change)
        if number % 100 == 0:
            writer.touch_alive(load.now)
        if number % 500 == 0:
            writer.flush()
        if paced:
            time.sleep(max(0.0, begun + (number + 1) * GROUP_MS / 1_000 - time.monotonic()))
    writer.flush()


def size_and_writes(folder: Path, with_evidence: bool, paced: bool) -> None:
    runs = PACED_RUNS if paced else MEASURED_RUNS
    path, load = folder / "uptime.db", Load(with_evidence)
    writer = ready(folder, load, 2 * RUNS_A_GROUP)
    run(writer, load, WARM_UP_RUNS)
    writer.close()
    size_before, written_before = path.stat().st_size, written_bytes()
    writer = Writer(path, lambda: load.now, group_size=2 * RUNS_A_GROUP)
    run(writer, load, runs, paced)
    writer.close()
    handed, stored = (now - then for now, then in zip(written_bytes(), written_before, strict=True))
    grown = path.stat().st_size - size_before
    print(
        f"{runs:,} runs after {WARM_UP_RUNS:,}, {'with' if with_evidence else 'without'} evidence"
    )
    print(f"  growth of the file   {grown / runs:8.1f} KB a 1 000 runs   (goal 40)")
    print(f"  handed to the kernel {handed / runs / 1_000:8.2f} MB a 1 000 runs   (goal 4)")
    print(f"  brought to storage   {stored / runs / 1_000:8.2f} MB a 1 000 runs   (goal 4)")


def time_per_row(folder: Path, with_evidence: bool) -> None:
    load = Load(with_evidence)
    writer = ready(folder, load, 200)
    changes = [change for _ in range(4_000) for change in load.group()]
    begun = time.perf_counter()
    for change in changes:
        writer.submit(change)
    writer.flush()
    each = (time.perf_counter() - begun) / len(changes) * 1e6
    writer.close()
    print(f"  a change in a full group {each:4.1f} µs                  (goal 2 to 12)")


if __name__ == "__main__":
    for with_evidence in (False, True):
        with tempfile.TemporaryDirectory() as name:
            size_and_writes(Path(name), with_evidence, "--paced" in sys.argv)
        with tempfile.TemporaryDirectory() as name:
            time_per_row(Path(name), with_evidence)

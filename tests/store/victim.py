"""A process that writes under load until it is killed, and says through a pipe how far it got.

python -m tests.store.victim DATABASE DWELL_MS

    definition ID     a monitor was added and the call returned
    submitted AT      a change was handed over whose state and run carry this instant
    inside            a transaction has begun to change the file
    committing        it is about to be committed
    committed AT      a group is on disk whose last change carries this instant; nobody knows yet
    kept AT           its listeners have been told

It dwells, busily, inside a transaction and before it says `kept`, so that it can be killed there.
"""

import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from peewee import SqliteDatabase

from tests.store.build import broke, finished, recovered, sqlite3_of
from uptime_desktop.domain.records import Change
from uptime_desktop.store.db import open_store
from uptime_desktop.store.monitors import add_monitor
from uptime_desktop.store.sites import add_site

MONITORS = 20
SITE = "site"


def say(*words: object) -> None:
    os.write(1, " ".join(map(str, words)).encode() + b"\n")


def dwell(ms: float) -> None:
    until = time.perf_counter() + random.random() * ms / 1_000
    while time.perf_counter() < until:
        pass


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Steps:
    """Notices, statement by statement, when a transaction changes something."""

    def __init__(self, dwell_ms: float) -> None:
        self._dwell_ms = dwell_ms
        self._is_inside = False

    def __call__(self, statement: str) -> None:
        if statement == "COMMIT":
            self._is_inside = False
            say("committing")
        elif not self._is_inside and statement.startswith(("INSERT", "UPDATE")):
            self._is_inside = True
            say("inside")
            dwell(self._dwell_ms)

    def install(self, db: SqliteDatabase) -> None:
        sqlite3_of(db).set_trace_callback(self)


def main(path: Path, dwell_ms: float) -> None:
    store = open_store(path, now_ms()).store
    loaded = store.load()
    writer = store.start_writer(now_ms)
    writer.call(Steps(dwell_ms).install).result()
    newest = max((state.saved_at for state in loaded.states.values()), default=0)
    numbers = [row.number for row in loaded.monitors]
    if not loaded.sites:
        writer.call(add_site, SITE, "Site").result()

    def committed(changes: Sequence[Change], persisted: bool) -> None:
        say("committed" if persisted else "held", changes[-1].state.saved_at)
        dwell(dwell_ms)

    def kept(changes: Sequence[Change], _: bool) -> None:
        say("kept", changes[-1].state.saved_at)

    writer.on_kept(committed)
    writer.on_kept(kept)
    say("ready")
    count = 0
    while True:
        count += 1
        if len(numbers) < MONITORS or count % 100 == 0:
            name = f"monitor-{now_ms()}-{count}"
            definition = {"every": "60s", "url": f"https://{name}.example/"}
            row = writer.call(
                add_monitor, id=name, site_id=SITE, name=name, kind="http", definition=definition
            ).result()
            numbers.append(row.number)
            say("definition", name)
        # Instants that only grow, so that they also number the changes.
        newest = max(newest + 1, now_ms())
        number = random.choice(numbers)
        makers: list[Callable[[int, int], Change]] = [finished, finished, broke, recovered]
        writer.submit(random.choice(makers)(number, newest))
        say("submitted", newest)
        time.sleep(0.001)


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))

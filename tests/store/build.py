"""Short ways to a store with monitors in it, to changes, and strategies for states."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from uuid import UUID

from hypothesis import strategies as st
from peewee import SqliteDatabase

from uptime_desktop.domain.events import Event, IncidentOpened, IncidentResolved
from uptime_desktop.domain.model import (
    Evidence,
    Hint,
    Outcome,
    Pause,
    PauseReason,
    RuntimeState,
    Source,
)
from uptime_desktop.domain.records import Change, Run
from uptime_desktop.domain.status import Status
from uptime_desktop.store.connection import BUSY_MS
from uptime_desktop.store.db import Store, open_store
from uptime_desktop.store.monitors import add_monitor
from uptime_desktop.store.sites import add_site
from uptime_desktop.store.writer import Writer

NOW: Final = 1_790_000_000_000
EVIDENCE: Final = Evidence(
    timings_ms=(("dns", 1.5), ("total", 120.25)),
    address="192.0.2.7:443",
    status_line="HTTP/1.1 503 Service Unavailable",
    headers=(("content-type", "text/html"),),
    body="<h1>Sorry</h1>" * 50,
    repeat_with="curl -sS https://shop.example/",
)

instants = st.integers(0, 4_000_000_000_000)
states = st.builds(
    RuntimeState,
    health=st.sampled_from(Status),
    backoff_attempt=st.integers(0, 100_000),
    consecutive_failures=st.integers(0, 100_000),
    next_run_at=st.none() | instants,
    planned_slot_at=st.none() | instants,
    source=st.sampled_from(Source),
    last_attempt_at=st.none() | instants,
    running_since=st.none() | instants,
    pause=st.none() | st.builds(Pause, st.sampled_from(PauseReason), st.none() | instants),
    hint=st.none() | st.builds(Hint, instants, st.none() | instants, st.none() | instants),
    incidents=st.frozensets(st.sampled_from(Status)),
    plan_version=st.integers(0, 1_000),
    saved_at=instants,
)


@contextlib.contextmanager
def opened(path: Path, now: int = NOW, busy_ms: int = BUSY_MS) -> Iterator[tuple[Store, Writer]]:
    """A store with its writer, whose clock stands still; closed at the end."""
    store = open_store(path, now).store
    writer = store.start_writer(lambda: now, busy_ms=busy_ms)
    try:
        yield store, writer
    finally:
        store.close()


def add_monitors(writer: Writer, count: int = 1) -> list[int]:
    """Monitors in a site of their own; their numbers."""

    def add(db: SqliteDatabase) -> list[int]:
        (sites,) = sqlite3_of(db).execute("SELECT count(*) FROM sites").fetchone()
        add_site(db, f"site-{sites}", "Shop")
        return [
            add_monitor(
                db,
                id=f"monitor-{sites}-{number}",
                site_id=f"site-{sites}",
                name="Home",
                kind="http",
                definition={"every": "60s", "url": "https://shop.example/"},
            ).number
            for number in range(count)
        ]

    return writer.call(add).result()


def sqlite3_of(db: SqliteDatabase) -> sqlite3.Connection:
    connection = db.connection()  # type: ignore[no-untyped-call]
    assert isinstance(connection, sqlite3.Connection)
    return connection


def outside(path: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    """What another program sees in the file right now."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement, values).fetchall()


def finished(
    number: int,
    at: int,
    status: Status = Status.UP,
    reason: str = "",
    response_ms: float | None = 12.5,
    evidence: Evidence | None = None,
    events: tuple[Event, ...] = (),
) -> Change:
    """A run that started at an instant and is over."""
    outcome = Outcome(status, reason, response_ms, evidence=evidence)
    state = RuntimeState(health=status, last_attempt_at=at, saved_at=at)
    return Change(number, state, Run(at, 3, Source.BASELINE_INTERVAL, outcome), events)


def broke(number: int, at: int, reason: str = "refused") -> Change:
    """A run that found the target down, with the incident it opened."""
    event = IncidentOpened("site-0", "monitor", UUID(int=1), at, Status.DOWN, reason)
    return finished(number, at, Status.DOWN, reason, None, EVIDENCE, (event,))


def recovered(number: int, at: int) -> Change:
    event = IncidentResolved("site-0", "monitor", UUID(int=1), at, Status.DOWN)
    return finished(number, at, events=(event,))

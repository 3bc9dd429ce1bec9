"""Groups: whole, in order, and told only once they are on disk."""

import asyncio
import logging
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from peewee import SqliteDatabase

from tests.store.build import NOW, add_monitors, broke, finished, opened, outside, recovered
from uptime_desktop.domain.model import RuntimeState
from uptime_desktop.domain.records import Change, Journal
from uptime_desktop.store.db import Store, open_store
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.settings import set_setting
from uptime_desktop.store.writer import Writer


class Told:
    """A listener that remembers."""

    def __init__(self, writer: Writer) -> None:
        self.groups: list[tuple[Sequence[Change], bool]] = []
        writer.on_kept(lambda changes, persisted: self.groups.append((changes, persisted)))

    @property
    def changes(self) -> list[Change]:
        return [change for changes, _ in self.groups for change in changes]


def test_the_writer_is_a_journal(writer: Writer) -> None:
    journal: Journal = writer
    assert journal is writer


def test_changes_are_told_in_order_and_in_groups_that_end_when_full(path: Path) -> None:
    open_store(path, NOW).store.close()
    writer = Writer(path, lambda: NOW, group_ms=60_000, group_size=50)
    try:
        numbers = add_monitors(writer, 7)
        told = Told(writer)
        sent = [finished(numbers[n % 7], NOW + n) for n in range(120)]
        for change in sent:
            writer.submit(change)
        assert writer.flush()
        assert [len(changes) for changes, _ in told.groups] == [50, 50, 20]
        assert told.changes == sent
        assert all(persisted for _, persisted in told.groups)
    finally:
        writer.close()
    assert outside(path, "SELECT count(*) FROM runs") == [(120,)]


def test_a_group_ends_by_itself_soon_after_its_first_change(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    is_told = threading.Event()
    writer.on_kept(lambda *_: is_told.set())
    writer.submit(finished(number, NOW))
    assert is_told.wait(10)
    assert outside(store.path, "SELECT started_at FROM runs") == [(NOW,)]


def test_a_transition_is_on_disk_whole_when_it_is_told(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    seen: list[list[tuple[object, ...]]] = []

    def look(_: Sequence[Change], persisted: bool) -> None:
        assert persisted
        tables = ("states", "runs", "incidents", "outbox", "evidence", "open_buckets")
        seen.extend(outside(store.path, f"SELECT count(*) FROM {table}") for table in tables)

    writer.on_kept(look)
    writer.submit(broke(number, NOW))
    assert writer.flush()
    assert seen == [[(1,)]] * 6


def test_nothing_of_a_group_is_on_disk_before_it_is_committed(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    seen: list[object] = []

    def look(statement: str) -> None:
        if statement == "COMMIT":
            seen.append(
                outside(
                    store.path, "SELECT count(*) FROM runs UNION ALL SELECT count(*) FROM states"
                )
            )

    def trace(db: SqliteDatabase) -> None:
        db.connection().set_trace_callback(look)  # type: ignore[no-untyped-call]

    writer.call(trace).result()
    seen.clear()
    writer.submit(broke(number, NOW))
    writer.submit(recovered(number, NOW + 1))
    writer.flush()
    assert seen[0] == [(0,), (0,)]
    assert outside(store.path, "SELECT count(*) FROM runs") == [(2,)]


def test_of_several_states_in_a_group_the_last_is_kept(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    for saved_at in (NOW, NOW + 1, NOW + 2):
        writer.submit(Change(number, RuntimeState(saved_at=saved_at)))
    writer.flush()
    assert store.load().states[number].saved_at == NOW + 2


def test_a_call_sees_what_was_submitted_before_it(writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(finished(number, NOW))

    def count(db: SqliteDatabase) -> int:
        found: int = db.execute_sql("SELECT count(*) FROM runs").fetchone()[0]  # type: ignore[no-untyped-call]
        return found

    assert writer.call(count).result() == 1


def test_a_call_that_fails_leaves_nothing_behind(store: Store, writer: Writer) -> None:
    def half(db: SqliteDatabase) -> None:
        set_setting(db, "language", "zh")
        raise LookupError("changed my mind")

    with pytest.raises(LookupError, match="changed my mind"):
        writer.call(half).result()
    assert store.load().settings == {}
    writer.call(set_setting, "language", "en").result()
    assert store.load().settings == {"language": "en"}


def test_a_call_can_be_awaited(store: Store, writer: Writer) -> None:
    async def choose() -> None:
        await asyncio.wrap_future(writer.call(set_setting, "language", "en"))
        assert outside(store.path, "SELECT key FROM settings") == [("language",)]

    asyncio.run(choose())


def test_being_alive_is_noted(store: Store, writer: Writer) -> None:
    assert store.load().last_alive_at is None
    writer.touch_alive(NOW + 5)
    writer.flush()
    assert store.load().last_alive_at == NOW + 5


def test_a_listener_that_fails_does_not_stop_the_others(
    writer: Writer, caplog: pytest.LogCaptureFixture
) -> None:
    (number,) = add_monitors(writer)

    def fail(changes: Sequence[Change], persisted: bool) -> None:
        raise ZeroDivisionError(changes, persisted)

    writer.on_kept(fail)
    told = Told(writer)
    writer.submit(finished(number, NOW))
    assert writer.flush()
    assert len(told.changes) == 1
    assert "A listener of the store failed" in caplog.text


def test_a_change_that_can_never_be_written_does_not_hold_up_the_others(
    store: Store, writer: Writer, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = add_monitors(writer, 2)
    told = Told(writer)
    with caplog.at_level(logging.ERROR):
        writer.submit(finished(first, NOW))
        writer.submit(Change(first, RuntimeState(saved_at=1 << 70)))
        writer.submit(finished(second, NOW))
        assert writer.flush()
    assert {number: state.saved_at for number, state in store.load().states.items()} == {
        first: NOW,
        second: NOW,
    }
    assert "cannot be written and is lost" in caplog.text
    assert sorted((len(changes), persisted) for changes, persisted in told.groups) == [
        (1, False),
        (2, True),
    ]


def test_closing_writes_everything_and_leaves_one_file(path: Path) -> None:
    with opened(path) as (_, writer):
        (number,) = add_monitors(writer)
        for n in range(1_000):
            writer.submit(finished(number, NOW + n))
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert outside(path, "SELECT count(*) FROM runs") == [(1_000,)]


def test_after_closing_calls_fail_and_closing_again_is_harmless(path: Path) -> None:
    with opened(path) as (_, writer):
        assert writer.close() == 0
        with pytest.raises(StoreError, match="is closed"):
            writer.call(set_setting, "a", 1).result()
        assert not writer.flush()

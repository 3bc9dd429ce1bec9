"""When the disk does not take it: everything is held, said, and written in order once it does."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.store.build import (
    EVIDENCE,
    NOW,
    add_monitors,
    broke,
    finished,
    opened,
    outside,
    recovered,
)
from tests.store.places import immutable, locked_by_another_process, small_disk
from uptime_desktop.domain.alerts import Alert, Told
from uptime_desktop.domain.records import Change
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Tally, latency_bucket
from uptime_desktop.store.db import Store, open_store
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.evidence import KEPT_FAILURES, evidence_of, last_good
from uptime_desktop.store.outbox import mark_told, waiting
from uptime_desktop.store.settings import set_setting
from uptime_desktop.store.uptime import tally_between
from uptime_desktop.store.writer import Writer


@pytest.fixture
def both(path: Path) -> Iterator[tuple[Store, Writer]]:
    """One that does not wait long for others."""
    with opened(path, busy_ms=50) as pair:
        yield pair


class Watch:
    """Remembers what a writer tells, and lets a test wait for it."""

    def __init__(self, writer: Writer) -> None:
        self.groups: list[tuple[Sequence[Change], bool]] = []
        self.faults: list[str | None] = []
        self.failed = threading.Event()
        self.healed = threading.Event()
        writer.on_kept(lambda changes, persisted: self.groups.append((changes, persisted)))
        writer.on_fault(self._note)

    def _note(self, fault: str | None) -> None:
        self.faults.append(fault)
        (self.healed if fault is None else self.failed).set()

    @property
    def changes(self) -> list[Change]:
        return [change for changes, _ in self.groups for change in changes]


def _runs(path: Path) -> list[object]:
    return [at for (at,) in outside(path, "SELECT started_at FROM runs ORDER BY 1")]


def test_what_comes_while_another_program_holds_the_file_arrives_when_it_lets_go(
    store: Store, writer: Writer
) -> None:
    (number,) = add_monitors(writer)
    watch = Watch(writer)
    sent = [finished(number, NOW + n) for n in range(450)]
    with locked_by_another_process(store.path):
        for change in sent:
            writer.submit(change)
        assert watch.failed.wait(10)
        assert writer.fault == (
            f"Results are held in memory: {store.path} is in use by another program; "
            "close that program and try again"
        )
        assert not writer.flush()
        assert writer.held == 450
        assert _runs(store.path) == []
    assert watch.healed.wait(15)
    assert writer.fault is None
    assert writer.flush()
    assert _runs(store.path) == [NOW + n for n in range(450)]
    assert watch.changes == sent
    assert not any(persisted for _, persisted in watch.groups)
    assert len(watch.faults) == 2
    assert store.load().states[number] == sent[-1].state


def test_a_call_fails_at_once_with_a_sentence_while_results_are_held(
    store: Store, writer: Writer
) -> None:
    (number,) = add_monitors(writer)
    with locked_by_another_process(store.path):
        writer.submit(finished(number, NOW))
        with pytest.raises(StoreError, match="is in use by another program"):
            writer.call(set_setting, "language", "en").result(10)
    writer.call(set_setting, "language", "en").result(10)
    assert _runs(store.path) == [NOW]


def test_a_disk_too_full_to_be_read_from_is_said_to_be_full(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 2_048) as disk:
        path = disk / "uptime.db"
        open_store(path, NOW).store.close()
        _fill_up(disk / "ballast")
        with pytest.raises(StoreError, match="is full; free some space"):
            open_store(path, NOW)


def test_what_comes_while_the_disk_is_full_arrives_in_order_once_there_is_room(
    tmp_path: Path,
) -> None:
    with small_disk(tmp_path / "disk", 2_048) as disk:
        path, ballast = disk / "uptime.db", disk / "ballast"
        store = open_store(path, NOW).store
        writer = store.start_writer(lambda: NOW)
        (number,) = add_monitors(writer)
        watch = Watch(writer)
        _fill_up(ballast)
        sent = [finished(number, NOW + n) for n in range(2_000)]
        for change in sent:
            writer.submit(change)
        assert watch.failed.wait(10)
        assert writer.fault == (
            f"Results are held in memory: the disk that holds {path} is full; free some space"
        )
        with pytest.raises(StoreError, match="is full"):
            writer.call(set_setting, "language", "en").result(10)
        ballast.unlink()
        assert watch.healed.wait(15)
        assert writer.flush()
        assert _runs(path) == [NOW + n for n in range(2_000)]
        assert watch.changes == sent
        assert store.load().states[number] == sent[-1].state
        assert store.close() == 0


def test_closing_on_a_full_disk_takes_bounded_time_and_tells_what_was_lost(
    tmp_path: Path,
) -> None:
    with small_disk(tmp_path / "disk", 2_048) as disk:
        path = disk / "uptime.db"
        store = open_store(path, NOW).store
        writer = store.start_writer(lambda: NOW)
        (number,) = add_monitors(writer)
        _fill_up(disk / "ballast")
        for n in range(2_000):
            writer.submit(finished(number, NOW + n))
        lost = writer.close(timeout_ms=300)
        assert 0 < lost <= 2_000
        (disk / "ballast").unlink()
        found = open_store(path, NOW)
        assert found.notices == ()
        assert len(_runs(path)) == 2_000 - lost
        assert found.store.close() == 0
        store.close()


def _fill_up(ballast: Path) -> None:
    """Leave no room, to the last byte."""
    with ballast.open("wb", buffering=0) as file:
        for size in (65_536, 4_096, 1):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                continue


def test_what_comes_while_nobody_may_change_the_file_arrives_when_one_may(
    store: Store, writer: Writer
) -> None:
    (number,) = add_monitors(writer)
    watch = Watch(writer)
    with immutable(store.path.with_name("uptime.db-wal")):
        writer.submit(finished(number, NOW))
        if not watch.failed.wait(3):
            pytest.skip("this file system lets handles opened before write on")
        assert writer.fault is not None
    assert watch.healed.wait(15)
    assert _runs(store.path) == [NOW]


def test_past_the_bound_runs_are_counted_and_states_incidents_and_alerts_are_not_lost(
    path: Path,
) -> None:
    open_store(path, NOW).store.close()
    writer = Writer(path, lambda: NOW, held_runs=100, busy_ms=50)
    first, second = add_monitors(writer, 2)
    watch = Watch(writer)
    with locked_by_another_process(path):
        for n in range(100):
            writer.submit(finished(first, NOW + n))
        for n in range(100, 400):
            writer.submit(finished(second, NOW + n, response_ms=float(n)))
        writer.submit(broke(second, NOW + 400))
        writer.submit(finished(first, NOW + 401, Status.UNKNOWN, "offline", None))
        assert watch.failed.wait(10)
        assert not writer.flush()
        assert writer.fault is not None
        assert writer.fault.endswith("; there are so many that the newest are only counted")
    assert watch.healed.wait(15)
    assert writer.flush()
    assert writer.close() == 0
    assert len(watch.changes) == 402
    assert len(_runs(path)) == 100
    store = open_store(path, NOW).store
    assert store.load().states[second].saved_at == NOW + 400
    assert store.load().states[first].saved_at == NOW + 401
    until = NOW + 300_000
    counted = store.read(tally_between, second, NOW - 300_000, until, until)
    assert (counted.up, counted.down, counted.fastest_tenths) == (300, 1, 1_000)
    assert store.read(tally_between, first, NOW - 300_000, until, until) == Tally(
        100, 0, 0, 1, 125, 125, 12_500, {latency_bucket(125): 100}
    )
    assert outside(path, "SELECT monitor, reason FROM incidents") == [(second, "refused")]
    assert outside(path, "SELECT count(*) FROM outbox") == [(1,)]
    store.close()


def test_no_more_evidence_is_held_than_would_be_kept(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    watch = Watch(writer)
    with locked_by_another_process(store.path):
        for n in range(50):
            writer.submit(finished(number, NOW + n, Status.DOWN, "refused", None, EVIDENCE))
        writer.submit(finished(number, NOW + 50, evidence=EVIDENCE))
        assert watch.failed.wait(10)
    assert watch.healed.wait(15)
    assert writer.flush()
    kept = [at for at in range(50) if store.read(evidence_of, number, NOW + at) == EVIDENCE]
    assert kept == list(range(50 - KEPT_FAILURES, 50))
    # The good one comes to disk with the next failure, for comparison.
    assert store.read(last_good, number) is None
    writer.submit(finished(number, NOW + 51, Status.DOWN, "refused", None, EVIDENCE))
    assert writer.flush()
    assert store.read(last_good, number) == (NOW + 50, EVIDENCE)
    assert len(_runs(store.path)) == 52


def test_an_alert_told_from_memory_is_due_again_only_if_nobody_says_it_was_sent(
    store: Store, writer: Writer
) -> None:
    first, second = add_monitors(writer, 2)
    watch = Watch(writer)
    with locked_by_another_process(store.path):
        writer.submit(broke(first, NOW))
        writer.submit(broke(second, NOW))
        writer.submit(recovered(second, NOW + 1))
        assert watch.failed.wait(10)
    assert watch.healed.wait(15)
    told = Told(Alert(second, Status.DOWN, False, NOW, NOW), ())
    writer.call(mark_told, [told], NOW + 2).result()
    undecided = writer.call(waiting, NOW + 60_000).result().alerts
    assert [(one.monitor_number, one.is_recovery, one.not_before) for one in undecided] == [
        (first, False, NOW + 300_000),
        (second, True, NOW + 300_000),
    ]

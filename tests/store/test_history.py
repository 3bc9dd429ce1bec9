"""Runs and evidence as they are read back, from any thread, and how they are forgotten."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.build import EVIDENCE, NOW, add_monitors, broke, finished, outside
from uptime_desktop.domain.model import DAY_MS, Evidence, Outcome, RuntimeState, Source
from uptime_desktop.domain.records import Change, Run
from uptime_desktop.domain.status import Status
from uptime_desktop.store import evidence
from uptime_desktop.store.db import Store
from uptime_desktop.store.evidence import GOOD_EVERY_MS, KEPT_FAILURES, evidence_of, last_good
from uptime_desktop.store.pruning import Retention, prune
from uptime_desktop.store.runs import Beat, RunRow, newest_runs, strips
from uptime_desktop.store.writer import Writer


def test_a_run_is_read_as_it_was_written(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    outcome = Outcome(Status.DEGRADED, "slow", 1_234.56, attempts=3)
    run = Run(NOW, 17, Source.MANUAL, outcome)
    writer.submit(Change(number, RuntimeState(), run))
    writer.flush()
    assert store.read(newest_runs, number) == (
        RunRow(number, NOW, Status.DEGRADED, 1_234.6, 17, 3, Source.MANUAL, "slow"),
    )


def test_runs_come_newest_first_a_page_at_a_time(store: Store, writer: Writer) -> None:
    first, second = add_monitors(writer, 2)
    for n in range(25):
        writer.submit(finished(first, NOW + n))
        writer.submit(finished(second, NOW + n))
    writer.flush()
    pages = []
    before = None
    while page := store.read(newest_runs, first, before=before, limit=10):
        pages.append([run.started_at - NOW for run in page])
        before = page[-1].started_at
    assert pages == [list(range(24, 14, -1)), list(range(14, 4, -1)), list(range(4, -1, -1))]


def test_the_same_reason_is_stored_once(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    for n in range(10):
        writer.submit(finished(number, NOW + n, Status.DOWN, f"refused {n % 2}"))
    writer.flush()
    assert outside(store.path, "SELECT count(*) FROM reasons") == [(2,)]
    assert {run.reason for run in store.read(newest_runs, number)} == {"refused 0", "refused 1"}


def test_strips_show_the_last_runs_of_every_monitor(store: Store, writer: Writer) -> None:
    first, second, _ = add_monitors(writer, 3)
    for n in range(5):
        writer.submit(finished(first, NOW + n, response_ms=float(n)))
    writer.submit(finished(second, NOW, Status.DOWN, response_ms=None))
    writer.flush()
    assert store.read(strips, 3, 0) == {
        first: tuple(Beat(NOW + n, Status.UP, float(n)) for n in (2, 3, 4)),
        second: (Beat(NOW, Status.DOWN, None),),
    }


def test_many_threads_read_while_one_writes(store: Store, writer: Writer) -> None:
    numbers = add_monitors(writer, 8)
    with ThreadPoolExecutor(8) as pool:
        for n in range(200):
            for number in numbers:
                writer.submit(finished(number, NOW + n))
        counts = [
            list(pool.map(lambda number: len(store.read(newest_runs, number)), numbers))
            for _ in range(20)
        ]
        writer.flush()
        counts.append(list(pool.map(lambda number: len(store.read(newest_runs, number)), numbers)))
    for earlier, later in pairwise(counts):
        assert all(a <= b for a, b in zip(earlier, later, strict=True))
    assert counts[-1] == [100] * 8


def test_evidence_is_kept_for_the_newest_failures_of_each_monitor(
    store: Store, writer: Writer
) -> None:
    first, second = add_monitors(writer, 2)
    writer.submit(broke(second, NOW))
    for n in range(KEPT_FAILURES + 5):
        writer.submit(finished(first, NOW + n, Status.DOWN, "refused", None, EVIDENCE))
    writer.flush()
    assert store.read(evidence_of, first, NOW + 4) is None
    assert store.read(evidence_of, first, NOW + 5) == EVIDENCE
    assert store.read(evidence_of, second, NOW) == EVIDENCE
    assert outside(store.path, "SELECT count(*) FROM evidence") == [(KEPT_FAILURES + 1,)]


def test_one_good_run_is_kept_to_compare_with_and_renewed_now_and_then(
    store: Store, writer: Writer
) -> None:
    (number,) = add_monitors(writer)
    for at in (NOW, NOW + 1, NOW + GOOD_EVERY_MS, NOW + GOOD_EVERY_MS + 1):
        writer.submit(finished(number, at, evidence=EVIDENCE))
        writer.flush()
    assert store.read(last_good, number) == (NOW + GOOD_EVERY_MS, EVIDENCE)
    assert outside(store.path, "SELECT count(*) FROM evidence") == [(1,)]


texts = st.text(max_size=40)


@given(
    st.builds(
        Evidence,
        st.lists(st.tuples(texts, st.floats(0, 1e6)), max_size=4).map(tuple),
        texts,
        texts,
        st.lists(st.tuples(texts, texts), max_size=4).map(tuple),
        st.text(max_size=2_048),
        texts,
        texts,
    )
)
def test_packed_evidence_comes_out_as_it_went_in(seen: Evidence) -> None:
    assert evidence.unpacked(evidence.packed(seen)) == seen


def test_old_history_is_forgotten_in_small_steps_and_days_are_kept(
    store: Store, writer: Writer
) -> None:
    first, second = add_monitors(writer, 2)
    for day in range(30):
        for n in range(20):
            writer.submit(finished(first, NOW + day * DAY_MS + n * 60_000, reason=f"day {day}"))
        writer.submit(finished(second, NOW + day * DAY_MS))
    end = NOW + 30 * DAY_MS
    writer.touch_alive(end)
    writer.flush()
    while outside(store.path, "SELECT 1 FROM open_buckets LIMIT 1"):
        writer.flush()
    steps = []
    while removed := writer.call(prune, end, Retention(hours_ms=20 * DAY_MS), 50).result():
        steps.append(removed)
    assert max(steps) <= 50
    assert outside(store.path, "SELECT count(*), min(started_at) FROM runs") == [
        (14 * 21, NOW + 16 * DAY_MS)
    ]
    assert outside(
        store.path, "SELECT resolution, count(*) FROM rollups WHERE monitor = ? GROUP BY 1", second
    ) == [(0, 14), (1, 20), (2, 30)]
    # When a reason was used is known to the day.
    assert outside(store.path, "SELECT count(*) FROM reasons") == [(15,)]


def test_runs_not_yet_added_up_are_not_forgotten(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(finished(number, NOW))
    assert writer.call(prune, NOW + 100 * DAY_MS).result() == 0
    assert len(store.read(newest_runs, number)) == 1


@pytest.mark.parametrize("count", [1, 7])
def test_reading_after_a_failed_read_still_works(store: Store, writer: Writer, count: int) -> None:
    add_monitors(writer)
    for _ in range(count):
        with pytest.raises(ZeroDivisionError):
            store.read(lambda _: 1 / 0)
    assert len(store.load().monitors) == 1

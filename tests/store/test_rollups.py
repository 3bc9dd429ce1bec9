"""History added up equals history counted one by one."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from peewee import SqliteDatabase

from tests.store.build import NOW, add_monitors, finished, opened, outside, sqlite3_of
from uptime_desktop.domain.model import DAY_MS, HOUR_MS
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import (
    Resolution,
    Tally,
    bucket_middle,
    latency_bucket,
    segments,
    tally_of,
    total,
)
from uptime_desktop.store.db import open_store
from uptime_desktop.store.rollups import close_buckets, packed, unpacked
from uptime_desktop.store.uptime import tallies_between, tallies_by_bucket, tally_between

DAY = NOW // DAY_MS * DAY_MS
RAN = st.sampled_from([Status.UP, Status.DOWN, Status.DEGRADED, Status.UNKNOWN])
tenths = st.none() | st.integers(0, 3_000_000)
# Put together from parts: drawn as one large number, nearly all would be within a bucket of 0.
moments = st.builds(
    lambda hour, minute, ms: hour * HOUR_MS + minute * 60_000 + ms,
    st.integers(0, 71),
    st.sampled_from([0, 4, 5, 31, 59]),
    st.sampled_from([0, 1, 59_999]),
)
runs = st.lists(st.tuples(moments, RAN, tenths), max_size=40)


def close_all(db: SqliteDatabase, now: int) -> None:
    while close_buckets(sqlite3_of(db), now, 1_000):
        pass


@given(st.integers(0, 10**9))
def test_a_latency_is_in_its_bucket_within_a_thirty_second(value: int) -> None:
    middle = bucket_middle(latency_bucket(value))
    assert abs(middle - value) <= value / 32
    assert latency_bucket(value) <= latency_bucket(value + 1) <= latency_bucket(value) + 1


@given(st.lists(st.integers(0, 3_000_000), min_size=1), st.sampled_from([50, 95, 99]))
def test_percentiles_are_within_the_documented_error(values: list[int], percent: int) -> None:
    tally = tally_of((Status.UP, value) for value in values)
    rank = max(1, -(-len(values) * percent // 100))
    exact_ms = sorted(values)[rank - 1] / 10
    found_ms = tally.percentile_ms(percent)
    assert found_ms is not None
    assert abs(found_ms - exact_ms) <= exact_ms / 32 + 1e-9


@given(st.lists(st.tuples(RAN, tenths)), st.lists(st.tuples(RAN, tenths)))
def test_adding_tallies_is_counting_together(
    one: list[tuple[Status, int | None]], other: list[tuple[Status, int | None]]
) -> None:
    assert tally_of(one) + tally_of(other) == tally_of([*one, *other])
    assert total([tally_of(one)]) == tally_of(one)


@given(st.dictionaries(st.integers(0, 400), st.integers(1, 10**6)))
def test_a_packed_histogram_comes_out_as_it_went_in(histogram: dict[int, int]) -> None:
    assert unpacked(packed(histogram)) == histogram


def test_uptime_leaves_out_what_could_not_be_seen() -> None:
    assert Tally(up=2, degraded=1, down=1, unknown=96).uptime == 0.75
    assert Tally(unknown=5).uptime is None
    assert Tally().percentile_ms(50) is None


@given(moments, moments, st.lists(moments, min_size=3, max_size=3))
def test_segments_cover_a_stretch_of_time_without_gap_or_overlap(
    since: int, until: int, rolled: list[int]
) -> None:
    fives, hours, days = sorted(rolled, reverse=True)
    rolled_until = {
        Resolution.FIVE_MINUTES: fives,
        Resolution.HOUR: hours,
        Resolution.DAY: days,
    }
    found = segments(since, until, rolled_until)
    at = since
    for segment in found:
        assert segment.since == at
        at = segment.until
        if segment.resolution is not None:
            assert segment.since % segment.resolution.value == 0
            assert segment.until % segment.resolution.value == 0
            assert segment.until <= rolled_until[segment.resolution]
    assert at == max(since, until) or not found


def test_any_window_equals_a_recount(tmp_path: Path) -> None:
    """Whatever has been added up by when, late runs included."""
    with opened(tmp_path / "uptime.db") as (store, writer):

        @given(
            early=runs,
            late=runs,
            closed_at=st.one_of(moments, st.just(3 * DAY_MS)),
            window=st.tuples(moments, moments),
        )
        @settings(max_examples=100, deadline=None)
        def check(
            early: list[tuple[int, Status, int | None]],
            late: list[tuple[int, Status, int | None]],
            closed_at: int,
            window: tuple[int, int],
        ) -> None:
            (number,) = add_monitors(writer)
            by_start: dict[int, tuple[Status, int | None]] = {}
            for some in (early, late):
                for offset, status, value in some:
                    ms = None if value is None else value / 10
                    writer.submit(finished(number, DAY + offset, status, response_ms=ms))
                    by_start[offset] = (status, value)
                writer.call(close_all, DAY + closed_at).result()
            since, until = sorted(window)
            expected = tally_of(run for at, run in by_start.items() if since <= at < until)
            # Nothing here is older than a day, so that no edge is cut.
            now = DAY + since
            found = store.read(tally_between, number, DAY + since, DAY + until, now)
            assert found == expected
            of_all = store.read(tallies_between, DAY + since, DAY + until, now)
            if expected.runs:
                counts = of_all[number]
                assert (counts.up, counts.degraded, counts.down, counts.unknown) == (
                    expected.up,
                    expected.degraded,
                    expected.down,
                    expected.unknown,
                )
                assert counts.total_tenths == expected.total_tenths

        check()


@pytest.mark.parametrize("resolution", Resolution)
def test_every_closed_bucket_equals_a_recount(tmp_path: Path, resolution: Resolution) -> None:
    with opened(tmp_path / "uptime.db") as (store, writer):
        (number,) = add_monitors(writer)
        expected: dict[int, list[tuple[Status, int | None]]] = {}
        for n in range(2_000):
            at = DAY + n * 77_777
            status = Status.DOWN if n % 9 == 0 else Status.UP
            writer.submit(finished(number, at, status, response_ms=n / 10))
            bucket = at // resolution.value * resolution.value
            expected.setdefault(bucket, []).append((status, n))
        end = DAY + 3 * DAY_MS
        writer.call(close_all, end).result()
        found = store.read(tallies_by_bucket, number, resolution, DAY, end)
        assert found == {bucket: tally_of(its) for bucket, its in expected.items()}


def test_the_writer_adds_up_when_five_minutes_are_over(tmp_path: Path) -> None:
    path = tmp_path / "uptime.db"
    with opened(path) as (_, writer):
        numbers = add_monitors(writer, 3)
        for number in numbers:
            writer.submit(finished(number, DAY))
        writer.touch_alive(DAY + 299_999)
        writer.flush()
        writer.flush()
        assert outside(path, "SELECT count(*) FROM rollups") == [(0,)]
        writer.touch_alive(DAY + 300_000)
        while outside(path, "SELECT 1 FROM open_buckets WHERE resolution = 0"):
            writer.flush()
        assert outside(path, "SELECT resolution, up FROM rollups") == [(0, 1)] * 3


def test_what_a_crash_left_open_is_added_up_from_raw_runs(tmp_path: Path) -> None:
    path = tmp_path / "uptime.db"
    with opened(path) as (_, writer):
        (number,) = add_monitors(writer)
        for n in range(100):
            writer.submit(finished(number, DAY + n * 60_000))
    assert outside(path, "SELECT count(*) FROM rollups") == [(0,)]
    with opened(path, NOW) as (store, writer):
        writer.call(close_all, DAY + 3 * HOUR_MS).result()
        hours = store.read(tallies_by_bucket, number, Resolution.HOUR, DAY, DAY + DAY_MS)
        assert {start: tally.up for start, tally in hours.items()} == {
            DAY: 60,
            DAY + HOUR_MS: 40,
        }


def test_an_old_edge_is_cut_where_a_bucket_begins(tmp_path: Path) -> None:
    path = tmp_path / "uptime.db"
    with opened(path) as (_, writer):
        (number,) = add_monitors(writer)
        for minute in range(0, 120, 10):
            writer.submit(finished(number, DAY + minute * 60_000))
        writer.call(close_all, DAY + 40 * DAY_MS).result()
    store = open_store(path, NOW).store
    now = DAY + 30 * DAY_MS
    found = store.read(tally_between, number, DAY + 70 * 60_000, now, now)
    assert found.up == 6, "thirty days ago an hour is the finest there is"
    store.close()

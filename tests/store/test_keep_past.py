"""History of another program counts as it did there, and goes on counting with our own."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from peewee import SqliteDatabase

from tests.store.build import NOW, add_monitors, broke, finished, opened, outside, sqlite3_of
from uptime_desktop.domain.model import DAY_MS, HOUR_MS, MINUTE_MS
from uptime_desktop.domain.past import Past, PastRun, PastTrouble
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution, Tally, tally_of
from uptime_desktop.history import History
from uptime_desktop.store.codes import RESOLUTION_CODE
from uptime_desktop.store.db import Store
from uptime_desktop.store.incidents import newest_incidents
from uptime_desktop.store.past import keep_past
from uptime_desktop.store.pruning import Retention, prune
from uptime_desktop.store.rollups import close_buckets
from uptime_desktop.store.runs import newest_runs
from uptime_desktop.store.uptime import tallies_between, tallies_by_bucket, tally_between
from uptime_desktop.store.writer import Writer

FIVE, HOUR, DAY = Resolution
TODAY: Final = NOW // DAY_MS * DAY_MS
RAN: Final = st.sampled_from([Status.UP, Status.DOWN, Status.DEGRADED, Status.UNKNOWN])
TIMES: Final = st.none() | st.integers(0, 3_000).map(lambda tenths: tenths / 10)


def keep(writer: Writer, number: int, past: Past, now: int = NOW) -> None:
    writer.call(keep_past, number, past, now).result()


def close_all(db: SqliteDatabase, now: int) -> None:
    while close_buckets(sqlite3_of(db), now, 1_000):
        pass


def counted(runs: Iterable[PastRun]) -> Tally:
    return tally_of(
        (run.status, None if run.response_ms is None else round(run.response_ms * 10))
        for run in runs
    )


def by_bucket(runs: Iterable[PastRun], resolution: Resolution) -> dict[int, Tally]:
    found: dict[int, list[PastRun]] = {}
    for run in runs:
        found.setdefault(resolution.bucket_of(run.started_at), []).append(run)
    return {bucket: counted(its) for bucket, its in found.items()}


def runs_before(now: int, every_ms: int, length_ms: int) -> list[PastRun]:
    return [
        PastRun(at, Status.DOWN if n % 9 == 0 else Status.UP, n % 7 + 0.5)
        for n, at in enumerate(range(now - length_ms, now, every_ms))
    ]


def test_single_runs_are_history(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    past = (PastRun(NOW - 60_000, Status.UP, 12.34), PastRun(NOW - 1, Status.DOWN, None, "refused"))
    keep(writer, number, Past("home", past))
    newest, before = store.read(newest_runs, number)
    assert (newest.started_at, newest.status, newest.reason) == (NOW - 1, Status.DOWN, "refused")
    assert (before.response_ms, before.reason, before.attempts) == (12.3, "", 1)


def test_a_reason_is_stored_once_and_known_as_long_as_it_is_used(
    writer: Writer, path: Path
) -> None:
    one, other = add_monitors(writer, 2)
    runs = tuple(PastRun(NOW - n * 1_000, Status.DOWN, None, "refused") for n in range(5, 0, -1))
    writer.submit(broke(one, NOW - 90_000, "refused"))
    keep(writer, other, Past("home", runs))
    assert outside(path, "SELECT text, used_at FROM reasons") == [("refused", NOW - 1_000)]
    assert len(outside(path, "SELECT DISTINCT reason FROM runs WHERE reason IS NOT NULL")) == 1


def test_the_figures_of_the_window_are_those_of_the_other_program(
    store: Store, writer: Writer
) -> None:
    (number,) = add_monitors(writer)
    runs = runs_before(NOW, MINUTE_MS, 30 * DAY_MS)
    tallies = {
        FIVE: by_bucket([run for run in runs if run.started_at >= NOW - DAY_MS - HOUR_MS], FIVE),
        HOUR: by_bucket([run for run in runs if run.started_at >= NOW - 10 * DAY_MS], HOUR),
        DAY: by_bucket(runs, DAY),
    }
    keep(writer, number, Past("home", tuple(runs[-100:]), tallies))
    history = History(store, writer)
    uptimes = asyncio.run(history.uptimes(30 * DAY_MS, NOW))
    assert uptimes[number] == pytest.approx(8 / 9, abs=1e-3)
    day = asyncio.run(history.tally(number, DAY_MS, NOW))
    assert day.runs == pytest.approx(24 * 60, abs=5)
    week = asyncio.run(history.tally(number, 7 * DAY_MS, NOW))
    assert week.runs == pytest.approx(7 * 24 * 60, abs=60), "at its edge there are only hours"
    assert week.mean_ms == pytest.approx(3.5, abs=0.01)
    points = asyncio.run(history.response_times(number, 30 * DAY_MS, NOW))
    assert len(points) > 10 * 24


@st.composite
def pasts(draw: st.DrawFn) -> tuple[int, list[PastRun], Past]:
    """When it is, all there was, and what the other program still knew of it."""
    now = TODAY + draw(st.sampled_from([0, 1, 4 * MINUTE_MS, HOUR_MS, HOUR_MS + 1, DAY_MS - 1]))
    now += draw(st.integers(0, 20)) * 7 * MINUTE_MS
    ago = st.integers(0, 3 * DAY_MS) | st.integers(0, HOUR_MS) | st.integers(0, 5 * MINUTE_MS)
    run = st.builds(PastRun, ago.map(lambda ms: now - ms), RAN, TIMES)
    runs = draw(st.lists(run, max_size=30, unique_by=lambda run: run.started_at))
    runs.sort(key=lambda run: run.started_at)
    known = {
        resolution: draw(st.sampled_from([0, HOUR_MS, 2 * HOUR_MS, DAY_MS, 4 * DAY_MS]))
        for resolution in (FIVE, HOUR)
    }
    tallies = {
        resolution: by_bucket(
            [run for run in runs if run.started_at // resolution.value >= since], resolution
        )
        for resolution, length_ms in known.items()
        for since in ((now - length_ms) // resolution.value + 1,)
    }
    tallies[DAY] = by_bucket(runs, DAY)
    single = runs[draw(st.integers(0, len(runs))) :]
    return now, runs, Past("home", tuple(single), tallies)


def test_any_past_counts_whole_now_and_with_our_own_runs_later(tmp_path: Path) -> None:
    """Of the current hour and of whole days nothing is lost or counted twice, however much of it
    the other program knew only added up."""
    with opened(tmp_path / "uptime.db") as (store, writer):

        @given(pasts(), st.lists(st.integers(1, 2 * DAY_MS), max_size=5, unique=True))
        @settings(max_examples=150, deadline=None)
        def check(drawn: tuple[int, list[PastRun], Past], later: list[int]) -> None:
            now, runs, past = drawn
            (number,) = add_monitors(writer)
            keep(writer, number, past, now)
            windows = [DAY.bucket_of(now - 5 * DAY_MS) * DAY_MS, DAY.bucket_of(now) * DAY_MS]
            _require(store, number, runs, windows, now)
            ours = [PastRun(now + ms, Status.UP, 1.5) for ms in sorted(later)]
            for run in ours:
                writer.submit(finished(number, run.started_at, response_ms=1.5))
            writer.flush()
            for ahead in (1, 6 * MINUTE_MS, 2 * HOUR_MS, 3 * DAY_MS):
                seen = [run for run in (*runs, *ours) if run.started_at <= now + ahead]
                _require(store, number, seen, windows, now + ahead)
                writer.call(close_all, now + ahead).result()
                _require(store, number, seen, windows, now + ahead)
            assert not store.read(_open_buckets, number)

        check()


def _require(
    store: Store, number: int, runs: Iterable[PastRun], windows: list[int], now: int
) -> None:
    for since in windows:
        expected = counted(run for run in runs if since <= run.started_at)
        assert store.read(tally_between, number, since, now + 1, now) == expected
        found = store.read(tallies_between, since, now + 1, now).get(number, Tally())
        assert (found.up, found.degraded, found.down, found.unknown) == (
            expected.up,
            expected.degraded,
            expected.down,
            expected.unknown,
        )


def _open_buckets(db: SqliteDatabase, number: int) -> list[tuple[int, int]]:
    statement = "SELECT resolution, bucket FROM open_buckets WHERE monitor = ?"
    return sqlite3_of(db).execute(statement, (number,)).fetchall()


def test_the_current_hour_keeps_what_was_only_added_up(store: Store, writer: Writer) -> None:
    """Five minutes after the full hour: there are no finer parts that are over."""
    (number,) = add_monitors(writer)
    now = TODAY + 4 * MINUTE_MS
    hour = Tally(up=40, down=2, fastest_tenths=5, slowest_tenths=5, total_tenths=200)
    keep(writer, number, Past("home", tallies={HOUR: {HOUR.bucket_of(now): hour}}), now)
    writer.submit(finished(number, now + 1_000))
    writer.flush()
    writer.call(close_all, now + 2 * DAY_MS).result()
    for resolution in Resolution:
        found = store.read(tallies_by_bucket, number, resolution, TODAY, TODAY + DAY_MS)
        assert [(tally.up, tally.down) for tally in found.values()] == [(41, 2)]


def test_nothing_old_is_opened_again(store: Store, writer: Writer) -> None:
    """An open bucket makes everyone's history since then be counted run by run."""
    (number,) = add_monitors(writer)
    runs = runs_before(NOW, HOUR_MS, 20 * DAY_MS)
    keep(writer, number, Past("home", tuple(runs), {DAY: by_bucket(runs, DAY)}))
    current = {(code, resolution.bucket_of(NOW)) for code, resolution in enumerate(Resolution)}
    assert set(store.read(_open_buckets, number)) <= current
    writer.call(close_all, NOW + DAY_MS).result()
    found = store.read(tallies_by_bucket, number, DAY, TODAY - 20 * DAY_MS, TODAY)
    assert found == {
        bucket * DAY_MS: tally
        for bucket, tally in by_bucket(runs, DAY).items()
        if bucket * DAY_MS < TODAY
    }


def test_what_is_too_old_to_be_kept_is_only_counted(
    store: Store, writer: Writer, path: Path
) -> None:
    (number,) = add_monitors(writer)
    runs = runs_before(NOW, HOUR_MS, 500 * DAY_MS)
    keep(writer, number, Past("home", tuple(runs)))
    (oldest,) = outside(path, "SELECT min(started_at) FROM runs")
    assert oldest == (NOW - Retention().runs_ms,)
    while writer.call(prune, NOW).result():
        pytest.fail("there is nothing to prune")
    since = NOW - 600 * DAY_MS
    assert store.read(tally_between, number, since, NOW + 1, NOW) == counted(runs)


def test_single_runs_are_kept_as_long_as_the_settings_say(writer: Writer, path: Path) -> None:
    (number,) = add_monitors(writer)
    runs = runs_before(NOW, DAY_MS, 200 * DAY_MS)
    kept = Retention(runs_ms=100 * DAY_MS, five_minutes_ms=150 * DAY_MS)
    writer.call(keep_past, number, Past("home", tuple(runs)), NOW, kept).result()
    assert outside(path, "SELECT min(started_at), count(*) FROM runs") == [
        (NOW - 100 * DAY_MS, 100)
    ]
    fives = outside(
        path, "SELECT count(*) FROM rollups WHERE resolution = ?", RESOLUTION_CODE[FIVE]
    )
    assert fives == [(150,)]


def test_over_trouble_is_told_of_in_its_place_and_nobody_is_alerted(
    store: Store, writer: Writer, path: Path
) -> None:
    one, other = add_monitors(writer, 2)
    writer.submit(broke(one, NOW - 500))
    troubles = (
        PastTrouble(NOW - 100, None, "still"),
        PastTrouble(NOW - 900, NOW - 800, "refused"),
        PastTrouble(NOW - 2_000, NOW - 1_000, "timed out"),
        PastTrouble(NOW - 50, NOW + 50, "from the future"),
        PastTrouble(NOW - 50, NOW - 60, "backwards"),
    )
    keep(writer, other, Past("home", troubles=troubles))
    newest = store.read(newest_incidents)
    assert [(incident.monitor_number, incident.opened_at) for incident in newest] == [
        (one, NOW - 500),
        (other, NOW - 900),
        (other, NOW - 2_000),
    ]
    assert newest[1].kind is Status.DOWN
    assert (newest[1].resolved_at, newest[1].reason) == (NOW - 800, "refused")
    next_page = store.read(newest_incidents, before=newest[0].number)
    assert next_page == newest[1:]
    assert outside(path, "SELECT count(*) FROM outbox") == [(1,)]


@pytest.mark.parametrize("response_ms", [float("nan"), float("inf"), -1.0, 1e300])
def test_a_time_that_cannot_be_is_no_time(store: Store, writer: Writer, response_ms: float) -> None:
    (number,) = add_monitors(writer)
    keep(writer, number, Past("home", (PastRun(NOW - 1, Status.UP, response_ms),)))
    (run,) = store.read(newest_runs, number)
    assert (run.status, run.response_ms) == (Status.UP, None)


def test_what_has_not_happened_yet_is_left_out(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    runs = (PastRun(-5, Status.UP, 1.0), PastRun(NOW + 1, Status.UP, 1.0))
    tallies = {
        resolution: {resolution.bucket_of(NOW) + 1: Tally(up=1)} for resolution in Resolution
    }
    keep(writer, number, Past("home", runs, tallies))
    assert store.read(newest_runs, number) == ()
    later = NOW + 9 * DAY_MS
    assert store.read(tally_between, number, 0, later, later) == Tally()


def test_figures_that_contradict_each_other_never_become_negative(
    store: Store, writer: Writer
) -> None:
    (number,) = add_monitors(writer)
    now = TODAY + 90 * MINUTE_MS
    fives = {FIVE.bucket_of(now) - 1: Tally(10, 0, 0, 0, 5, 9, 70, {5: 5, 9: 5})}
    hours = {HOUR.bucket_of(now): Tally(4, 0, 3, 0, 7, 7, 28, {7: 4})}
    days = {DAY.bucket_of(now): Tally()}
    keep(writer, number, Past("home", (), {FIVE: fives, HOUR: hours, DAY: days}), now)
    writer.call(close_all, now + DAY_MS).result()
    (found,) = store.read(tallies_by_bucket, number, DAY, TODAY, TODAY + DAY_MS).values()
    assert found == Tally(10, 0, 3, 0, 5, 9, 70, {5: 5, 9: 5})

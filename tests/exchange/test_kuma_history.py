"""The past of Uptime Kuma comes along, with the same percentages and means as there."""

import sqlite3
from pathlib import Path

import pytest

from tests.exchange.kuma_files import NOW, create, insert, time_text
from uptime_desktop.domain.model import DAY_MS, HOUR_MS, MINUTE_MS
from uptime_desktop.domain.past import Past, PastRun, PastTrouble
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution, Tally, total
from uptime_desktop.exchange.importers.kuma.database import read
from uptime_desktop.exchange.report import Fate

HISTORY = "uptime_desktop.exchange.importers.kuma.history"
FIVE, HOUR, DAY = Resolution.FIVE_MINUTES, Resolution.HOUR, Resolution.DAY
HOUR_START = NOW // HOUR_MS * HOUR_MS - 3 * HOUR_MS


def opened(folder: Path, version: int) -> tuple[Path, sqlite3.Connection]:
    path = folder / "kuma.db"
    connection = create(path, version)
    for number in (1, 2, 7):
        row = {"id": number, "name": f"M{number}", "type": "ping", "hostname": "a.example"}
        insert(connection, "monitor", row)
    return path, connection


def beat(
    connection: sqlite3.Connection,
    at: int,
    status: int = 1,
    ping: int | None = 20,
    number: int = 1,
    important: int = 0,
    msg: str = "",
) -> None:
    row = {"monitor_id": number, "time": time_text(at), "status": status, "ping": ping}
    insert(connection, "heartbeat", row | {"important": important, "msg": msg})


def pasts(path: Path) -> dict[str, Past]:
    result = read(path, NOW)
    found = {past.monitor_id: past for past in result.past()}
    assert result.past_count == len(found)
    return found


def test_beats_are_runs_whatever_their_age(tmp_path: Path) -> None:
    path, connection = opened(tmp_path, 1)
    beat(connection, NOW - 200 * DAY_MS)
    beat(connection, NOW - 2 * DAY_MS + 7, 1, 31, msg="200 - OK")
    beat(connection, NOW - DAY_MS, 0, None, msg=" timed\nout ")
    beat(connection, NOW - HOUR_MS, 2, None)
    beat(connection, NOW - MINUTE_MS, 3, 0)
    connection.close()
    (past,) = pasts(path).values()
    assert past.runs == (
        PastRun(NOW - 200 * DAY_MS, Status.UP, 20.0),
        PastRun(NOW - 2 * DAY_MS + 7, Status.UP, 31.0, "200 - OK"),
        PastRun(NOW - DAY_MS, Status.DOWN, None, "timed out"),
        PastRun(NOW - HOUR_MS, Status.DOWN, None),
        PastRun(NOW - MINUTE_MS, Status.UNKNOWN, 0.0),
    )
    assert past.monitor_id == "m1"


def test_beats_are_counted_for_each_length_of_time(tmp_path: Path) -> None:
    path, connection = opened(tmp_path, 1)
    for minute, (status, ping) in enumerate([(1, 10), (1, 30), (0, None), (2, None), (1, 20)]):
        beat(connection, HOUR_START + minute * MINUTE_MS, status, ping)
    beat(connection, HOUR_START + 6 * MINUTE_MS, 1, 40)
    beat(connection, NOW - 400 * DAY_MS, 0, None)
    connection.close()
    (past,) = pasts(path).values()
    first = past.tallies[FIVE][FIVE.bucket_of(HOUR_START)]
    assert (first.up, first.down, first.unknown) == (3, 2, 0)
    assert (first.fastest_tenths, first.slowest_tenths, first.mean_ms) == (100, 300, 20.0)
    hour = past.tallies[HOUR][HOUR.bucket_of(HOUR_START)]
    assert (hour.up, hour.mean_ms, hour.uptime) == (4, 25.0, 4 / 6)
    days = past.tallies[DAY]
    assert days[DAY.bucket_of(HOUR_START)] == hour
    assert days[DAY.bucket_of(NOW - 400 * DAY_MS)] == Tally(down=1)
    assert len(past.tallies[HOUR]) == 2
    assert len(past.tallies[FIVE]) == 2


def test_of_very_many_beats_the_newest_come_and_all_days_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{HISTORY}.MOST_RUNS", 3)
    monkeypatch.setattr(f"{HISTORY}.MOST_BUCKETS", 30)
    path, connection = opened(tmp_path, 1)
    for days in range(20, -1, -1):
        beat(connection, NOW - days * DAY_MS)
    connection.close()
    (past,) = pasts(path).values()
    assert [NOW - run.started_at for run in past.runs] == [2 * DAY_MS, DAY_MS, 0]
    assert [len(past.tallies[one]) for one in (FIVE, HOUR, DAY)] == [1, 2, 21]


def test_changes_open_and_close_trouble(tmp_path: Path) -> None:
    path, connection = opened(tmp_path, 1)
    for hours, status, msg in (
        (100, 1, "ok"),
        (90, 0, "refused"),
        (80, 1, "ok"),
        (70, 0, "timeout"),
        (60, 3, "maintenance"),
        (50, 0, "still"),
    ):
        beat(connection, NOW - hours * HOUR_MS, status, None, important=1, msg=msg)
    beat(connection, NOW - 40 * HOUR_MS, 0, None, msg="not important")
    connection.close()
    (past,) = pasts(path).values()
    assert past.troubles == (
        PastTrouble(NOW - 90 * HOUR_MS, NOW - 80 * HOUR_MS, "refused"),
        PastTrouble(NOW - 70 * HOUR_MS, NOW - 60 * HOUR_MS, "timeout"),
        PastTrouble(NOW - 50 * HOUR_MS, None, "still"),
    )


def stat(
    connection: sqlite3.Connection, unit: str, at: int, up: int, down: int, *more: object
) -> None:
    names = ("ping", "ping_min", "ping_max", "extras")
    values = dict(zip(names, (*more, *(0, 0, 0, None)[len(more) :]), strict=True))
    row = {"monitor_id": 1, "timestamp": at // 1_000, "up": up, "down": down, **values}
    insert(connection, f"stat_{unit}", row)


def test_counts_of_version_2_keep_its_percentages_and_means(tmp_path: Path) -> None:
    path, connection = opened(tmp_path, 2)
    counts = [(57, 3, 20.5, 10.0, 99.0), (60, 0, 31.25, 30.0, 40.0), (0, 60, 0.0, 0.0, 0.0)]
    for at, (up, down, *pings) in enumerate(counts):
        stat(connection, "hourly", HOUR_START + at * HOUR_MS, up, down, *pings)
    for at in range(400):
        stat(connection, "daily", (NOW // DAY_MS - at) * DAY_MS, 1_400 - at, at, 25.0 + at, 1, 900)
    for minute in range(10):
        at = HOUR_START + minute * MINUTE_MS
        stat(connection, "minutely", at, 1, 1, 10.0 * minute + 1, 1, 1, '{"maintenance": 2}')
    connection.close()
    (past,) = pasts(path).values()

    hours = total(past.tallies[HOUR].values())
    assert hours.uptime == 117 / 180
    assert hours.mean_ms == pytest.approx((57 * 20.5 + 60 * 31.25) / 117, abs=0.001)
    assert (hours.fastest_tenths, hours.slowest_tenths) == (100, 990)

    year = total(tally for at, tally in past.tallies[DAY].items() if at > NOW // DAY_MS - 365)
    assert year.uptime == sum(1_400 - at for at in range(365)) / (1_400 * 365)
    weighed = sum((1_400 - at) * (25.0 + at) for at in range(365))
    assert year.mean_ms == pytest.approx(weighed / year.up, abs=0.001)
    assert len(past.tallies[DAY]) == 400

    first, second = (past.tallies[FIVE][FIVE.bucket_of(HOUR_START) + at] for at in (0, 1))
    assert (first.up, first.down, first.unknown) == (5, 5, 10)
    assert (first.mean_ms, second.mean_ms) == (21.0, 71.0)


def test_where_version_2_counted_nothing_its_beats_are_counted(tmp_path: Path) -> None:
    path, connection = opened(tmp_path, 2)
    beat(connection, HOUR_START)
    stat(connection, "daily", NOW // DAY_MS * DAY_MS, 700, 1, 20.0, 20, 20)
    connection.close()
    (past,) = pasts(path).values()
    assert past.tallies[HOUR][HOUR.bucket_of(HOUR_START)].up == 1
    assert past.tallies[DAY][NOW // DAY_MS].up == 700


def test_changes_that_version_2_kept_alone_are_no_runs(tmp_path: Path) -> None:
    path, connection = opened(tmp_path, 2)
    beat(connection, NOW - 5 * DAY_MS, 0, None, important=1, msg="refused")
    for minute in range(120, 0, -1):
        beat(connection, NOW - minute * MINUTE_MS, important=int(minute == 120))
    stat(connection, "minutely", NOW - MINUTE_MS, 1, 0, 20.0)
    connection.close()
    (past,) = pasts(path).values()
    assert len(past.runs) == 120
    assert past.troubles[0].opened_at == NOW - 5 * DAY_MS


def test_each_monitor_has_its_own_past(tmp_path: Path) -> None:
    path, connection = opened(tmp_path, 2)
    for number in (7, 2, 99):
        beat(connection, NOW - number * MINUTE_MS, number=number)
    insert(connection, "heartbeat", {"monitor_id": 2.5, "time": time_text(NOW), "status": 1})
    connection.close()
    found = pasts(path)
    assert {name: past.runs[0].started_at for name, past in found.items()} == {
        "m2": NOW - 2 * MINUTE_MS,
        "m7": NOW - 7 * MINUTE_MS,
    }


def test_beats_that_cannot_be_are_passed_over(tmp_path: Path) -> None:
    path, connection = opened(tmp_path, 2)
    connection.executescript("DROP INDEX monitor_time_index")
    for time in ("", "yesterday", 17, "9999-12-31 23:59:59", "0001-01-01 00:00:00", b"\xff"):
        insert(connection, "heartbeat", {"monitor_id": 1, "time": time, "status": 0})
    for number in ("text", b"\x00", 2.5):
        time = time_text(NOW - HOUR_MS)
        insert(connection, "heartbeat", {"monitor_id": number, "time": time, "status": 1})
    beat(connection, NOW - HOUR_MS, "up", "fast")  # type: ignore[arg-type]
    beat(connection, NOW - HOUR_MS, 1, 5)
    beat(connection, NOW - MINUTE_MS, 1, -5)
    beat(connection, NOW - 1, 1, 10**15)
    good = {"monitor_id": 1, "timestamp": NOW // 1_000, "up": 1, "down": 1, "ping": 1.0}
    for column in ("timestamp", "up", "down"):
        for put in ("x", -1, 2**60, 0.5):
            connection.execute("DELETE FROM stat_hourly")
            insert(connection, "stat_hourly", {**good, column: put})
    connection.close()
    (past,) = pasts(path).values()
    assert [(run.started_at, run.status, run.response_ms) for run in past.runs] == [
        (NOW - HOUR_MS, Status.UNKNOWN, None),
        (NOW - MINUTE_MS, Status.UP, None),
        (NOW - 1, Status.UP, None),
    ]


def test_counts_that_no_time_can_hold_are_passed_over(tmp_path: Path) -> None:
    path, connection = opened(tmp_path, 2)
    connection.executescript("DROP INDEX stat_hourly_unique")
    for at in (HOUR_START, HOUR_START, HOUR_START + HOUR_MS):
        stat(connection, "hourly", at, 9_000_000, 0, 20.0, 20, 20)
    connection.close()
    (past,) = pasts(path).values()
    assert [tally.up for tally in past.tallies[HOUR].values()] == [9_000_000]


def test_history_can_be_given_up_halfway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(copies))
    path, connection = opened(tmp_path, 1)
    for number in (1, 2):
        beat(connection, NOW - MINUTE_MS, number=number)
    connection.close()
    reading = read(path, NOW).past()
    next(reading)
    assert len(list(copies.iterdir())) == 1
    reading.close()  # type: ignore[attr-defined]
    assert list(copies.iterdir()) == []


def told_of(path: Path, table: str) -> dict[str, Fate]:
    lines = read(path, NOW).report.lines
    return {line.path: line.fate for line in lines if line.path.partition(".")[0] == table}


def test_every_column_of_the_past_that_is_left_out_is_told(tmp_path: Path) -> None:
    path, connection = opened(tmp_path, 2)
    connection.executescript("ALTER TABLE heartbeat ADD COLUMN response TEXT")
    connection.executescript("ALTER TABLE stat_daily DROP COLUMN extras")
    beat(connection, NOW - HOUR_MS)
    row = {"monitor_id": 1, "timestamp": NOW // DAY_MS * 86_400, "up": 1, "down": 0, "ping": 1}
    insert(connection, "stat_daily", row)
    connection.close()
    left_out = ("id", "duration", "down_count", "end_time", "retries", "response")
    assert told_of(path, "heartbeat") == {
        "heartbeat": Fate.APPROXIMATED,
        **{f"heartbeat.{column}": Fate.UNSUPPORTED for column in left_out},
    }
    assert told_of(path, "stat_daily") == {
        "stat_daily": Fate.MAPPED,
        **{f"stat_daily.{one}": Fate.UNSUPPORTED for one in ("id", "ping_min", "ping_max")},
    }
    assert told_of(path, "stat_hourly") == {
        "stat_hourly": Fate.MAPPED,
        "stat_hourly.id": Fate.UNUSED,
    }


def test_a_table_of_the_past_that_cannot_be_read_is_not_said_to_be_kept(tmp_path: Path) -> None:
    path, connection = opened(tmp_path, 2)
    connection.executescript("ALTER TABLE stat_hourly RENAME COLUMN up TO alive")
    stat(connection, "daily", NOW // DAY_MS * DAY_MS, 1, 0)
    connection.close()
    assert told_of(path, "stat_hourly") == {"stat_hourly": Fate.UNSUPPORTED}

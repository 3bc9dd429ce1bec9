"""The database of Uptime Kuma, in use or at rest, becomes monitors, channels and windows."""

import os
import shutil
import sqlite3
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.exchange.kuma_files import NOW, create, insert, unreported
from uptime_desktop.domain.maintenance_definition import parse_window
from uptime_desktop.domain.model import Keys
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.importers.kuma import snapshot as snapshots
from uptime_desktop.exchange.importers.kuma.database import read
from uptime_desktop.exchange.report import Fate

VERSIONS = pytest.mark.parametrize("version", [1, 2])


def fill(connection: sqlite3.Connection, version: int) -> None:
    insert(
        connection,
        "monitor",
        {"id": 1, "name": "Shop", "type": "http", "url": "https://shop.example/", "interval": 60}
        | {"retry_interval": 60, "headers": '{"Authorization": "Bearer hunter2"}', "parent": 3}
        | {"timeout": 48, "expiry_notification": 1, "user_id": 1},
        {"id": 2, "name": "Gateway", "type": "ping", "hostname": "192.0.2.1", "active": 0},
        {"id": 3, "name": "All", "type": "group"},
        {"id": 4, "name": "Job", "type": "push", "push_token": "pushtoken00", "interval": 600},
    )
    if version == 2:
        connection.execute("UPDATE monitor SET ping_count = 4, ip_family = 'ipv6'")
    config = '{"type": "pushbullet", "pushbulletAccessToken": "o.hunter2"}'
    insert(connection, "notification", {"id": 1, "name": "Bullet", "config": config})
    insert(connection, "monitor_notification", {"monitor_id": 1, "notification_id": 1})
    insert(connection, "tag", {"id": 1, "name": "region", "color": "#ff0"})
    insert(connection, "monitor_tag", {"monitor_id": 1, "tag_id": 1, "value": "eu"})
    insert(
        connection,
        "setting",
        {"key": "jwtSecret", "value": '"hunter2"'},
        {"key": "serverTimezone", "value": '"Europe/Berlin"'},
        {"key": "tlsExpiryNotifyDays", "value": "[7, 30]"},
    )
    insert(connection, "user", {"username": "admin", "password": "hunter2"})
    insert(connection, "status_page", {"slug": "a", "title": "A"})


def database(folder: Path, version: int = 2) -> Path:
    path = folder / "kuma.db"
    connection = create(path, version)
    fill(connection, version)
    connection.close()
    return path


def keys_of(result: Found, monitor_id: str) -> Keys:
    return next(keys for keys in result.monitors if keys["id"] == monitor_id)


@VERSIONS
def test_a_monitor_keeps_all_it_had(tmp_path: Path, version: int) -> None:
    result = read(database(tmp_path, version), NOW)
    assert keys_of(result, "shop") == {
        "id": "shop",
        "site": "all",
        "name": "Shop",
        "kind": "http",
        "url": "https://shop.example/",
        "method": "GET",
        "accepted_codes": ("200-299",),
        "follow_redirects": True,
        "verify_certificate": True,
        "certificate_days": 30,
        "headers": {"Authorization": "Bearer hunter2"},
        "every": "1m",
        "backoff": "none",
        "retries": 0,
        "timeout": "48s",
        "repeat_every": "0",
        "tags": ("region:eu",),
        "channels": ("desktop", "bullet"),
        **({"ip_version": "6"} if version == 2 else {}),
    }
    assert keys_of(result, "gateway")["count"] == (4 if version == 2 else 1)
    assert keys_of(result, "all")["members"] == ("shop",)
    assert keys_of(result, "job")["every"] == "10m"
    assert result.paused == {"gateway"}
    assert result.channels == ({"id": "bullet", "name": "Bullet", "url": "pbul://o.hunter2"},)


@pytest.mark.parametrize(
    ("setting", "days"),
    [("[7, 30]", 30), ("[14]", 14), ("[]", 0), ("null", 21), ("[99999]", 0)],
)
def test_a_certificate_is_told_of_from_the_first_of_the_days(
    tmp_path: Path, setting: str, days: int
) -> None:
    path = database(tmp_path)
    connection = sqlite3.connect(path)
    sql = "UPDATE setting SET value = ? WHERE key = 'tlsExpiryNotifyDays'"
    connection.execute(sql, (setting,))
    connection.commit()
    connection.close()
    result = read(path, NOW)
    assert keys_of(result, "shop")["certificate_days"] == days
    told = {line.thing: line.fate for line in result.report.lines}
    assert told["tlsExpiryNotifyDays"] is Fate.APPROXIMATED


@VERSIONS
def test_every_field_of_every_row_is_in_the_report(tmp_path: Path, version: int) -> None:
    path = database(tmp_path, version)
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    whole = {
        name: [dict(row) for row in connection.execute(f'SELECT * FROM "{name}"')]
        for (name,) in tables
        if not name.startswith("sqlite")
    }
    connection.close()
    result = read(path, NOW)
    assert unreported(whole, (line.path for line in result.report.lines)) == []
    told = repr(result.report.lines)
    assert "hunter2" not in told
    assert "pushtoken00" not in told


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"strategy": "single", "start_date": "2026-03-01 10:00:00"}
            | {"end_date": "2026-03-01 12:30:00", "timezone": "Asia/Tokyo"},
            {"starts": "2026-03-01T01:00:00Z", "ends": "2026-03-01T03:30:00Z"},
        ),
        (
            {"strategy": "recurring-weekday", "weekdays": "[0, 1, 6]", "start_time": "23:30"}
            | {"end_time": "01:00", "timezone": "SAME_AS_SERVER", "cron": "30 23 * * 0,1,6"},
            {
                "days": ("sun", "mon", "sat"),
                "at": "23:30",
                "duration": "90m",
                "tz": "Europe/Berlin",
            },
        ),
        (
            {"strategy": "recurring-day-of-month", "days_of_month": '[15, 1, "lastDay1"]'}
            | {"start_time": "02:00", "end_time": "03:00", "timezone": "UTC"},
            {"cron": "0 2 1,15 * *", "duration": "1h", "tz": "UTC"},
        ),
        (
            {"strategy": "recurring-interval", "interval_day": 1, "start_time": "02:15"}
            | {"end_time": "03:15", "timezone": "UTC", "start_date": "2026-06-01 00:00:00"},
            {"cron": "15 2 * * *", "duration": "1h", "off_until": "2026-06-01T00:00:00Z"},
        ),
        (
            {"strategy": "recurring-interval", "interval_day": 7, "start_time": "02:15"}
            | {"end_time": "03:15", "timezone": "UTC", "start_date": "2026-01-07 00:00:00"},
            {"days": ("wed",), "at": "02:15", "duration": "1h"},
        ),
        (
            {"strategy": "recurring-interval", "interval_day": 3, "start_time": "02:15"}
            | {"end_time": "03:15", "timezone": "UTC"},
            {"cron": "15 2 */3 * *"},
        ),
        (
            {"strategy": "cron", "cron": "30 3 * * 1", "duration": 5_400, "timezone": "UTC"},
            {"cron": "30 3 * * 1", "duration": "90m", "tz": "UTC"},
        ),
        (
            {"strategy": "manual", "active": 1},
            {"starts": "2026-02-02T02:40:00Z", "ends": "2026-03-04T02:40:00Z"},
        ),
        (
            {"strategy": "recurring-weekday", "weekdays": "[3]", "start_time": "02:00:00"}
            | {"end_time": "04:00:00", "active": 0},
            {"days": ("wed",), "tz": "UTC", "on": False},
        ),
    ],
)
def test_maintenance_becomes_windows_that_pause(
    tmp_path: Path, given: dict[str, Any], expected: dict[str, object]
) -> None:
    path = database(tmp_path)
    connection = sqlite3.connect(path)
    insert(connection, "maintenance", {"id": 1, "title": "Upkeep", "description": "", **given})
    insert(connection, "monitor_maintenance", {"monitor_id": 3, "maintenance_id": 1})
    connection.close()
    (window,) = read(path, NOW).windows
    assert {key: window.get(key) for key in expected} == expected
    assert (window["mode"], window["monitors"]) == ("pause", ("all", "shop"))
    assert parse_window(window, NOW).name == "Upkeep"


@pytest.mark.parametrize(
    ("first", "last", "zone", "day", "fate"),
    [
        ("2026-01-07 00:00:00", "2026-01-28T02:15:00.000Z", "UTC", "wed", Fate.MAPPED),
        ("2026-01-07 00:00:00", "2026-01-30 02:15:00", "UTC", "fri", Fate.APPROXIMATED),
        ("2026-01-07 00:00:00", "2026-01-27 17:15:00", "Asia/Tokyo", "wed", Fate.MAPPED),
        (None, "2026-01-30 02:15:00", "UTC", "fri", Fate.APPROXIMATED),
        ("2026-01-07 00:00:00", None, "UTC", "wed", Fate.APPROXIMATED),
        ("2026-01-07 00:00:00", "no date", "UTC", "wed", Fate.APPROXIMATED),
        ("2026-06-03 00:00:00", None, "UTC", "wed", Fate.MAPPED),
    ],
)
def test_a_week_is_counted_from_the_last_time(
    tmp_path: Path, first: str | None, last: str | None, zone: str, day: str, fate: Fate
) -> None:
    path = database(tmp_path)
    connection = sqlite3.connect(path)
    weekly = {"strategy": "recurring-interval", "interval_day": 7, "timezone": zone}
    times = {"start_time": "02:15", "end_time": "03:15"}
    dates = {"start_date": first, "last_start_date": last}
    insert(connection, "maintenance", {"id": 1, "title": "Upkeep", **weekly, **times, **dates})
    insert(connection, "monitor_maintenance", {"monitor_id": 3, "maintenance_id": 1})
    connection.close()
    result = read(path, NOW)
    assert [window["days"] for window in result.windows] == [(day,)]
    told = {line.path: line.fate for line in result.report.lines}
    assert told["maintenance[0].interval_day"] is fate


@pytest.mark.parametrize(
    ("given", "monitor"),
    [
        ({"strategy": "single", "start_date": "2020-01-01", "end_date": "2020-01-02"}, 1),
        ({"strategy": "single", "start_date": "never", "end_date": None}, 1),
        ({"strategy": "single", "start_date": "2026-03-01", "end_date": "2027-03-01"}, 1),
        ({"strategy": "manual", "active": 0}, 1),
        ({"strategy": "manual", "active": 1}, 99),
        ({"strategy": "cron", "cron": "x", "duration": 60}, 1),
        ({"strategy": "cron", "cron": "0 0 * * *", "duration": "long"}, 1),
        ({"strategy": "recurring-weekday", "weekdays": "{}", "start_time": "1", "end_time": 2}, 1),
        ({"strategy": "recurring-weekday", "weekdays": "[1]", "timezone": "Moon/Base"}, 1),
        ({"strategy": "recurring-day-of-month", "days_of_month": '["lastDay1"]'}, 1),
        ({"strategy": "recurring-day-of-month", "days_of_month": "[40]"}, 1),
        ({"strategy": "weekly"}, 1),
        ({"strategy": 5}, 1),
    ],
)
def test_maintenance_that_cannot_be_a_window_is_told(
    tmp_path: Path, given: dict[str, Any], monitor: int
) -> None:
    path = database(tmp_path)
    connection = sqlite3.connect(path)
    insert(connection, "maintenance", {"id": 1, "title": "Upkeep", **given})
    insert(connection, "monitor_maintenance", {"monitor_id": monitor, "maintenance_id": 1})
    connection.close()
    result = read(path, NOW)
    assert result.windows == ()
    lines = [line for line in result.report.lines if line.path.startswith("maintenance[0]")]
    assert {line.fate for line in lines} - {Fate.UNUSED} == {Fate.UNSUPPORTED}


@VERSIONS
def test_what_is_only_beside_the_file_is_read_and_nothing_is_touched(
    tmp_path: Path, version: int
) -> None:
    path = tmp_path / "kuma.db"
    connection = create(path, version)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    fill(connection, version)
    assert (tmp_path / "kuma.db-wal").stat().st_size > 0
    before = {one.name: (one.read_bytes(), one.stat().st_mtime_ns) for one in tmp_path.iterdir()}
    result = read(path, NOW)
    assert keys_of(result, "shop")["name"] == "Shop"
    after = {one.name: (one.read_bytes(), one.stat().st_mtime_ns) for one in tmp_path.iterdir()}
    assert after == before
    connection.close()


@pytest.mark.skipif(os.name == "nt", reason="who may write is said otherwise there")
def test_a_file_that_nobody_may_write_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    path = database(folder)
    path.chmod(stat.S_IRUSR)
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert read(path, NOW).monitors
    finally:
        folder.chmod(stat.S_IRWXU)


def test_no_copy_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(copies))
    path = database(tmp_path)
    result = read(path, NOW)
    assert list(result.past()) == []
    path.write_bytes(path.read_bytes()[:6_000])
    with pytest.raises(Refused):
        read(path, NOW)
    assert list(copies.iterdir()) == []


def refused(path: Path) -> str:
    with pytest.raises(Refused) as caught:
        read(path, NOW)
    assert "\n" not in caught.value.text()
    return caught.value.text()


@pytest.mark.parametrize(
    "content",
    [b"", b"SQLite format 3", b"\x8f\x13" * 4_096, b'{"monitorList": []}', b"SQLite format 3\0"],
    ids=range(5),
)
def test_what_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "kuma.db"
    path.write_bytes(content)
    assert refused(path)


def test_a_folder_or_nothing_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path)
    assert refused(tmp_path / "none.db")


def test_a_database_cut_off_anywhere_is_refused_or_read(tmp_path: Path) -> None:
    whole = database(tmp_path).read_bytes()
    path = tmp_path / "cut.db"
    outcomes = set()
    for part in range(1, 40):
        path.write_bytes(whole[: len(whole) * part // 40])
        try:
            read(path, NOW)
        except Refused as error:
            outcomes.add(error.problem)
        else:
            outcomes.add("read")
    assert "{value} cannot be read: {reason}" in outcomes


def test_a_damaged_page_is_refused_or_read(tmp_path: Path) -> None:
    whole = database(tmp_path).read_bytes()
    path = tmp_path / "damaged.db"
    outcomes = set()
    for at in range(100, len(whole), 997):
        path.write_bytes(whole[:at] + b"\xff\x00\x7f" * 20 + whole[at + 60 :])
        try:
            read(path, NOW)
        except Refused as error:
            outcomes.add(error.field)
        else:
            outcomes.add("read")
    assert outcomes <= {"file", "read"}


def test_another_program_s_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE monitor (id INTEGER)")
    connection.close()
    assert "no database of Uptime Kuma" in refused(path)


def test_tables_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "kuma.db"
    connection = sqlite3.connect(path)
    endless = (
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id FROM n"
    )
    for name in ("monitor", "heartbeat", "notification"):
        connection.execute(f"CREATE VIEW {name} AS {endless}")
    connection.close()
    assert "no database of Uptime Kuma" in refused(path)


def test_a_value_that_is_made_up_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = database(tmp_path)
    connection = sqlite3.connect(path)
    connection.execute("ALTER TABLE proxy ADD COLUMN big AS (hex(zeroblob(9000000)))")
    insert(connection, "proxy", {"host": "a", "port": 1, "protocol": "http"})
    connection.close()
    with pytest.raises(Refused, match="too big"):
        read(path, NOW)


def test_too_many_rows_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = database(tmp_path)
    monkeypatch.setattr(snapshots, "MOST_ROWS", 3)
    with pytest.raises(Refused, match="there is too much"):
        read(path, NOW)


def test_a_file_too_large_to_be_copied_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = database(tmp_path)
    monkeypatch.setattr(snapshots, "MOST_BYTES", 4_096)
    assert "too large" in refused(path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps what is open")
def test_nothing_is_left_of_the_copy_if_we_are_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, place = database(tmp_path), tmp_path / "place"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    with snapshots.snapshot(path) as copy:
        assert [one for one in place.rglob("*") if one.is_file()] == []
        assert copy.count("monitor")


def test_a_file_that_changes_while_it_is_copied_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = database(tmp_path)
    copy = shutil.copyfile

    def copy_and_write(source: Path, target: Path) -> None:
        copy(source, target)
        os.utime(source, ns=(0, source.stat().st_mtime_ns + 1_000_000))

    monkeypatch.setattr(shutil, "copyfile", copy_and_write)
    assert "being written to" in refused(path)


@pytest.mark.parametrize("put", [None, 2**62, "text", b"\xff\x00"], ids=repr)
def test_nothing_in_a_column_breaks_the_import(tmp_path: Path, put: object) -> None:
    path = database(tmp_path)
    connection = sqlite3.connect(path)
    insert(connection, "maintenance", {"id": 1, "title": "Upkeep", "strategy": "manual"})
    insert(connection, "monitor_maintenance", {"monitor_id": 1, "maintenance_id": 1})
    loose = ("monitor", "notification", "maintenance", "monitor_tag", "tag", "setting")
    columns = [
        (table, str(row[1]))
        for table in loose
        for row in connection.execute(f"PRAGMA table_info({table})")
        if not row[5]
    ]
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '')")
    connection.commit()
    connection.close()
    connection = sqlite3.connect(path)
    for table, column in columns:
        kept = connection.execute(f'SELECT id, "{column}" FROM {table}').fetchall()
        connection.execute(f'UPDATE {table} SET "{column}" = ?', (put,))
        connection.commit()
        assert read(path, NOW).report.lines
        for number, value in kept:
            sql = f'UPDATE {table} SET "{column}" = ? WHERE id = ?'
            connection.execute(sql, (value, number))
        connection.commit()
    connection.close()

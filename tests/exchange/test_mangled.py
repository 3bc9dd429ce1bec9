"""Whatever is in a file of another program, it is read or refused in one sentence."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.exchange import kuma_files, uptime_watcher_files
from tests.exchange.source import ODD, mangled
from tests.exchange.test_gatus_hostile import plain
from tests.exchange.test_healthchecks import V3
from uptime_desktop.domain.maintenance_definition import parse_window
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.uptime import total
from uptime_desktop.domain.wording import one_line
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.importers.checked import usable
from uptime_desktop.exchange.importers.gatus.document import document_of
from uptime_desktop.exchange.importers.recognising import read

NOW = kuma_files.NOW
FILES = Path(__file__).parent / "gatus"
TIMES = 120
_MOST_STORED = 2**63


def sources() -> dict[str, tuple[str, Any]]:
    history = [uptime_watcher_files.entry(age, "down", details="x") for age in (1, 2, 2)]
    pings = [{"type": "fail", "date": "2026-01-01T00:00:00Z", "duration": 1}]
    flips = [{"timestamp": "2026-01-01T00:00:00Z", "up": 0}]
    watched = dict(uptime_watcher_files.CURRENT)
    watched["more"] = [uptime_watcher_files.monitor("http", history=history)]
    return {
        "kuma": ("uptime-kuma", kuma_files.backup()),
        "old-kuma": ("uptime-kuma", kuma_files.OLD_BACKUP),
        "healthchecks": (
            "healthchecks",
            {"checks": [{**one, "pings": pings, "flips": flips} for one in V3["checks"]]},
        ),
        "uptime-watcher": ("uptime-watcher", watched),
        "gatus": ("gatus", plain(document_of(FILES / "current.yaml"))),
        "old-gatus": ("gatus", plain(document_of(FILES / "services.yaml"))),
    }


def require_sound(found: Found) -> None:
    """All that others rely on."""
    found.report.lost(found.program)
    for line in found.report.lines:
        assert line.value == one_line(line.value, len(line.value) + 1)
    for keys in found.monitors:
        assert usable(keys, NOW) is None
    for keys in found.windows:
        parse_window(keys, NOW)
    for past in found.past():
        for tallies in past.tallies.values():
            assert total(tallies.values()).total_tenths < _MOST_STORED
    ids = [str(keys["id"]) for keys in found.monitors]
    assert len(ids) == len(set(ids))
    assert found.paused <= set(ids)


def read_or_refused(program: str, path: Path) -> bool:
    try:
        found = read(path, program, NOW)
    except Refused as refused:
        said = refused.text()
    else:
        require_sound(found)
        return True
    assert "\n" not in said
    return False


@pytest.mark.parametrize("name", sources())
def test_a_file_that_went_through_accidents_is_read_or_refused(tmp_path: Path, name: str) -> None:
    program, source = sources()[name]
    path = tmp_path / ("config.yaml" if program == "gatus" else "file.json")
    were_read = 0
    for seed in range(TIMES):
        path.write_text(json.dumps(mangled(source, Random(f"{name} {seed}"))))
        were_read += read_or_refused(program, path)
    assert were_read > TIMES // 4


def spoil(connection: sqlite3.Connection, chance: Random) -> None:
    """Something else in a few columns."""
    tables = ("monitor", "notification", "maintenance", "heartbeat", "stat_hourly", "setting")
    for _ in range(chance.randint(1, 5)):
        table = chance.choice(tables)
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")][1:]
        put = chance.choice(ODD)
        given = json.dumps(put) if isinstance(put, list | dict) else put
        if isinstance(given, int) and abs(given) >= 2**63:
            given = float(given)
        sql = f'UPDATE OR IGNORE {table} SET "{chance.choice(columns)}" = ?'
        connection.execute(sql, (given,))


def database(path: Path, chance: Random) -> None:
    """One with a bit of everything that was spoiled."""
    path.unlink(missing_ok=True)
    with closing(kuma_files.create(path, 2)) as connection:
        for one in kuma_files.backup()["monitorList"]:
            row = {
                "id": one["id"],
                "name": one["name"],
                "type": one["type"],
                "url": one["url"],
                "hostname": one["hostname"],
                "push_token": one["pushToken"],
                "parent": one["parent"],
            }
            kuma_files.insert(connection, "monitor", row)
        config = json.dumps({"type": "smtp", "smtpHost": "m.example", "smtpTo": "a@b.example"})
        kuma_files.insert(connection, "notification", {"id": 1, "name": "N", "config": config})
        kuma_files.insert(connection, "monitor_maintenance", {"monitor_id": 1, "maintenance_id": 1})
        kuma_files.insert(
            connection,
            "maintenance",
            {"id": 1, "title": "Upkeep", "strategy": "recurring-weekday", "weekdays": "[1]"}
            | {"start_time": "02:00", "end_time": "03:00", "timezone": "UTC"},
        )
        for at in range(3):
            time = kuma_files.time_text(NOW - at * 60_000)
            beat = {"monitor_id": 1, "status": at % 2, "time": time, "ping": 20, "msg": "ok"}
            kuma_files.insert(connection, "heartbeat", beat | {"important": 1})
            stat = {"monitor_id": 1, "timestamp": NOW // 1_000 - at * 3_600, "ping": 20.5}
            kuma_files.insert(connection, "stat_hourly", stat | {"up": 9, "down": 1})
        kuma_files.insert(connection, "setting", {"key": "serverTimezone", "value": '"UTC"'})
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '')")
        connection.commit()
    with closing(sqlite3.connect(path)) as connection:
        spoil(connection, chance)
        connection.commit()


def test_a_database_that_went_through_accidents_is_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "kuma.db"
    were_read = 0
    for seed in range(TIMES // 4):
        database(path, Random(seed))
        were_read += read_or_refused("uptime-kuma", path)
    assert were_read > TIMES // 16

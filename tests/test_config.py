"""Settings: what they may be, how they are written, and what they do to new monitors."""

import json
import sqlite3
from dataclasses import fields
from pathlib import Path

import pytest

from tests.fakes import FakeClock
from uptime_desktop.app import opened
from uptime_desktop.config import (
    Settings,
    describe_settings,
    monitor_defaults,
    parse_settings,
    path_of,
    recall_settings,
    with_defaults,
)
from uptime_desktop.domain.model import DAY_MS, HOUR_MS, CatchUp, Every, Policy, Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.store.pruning import Retention

OTHER = {
    "default_interval": "5m",
    "default_jitter": "0.125",
    "default_timeout": "10s",
    "default_retries": "3",
    "default_backoff": "ladder",
    "backoff_cap": "2h",
    "default_catch_up": "skip",
    "staleness_window": "0s",
    "stuck_after": "1h",
    "max_concurrent": "1",
    "per_origin": "1000",
    "raw_history": "30d",
    "five_minute_history": "8d",
    "hourly_history": "3650d",
    "notifications": "false",
    "notify_recovery": "false",
    "alert_after": "3",
    "repeat_alerts": "1h",
    "quiet_hours": "22:00-07:00",
    "sound": "true",
    "listen": "[::1]:9000",
    "ping_key": "0123456789abcdef",
    "language": "zh_CN",
    "mono_icons": "true",
    "compact_rows": "true",
    "start_minimised": "true",
}
"""Every setting, and none as by default."""


def test_every_setting_is_read_as_it_was_written() -> None:
    assert OTHER.keys() == describe_settings(Settings()).keys()
    assert len(OTHER) == len(fields(Settings))
    changed = parse_settings(OTHER)
    assert describe_settings(changed) == OTHER
    assert parse_settings(describe_settings(Settings())) == Settings()


def test_what_is_not_given_stays() -> None:
    base = Settings(default_retries=4)
    assert parse_settings({"sound": "true"}, base) == Settings(default_retries=4, sound=True)


@pytest.mark.parametrize(
    ("key", "text", "sentence"),
    [
        ("default_interval", "3s", "default_interval: 3 s is too short. Allowed: 5 s to 30 d."),
        ("default_interval", "60", "default_interval: '60' is not a duration"),
        ("default_jitter", "0.6", "default_jitter: '0.6' is not a fraction in range"),
        ("default_timeout", "301s", "default_timeout: 301 s is too long. Allowed: 1 s to 5 min."),
        ("default_retries", "11", "default_retries: '11' is not a whole number in range"),
        ("default_retries", "-1", "default_retries: '-1' is not a whole number in range"),
        ("default_backoff", "double", "default_backoff: 'double' is not a choice"),
        ("default_catch_up", "all", "default_catch_up: 'all' is not a choice. Allowed: once, skip"),
        ("max_concurrent", "0", "max_concurrent: '0' is not a whole number in range"),
        ("five_minute_history", "7d", "five_minute_history: 7 d is too short"),
        ("hourly_history", "90d", "hourly_history: 90 d is too short"),
        ("alert_after", "0", "alert_after: '0' is not a whole number in range"),
        ("alert_after", "101", "alert_after: '101' is not a whole number in range"),
        ("repeat_alerts", "59s", "repeat_alerts: 59 s is too short. Allowed: 1 min to 30 d."),
        ("repeat_alerts", "31d", "repeat_alerts: 31 d is too long"),
        ("quiet_hours", "22-7", "quiet_hours: '22-7' are no hours of the day. Allowed: two times"),
        ("quiet_hours", "22:00-24:00", "quiet_hours: '22:00-24:00' are no hours of the day"),
        ("quiet_hours", "22:00-22:00", "quiet_hours: '22:00-22:00' begins when it ends"),
        ("sound", "yes", "sound: 'yes' is not a choice. Allowed: true, false."),
        ("language", "tlh", "language: 'tlh' is not a choice"),
        ("colour", "red", "colour: 'colour' is not a setting"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(key: str, text: str, sentence: str) -> None:
    with pytest.raises(Refused) as refusal:
        parse_settings({key: text})
    assert str(refusal.value).startswith(sentence)


def test_settings_out_of_range_cannot_exist() -> None:
    with pytest.raises(Refused, match="default_jitter"):
        Settings(default_jitter_ppm=500_001)
    with pytest.raises(Refused, match="language"):
        Settings(language="tlh")


def test_one_unreadable_value_costs_only_itself(caplog: pytest.LogCaptureFixture) -> None:
    stored = {"default_interval": "soon", "sound": True, "default_retries": 3, "of_tomorrow": [1]}
    assert recall_settings(stored) == Settings(sound=True, default_retries=3)
    (record,) = caplog.records
    assert record.getMessage().startswith("The setting default_interval: 'soon' is not a duration")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"every": "5m", "jitter": "0.2", "retries": "3"}),
        ({"every": "1h", "retries": 0}, {"every": "1h", "jitter": "0.2", "retries": 0}),
        ({"cron": "0 9 * * *"}, {"cron": "0 9 * * *", "retries": "3"}),
        ({"at": "2999-01-01T00:00:00Z"}, {"at": "2999-01-01T00:00:00Z", "retries": "3"}),
        ({"cadence": "grid"}, {"every": "5m", "cadence": "grid", "retries": "3"}),
        (
            {"cadence": "grid", "jitter": "0.1"},
            {"every": "5m", "cadence": "grid", "jitter": "0.1", "retries": "3"},
        ),
    ],
)
def test_defaults_go_where_they_have_a_meaning(
    given: dict[str, Setting], expected: dict[str, Setting]
) -> None:
    settings = Settings(default_interval_ms=300_000, default_jitter_ppm=200_000, default_retries=3)
    assert with_defaults(given, monitor_defaults(settings)) == expected


def test_the_programs_own_defaults_are_left_unsaid() -> None:
    assert monitor_defaults(Settings()) == {"every": "1m"}


@pytest.mark.asyncio
async def test_new_monitors_take_the_defaults_and_old_ones_keep_theirs(tmp_path: Path) -> None:
    database = tmp_path / "uptime.db"
    async with opened(database) as app:
        (old,) = await app.add([{"name": "old", "url": "https://x.example"}])
        await app.change_settings(parse_settings(OTHER))
        await app.add(
            [
                {"name": "new", "url": "https://x.example"},
                {"name": "own", "url": "https://x.example", "every": "1h", "backoff": "none"},
            ]
        )
    async with opened(database) as app:
        new, own = app.find("new").monitor, app.find("own").monitor
        assert app.find("old").monitor == old
        assert new.schedule == Every(300_000)
        assert (new.jitter, new.timeout_ms, new.retries) == (125_000, 10_000, 3)
        assert (new.backoff.policy, new.backoff.cap_ms) == (Policy.LADDER, 7_200_000)
        assert new.catch_up is CatchUp.SKIP
        assert own.schedule == Every(3_600_000)
        assert own.backoff.policy is Policy.NONE


@pytest.mark.asyncio
async def test_a_database_with_fewer_or_damaged_settings_still_opens(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = tmp_path / "uptime.db"
    async with opened(database) as app:
        await app.change_settings(parse_settings(OTHER))
    with sqlite3.connect(database) as connection:
        connection.execute("DELETE FROM settings WHERE key NOT LIKE 'default%'")
        for key, text in (("default_retries", json.dumps("many")), ("default_timeout", "{")):
            connection.execute("UPDATE settings SET value = ? WHERE key = ?", (text, key))
    connection.close()
    async with opened(database) as app:
        own = {key: OTHER[key] for key in OTHER if key.startswith("default")}
        del own["default_retries"], own["default_timeout"]
        assert app.settings == parse_settings(own)
    told = "\n".join(record.getMessage() for record in caplog.records)
    assert "default_retries: 'many'" in told
    assert "default_timeout is left out" in told


@pytest.mark.asyncio
async def test_history_is_forgotten_by_the_settings_of_the_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Retention] = []

    def prune(_db: object, _now: int, retention: Retention) -> int:
        kept.append(retention)
        return 0

    monkeypatch.setattr("uptime_desktop.housekeeping.prune", prune)
    clock = FakeClock(1_800_000_000_000)
    async with opened(tmp_path / "uptime.db", clock) as app:
        app.start()
        await app.change_settings(parse_settings(OTHER))
        await clock.advance(HOUR_MS)
        await app.history.uptimes(HOUR_MS, clock.wall())
    assert kept == [Retention(30 * DAY_MS, 8 * DAY_MS, 3_650 * DAY_MS)]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("~/a.db", Path.home() / "a.db"),
        ("~nosuch/a.db", Path("~nosuch/a.db")),
        ("/a/~/b.db", Path("/a/~/b.db")),
    ],
)
def test_a_tilde_is_a_home_if_it_is_one(text: str, path: Path) -> None:
    assert path_of(text) == path

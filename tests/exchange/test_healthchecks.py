"""What Healthchecks' API lists becomes heartbeat monitors, and nothing goes missing in silence."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.exchange.source import STRANGE, changed, unreported, ways, written
from uptime_desktop.domain.model import DAY_MS
from uptime_desktop.domain.notation import parse_instant
from uptime_desktop.domain.past import PastTrouble
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution, total
from uptime_desktop.exchange import reading
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.importers.checked import usable
from uptime_desktop.exchange.importers.healthchecks import read, recognises
from uptime_desktop.exchange.importers.oncalendar import cron_of
from uptime_desktop.exchange.report import NOT_IN_USE, Fate, Line

NOW = parse_instant("now", "2026-11-18T12:00:00Z")
FIRST, SECOND = "31365bce-8da9-4729-8ff3-aaa71d56b712", "803f680d-e89b-492b-82ef-2be7b774a92d"


def check(**given: object) -> dict[str, Any]:
    return {"name": "Backup", "grace": 600, "timeout": 3_600, "n_pings": 1} | given


def of_v3(uuid: str) -> dict[str, object]:
    address = f"https://hc.example/api/v3/checks/{uuid}"
    return {
        "uuid": uuid,
        "ping_url": f"https://hc.example/ping/{uuid}",
        "update_url": address,
        "pause_url": f"{address}/pause",
        "resume_url": f"{address}/resume",
        "badge_url": f"https://hc.example/b/2/{uuid}.svg",
    }


V3: dict[str, Any] = {
    "checks": [
        {
            "name": "Filesystem Backup",
            "slug": "fs-backup",
            "tags": "backup  fs",
            "desc": "Every hour, for all",
            "grace": 600,
            "n_pings": 41,
            "status": "up",
            "started": True,
            "last_ping": "2026-11-18T11:02:03+00:00",
            "next_ping": "2026-11-18T12:02:03+00:00",
            "last_duration": 12,
            "manual_resume": False,
            "methods": "POST",
            "subject": "SUCCESS",
            "subject_fail": "ERROR",
            "start_kw": "START",
            "success_kw": "SUCCESS",
            "failure_kw": "ERROR",
            "filter_subject": True,
            "filter_body": False,
            "filter_http_body": False,
            "filter_default_fail": True,
            **of_v3(FIRST),
            "channels": "1bdea468-03bf-47b8-ab27-29a9dd0e4b94",
            "timeout": 3_600,
        },
        {
            "name": "Database",
            "slug": "",
            "tags": "",
            "desc": "",
            "grace": 1_200,
            "n_pings": 0,
            "status": "paused",
            "started": False,
            "last_ping": None,
            "next_ping": None,
            "manual_resume": True,
            "methods": "",
            "start_kw": "",
            "filter_subject": False,
            **of_v3(SECOND.upper()),
            "channels": "",
            "schedule": "15 5 * * 1-5",
            "tz": "Europe/Riga",
        },
        {
            "name": "Month's end",
            "grace": 60,
            "n_pings": 3,
            "schedule": "*-*~1 12:00",
            "tz": "UTC",
            "unknown_to_us": {"deep": [1, 2]},
        },
    ]
}


def read_from(folder: Path, source: object) -> Found:
    return read(written(folder, source), NOW)


def line(found: Found, path: str) -> Line:
    return next(one for one in found.report.lines if one.path == path)


def test_a_check_of_the_current_api_is_the_same_as_a_heartbeat(tmp_path: Path) -> None:
    found = read_from(tmp_path, V3)
    assert found.sites == ({"id": "healthchecks", "name": "Healthchecks"},)
    assert found.monitors == (
        {
            "id": "filesystem-backup",
            "site": "healthchecks",
            "name": "Filesystem Backup",
            "kind": "heartbeat",
            "every": "1h",
            "grace": "10m",
            "slug": "fs-backup",
            "tags": ("backup", "fs"),
            "ping_id": FIRST,
        },
        {
            "id": "database",
            "site": "healthchecks",
            "name": "Database",
            "kind": "heartbeat",
            "cron": "15 5 * * 1-5",
            "tz": "Europe/Riga",
            "grace": "20m",
            "ping_id": SECOND,
        },
    )
    assert found.paused == {"database"}
    assert all(usable(keys, NOW) is None for keys in found.monitors)


def test_a_read_only_answer_of_the_first_api_gets_new_ping_ids(tmp_path: Path) -> None:
    source = {
        "checks": [
            {
                "name": "Old",
                "tags": "prod",
                "grace": 60,
                "n_pings": 7,
                "status": "started",
                "last_ping": "2020-03-23T10:19:32+00:00",
                "next_ping": None,
                "unique_key": "124f983e0e3dcaeba921cfcef46efd084576e783",
                "timeout": 60,
            }
        ]
    }
    found = read_from(tmp_path, source)
    (keys,) = found.monitors
    assert (keys["every"], keys["grace"], keys["tags"]) == ("1m", "1m", ("prod",))
    assert "ping_id" not in keys
    told = line(found, "checks[0].unique_key")
    assert (told.fate, told.value) == (Fate.UNSUPPORTED, "***")
    assert unreported(source, found.report) == []


@pytest.mark.parametrize("source", [V3["checks"][0], V3["checks"][:1]])
def test_one_check_and_a_bare_list_of_checks_are_read_too(tmp_path: Path, source: object) -> None:
    assert recognises(source)
    found = read_from(tmp_path, source)
    assert [keys["ping_id"] for keys in found.monitors] == [FIRST]
    assert unreported(source, found.report) == []


def test_a_project_without_checks_is_no_mistake(tmp_path: Path) -> None:
    assert recognises({"checks": []})
    assert read_from(tmp_path, {"checks": []}).monitors == ()


def test_every_field_of_the_source_is_in_the_report(tmp_path: Path) -> None:
    found = read_from(tmp_path, {**V3, "page": 1})
    assert unreported({**V3, "page": 1}, found.report) == []
    paths = [one.path for one in found.report.lines]
    assert len(paths) == len(set(paths))


@pytest.mark.parametrize(
    ("path", "fate", "how"),
    [
        ("checks[0].name", Fate.MAPPED, "name"),
        ("checks[0].timeout", Fate.MAPPED, "every"),
        ("checks[0].ping_url", Fate.MAPPED, "ping_id"),
        ("checks[0].desc", Fate.UNSUPPORTED, "nothing like it"),
        ("checks[0].methods", Fate.UNSUPPORTED, "every method"),
        ("checks[0].success_kw", Fate.UNSUPPORTED, "not searched"),
        ("checks[0].filter_body", Fate.UNUSED, NOT_IN_USE),
        ("checks[0].channels", Fate.UNSUPPORTED, "where they lead"),
        ("checks[0].manual_resume", Fate.APPROXIMATED, "does not end a pause"),
        ("checks[0].last_ping", Fate.APPROXIMATED, "from the import"),
        ("checks[0].next_ping", Fate.APPROXIMATED, "from the import"),
        ("checks[1].next_ping", Fate.UNUSED, NOT_IN_USE),
        ("checks[1].status", Fate.MAPPED, "paused"),
        ("checks[1].manual_resume", Fate.MAPPED, "paused"),
        ("checks[1].channels", Fate.UNUSED, NOT_IN_USE),
        ("checks[2].name", Fate.UNSUPPORTED, "cannot be said in cron"),
        ("checks[2].schedule", Fate.UNSUPPORTED, "cannot be said in cron"),
    ],
)
def test_the_report_says_what_became_of_a_field(
    tmp_path: Path, path: str, fate: Fate, how: str
) -> None:
    told = line(read_from(tmp_path, V3), path)
    assert told.fate is fate
    assert how in told.how


def test_addresses_by_which_anyone_can_report_are_not_in_the_report(tmp_path: Path) -> None:
    lines = read_from(tmp_path, V3).report.lines
    assert not [one for one in lines if FIRST in one.value or FIRST in one.how + one.thing]


@pytest.mark.parametrize(
    ("given", "keys", "fate"),
    [
        ({"timeout": 2_592_000}, {"every": "30d", "grace": "10m"}, Fate.MAPPED),
        ({"timeout": 90.5}, {"every": "90500ms", "grace": "10m"}, Fate.MAPPED),
        ({"timeout": 1}, {"every": "5s", "grace": "10m"}, Fate.APPROXIMATED),
        ({"timeout": 2_592_060}, {"every": "30d", "grace": "11m"}, Fate.APPROXIMATED),
        ({"timeout": 45 * 86_400}, {"every": "30d", "grace": "21610m"}, Fate.APPROXIMATED),
        ({"timeout": 365 * 86_400}, {"every": "30d", "grace": "30d"}, Fate.APPROXIMATED),
        ({"timeout": None}, {"every": "1d", "grace": "10m"}, Fate.UNUSED),
        ({"grace": 365 * 86_400}, {"every": "1h", "grace": "30d"}, Fate.APPROXIMATED),
        ({"schedule": "0 0 * * *"}, {"cron": "0 0 * * *", "tz": "UTC"}, Fate.MAPPED),
        ({"schedule": " 0  0 * * 7 "}, {"cron": "0 0 * * 7", "every": None}, Fate.MAPPED),
        (
            {"schedule": "Mon..Fri 09:30 Asia/Tokyo", "tz": "UTC"},
            {"cron": "30 9 * * 1-5", "tz": "Asia/Tokyo"},
            Fate.APPROXIMATED,
        ),
        (
            {"schedule": "daily", "tz": "Europe/Riga"},
            {"cron": "0 0 * * *", "tz": "Europe/Riga"},
            Fate.APPROXIMATED,
        ),
        ({"name": ""}, {"name": "Check checks[0]"}, Fate.APPROXIMATED),
        ({"name": "", "slug": "nightly"}, {"name": "nightly"}, Fate.APPROXIMATED),
        ({"name": "n" * 300}, {"name": "n" * 200}, Fate.APPROXIMATED),
        ({"name": "two\nlines"}, {"name": "two lines"}, Fate.APPROXIMATED),
    ],
)
def test_what_is_out_of_our_range_is_moved_into_it(
    tmp_path: Path, given: dict[str, object], keys: dict[str, object], fate: Fate
) -> None:
    found = read_from(tmp_path, {"checks": [check(**given)]})
    (made,) = found.monitors
    assert {key: made.get(key) for key in keys} == keys
    assert line(found, f"checks[0].{next(iter(given))}").fate is fate


@pytest.mark.parametrize(
    "given",
    [
        {"schedule": "0 0 L * *"},
        {"schedule": "0 0 * * 5#2"},
        {"schedule": "2027-01-01 12:00"},
        {"schedule": "12:00\n13:00"},
        {"schedule": "0 0 * * *", "tz": "Mars/Olympus"},
        {"schedule": 5},
        {"schedule": " "},
        {"schedule": "1," * 6_000 + ":00"},
        {"slug": "Not A Slug"},
        {"slug": "s" * 101},
        {"tags": "t" * 201},
    ],
)
def test_a_check_that_makes_no_monitor_is_reported_whole(
    tmp_path: Path, given: dict[str, object]
) -> None:
    found = read_from(tmp_path, {"checks": [check(**given)]})
    assert found.monitors == ()
    assert {one.fate for one in found.report.lines} == {Fate.UNSUPPORTED}
    assert "no monitor can be made of it" in line(found, "checks[0].name").how


def test_a_ping_id_is_given_once(tmp_path: Path) -> None:
    found = read_from(tmp_path, {"checks": [check(uuid=FIRST), check(uuid=FIRST.upper())]})
    assert [keys.get("ping_id") for keys in found.monitors] == [FIRST, None]
    assert [keys["id"] for keys in found.monitors] == ["backup", "backup-2"]
    assert "same id" in line(found, "checks[1].uuid").how


@pytest.mark.parametrize(
    ("expression", "written"),
    [
        ("minutely", ("* * * * *", "")),
        ("hourly", ("0 * * * *", "")),
        ("weekly", ("0 0 * * 1", "")),
        ("Quarterly UTC", ("0 0 1 1,4,7,10 *", "UTC")),
        ("semiannually", ("0 0 1 1,7 *", "")),
        ("annually", ("0 0 1 1 *", "")),
        ("Mon", ("0 0 * * 1", "")),
        ("Mon, 12:34", ("34 12 * * 1", "")),
        ("Sat..Sun 10:00", ("0 10 * * 6-7", "")),
        ("monday-wed,Sunday 10:00", ("0 10 * * 1-3,7", "")),
        ("*-*-* 00/2:00", ("0 0/2 * * *", "")),
        ("*-*-* *:0/15:00", ("0/15 * * * *", "")),
        ("*:*/5", ("*/5 * * * *", "")),
        ("*-*-* 08..18/2:05", ("5 8-18/2 * * *", "")),
        ("01-15 03:00", ("0 3 15 1 *", "")),
        ("*-*-01,15 03:00:30", ("30 0 3 1,15 * *", "")),
        ("12:34 Europe/Riga", ("34 12 * * *", "Europe/Riga")),
        ("*-*~1 12:00", None),
        ("2026-*-* 12:00", None),
        ("Mon *-*-13 12:00", None),
        ("12:00\n13:00", None),
        ("12:00:00.5", None),
        ("1:2:3:4", None),
        ("Someday 12:00", None),
        ("Mon..Tue..Wed 12:00", None),
        ("a b c d", None),
        (" ", None),
    ],
)
def test_a_calendar_expression_is_written_as_cron_where_cron_can_say_it(
    expression: str, written: tuple[str, str] | None
) -> None:
    assert cron_of(expression) == written


def test_pings_and_flips_put_beside_a_check_become_its_history(tmp_path: Path) -> None:
    source = check(
        pings=[
            {"type": "fail", "date": "2026-11-18T10:00:00.5+00:00", "n": 4, "method": "GET"},
            {"type": "success", "date": "2026-11-17T10:00:00+00:00", "n": 3, "duration": 2.5},
            {"type": "start", "date": "2026-11-17T09:59:57.5+00:00", "n": 2},
            {"type": "success", "date": "2026-01-01T00:00:00+00:00", "n": 1},
        ],
        flips=[
            {"timestamp": "2026-11-18T10:00:00+00:00", "up": 0},
            {"timestamp": "2026-10-02T00:00:00+00:00", "up": 1},
            {"timestamp": "2026-10-01T00:00:00+00:00", "up": 0},
        ],
    )
    found = read_from(tmp_path, {"checks": [source, check(name="None")]})
    (past,) = found.past()
    assert (past.monitor_id, found.past_count) == ("backup", 1)
    assert [(run.status, run.response_ms) for run in past.runs] == [
        (Status.UP, None),
        (Status.UP, 2_500.0),
        (Status.DOWN, None),
    ]
    assert total(past.tallies[Resolution.DAY].values()).runs == 3
    told = line(found, "checks[0].pings")
    assert (told.fate, "as long as the settings keep them" in told.how) == (
        Fate.APPROXIMATED,
        True,
    )
    began = parse_instant("at", "2026-10-01T00:00:00Z")
    lasting = parse_instant("at", "2026-11-18T10:00:00Z")
    assert past.troubles == (PastTrouble(began, began + DAY_MS), PastTrouble(lasting, None))


@pytest.mark.parametrize(
    "document",
    [
        *(None, 1, "x", [], [1], {}, {"checks": 1}, {"checks": {}}, {"checks": [1]}),
        *({"checks": [{"name": "x"}]}, {"sites": []}, {"monitorList": []}, {"endpoints": []}),
        *({"pings": []}, [{"timestamp": "2020-03-23T10:18:23+00:00", "up": 1}]),
    ],
)
def test_another_file_is_refused(tmp_path: Path, document: object) -> None:
    assert not recognises(document)
    with pytest.raises(Refused, match="holds no checks of Healthchecks"):
        read_from(tmp_path, document)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        json.dumps(V3).encode()[:-20],
        json.dumps(V3).encode("utf-16-le"),
        b'{"checks": [{"name": "\xff"}]}',
        b'{"checks": []}\0',
        b"[" * 100_000,
        b'{"checks":' * 100_000 + b"1" + b"}" * 100_000,
        b'{"checks": [{"grace": 1e999, "n_pings": 1}]}',
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "checks.json"
    path.write_bytes(content)
    with pytest.raises(Refused):
        read(path, NOW)


def test_what_nobody_has_that_much_of_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Refused, match="10001 monitors are too many"):
        read_from(tmp_path, {"checks": [check()] * 10_001})
    with pytest.raises(Refused, match="fields of one thing are too many"):
        read_from(tmp_path, {"checks": [check(**{f"f{n}": n for n in range(1_000)})]})
    monkeypatch.setattr(reading, "MOST_BYTES", 100)
    with pytest.raises(Refused, match="too large"):
        read_from(tmp_path, V3)


@pytest.mark.parametrize("strange", STRANGE, ids=lambda value: repr(value)[:20])
def test_whatever_stands_anywhere_is_read_or_refused(tmp_path: Path, strange: object) -> None:
    full = {"checks": [*V3["checks"], check(pings=[{"type": "fail", "date": "x"}], flips=[{}])]}
    for way in ways(full):
        source = changed(full, way, strange)
        try:
            found = read_from(tmp_path, source)
        except Refused:
            continue
        assert unreported(source, found.report) == []
        assert all(usable(keys, NOW) is None for keys in found.monitors)
        assert len(list(found.past())) == found.past_count


def test_one_that_never_reported_is_expected_from_now_on(tmp_path: Path) -> None:
    found = read_from(tmp_path, {"checks": [check(uuid=FIRST, status="new", last_ping=None)]})
    told = line(found, "checks[0].status")
    assert (found.paused, told.fate) == (frozenset(), Fate.APPROXIMATED)
    assert told.how == "it never reported yet; here it is expected from the import on"

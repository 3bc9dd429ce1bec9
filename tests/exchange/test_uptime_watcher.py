"""An export of Uptime-Watcher becomes sites, monitors and their history."""

import json
from pathlib import Path

import pytest

from tests.exchange.source import STRANGE, changed, unreported, ways
from tests.exchange.uptime_watcher_files import (
    CURRENT,
    NOW,
    OLD,
    entry,
    line,
    monitor,
    of_monitor,
    read_from,
    read_one,
)
from uptime_desktop.domain.model import MINUTE_MS
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution, total
from uptime_desktop.exchange import reading
from uptime_desktop.exchange.importers.checked import usable
from uptime_desktop.exchange.importers.uptime_watcher import read, recognises
from uptime_desktop.exchange.report import NOT_IN_USE, Fate


def test_sites_keep_their_names_and_switches(tmp_path: Path) -> None:
    found = read_from(tmp_path, CURRENT)
    assert found.sites == (
        {"id": "shop", "name": "Shop"},
        {"id": "quiet", "name": "Quiet", "active": False},
    )
    assert {keys["site"] for keys in found.monitors} == {"shop"}


def test_ids_are_unique_and_what_was_off_is_paused(tmp_path: Path) -> None:
    found = read_from(tmp_path, CURRENT)
    ids = [str(keys["id"]) for keys in found.monitors]
    assert len(set(ids)) == len(ids) == 12
    assert found.paused == {ids[2], ids[6]}


def test_an_old_export_is_read_with_the_defaults_of_its_time(tmp_path: Path) -> None:
    found = read_from(tmp_path, OLD)
    assert found.sites == (
        {"id": "old-example", "name": "old.example"},
        {"id": "bare", "name": "bare"},
    )
    assert found.monitors == (
        {
            "id": "old-example",
            "site": "old-example",
            "name": "old.example",
            "kind": "http",
            "url": "http://old.example/",
            "accepted_codes": ("100-499",),
            "every": "5m",
            "timeout": "10s",
        },
    )
    assert unreported(OLD, found.report) == []
    (past,) = found.past()
    assert past.troubles[0].resolved_at is None


def test_history_becomes_runs_sums_and_troubles(tmp_path: Path) -> None:
    found = read_from(tmp_path, CURRENT)
    (past,) = found.past()
    assert past.monitor_id == found.monitors[0]["id"]
    assert [(run.status, run.response_ms, run.reason) for run in past.runs] == [
        (Status.UP, 12.5, ""),
        (Status.UP, 12.5, "200"),
        (Status.DOWN, None, "HTTP 503"),
        (Status.DEGRADED, 900, ""),
    ]
    assert total(past.tallies[Resolution.DAY].values()).runs == 4
    (trouble,) = past.troubles
    assert (trouble.opened_at, trouble.resolved_at) == (NOW - 2 * MINUTE_MS, NOW - MINUTE_MS)
    assert list(found.past()) == [past]


def test_every_field_of_the_source_is_in_the_report_once(tmp_path: Path) -> None:
    source = {**CURRENT, "extra": {"deep": [1]}}
    found = read_from(tmp_path, source)
    assert unreported(source, found.report) == []
    paths = [one.path for one in found.report.lines]
    assert len(paths) == len(set(paths))


@pytest.mark.parametrize(
    ("path", "fate", "how"),
    [
        ("version", Fate.UNSUPPORTED, "about the file"),
        ("settings.historyLimit", Fate.UNSUPPORTED, "by age"),
        ("settings.theme", Fate.UNSUPPORTED, "nothing like it"),
        ("sites[0].identifier", Fate.APPROXIMATED, "new id"),
        ("sites[1].monitoring", Fate.MAPPED, "active"),
        ("sites[1].monitors", Fate.UNUSED, NOT_IN_USE),
        ("sites[0].monitors[0].checkInterval", Fate.MAPPED, "every"),
        ("sites[0].monitors[0].history", Fate.APPROXIMATED, "as long as the settings keep them"),
        ("sites[0].monitors[0].lastChecked", Fate.UNSUPPORTED, "anew"),
        ("sites[0].monitors[1].expectedStatusCode", Fate.APPROXIMATED, "counts as down"),
        ("sites[0].monitors[1].history", Fate.UNUSED, NOT_IN_USE),
        ("sites[0].monitors[2].status", Fate.MAPPED, "paused"),
        ("sites[0].monitors[5].maxResponseTime", Fate.MAPPED, "latency_threshold"),
        ("sites[0].monitors[7].type", Fate.APPROXIMATED, "ICMP"),
        ("sites[0].monitors[8].expectedValue", Fate.APPROXIMATED, "whole answer"),
        ("sites[0].monitors[10].maxPongDelayMs", Fate.APPROXIMATED, "connecting"),
        ("sites[0].monitors[11].heartbeatMaxDriftSeconds", Fate.UNSUPPORTED, "not compared"),
        ("sites[0].monitors[12].type", Fate.UNSUPPORTED, "like replication"),
        ("sites[0].monitors[13].edgeLocations", Fate.UNSUPPORTED, "like cdn-edge"),
    ],
)
def test_the_report_says_what_became_of_a_field(
    tmp_path: Path, path: str, fate: Fate, how: str
) -> None:
    told = line(read_from(tmp_path, CURRENT), path)
    assert told.fate is fate
    assert how in told.how


def test_secrets_are_not_in_the_report(tmp_path: Path) -> None:
    secret = monitor(
        "http-header",
        url="https://x.example/",
        headerName="Set-Cookie",
        expectedHeaderValue="s3cr3t",
    )
    source = {**CURRENT, "sites": [*CURRENT["sites"], {"identifier": "x", "monitors": [secret]}]}
    told = str([*read_from(tmp_path, source).report.lines])
    assert not [one for one in ("hunter2", "hidden-token", "s3cr3t") if one in told]


@pytest.mark.parametrize(
    ("key", "value", "to", "expected", "fate"),
    [
        ("checkInterval", 1_000, "every", "5s", Fate.APPROXIMATED),
        ("checkInterval", 10**20, "every", "30d", Fate.APPROXIMATED),
        ("checkInterval", 5_000.4, "every", "5s", Fate.APPROXIMATED),
        ("checkInterval", 0, "every", "5m", Fate.UNUSED),
        ("checkInterval", "60", "every", "5m", Fate.UNSUPPORTED),
        ("timeout", 300_000, "timeout", "5m", Fate.MAPPED),
        ("timeout", 500_000, "timeout", "5m", Fate.APPROXIMATED),
        ("timeout", 1, "timeout", "1s", Fate.APPROXIMATED),
        ("retryAttempts", 0, "retries", 0, Fate.MAPPED),
        ("retryAttempts", 99, "retries", 10, Fate.APPROXIMATED),
        ("retryAttempts", -1, "retries", None, Fate.UNSUPPORTED),
        ("retryAttempts", True, "retries", None, Fate.UNSUPPORTED),
    ],
)
def test_what_is_out_of_our_range_is_moved_into_it(
    tmp_path: Path, key: str, value: object, to: str, expected: object, fate: Fate
) -> None:
    found = read_one(tmp_path, **{key: value})
    assert found.monitors[0].get(to) == expected
    assert of_monitor(found, key).fate is fate


@pytest.mark.parametrize(
    "given",
    [
        {"url": "ftp://shop.example/"},
        {"url": ""},
        {"url": None},
        {"type": "http-status", "expectedStatusCode": 42},
        {"type": "http-keyword"},
        {"type": "http-keyword", "bodyKeyword": " "},
        {"type": "http-keyword", "bodyKeyword": "k" * 10_001},
        {"type": "http-header", "headerName": "Age", "expectedHeaderValue": None},
        {"type": "http-json", "expectedJsonValue": "1"},
        {"type": "http-json", "jsonPath": "a[*", "expectedJsonValue": "1"},
        {"type": "http-header", "headerName": "not a name", "expectedHeaderValue": "1"},
        {"type": "port", "host": "x.example", "port": 0},
        {"type": "dns", "host": "x.example", "recordType": "NAPTR"},
        {"type": "quantum"},
        {"type": None},
        {"type": ["http"]},
    ],
)
def test_a_monitor_that_cannot_be_made_is_reported_whole(
    tmp_path: Path, given: dict[str, object]
) -> None:
    found = read_one(tmp_path, **given)
    assert found.monitors == ()
    told = {one.fate for one in found.report.lines if "monitors[0]" in one.path}
    assert told - {Fate.UNUSED} == {Fate.UNSUPPORTED}


def test_entries_of_history_that_cannot_be_read_are_counted_in_the_report(tmp_path: Path) -> None:
    bad: list[object] = [5, {}, entry(0, "asleep"), entry(0, "up") | {"timestamp": "now"}]
    found = read_one(tmp_path, history=[*bad, entry(1, "up")])
    told = of_monitor(found, "history")
    assert (told.value, told.how) == ("5", "4 entries of it cannot be read")
    assert [len(past.runs) for past in found.past()] == [1]


@pytest.mark.parametrize(
    "document",
    [
        *(None, 1, "x", [], {}, {"sites": 1}, {"sites": []}, {"sites": [1]}, {"sites": [{}]}),
        *({"checks": []}, {"monitorList": []}, {"sites": [{"name": "x", "monitors": []}]}),
    ],
)
def test_another_file_is_refused(tmp_path: Path, document: object) -> None:
    assert not recognises(document)
    with pytest.raises(Refused, match="no export of Uptime-Watcher"):
        read_from(tmp_path, document)


@pytest.mark.parametrize("document", [CURRENT, OLD, {"sites": [], "settings": {}}])
def test_an_export_is_recognised(document: object) -> None:
    assert recognises(document)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        json.dumps(CURRENT).encode()[:-20],
        json.dumps(CURRENT).encode("utf-16-le"),
        b'{"sites": [{"identifier": "\xff"}]}',
        b'{"sites": []}\0',
        b"[" * 100_000,
        b'{"sites":' * 100_000 + b"1" + b"}" * 100_000,
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "export.json"
    path.write_bytes(content)
    with pytest.raises(Refused):
        read(path, NOW)


def test_what_nobody_has_that_much_of_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Refused, match="10001 monitors are too many"):
        read_from(tmp_path, {"sites": [{"identifier": "x", "monitors": [{}] * 10_000}]})
    with pytest.raises(Refused, match="fields of one thing are too many"):
        read_one(tmp_path, **{f"f{n}": n for n in range(1_000)})
    monkeypatch.setattr(reading, "MOST_BYTES", 100)
    with pytest.raises(Refused, match="too large"):
        read_from(tmp_path, CURRENT)


@pytest.mark.parametrize("strange", STRANGE, ids=lambda value: repr(value)[:20])
def test_whatever_stands_anywhere_is_read_or_refused(tmp_path: Path, strange: object) -> None:
    site = CURRENT["sites"][0]
    alone = [
        {**CURRENT, "sites": [{**site, "monitors": [one]}, CURRENT["sites"][1]]}
        for one in site["monitors"]
    ]
    inside = ("sites", 0, "monitors", 0)
    places = [(full, way) for full in alone for way in ways(full) if way[:4] == inside]
    places += [(alone[0], way) for way in ways(alone[0]) if way[:4] != inside]
    for full, way in places:
        source = changed(full, way, strange)
        try:
            found = read_from(tmp_path, source)
        except Refused:
            continue
        assert unreported(source, found.report) == []
        assert all(usable(keys, NOW) is None for keys in found.monitors)
        assert len(list(found.past())) == found.past_count

"""A monitor of Uptime-Watcher looks at the same here, whatever its type."""

import re
from pathlib import Path

import pytest

from tests.exchange.uptime_watcher_files import CURRENT, NOW, of_monitor, read_from, read_one
from uptime_desktop.checks.http.json_query import parse_json_query
from uptime_desktop.checks.http.patterns import parse_pattern
from uptime_desktop.exchange.importers.checked import usable
from uptime_desktop.exchange.report import Fate

ANY_CODE, GOOD_CODE = ("100-599",), ("100-499",)
TIMING = {"every": "1m", "timeout": "10s", "retries": 2}


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (
            0,
            {
                "name": "shop.example",
                "kind": "http",
                "url": "https://ann:hunter2@shop.example/",
                "follow_redirects": False,
                "accepted_codes": GOOD_CODE,
            },
        ),
        (
            1,
            {
                "name": "shop.example/gone",
                "kind": "http",
                "url": "https://shop.example/gone",
                "accepted_codes": ("410",),
            },
        ),
        (
            2,
            {
                "name": "shop.example",
                "kind": "http",
                "url": "https://shop.example/",
                "accepted_codes": ANY_CODE,
                "regex": (r"(?i)Hello\ \(world\)",),
            },
        ),
        (
            3,
            {
                "name": "shop.example",
                "kind": "http",
                "url": "https://shop.example/",
                "accepted_codes": ANY_CODE,
                "header_match": {"Cache-Control": r"^\s*no\-cache,\s+max\-age=0\s*$"},
            },
        ),
        (
            4,
            {
                "name": "shop.example/health",
                "kind": "http",
                "url": "https://shop.example/health",
                "accepted_codes": ANY_CODE,
                "json_query": ('data.items[0]."full-name" == "ok"',),
            },
        ),
        (
            5,
            {
                "name": "shop.example",
                "kind": "http",
                "url": "https://shop.example/",
                "accepted_codes": ANY_CODE,
                "latency_threshold": "750ms",
            },
        ),
        (
            6,
            {
                "name": "db.shop.example:5432",
                "kind": "tcp",
                "host": "db.shop.example",
                "port": 5432,
            },
        ),
        (7, {"name": "192.0.2.7", "kind": "ping", "host": "192.0.2.7"}),
        (
            8,
            {
                "kind": "dns",
                "host": "shop.example",
                "record_type": "A",
                "expected": ("192.0.2.7",),
            },
        ),
        (
            9,
            {"kind": "tls", "host": "shop.example", "port": 443, "certificate_days": 30},
        ),
        (
            10,
            {"kind": "websocket", "url": "wss://shop.example/live", "latency_threshold": "1500ms"},
        ),
        (
            11,
            {
                "kind": "http",
                "url": "https://shop.example/beat",
                "accepted_codes": ANY_CODE,
                "json_query": ('node.state == "running"',),
            },
        ),
    ],
)
def test_a_monitor_looks_at_the_same_as_before(
    tmp_path: Path, at: int, expected: dict[str, object]
) -> None:
    keys = dict(read_from(tmp_path, CURRENT).monitors[at])
    assert keys.pop("site") == "shop"
    assert re.fullmatch(r"[a-z0-9-]+", str(keys.pop("id")))
    assert keys == {**TIMING, "name": keys["name"], **expected}
    assert usable({**keys, "id": "x"}, NOW) is None


@pytest.mark.parametrize(
    ("record_type", "expected", "kept"),
    [
        ("AAAA", "2001:db8::7", True),
        ("A", "192.0.", False),
        ("CNAME", "www.example.org", True),
        ("MX", "10 mail.example.org", True),
        ("MX", "mail.example.org", False),
        ("TXT", "v=spf1 -all", True),
        ("SRV", "sip.example.org", False),
        ("A", " ", False),
    ],
)
def test_an_expected_answer_is_kept_if_it_is_a_whole_one(
    tmp_path: Path, record_type: str, expected: str, kept: bool
) -> None:
    found = read_one(
        tmp_path, type="dns", host="x.example", recordType=record_type, expectedValue=expected
    )
    assert found.monitors[0].get("expected") == ((expected,) if kept else None)
    wanted = Fate.APPROXIMATED if kept else Fate.UNSUPPORTED
    assert of_monitor(found, "expectedValue").fate is wanted


@pytest.mark.parametrize(
    ("keyword", "page", "is_found"),
    [
        ("a.b*c", "xA.B*Cx", True),
        ("a.b", "axb", False),
        (" Grüße #1_2\n~ ", "GRÜSSE grüße #1_2\n~", True),
        (r"\Q\E", r"\q\e", True),
    ],
)
def test_a_keyword_is_found_in_either_case(
    tmp_path: Path, keyword: str, page: str, is_found: bool
) -> None:
    found = read_one(tmp_path, type="http-keyword", bodyKeyword=keyword)
    (text,) = found.monitors[0]["regex"]  # type: ignore[misc,str-unpack]
    assert parse_pattern("regex", text).is_in(page.encode()) is is_found


@pytest.mark.parametrize(
    ("path", "value", "answer", "holds"),
    [
        ("status", "ok", {"status": "ok"}, True),
        ("status", "ok", {"status": "no"}, False),
        ("a.b[1].c-d", "5", {"a": {"b": [0, {"c-d": 5}]}}, True),
        ("a.b", "5", {"a": {"b": "5"}}, True),
        ("[0]", "true", [True], True),
        ("a.0", "x", {"a": {"0": "x"}}, True),
        ('say"so', 'a "b" == c', {'say"so': 'a "b" == c'}, True),
        ("a", "[1, 2]", {"a": [1, 2]}, True),
    ],
)
def test_a_value_in_json_is_compared_as_before(
    tmp_path: Path, path: str, value: str, answer: object, holds: bool
) -> None:
    found = read_one(tmp_path, type="http-json", jsonPath=path, expectedJsonValue=value)
    (text,) = found.monitors[0]["json_query"]  # type: ignore[misc,str-unpack]
    query = parse_json_query("json_query", text)
    assert query.holds(query.answer(answer)) is holds

"""The JSON backup of Uptime Kuma 1 becomes monitors, and nothing in it is passed over."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.exchange.kuma_files import NOW, OLD_BACKUP, SECRETS, backup, monitor, unreported
from uptime_desktop.checks.http.assertions import Page, missed
from uptime_desktop.checks.registry import kind_named, own_settings
from uptime_desktop.domain.definition import parse_monitor
from uptime_desktop.domain.model import Keys
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.importers.kuma.backup import read, recognises
from uptime_desktop.exchange.importers.naming import Ids
from uptime_desktop.exchange.report import NOT_IN_USE, Fate, Line


def found(folder: Path, document: object) -> Found:
    path = folder / "backup.json"
    path.write_text(json.dumps(document))
    return read(path, NOW)


def only(folder: Path, *monitors: dict[str, Any]) -> Found:
    return found(folder, {"version": "1.23.16", "monitorList": list(monitors)})


def keys_of(result: Found, monitor_id: str) -> Keys:
    return next(keys for keys in result.monitors if keys["id"] == monitor_id)


def line(result: Found, path: str) -> Line:
    return next(one for one in result.report.lines if one.path == path)


def test_a_keyword_monitor_keeps_all_it_had(tmp_path: Path) -> None:
    assert keys_of(found(tmp_path, backup()), "shop") == {
        "id": "shop",
        "site": "production",
        "name": "Shop",
        "kind": "http",
        "url": "https://shop.example/health?x=1",
        "method": "POST",
        "accepted_codes": ("200-299", "301"),
        "follow_redirects": True,
        "verify_certificate": True,
        "certificate_days": 21,
        "body": '{"password": "hunter2"}',
        "headers": {
            "X-Api-Key": "s3cret-token",
            "X-Trace": "7",
            "Content-Type": "application/json",
        },
        "username": "monitor",
        "password": "hunter2",
        "proxy": "socks5://me:hunter2@proxy.example:1080",
        "keyword": "all fine",
        "every": "1m",
        "backoff": "fixed",
        "retry_delay": "20s",
        "retries": 0,
        "alert_after": 4,
        "timeout": "48s",
        "repeat_every": "10m",
        "tags": ("region:eu", "paid"),
        "channels": ("desktop", "night-watch"),
    }


@pytest.mark.parametrize(
    ("monitor_id", "expected"),
    [
        ("gateway", {"kind": "ping", "host": "192.0.2.1", "packet_size": 100, "count": 1}),
        ("ssh", {"kind": "tcp", "host": "host.example", "port": 22, "backoff": "none"}),
        ("names", {"kind": "dns", "record_type": "MX", "resolver": "9.9.9.9:5353"}),
        ("nightly", {"kind": "heartbeat", "every": "1d", "grace": "2m", "token": "pushtoken00"}),
        ("status-api", {"json_query": ("data[0].status == ok",), "follow_redirects": False}),
        ("status-api", {"verify_certificate": False, "certificate_days": 0}),
        ("database", {"kind": "tcp", "host": "db.example", "port": 5433}),
        ("production", {"kind": "group", "members": ("shop", "network"), "site": "production"}),
        ("network", {"kind": "group", "members": ("gateway",), "site": "production"}),
    ],
)
def test_each_type_becomes_its_kind(
    tmp_path: Path, monitor_id: str, expected: dict[str, object]
) -> None:
    keys = keys_of(found(tmp_path, backup()), monitor_id)
    assert {key: keys[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("keyword", {"keyword": "no", "invertKeyword": True}, {"keyword_absent": "no"}),
        (
            "real-browser",
            {"method": "POST", "authMethod": "ntlm", "headers": '{"Cookie": "a"}', "ignoreTls": 1}
            | {"expiryNotification": True, "accepted_statuscodes": ["500"], "maxredirects": 0},
            {"kind": "http", "accepted_codes": ("200-399",), "certificate_days": 0}
            | dict.fromkeys(("method", "headers", "verify_certificate", "follow_redirects")),
        ),
        (
            "http",
            {"authMethod": "bearer", "bearer_token": "s3cret-token"},
            {"bearer_token": "s3cret-token", "username": None},
        ),
        (
            "http",
            {"authMethod": "bearer", "bearer_token": "a", "headers": '{"AUTHORIZATION": "b"}'},
            {"bearer_token": None, "headers": {"AUTHORIZATION": "b"}},
        ),
        ("http", {"method": "GET", "body": "{}"}, {"method": "GET"}),
        ("http", {"ipFamily": "ipv6"}, {"ip_version": "6"}),
        (
            "json-query",
            {"jsonPath": "$.größe[0].b", "expectedValue": "5"},
            {"json_query": ('"größe"[0].b == 5',)},
        ),
        (
            "json-query",
            {"jsonPath": "a.b", "expectedValue": "5", "jsonPathOperator": ">="},
            {"json_query": ("a.b >= 5",)},
        ),
        ("redis", {"databaseConnectionString": "redis://u:p@r.example"}, {"port": 6379}),
        (
            "sqlserver",
            {"databaseConnectionString": "Server=sql.example,1444;User Id=a;Password=b"},
            {"host": "sql.example", "port": 1444},
        ),
        ("mqtt", {"hostname": "mqtts://m.example", "port": None}, {"port": 8883}),
        (
            "smtp",
            {"hostname": "mx.example", "port": 587, "smtpSecurity": "starttls"},
            {"kind": "tls", "starttls": "smtp", "port": 587},
        ),
        (
            "smtp",
            {"hostname": "mx.example", "smtpSecurity": "secure", "port": 465},
            {"kind": "tls", "certificate_days": 0, "starttls": None, "verify_certificate": None},
        ),
        (
            "smtp",
            {"hostname": "mx.example", "port": None, "smtpSecurity": "nostarttls"},
            {"kind": "tcp", "port": 25, "expect": "220"},
        ),
        ("smtp", {"hostname": "mx.example", "smtpSecurity": "auto"}, {"kind": "tcp"}),
        ("smtp", {"hostname": "mx.example", "smtpSecurity": None}, {"kind": "tcp"}),
        (
            "port",
            {"hostname": "a.example", "port": 993, "smtpSecurity": "secure"}
            | {"expiryNotification": True},
            {"kind": "tls", "certificate_days": 21, "starttls": None},
        ),
        (
            "port",
            {"hostname": "a.example", "port": 143, "smtpSecurity": "starttls"}
            | {"expiryNotification": True},
            {"kind": "tls", "certificate_days": 21, "starttls": "imap"},
        ),
        (
            "port",
            {"hostname": "a.example", "port": 25, "smtpSecurity": "starttls"},
            {"kind": "tls", "certificate_days": 0, "verify_certificate": False}
            | {"starttls": "smtp"},
        ),
        ("port", {"hostname": "a.example", "port": 1, "smtpSecurity": "secure"}, {"kind": "tcp"}),
        ("port", {"hostname": "a.example", "port": 1, "expiryNotification": 1}, {"kind": "tcp"}),
        (
            "mongodb",
            {"databaseConnectionString": "mongodb+srv://u:p@c0.x.mongodb.net/db?w=majority"},
            {"kind": "dns", "host": "_mongodb._tcp.c0.x.mongodb.net", "record_type": "SRV"}
            | {"port": None},
        ),
        (
            "mongodb",
            {"databaseConnectionString": "mongodb://u:p@db.example/db"},
            {"kind": "tcp", "host": "db.example", "port": 27017},
        ),
        (
            "grpc-keyword",
            {"grpcUrl": "g.example:50051", "grpcServiceName": "Health", "keyword": "SERVING"},
            {"kind": "grpc", "host": "g.example", "port": 50051, "tls": False},
        ),
        (
            "grpc-keyword",
            {"grpcUrl": "grpcs://g.example", "grpcServiceName": "Greeter"},
            {"kind": "tcp", "port": 443},
        ),
        (
            "websocket-upgrade",
            {"url": "wss://w.example/", "wsSubprotocol": "mqtt,chat"},
            {"kind": "websocket", "subprotocol": ("mqtt", "chat")},
        ),
        (
            "websocket-upgrade",
            {"url": "wss://w.example/", "authMethod": "basic", "basic_auth_user": "me"}
            | {"headers": '{"Cookie": "a"}', "ignoreTls": 1, "expiryNotification": True},
            {"kind": "websocket", "certificate_days": 0}
            | dict.fromkeys(("headers", "username", "verify_certificate")),
        ),
        (
            "dns",
            {
                "hostname": "a.example",
                "conditions": [{"variable": "record", "operator": "equals", "value": "192.0.2.1"}],
            },
            {"expected": ("192.0.2.1",), "resolver": "1.1.1.1"},
        ),
    ],
)
def test_fields_of_a_type_become_keys_of_a_kind(
    tmp_path: Path, kind: str, given: dict[str, Any], expected: dict[str, object]
) -> None:
    one = monitor(1, "One", kind, **{"url": "https://one.example/", "port": None, **given})
    keys = keys_of(only(tmp_path, one), "one")
    assert {key: keys.get(key) for key in expected} == expected


@pytest.mark.parametrize(
    ("given", "expected", "fate"),
    [
        ({"interval": 1}, {"every": "5s"}, Fate.APPROXIMATED),
        ({"interval": 9_999_999}, {"every": "30d"}, Fate.APPROXIMATED),
        ({"interval": 20}, {"every": "20s"}, Fate.MAPPED),
        ({"maxretries": 25}, {"retries": 0, "alert_after": 26}, Fate.APPROXIMATED),
        ({"maxretries": 500}, {"retries": 0, "alert_after": 100}, Fate.APPROXIMATED),
        ({"timeout": 0}, {"timeout": "48s"}, Fate.APPROXIMATED),
        ({"timeout": None, "interval": 3_600}, {"timeout": "5m"}, Fate.APPROXIMATED),
        ({"timeout": 900}, {"timeout": "5m"}, Fate.APPROXIMATED),
        ({"timeout": 25.6}, {"timeout": "25600ms"}, Fate.MAPPED),
        ({"retryInterval": 20}, {"retries": 0, "backoff": "none"}, Fate.UNUSED),
        (
            {"retryInterval": 20, "maxretries": 2},
            {"retry_delay": "20s", "backoff": "fixed", "alert_after": 3, "repeat_every": "0"},
            Fate.APPROXIMATED,
        ),
        (
            {"retryInterval": 1, "maxretries": 1},
            {"retry_delay": "5s", "backoff": "fixed"},
            Fate.APPROXIMATED,
        ),
        (
            {"retryInterval": 600, "maxretries": 1},
            {"backoff": "none", "alert_after": 2},
            Fate.APPROXIMATED,
        ),
        ({"retryInterval": 60, "maxretries": 1}, {"backoff": "none"}, Fate.MAPPED),
        ({"retryInterval": 0, "maxretries": 1}, {"backoff": "none"}, Fate.MAPPED),
        (
            {"retryInterval": 9e11, "maxretries": 1, "interval": 1e12},
            {"backoff": "fixed", "retry_delay": "30d"},
            Fate.APPROXIMATED,
        ),
        ({"name": " \n "}, {"name": "Uptime Kuma 1"}, Fate.APPROXIMATED),
        ({"name": "n" * 300}, {"name": "n" * 200}, Fate.APPROXIMATED),
        ({"resendInterval": 2}, {"repeat_every": "2m"}, Fate.APPROXIMATED),
    ],
)
def test_what_is_out_of_range_is_moved_into_it_and_said(
    tmp_path: Path, given: dict[str, Any], expected: dict[str, object], fate: Fate
) -> None:
    one = monitor(1, "One", "http", url="https://one.example/")
    result = only(tmp_path, {**one, **given})
    (keys,) = result.monitors
    assert {key: keys[key] for key in expected} == expected
    assert line(result, f"monitorList[0].{next(iter(given))}").fate is fate


def accepts(keys: Keys, page: str) -> bool:
    """Whether a page is as these keys want it."""
    kind = kind_named("http")
    spec: Any = kind.parse(own_settings(kind, keys))
    return not missed(spec.expected, Page([], page.encode(), "utf-8", "", False), str)


@pytest.mark.parametrize(
    ("keyword", "met", "unmet"),
    [
        ('"status":"ok"', '{"status" : "ok"}', '{"status": "down"}'),
        ('"status":"ok"', '{"status":"ok"}', "status ok"),
        ('[1,2],"a b"', '{x: [ 1,\n2 ] , "a b"}', '[1, 3], "a b"'),
        ("Hello, world", "<p>Hello, world!", "Hello ,world"),
        ("all fine", "all fine", "all  fine"),
        ("1.5 (a)", "1.5 (a)", "1x5 (a)"),
    ],
)
def test_a_keyword_is_found_in_json_however_it_is_written(
    tmp_path: Path, keyword: str, met: str, unmet: str
) -> None:
    one = monitor(1, "One", "keyword", url="https://one.example/", keyword=keyword)
    keys = keys_of(only(tmp_path, one), "one")
    assert accepts(keys, met)
    assert not accepts(keys, unmet)


@pytest.mark.parametrize(
    ("keyword", "is_inverted", "fate"),
    [
        ("fine", False, Fate.MAPPED),
        ('"a":1', False, Fate.APPROXIMATED),
        ('"a": 1', False, Fate.APPROXIMATED),
        ('"a":1', True, Fate.APPROXIMATED),
        ("fine", True, Fate.MAPPED),
        (",".join("a" * 400), False, Fate.APPROXIMATED),
    ],
)
def test_how_json_is_searched_for_a_keyword_is_told(
    tmp_path: Path, keyword: str, is_inverted: bool, fate: Fate
) -> None:
    given = {"keyword": keyword, "invertKeyword": is_inverted}
    result = only(tmp_path, monitor(1, "One", "keyword", url="https://one.example/", **given))
    assert len(result.monitors) == 1
    assert line(result, "monitorList[0].keyword").fate is fate


@pytest.mark.parametrize(
    ("operator", "expected", "met", "unmet"),
    [
        ("==", "true", "true", "false"),
        ("==", "true", '"true"', "1"),
        ("==", "null", '"null"', "null"),
        ("==", "5", "5", "6"),
        ("==", "{}", '"{}"', "{}"),
        ("!=", "down", '"up"', '"down"'),
        ("!=", "down", '"up"', "null"),
        ("!=", "true", "false", "true"),
        ("contains", "5", "15", "16"),
        ("contains", "r", "true", "false"),
        (">=", "5", "5", "4"),
    ],
)
def test_what_json_says_is_compared_as_text(
    tmp_path: Path, operator: str, expected: str, met: str, unmet: str
) -> None:
    given = {"jsonPath": "$.a", "jsonPathOperator": operator, "expectedValue": expected}
    one = monitor(1, "One", "json-query", url="https://one.example/", **given)
    keys = keys_of(only(tmp_path, one), "one")
    assert accepts(keys, f'{{"a": {met}}}')
    assert not accepts(keys, f'{{"a": {unmet}}}')


@pytest.mark.parametrize("operator", ["!=", "contains"])
@pytest.mark.parametrize("there", ["[1, 3]", '{"3": 3}', "null"])
def test_what_is_no_single_value_is_down_as_it_was(
    tmp_path: Path, operator: str, there: str
) -> None:
    given = {"jsonPath": "$.a", "jsonPathOperator": operator, "expectedValue": "3"}
    one = monitor(1, "One", "json-query", url="https://one.example/", **given)
    keys = keys_of(only(tmp_path, one), "one")
    assert not accepts(keys, f'{{"a": {there}}}')


@pytest.mark.parametrize("path", ["$", "$$", "", None])
@pytest.mark.parametrize(
    ("operator", "expected", "met", "unmet"),
    [
        ("==", "all fine", "all fine", "all fine!"),
        ("==", "a.b", "a.b", "a-b"),
        ("==", "", "", "x"),
        ("==", "5", "5\n", "55"),
        ("==", "true", "true\n", "untrue"),
        (None, "ok", "ok", "not ok"),
        ("contains", "fine", "<p>all fine", "<p>nothing"),
        ("contains", "fine", '"all fine"', '"all"'),
        (">=", "5", "5", "4"),
        (">=", "5", '"5"', "five"),
    ],
)
def test_a_whole_page_need_not_be_json(
    tmp_path: Path, path: str | None, operator: str | None, expected: str, met: str, unmet: str
) -> None:
    given = {"jsonPath": path, "jsonPathOperator": operator, "expectedValue": expected}
    one = monitor(1, "One", "json-query", url="https://one.example/", **given)
    keys = keys_of(only(tmp_path, one), "one")
    assert accepts(keys, met)
    assert not accepts(keys, unmet)


@pytest.mark.parametrize(
    ("path", "operator", "fate"),
    [
        ("$.a", "==", Fate.APPROXIMATED),
        ("$.a[0].b", ">", Fate.APPROXIMATED),
        ("$count(a)", "==", Fate.UNSUPPORTED),
        ("$.a", "matches", Fate.UNSUPPORTED),
        ("$", "==", Fate.APPROXIMATED),
        ("$", "contains", Fate.APPROXIMATED),
        ("$", ">", Fate.MAPPED),
        ("$", "!=", Fate.UNSUPPORTED),
    ],
)
def test_how_near_a_json_query_comes_is_told(
    tmp_path: Path, path: str, operator: str, fate: Fate
) -> None:
    given = {"jsonPath": path, "jsonPathOperator": operator, "expectedValue": "5"}
    one = monitor(1, "One", "json-query", url="https://one.example/", **given)
    result = only(tmp_path, one)
    assert len(result.monitors) == 1
    assert line(result, "monitorList[0].jsonPath").fate is fate


@pytest.mark.parametrize(
    ("method", "is_sent"),
    [("basic", True), ("", False), (None, False), ("mtls", False), ("oauth2-cc", False)],
)
def test_a_password_is_only_sent_where_uptime_kuma_did(
    tmp_path: Path, method: str | None, is_sent: bool
) -> None:
    given = {"basic_auth_user": "me", "basic_auth_pass": "hunter2", "authMethod": method}
    result = only(tmp_path, monitor(1, "One", "http", url="https://one.example/", **given))
    assert ("username" in keys_of(result, "one")) is is_sent
    fates = {line(result, f"monitorList[0].basic_auth_{one}").fate for one in ("user", "pass")}
    assert fates == {Fate.MAPPED if is_sent else Fate.UNUSED}


def test_a_name_was_enough_before_there_were_methods(tmp_path: Path) -> None:
    one = monitor(1, "One", "http", url="https://one.example/", basic_auth_user="me")
    del one["authMethod"]
    assert keys_of(only(tmp_path, one), "one")["username"] == "me"


@pytest.mark.parametrize("knows_oauth", [True, False])
def test_a_header_counts_for_more_than_the_name_where_it_did(
    tmp_path: Path, knows_oauth: bool
) -> None:
    given = {"basic_auth_user": "me", "authMethod": "basic"}
    one = monitor(1, "One", "http", url="https://one.example/", **given)
    one["headers"] = '{"authorization": "Bearer s3cret-token"}'
    if not knows_oauth:
        del one["oauth_client_id"]
    keys = keys_of(only(tmp_path, one), "one")
    assert ("headers" in keys, "username" in keys) == (knows_oauth, not knows_oauth)


def test_nobody_is_told_when_a_certificate_ends_that_does_not_count(tmp_path: Path) -> None:
    given = {"ignoreTls": True, "expiryNotification": True}
    result = only(tmp_path, monitor(1, "One", "http", url="https://one.example/", **given))
    assert keys_of(result, "one")["certificate_days"] == 0
    assert line(result, "monitorList[0].expiryNotification").fate is Fate.UNUSED


def test_how_a_monitor_is_tried_again_is_told(tmp_path: Path) -> None:
    one = monitor(1, "One", "http", url="https://one.example/", maxretries=3, retryInterval=20)
    result = only(tmp_path, one)
    assert line(result, "monitorList[0].maxretries").how == (
        "it is told after 4 failed runs in a row"
    )
    assert line(result, "monitorList[0].retryInterval").how == (
        "it is looked at again after 20 s as long as it is down"
    )


def test_the_timeout_that_uptime_kuma_had_by_itself_is_told(tmp_path: Path) -> None:
    result = found(tmp_path, OLD_BACKUP)
    told = line(result, "monitorList.1.timeout")
    assert (told.fate, told.how) == (Fate.APPROXIMATED, "it is 48 s here")


def test_a_job_without_tries_has_no_use_for_the_time_between_them(tmp_path: Path) -> None:
    result = only(tmp_path, monitor(1, "Job", "push", pushToken="pushtoken00", retryInterval=20))
    assert line(result, "monitorList[0].retryInterval").fate is Fate.UNUSED


@pytest.mark.parametrize(
    ("kind", "given", "field", "fate"),
    [
        ("port", {"smtpSecurity": "secure", "expiryNotification": 1}, "type", Fate.MAPPED),
        (
            "port",
            {"smtpSecurity": "secure", "expiryNotification": 1},
            "expiryNotification",
            Fate.APPROXIMATED,
        ),
        (
            "port",
            {"smtpSecurity": "starttls", "expiryNotification": 1},
            "smtpSecurity",
            Fate.APPROXIMATED,
        ),
        ("port", {"smtpSecurity": "secure"}, "smtpSecurity", Fate.UNUSED),
        ("port", {"smtpSecurity": None, "expiryNotification": 1}, "smtpSecurity", Fate.UNUSED),
        (
            "port",
            {"smtpSecurity": None, "expiryNotification": 1},
            "expiryNotification",
            Fate.UNUSED,
        ),
        ("smtp", {"smtpSecurity": "starttls"}, "smtpSecurity", Fate.MAPPED),
        ("smtp", {"smtpSecurity": "auto"}, "smtpSecurity", Fate.APPROXIMATED),
    ],
)
def test_what_became_of_encryption_is_told(
    tmp_path: Path, kind: str, given: dict[str, Any], field: str, fate: Fate
) -> None:
    one = monitor(1, "One", kind, hostname="a.example", port=993, **given)
    result = only(tmp_path, one)
    assert len(result.monitors) == 1
    assert line(result, f"monitorList[0].{field}").fate is fate


@pytest.mark.parametrize(
    ("keyword", "is_inverted", "is_paused"),
    [
        ("SERVING", False, False),
        ('"SERVING"', False, False),
        ("NOT_SERVING", True, False),
        ("NOT_SERVING", False, True),
        ("SERVING", True, True),
        ("UNKNOWN", False, True),
    ],
)
def test_a_server_that_should_not_serve_is_not_watched(
    tmp_path: Path, keyword: str, is_inverted: bool, is_paused: bool
) -> None:
    given = {"grpcUrl": "g.example:50051", "grpcServiceName": "Health", "keyword": keyword}
    result = only(tmp_path, monitor(1, "One", "grpc-keyword", **given, invertKeyword=is_inverted))
    assert result.paused == ({"one"} if is_paused else set())
    assert line(result, "monitorList[0].keyword").how.endswith(
        "; the monitor is paused" if is_paused else "that it serves"
    )


def test_what_was_off_is_paused_with_all_that_is_in_it(tmp_path: Path) -> None:
    assert found(tmp_path, backup()).paused == {"ssh", "network", "gateway", "reversed"}


@pytest.mark.parametrize("method", ["ntlm", "oauth2-cc", "mtls"])
def test_a_sign_in_we_do_not_have_pauses_the_monitor(tmp_path: Path, method: str) -> None:
    one = monitor(1, "One", "http", url="https://one.example/", authMethod=method)
    result = only(tmp_path, one)
    assert result.paused == {"one"}
    assert line(result, "monitorList[0].authMethod").fate is Fate.UNSUPPORTED


@pytest.mark.parametrize(
    ("kind", "given", "fate"),
    [
        ("port", {"expected_tls_alert": "certificate_required"}, Fate.UNSUPPORTED),
        ("port", {"expectedTlsAlert": "none"}, Fate.UNUSED),
        ("port", {"expectedTlsAlert": None}, Fate.UNUSED),
        ("ping", {"expectedTlsAlert": "none"}, Fate.UNUSED),
        ("websocket-upgrade", {"wsIgnoreSecWebsocketAcceptHeader": True}, Fate.UNSUPPORTED),
        ("websocket-upgrade", {"wsIgnoreSecWebsocketAcceptHeader": 0}, Fate.UNUSED),
    ],
)
def test_what_could_only_fail_here_is_paused(
    tmp_path: Path, kind: str, given: dict[str, Any], fate: Fate
) -> None:
    address = {"hostname": "a.example", "port": 8443, "url": "wss://a.example/"}
    result = only(tmp_path, monitor(1, "One", kind, **address, **given))
    assert result.paused == ({"one"} if fate is Fate.UNSUPPORTED else set())
    told = line(result, f"monitorList[0].{next(iter(given))}")
    assert told.fate is fate
    assert told.how.endswith("; the monitor is paused") is (fate is Fate.UNSUPPORTED)


@pytest.mark.parametrize(
    ("given", "fate", "is_paused"),
    [
        ({"active": True}, Fate.MAPPED, False),
        ({"active": False}, Fate.UNSUPPORTED, False),
        ({"id": 2}, Fate.UNSUPPORTED, False),
        ({"protocol": "socks4"}, Fate.UNSUPPORTED, True),
        ({"protocol": "socks4", "active": False}, Fate.UNSUPPORTED, False),
        ({"port": None}, Fate.UNSUPPORTED, True),
    ],
)
def test_what_was_behind_a_proxy_that_cannot_be_used_is_not_looked_at_without(
    tmp_path: Path, given: dict[str, Any], fate: Fate, is_paused: bool
) -> None:
    (proxy,) = backup()["proxyList"]
    one = monitor(1, "One", "http", url="https://one.example/", proxyId=1)
    result = found(tmp_path, {"proxyList": [{**proxy, **given}], "monitorList": [one]})
    assert result.paused == ({"one"} if is_paused else set())
    assert line(result, "monitorList[0].proxyId").fate is fate


def test_a_push_token_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    result = only(tmp_path, monitor(1, "Job", "push", pushToken="white space"))
    assert "token" not in keys_of(result, "job")
    assert line(result, "monitorList[0].pushToken").fate is Fate.APPROXIMATED


def test_outermost_groups_become_sites(tmp_path: Path) -> None:
    result = found(tmp_path, backup())
    assert [site["name"] for site in result.sites] == ["Production", "Uptime Kuma"]
    assert {keys["site"] for keys in result.monitors} == {site["id"] for site in result.sites}


def test_a_type_we_do_not_have_is_told_field_by_field(tmp_path: Path) -> None:
    result = found(tmp_path, backup())
    assert all(keys["name"] != "Container" for keys in result.monitors)
    lines = [one for one in result.report.lines if one.thing == "Container"]
    assert len(lines) == len(monitor(8, "", "docker"))
    assert {one.fate for one in lines} - {Fate.UNUSED} == {Fate.UNSUPPORTED}
    assert "docker" in line(result, "monitorList[7].type").how


def test_one_that_is_lost_is_told_though_others_share_its_name_or_it_has_none(
    tmp_path: Path,
) -> None:
    result = only(
        tmp_path,
        monitor(1, "Shop", "http", url="https://shop.example/"),
        monitor(2, "Shop", "docker", notificationIDList={"9": True}),
        monitor(3, "", "docker"),
    )
    assert result.report.lost(result.program).keys() == {
        "Shop (monitorList[1])",
        "Uptime Kuma 3",
    }


def test_a_monitor_that_would_be_refused_is_not_made(tmp_path: Path) -> None:
    one = monitor(1, "One", "http", url="ftp://one.example/")
    result = only(tmp_path, one)
    assert result.monitors == ()
    assert line(result, "monitorList[0].interval").fate is Fate.UNSUPPORTED
    assert line(result, "monitorList[0].url").how.startswith("url: ")


def test_groups_in_each_other_make_no_knot(tmp_path: Path) -> None:
    result = only(
        tmp_path,
        monitor(1, "A", "group", parent=2),
        monitor(2, "B", "group", parent=1),
        monitor(3, "C", "http", url="https://c.example/", parent=1),
    )
    members = {str(keys["id"]): keys.get("members") for keys in result.monitors}
    assert members == {"c": None, "a": ("c",), "b": ("a",)}


def test_an_old_backup_has_its_monitors_by_number(tmp_path: Path) -> None:
    result = found(tmp_path, OLD_BACKUP)
    assert keys_of(result, "blog") == {
        "id": "blog",
        "site": "uptime-kuma",
        "name": "Blog",
        "kind": "http",
        "url": "https://blog.example/",
        "method": "GET",
        "accepted_codes": ("200-299",),
        "follow_redirects": True,
        "verify_certificate": True,
        "certificate_days": 0,
        "every": "1m",
        "backoff": "none",
        "retries": 0,
        "timeout": "48s",
        "repeat_every": "0",
        "channels": ("desktop", "chat"),
    }
    assert [channel["url"] for channel in result.channels] == ["discord://1234567890/s3cret-token"]
    assert unreported(OLD_BACKUP, (one.path for one in result.report.lines)) == []


def test_every_field_is_in_the_report(tmp_path: Path) -> None:
    result = found(tmp_path, backup())
    assert unreported(backup(), (one.path for one in result.report.lines)) == []
    assert len({one.path for one in result.report.lines}) == len(result.report.lines)


def test_no_secret_is_in_the_report(tmp_path: Path) -> None:
    for document in (backup(), OLD_BACKUP):
        told = repr(found(tmp_path, document).report.lines)
        assert [secret for secret in SECRETS if secret in told] == []


def test_every_monitor_would_be_taken(tmp_path: Path) -> None:
    for keys in found(tmp_path, backup()).monitors:
        kind = kind_named(str(keys["kind"]))
        made = parse_monitor(
            keys,
            site_id=str(keys["site"]),
            monitor_id=str(keys["id"]),
            number=1,
            now=NOW,
            is_passive=kind.is_passive,
        )
        assert kind.parse(own_settings(kind, keys)) is not None
        assert made.name == keys["name"]


def test_what_asks_for_nothing_was_not_in_use(tmp_path: Path) -> None:
    result = found(tmp_path, backup())
    for name in ("dns_resolve_type", "docker_host", "game", "mqttTopic", "packetSize"):
        assert line(result, f"monitorList[0].{name}").how == NOT_IN_USE


def test_ids_are_words_of_their_own() -> None:
    ids = Ids()
    assert [ids.of(name) for name in ("My Shop!", "my-shop", "商店", "", "my shop 2")] == [
        "my-shop",
        "my-shop-2",
        "monitor",
        "monitor-2",
        "my-shop-2-2",
    ]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (backup(), True),
        (OLD_BACKUP, True),
        ({"monitorList": []}, True),
        ({"monitorList": "x"}, False),
        ({"version": "1"}, False),
        ([], False),
        (None, False),
        ("monitorList", False),
    ],
)
def test_a_backup_is_known_by_its_monitors(document: object, expected: bool) -> None:
    assert recognises(document) is expected


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(backup()).encode()[:5_000],
        b"",
        b"[]",
        b"null",
        b"17",
        b'"text"',
        b'{"monitorList": 3}',
        b'{"monitorList": [' + b"[" * 100_000,
        b'{"monitorList": [' + b"[" * 100_000 + b"]" * 100_000 + b"]}",
        b'{"monitorList": [{"name": "a\0b"}]}',
        b'{"monitorList": [{"name": "\xff"}]}',
        b"\xff\xfe{\x00}",
        b'{"monitorList": [' + b"{}," * 20_001 + b"{}]}",
        b'{"monitorList": [{' + b",".join(b'"%d":1' % n for n in range(2_000)) + b"}]}",
        b'{"monitorList": [],' + b",".join(b'"%d":1' % n for n in range(2_000)) + b"}",
        b'{"monitorList": [{"name": "A", "type": "http", "url": "https://a.example/", "tags": ['
        + b'{"name": "t"},' * 1_001
        + b"{}]}]}",
        b"PK\x03\x04",
    ],
    ids=range(17),
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "backup.json"
    path.write_bytes(content)
    with pytest.raises(Refused) as refused:
        read(path, NOW)
    assert "\n" not in refused.value.text()


def test_what_is_nested_deeply_in_a_field_is_passed_over(tmp_path: Path) -> None:
    deep = b'{"a":' * 900 + b"1" + b"}" * 900
    path = tmp_path / "backup.json"
    path.write_bytes(b'{"monitorList": [{"name": "A", "type": "http", "x": ' + deep + b"}]}")
    assert read(path, NOW).monitors == ()


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "backup.json"
    with path.open("wb") as file:
        file.truncate(33 * 1024 * 1024)
    with pytest.raises(Refused, match="too large"):
        read(path, NOW)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused):
        read(tmp_path / "none.json", NOW)


def broken(value: object, put: object) -> Iterator[object]:
    """The document again and again, each time with something else in one place."""
    if isinstance(value, dict):
        for key in value:
            yield {**value, key: put}
            for inner in broken(value[key], put):
                yield {**value, key: inner}
    elif isinstance(value, list):
        for at in range(len(value)):
            yield [*value[:at], put, *value[at + 1 :]]
            for inner in broken(value[at], put):
                yield [*value[:at], inner, *value[at + 1 :]]


@pytest.mark.parametrize("put", [None, 1e300, "text", ["x", {}]], ids=repr)
def test_nothing_in_a_field_breaks_the_import(tmp_path: Path, put: object) -> None:
    whole = backup()
    # Three monitors are enough to have every field once.
    whole["monitorList"] = [one for one in whole["monitorList"] if one["id"] in (1, 5, 10)]
    reads = 0
    for document in broken(deepcopy(whole), put):
        try:
            result = found(tmp_path, document)
        except Refused:
            continue
        reads += 1
        assert unreported(document, (one.path for one in result.report.lines)) == []
    assert reads > 250

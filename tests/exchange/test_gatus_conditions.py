"""What a condition of Gatus demands is demanded of the same pages by our settings."""

import json
from pathlib import Path
from typing import Any

import pytest

from uptime_desktop.checks.http.assertions import Expectations, Page, missed
from uptime_desktop.checks.http.json_query import parse_json_query
from uptime_desktop.checks.http.patterns import parse_pattern
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.importers.gatus import read
from uptime_desktop.exchange.importers.gatus.conditions import parse_condition
from uptime_desktop.exchange.importers.gatus.globs import pattern_of
from uptime_desktop.exchange.importers.gatus.queries import jmespath_of
from uptime_desktop.exchange.importers.gatus.values import duration_ms, whole
from uptime_desktop.exchange.report import Fate, Line

URL = "https://example.org"


def found_with(folder: Path, conditions: list[str], url: str, **keys: object) -> Found:
    endpoint = {"name": "a", "url": url, "conditions": conditions, **keys}
    path = folder / "config.yaml"
    path.write_text(json.dumps({"endpoints": [endpoint]}))
    return read(path, 0, {})


def taken(
    folder: Path, condition: str, url: str = URL, **keys: object
) -> tuple[dict[str, Any], Line]:
    """The monitor made for one condition, and what was said about that."""
    found = found_with(folder, [condition], url, **keys)
    (line,) = (one for one in found.report.lines if one.path == "endpoints[0].conditions[0]")
    return dict(found.monitors[0]) if found.monitors else {}, line


def accepts(monitor: dict[str, Any], body: str, header: str = "") -> bool:
    monitor.get("header_match", {})
    expected = Expectations(
        monitor.get("keyword", ""),
        monitor.get("keyword_absent", ""),
        tuple(parse_pattern("regex", line) for line in monitor.get("regex", ())),
        tuple(parse_json_query("json_query", line) for line in monitor.get("json_query", ())),
        tuple(
            (name, parse_pattern("", one)) for name, one in monitor.get("header_match", {}).items()
        ),
    )
    headers = [("X-Test", header)] if header else []
    return not missed(expected, Page(headers, body.encode(), "utf-8", "", False), str)


@pytest.mark.parametrize(
    ("condition", "met", "unmet"),
    [
        ("[BODY] == 1", " 1\n", "12"),
        ("[BODY] == pat(*Example Domain*)", "<h1>Example Domain</h1>", "<h1>Example</h1>"),
        ("[BODY] == pat(OK?*)", "OK 1\nand more", "not OK 1"),
        ("[BODY] == pat([A-C]*)", "Body", "body"),
        ("[BODY] == any(up, fine (all))", "fine (all)", "fine all"),
        ("[BODY] != pat(*Fatal*)", "fine", "Fatal error"),
        ("1 == [BODY].id", '{"id": 1}', '{"id": 2}'),
        ("[body].id == 1", '{"id": "1"}', '{"id": "one"}'),
        ("[BODY].user.name == john", '{"user": {"name": "john"}}', '{"user": {"name": "joe"}}'),
        ('[BODY].name == "john"', '{"name": "\\"john\\""}', '{"name": "john"}'),
        ("[BODY].up == true", '{"up": true}', '{"up": false}'),
        ("[BODY].up == true", '{"up": "true"}', '{"up": 1}'),
        ("[BODY].up != false", '{"up": true}', '{"up": false}'),
        ("[BODY].x == {}", '{"x": "{}"}', '{"x": {}}'),
        ("[BODY].data[1].id == 7", '{"data": [{}, {"id": 7}]}', '{"data": [{"id": 7}]}'),
        ("[BODY][0].id == 7", '[{"id": 7}]', '[{"id": 8}]'),
        ("[BODY][0][1] == 7", "[[1, 7]]", "[[7, 1]]"),
        ("[BODY].odd-key == 7", '{"odd-key": 7}', '{"odd": 7}'),
        ("[BODY].price > 24.5", '{"price": 25}', '{"price": 24.6}'),
        ("[BODY].pct >= 99.5", '{"pct": 99.2}', '{"pct": 98.9}'),
        ("[BODY].load < 0.9", '{"load": -1}', '{"load": 0.4}'),
        ("[BODY].load < 1", '{"load": 0.9}', '{"load": 1.0}'),
        ("[BODY].load <= 1", '{"load": 1.9}', '{"load": 2}'),
        ("[BODY].load < 1", '{"load": "none"}', '{"load": "1.5"}'),
        ("[BODY].load >= 0", '{"load": -0.5}', '{"load": -1}'),
        ("[BODY].load > -1", "{}", '{"load": -1.5}'),
        ("[BODY].load < 5", "{}", '{"load": 5}'),
        ("[BODY].load < 5", '{"load": true}', '{"load": 1e9}'),
        ("[BODY].load > 5", '{"load": 6}', "{}"),
        ("[BODY].load > 5", '{"load": "6"}', '{"load": true}'),
        ("5 < [BODY].price", '{"price": 6}', '{"price": 5}'),
        ("[BODY].took <= 2s", '{"took": 2000}', '{"took": 2001}'),
        ("[BODY].age == [BODY].id", '{"age": 1, "id": "1"}', '{"age": 1, "id": 2}'),
        ("[BODY].age == [BODY].id", '{"age": true, "id": "true"}', "{}"),
        ("[BODY].age != [BODY].id", "{}", '{"age": 1, "id": 1}'),
        ("[BODY].age != [BODY].id", '{"age": 1}', '{"age": "a", "id": "a"}'),
        ("[BODY].age < [BODY].id", '{"age": 1, "id": 2}', '{"age": 2, "id": 2}'),
        ("[BODY].age < [BODY].id", '{"id": "1.9"}', '{"age": 1, "id": 1.9}'),
        ("[BODY].age >= [BODY].id", "{}", '{"id": 1}'),
        ("len([BODY].data) < 2", '{"data": [1]}', '{"data": [1, 2]}'),
        ("len([BODY].name) == 4", '{"name": "john"}', '{"name": "joe"}'),
        ("len([BODY]) > 1", "[1, 2]", "[1]"),
        ("len([BODY]) > 0", "[1]", "[]"),
        ("len([BODY]) >= 3", '[{"a": 1},\n {"a": 2}, {"a": 3}]', '[{"a": 1}, {"a": 2}]'),
        ("len([BODY]) > 5", "<html>", "<htm>"),
        ("len([BODY]) > 999", "é" * 1000, "é" * 999),
        ("len([BODY]) > 1000", f"[{'1,' * 1000}1]", f"[{'1,' * 999}1]"),
        ("len([BODY].data) < 2", "{}", '{"data": [1, 2]}'),
        ("len([BODY].data) != 2", "{}", '{"data": [1, 2]}'),
        ("len([BODY].data) >= [BODY].n", "{}", '{"data": [1], "n": 2}'),
        ("has([BODY]) == true", "<html>", " \n"),
        ("has([BODY]) != true", " \n", "<html>"),
        ("has([BODY]) == false", "", "{}"),
        ("has([BODY].errors) == false", '{"a": 1}', '{"errors": []}'),
        ("has([BODY].errors) != true", '{"a": 1}', '{"errors": []}'),
        ("has([BODY].users) == true", '{"users": []}', "{}"),
        ("[BODY].name == pat(john*)", '{"name": "john.doe"}', '{"name": "bob john"}'),
        ("[BODY].name != pat(*bob*)", '{"name": "john"}', '{"name": "a bob b"}'),
        ("[BODY].name != pat(bob*)", '{"name": "a bob"}', '{"name": "bob a"}'),
        ("[BODY].name != pat(*bob)", '{"name": "bob a"}', '{"name": "a bob"}'),
        ("[BODY].id == any(1, two)", '{"id": 1}', '{"id": 2}'),
        ("[BODY].id != any(1, two)", '{"id": 2}', '{"id": "two"}'),
        ("[BODY].d[*].s == ok", '{"d": [{"s": "ok"}]}', '{"d": [{"s": "ok"}, {"s": "no"}]}'),
        ("[BODY].d[*].s == ok", '{"d": [{"s": "ok"}]}', '{"d": []}'),
        ("[BODY].d[*].n > 3", '{"d": [{"n": 4}]}', '{"d": [{"n": 3}]}'),
        ("[BODY].d[*].n > 3", '{"d": [{"n": "4"}]}', '{"d": [{"n": 4}, {"n": 3.9}]}'),
        ("[BODY].d[*].n < 3", '{"d": [{}, {"n": 2.9}]}', '{"d": [{"n": 3}]}'),
        ("[BODY].d[*].n == 3", '{"d": [{"n": 3.0}, {"n": "3"}]}', '{"d": [{"n": "x"}]}'),
        ("[BODY].d[*].n != 3", '{"d": [{}, {"n": "x"}]}', '{"d": [{"n": 3}]}'),
    ],
)
def test_a_page_is_judged_as_gatus_would(
    tmp_path: Path, condition: str, met: str, unmet: str
) -> None:
    monitor, line = taken(tmp_path, condition)
    assert line.fate is not Fate.UNSUPPORTED
    assert accepts(monitor, met)
    assert not accepts(monitor, unmet)


COUNTED = "a text is counted in characters, a table by its names, a number not at all"


@pytest.mark.parametrize(
    ("condition", "how"),
    [
        ("has([BODY]) == true", None),
        ("[BODY].x == bob", None),
        ("[BODY].d[*].n != 3", None),
        ("[BODY].x != bob", "the page must be JSON all the same"),
        ("[BODY].x != any(1, 2)", "the page must be JSON all the same"),
        ("[BODY].x != pat(bob*)", "the page must be JSON all the same"),
        ("has([BODY].x) == false", "the page must be JSON all the same"),
        ("[BODY].x == pat(*)", "the page must be JSON, and have it"),
        ("len([BODY]) > 5", "a page is counted in characters, a list by its commas"),
        ("len([BODY]) > 1000", f"the page must be JSON; {COUNTED}"),
        ("len([BODY]) == 5", f"the page must be JSON; {COUNTED}"),
        ("len([BODY].x) < 5", f"the page must be JSON; {COUNTED}"),
        ("len([BODY].x) != 5", f"the page must be JSON; {COUNTED}"),
        ("len([BODY].x) == len([BODY].y)", f"the page must be JSON; {COUNTED}"),
        ("len([BODY].x) > 5", COUNTED),
        ("[BODY].x > 5", "a duration in a text counts as 0"),
        ("[BODY].x < 5", "the page must be JSON, and a duration in a text counts as 0"),
        ("[BODY].d[*].x < 5", "a duration in a text counts as 0"),
        (
            "[BODY].x < [BODY].y",
            "the page must be JSON, numbers are rounded down, and a duration in a text counts as 0",
        ),
        ("[BODY].x == [BODY].y", "the page must be JSON, and 1 is not the same as 1.0"),
    ],
)
def test_what_gatus_takes_otherwise_on_a_page_is_told(
    tmp_path: Path, condition: str, how: str | None
) -> None:
    _, line = taken(tmp_path, condition)
    assert line.fate is (Fate.MAPPED if how is None else Fate.APPROXIMATED)
    assert how is None or line.how == how


@pytest.mark.parametrize("number", ["1e309", "-1e309", "9" * 300 + "e99"])
@pytest.mark.parametrize(
    "place",
    ["STATUS", "RESPONSE_TIME", "CERTIFICATE_EXPIRATION", "BODY", "BODY].x[*].y", "BODY].x"],
)
def test_a_number_that_there_is_not_is_told(tmp_path: Path, place: str, number: str) -> None:
    left = f"[{place}" + ("" if "]" in place else "]")
    for condition in (f"{left} < {number}", f"{number} >= {left}", f"{left} == {number}"):
        monitor, line = taken(tmp_path, condition)
        assert (line.fate, line.how) == (Fate.UNSUPPORTED, "there is no number as large")
        assert monitor["url"] == URL


@pytest.mark.parametrize("number", ["1e300", "-1e19", "9" * 19])
def test_by_size_no_number_is_compared_that_is_too_large_for_gatus(
    tmp_path: Path, number: str
) -> None:
    assert taken(tmp_path, f"[BODY].x < {number}")[1].how == "there is no number as large"
    assert accepts(taken(tmp_path, f"[BODY].x == {number}")[0], json.dumps({"x": number}))


@pytest.mark.parametrize(
    ("condition", "met", "unmet"),
    [
        ("[HEADER].X-Test == text/plain", "text/plain", "text/plain; x"),
        ("[HEADER].x-test == pat(text*)", "text/plain", "a text"),
        ("[HEADER].X-Test == any(a, b)", "b", "c"),
        ("has([HEADER].X-Test) == true", "a", ""),
    ],
)
def test_a_header_is_judged_as_gatus_would(
    tmp_path: Path, condition: str, met: str, unmet: str
) -> None:
    monitor, _ = taken(tmp_path, condition)
    assert accepts(monitor, "", met)
    assert not accepts(monitor, "", unmet)


@pytest.mark.parametrize(
    ("condition", "codes"),
    [
        ("[STATUS] == 200", ("200",)),
        ("[STATUS] < 300", ("100-299",)),
        ("[STATUS] <= 299", ("100-299",)),
        ("400 < [STATUS]", ("401-999",)),
        ("[STATUS] < 300.5", ("100-299",)),
        ("[STATUS] >= 400", ("400-999",)),
        ("[STATUS] != 500", ("100-499", "501-999")),
        ("[STATUS] == any(200, 429)", ("200", "429")),
        ("[STATUS] == pat(2*)", ("200-299",)),
        ("[STATUS] == 0xC8", ("200",)),
        ("[CONNECTED] == true", ("100-999",)),
    ],
)
def test_a_status_becomes_the_codes_that_meet_it(
    tmp_path: Path, condition: str, codes: tuple[str, ...]
) -> None:
    assert taken(tmp_path, condition)[0]["accepted_codes"] == codes


@pytest.mark.parametrize(
    ("condition", "url", "key", "value"),
    [
        ("[RESPONSE_TIME] < 500", URL, "latency_threshold", "500ms"),
        ("1s >= [RESPONSE_TIME]", URL, "latency_threshold", "1000ms"),
        ("[RESPONSE_TIME] < 999h", URL, "latency_threshold", "300000ms"),
        ("[CERTIFICATE_EXPIRATION] > 48h", URL, "certificate_days", 2),
        ("[CERTIFICATE_EXPIRATION] >= 49h", "tls://a.example:1", "certificate_days", 3),
        ("[BODY] == PONG", "tcp://a.example:1", "expect", "PONG"),
        ("[BODY] == pat(*a\\b*)", "tcp://a.example:1", "expect", None),
        ("[BODY] == pat(*served by*)", "wss://a.example", "expect", "served by"),
    ],
)
def test_other_conditions_have_a_setting_too(
    tmp_path: Path, condition: str, url: str, key: str, value: object
) -> None:
    assert taken(tmp_path, condition, url)[0].get(key) == value


QUESTION = {"query-name": "example.com", "query-type": "A"}


def told(found: Found) -> list[str]:
    """What the report says of the conditions, in their order."""
    return [one.how for one in found.report.lines if ".conditions[" in one.path]


@pytest.mark.parametrize("rcode", ["NOERROR", "NXDOMAIN", "SERVFAIL", "REFUSED"])
def test_a_response_code_can_be_expected(tmp_path: Path, rcode: str) -> None:
    monitor, _ = taken(tmp_path, f"[DNS_RCODE] == {rcode}", "8.8.8.8", dns=QUESTION)
    assert monitor["expected_rcode"] == rcode


ALSO_A_RECORD = "there must be a record, too"
ALSO_NOERROR = "the answer must have the response code NOERROR and a record, too"


@pytest.mark.parametrize(
    ("conditions", "how"),
    [
        (["[DNS_RCODE] == NXDOMAIN"], ["expected_rcode"]),
        (["[DNS_RCODE] == NOERROR"], [ALSO_A_RECORD]),
        (["[DNS_RCODE] == NOERROR", "[BODY] == 192.0.2.1"], ["expected_rcode", "any"]),
        (["[DNS_RCODE] != SERVFAIL"], [ALSO_NOERROR]),
        (["[DNS_RCODE] == NXDOMAIN", "[DNS_RCODE] != SERVFAIL"], ["expected_rcode"] * 2),
        (["[CONNECTED] == true"], [ALSO_NOERROR]),
        (["[CONNECTED] == true", "[DNS_RCODE] == NXDOMAIN"], ["kind", "expected_rcode"]),
        (["[CONNECTED] == true", "[BODY] == 192.0.2.1"], ["kind", "any"]),
    ],
)
def test_what_an_answer_must_be_besides_is_told(
    tmp_path: Path, conditions: list[str], how: list[str]
) -> None:
    found = found_with(tmp_path, conditions, "8.8.8.8", dns=QUESTION)
    any_answer = "it may be any of the answers, not only the last"
    assert told(found) == [any_answer if one == "any" else one for one in how]
    assert not found.paused


CONNECTED = "[CONNECTED] == true"
NO_MESSAGE = "a ping must be answered; no message is waited for"
SERVING = "the service must say that it serves, too"


@pytest.mark.parametrize(
    ("url", "body", "conditions", "how"),
    [
        ("tcp://a.example:1", "", [CONNECTED], "kind"),
        ("tcp://a.example:1", "PING", [CONNECTED], "no answer is waited for"),
        ("tcp://a.example:1", "PING", [CONNECTED, "[BODY] == pat(*PONG*)"], "kind"),
        ("wss://a.example", "PING", [CONNECTED], NO_MESSAGE),
        ("wss://a.example", "PING", [CONNECTED, "[BODY] == pat(*PONG*)"], "kind"),
        ("grpc://a.example:1", "", [CONNECTED], SERVING),
        ("grpc://a.example:1", "", [CONNECTED, "[BODY].status == SERVING"], "kind"),
        ("grpc://a.example:1", "", ["[BODY].status != NOT_SERVING"], SERVING),
        ("grpc://a.example:1", "", ["[BODY].status == any(SERVING, UNKNOWN)"], SERVING),
        ("ssh://a.example", "", [CONNECTED], "only the greeting of the server is looked at"),
        ("https://a.example", "", [CONNECTED], "kind"),
    ],
)
def test_what_a_connection_is_to_us_is_told(
    tmp_path: Path, url: str, body: str, conditions: list[str], how: str
) -> None:
    assert told(found_with(tmp_path, conditions, url, body=body))[0] == how


@pytest.mark.parametrize(
    ("url", "client", "how"),
    [
        ("http://a.example", {}, "there is no certificate here"),
        (
            "https://a.example",
            {"insecure": True},
            "the days left are looked at only if the certificate is verified",
        ),
        (
            "tls://a.example:1",
            {"insecure": True},
            "fewer days left count as degraded, not as down",
        ),
    ],
)
def test_it_is_told_why_the_days_of_a_certificate_are_not_looked_at(
    tmp_path: Path, url: str, client: dict[str, object], how: str
) -> None:
    found = found_with(tmp_path, ["[CERTIFICATE_EXPIRATION] > 48h"], url, client=client)
    assert told(found) == [how]


@pytest.mark.parametrize(
    ("url", "how"),
    [
        ("tcp://a.example:1", "expect"),
        ("wss://a.example", "it may be in any of the first messages, not only in the first"),
    ],
)
def test_where_a_message_is_looked_for_is_told(tmp_path: Path, url: str, how: str) -> None:
    assert told(found_with(tmp_path, ["[BODY] == pat(*up*)"], url)) == [how]


def test_what_would_be_sent_after_a_handshake_is_told(tmp_path: Path) -> None:
    found = found_with(tmp_path, [CONNECTED], "tls://a.example:1", body="PING")
    (line,) = (one for one in found.report.lines if one.path == "endpoints[0].body")
    assert line.fate is Fate.UNSUPPORTED
    assert line.how == "there is a handshake only, nothing is sent after it"


@pytest.mark.parametrize("condition", ["[BODY].status != SERVING", "[BODY].status == NOT_SERVING"])
def test_one_that_wants_a_service_not_to_serve_is_not_made(tmp_path: Path, condition: str) -> None:
    found = found_with(tmp_path, [condition], "grpc://a.example:1")
    assert found.monitors == ()
    (how,) = told(found)
    assert how.endswith("it expects the service not to serve")


@pytest.mark.parametrize(
    "condition",
    [
        "[DNS_RCODE] == any(NOERROR, NXDOMAIN)",
        "[DNS_RCODE] == NOTIMP",
        "[DNS_RCODE] == pat(NO*)",
        "[DNS_RCODE] != pat(NO*)",
        "len([DNS_RCODE]) == 7",
    ],
)
def test_one_that_cannot_demand_its_response_code_is_paused(tmp_path: Path, condition: str) -> None:
    found = found_with(tmp_path, [condition], "8.8.8.8", dns=QUESTION)
    assert told(found) == ["response codes cannot be demanded in this way; the monitor is paused"]
    assert found.paused == {"a"}


@pytest.mark.parametrize("wanted", ["NOERROR", "any(NOERROR, SERVFAIL)"])
def test_one_that_wants_an_error_is_not_made(tmp_path: Path, wanted: str) -> None:
    found = found_with(tmp_path, [f"[DNS_RCODE] != {wanted}"], "8.8.8.8", dns=QUESTION)
    assert found.monitors == ()
    (how,) = told(found)
    assert how.endswith("it expects the name server to answer with an error")


@pytest.mark.parametrize(
    "condition",
    [
        *("[DOMAIN_EXPIRATION] > 720h", "[IP] == 127.0.0.1", "[IP] == pat(10.*)", "1 == 1", "x"),
        *("[BODY] != text", "[BODY].x != pat(a*b)", "[BODY].a..b == 1", "[BODY].a[x] == 1"),
        '[BODY].a.#(name=="x").b == 1',
        *(
            "age([BODY].at) < 10m",
            "[CONTEXT].id == 1",
            "[RESPONSE_TIME] > 10",
            "len([STATUS]) == 3",
        ),
        *("[CERTIFICATE_EXPIRATION] < 1h", "[DNS_RCODE] == NOERROR", "[HEADER].X != a", ""),
        *(
            "[BODY] == pat([)",
            "[BODY].x == pat([)",
            "has([BODY].x) == 1",
            "[STATUS] == [BODY].code",
        ),
        *("[BODY].d[*].e[*] == 1", "[BODY].d[*].x == pat(a*)", "[BODY].x == [HEADER].Y"),
        *("[BODY].x == " + "y" * 5_000, "[BODY] == " + "y" * 5_000, "[UNKNOWN] == 1"),
    ],
)
def test_what_cannot_be_demanded_is_reported_and_the_rest_is_kept(
    tmp_path: Path, condition: str
) -> None:
    monitor, line = taken(tmp_path, condition)
    assert line.fate is Fate.UNSUPPORTED
    assert accepts(monitor, "anything at all")


@pytest.mark.parametrize("condition", ["[CONNECTED] == false", "[STATUS] == 0", "[STATUS] > 999"])
def test_a_monitor_that_wants_a_failure_is_not_made(tmp_path: Path, condition: str) -> None:
    assert taken(tmp_path, condition)[0] == {}


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("1h15m", 4_500_000),
        ("300ms", 300),
        ("1.5s", 1_500),
        (".5m", 30_000),
        ("0", 0),
        ("2us", 0.002),
    ],
)
def test_durations_are_those_of_go(text: str, milliseconds: float) -> None:
    assert duration_ms(text) == pytest.approx(milliseconds)


@pytest.mark.parametrize("text", ["", "5", "1d", "h", "1h ", "١s", "1h-", "9" * 200 + "s"])
def test_what_go_would_not_take_is_no_duration(text: str) -> None:
    assert duration_ms(text) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [("5", 5), ("-3", -3), ("0x1F", 31), ("010", 8), ("0o10", 8), ("0b11", 3), ("1_000", 1_000)],
)
def test_whole_numbers_are_those_of_go(text: str, number: int) -> None:
    assert whole(text) == number


@pytest.mark.parametrize("text", ["", "1.5", "x", "1e3", "09", "9" * 30])
def test_what_is_no_whole_number_is_none(text: str) -> None:
    assert whole(text) is None


def test_a_path_with_quotes_is_one_key() -> None:
    assert jmespath_of('a"b.c') == '"a\\"b".c'
    assert jmespath_of("") == "@"


def test_a_pattern_without_an_end_is_none() -> None:
    assert pattern_of("a[b") is None
    assert pattern_of("a\\") is None


def test_a_condition_that_ends_with_its_operator_compares_with_nothing() -> None:
    condition = parse_condition("[BODY] ==")
    assert condition is not None
    assert condition.right.text == ""

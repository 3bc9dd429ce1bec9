"""Settings as people write them, in flags or in files."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uptime_desktop.checks.base import FieldSpec, FieldType, evidence_left, leave_evidence
from uptime_desktop.checks.net.address import parse_url
from uptime_desktop.checks.registry import KINDS, kind_for, kind_named, target_settings
from uptime_desktop.domain.model import Evidence, Setting
from uptime_desktop.domain.refusal import Refused

TEXT = FieldSpec("keyword", FieldType.TEXT, "a text", highest=5)
WHOLE = FieldSpec("port", FieldType.WHOLE, "a port", lowest=1, highest=65_535)
DURATION = FieldSpec("limit", FieldType.DURATION, "a time", lowest=1, highest=300_000)
CHOICE = FieldSpec("method", FieldType.CHOICE, "a method", choices=("GET", "HEAD"))
FLAG = FieldSpec("follow", FieldType.FLAG, "whether to follow")
LIST = FieldSpec("codes", FieldType.LIST, "codes")
MAPPING = FieldSpec("headers", FieldType.MAPPING, "headers", is_secret=True)


@pytest.mark.parametrize(
    ("field", "written", "value"),
    [
        (TEXT, "hello", "hello"),
        (TEXT, "", ""),
        (WHOLE, "80", 80),
        (WHOLE, 80, 80),
        (DURATION, "500ms", 500),
        (DURATION, "1.5s", 1_500),
        (CHOICE, "get", "GET"),
        (FLAG, True, True),
        (FLAG, "yes", True),
        (FLAG, "Off", False),
        (FLAG, "0", False),
        (LIST, "200-299, 304", ("200-299", "304")),
        (LIST, ["200-299", 304], ("200-299", "304")),
        (LIST, ["200,201", "304"], ("200", "201", "304")),
        (LIST, 200, ("200",)),
        (MAPPING, {"A": "b"}, {"A": "b"}),
        (MAPPING, "A: b\nC: d:e", {"A": "b", "C": "d:e"}),
        (MAPPING, ["A: b", "C: d"], {"A": "b", "C": "d"}),
    ],
)
def test_a_written_value_is_understood(field: FieldSpec, written: Setting, value: Setting) -> None:
    assert field.parse(written) == value


@pytest.mark.parametrize(
    ("field", "written", "message"),
    [
        (TEXT, "too long", "keyword: 8 characters are out of range. Allowed: 0 to 5 characters."),
        (TEXT, 3.5, "keyword: '3.5' is not a text. Allowed: a text."),
        (WHOLE, "0", "port: '0' is not a whole number in range. Allowed: 1 to 65535."),
        (WHOLE, True, "port: 'True' is not a whole number. Allowed: 1 to 65535."),
        (WHOLE, -1, "port: '-1' is not a whole number in range. Allowed: 1 to 65535."),
        (DURATION, 500, "limit: '500' has no unit. Allowed: a duration as in 500ms 30s 5m 1h 2d."),
        (DURATION, "1h", "limit: 1 h is too long. Allowed: 1 ms to 5 min."),
        (CHOICE, "PUT", "method: 'PUT' is not a choice. Allowed: GET, HEAD."),
        (FLAG, "maybe", "follow: 'maybe' is neither yes nor no. Allowed: yes, no."),
        (LIST, True, "codes: 'True' is not a list. Allowed: a list of texts."),
        (LIST, [1.5], "codes: '1.5' is not a text. Allowed: a list of texts."),
        (MAPPING, "secret", "headers: '***' has no colon. Allowed: lines of Name: value."),
        (
            MAPPING,
            {"A": 1},
            "headers: 'A' is not followed by a text. Allowed: lines of Name: value.",
        ),
        (MAPPING, 7, "headers: '7' is not a table. Allowed: lines of Name: value."),
    ],
)
def test_a_wrong_value_is_refused_in_one_sentence(
    field: FieldSpec, written: object, message: str
) -> None:
    with pytest.raises(Refused) as refused:
        field.parse(written)
    assert str(refused.value) == message


@given(st.integers(1, 300_000))
def test_a_duration_is_written_so_that_it_is_read_back(duration_ms: int) -> None:
    assert DURATION.parse(DURATION.written(duration_ms)) == duration_ms


def test_secrets_are_shown_as_stars() -> None:
    headers = {"Authorization": "Bearer abcdef", "Accept": "text/html"}
    assert MAPPING.shown(headers) == {"Authorization": "***", "Accept": "text/html"}
    url = kind_named("http").fields[0]
    assert url.shown("https://me:pw@a.example/auth?token=abc&page=2") == (
        "https://***@a.example/auth?token=***&page=2"
    )
    body = FieldSpec("body", FieldType.TEXT, "a body", is_secret=True)
    assert body.shown('{"password": "abc"}') == "***"
    assert body.shown('{"ping": 1}') == '{"ping": 1}'


def test_a_flag_is_named_after_its_key() -> None:
    assert FieldSpec("keyword_absent", FieldType.TEXT, "a text").flag == "--keyword-absent"


def test_every_kind_but_heartbeat_has_one_target_and_defaults_its_own_fields_accept() -> None:
    for kind in KINDS.values():
        targets = [field for field in kind.fields if field.is_target]
        assert len(targets) == (0 if kind.name == "heartbeat" else 1)
        for field in kind.fields:
            if field.default is not None:
                assert field.parse(field.written(field.default)) == field.default


def test_every_field_has_words_for_the_window_and_the_same_key_the_same_type() -> None:
    types: dict[str, FieldType] = {}
    for kind in KINDS.values():
        assert len({field.key for field in kind.fields}) == len(kind.fields)
        for field in kind.fields:
            assert field.help
            assert field.label
            assert types.setdefault(field.key, field.type) is field.type, (kind.name, field.key)


def test_an_unknown_kind_is_refused_with_the_kinds_there_are() -> None:
    with pytest.raises(Refused, match=r"gopher.*Allowed: http, tcp"):
        kind_named("gopher").parse({})


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("https://example.org", "http"),
        ("http://example.org:8080", "http"),
        ("example.org", "http"),
        ("example.org/path", "http"),
        ("example.org:8080/path", "http"),
        ("::1", "http"),
        ("tcp://example.org:22", "tcp"),
        ("tcp://[::1]:22", "tcp"),
        ("example.org:22", "tcp"),
        ("127.0.0.1:22", "tcp"),
        ("[::1]:22", "tcp"),
    ],
)
def test_a_bare_target_tells_its_kind_and_can_be_parsed_by_it(target: str, kind: str) -> None:
    assert kind_for(target).name == kind
    kind_for(target).parse(target_settings(kind_for(target), target))


def test_evidence_is_found_behind_the_timeout_that_a_cancellation_became() -> None:
    evidence = Evidence(address="127.0.0.1:80")
    stop, timeout = asyncio.CancelledError(), TimeoutError()
    leave_evidence(stop, evidence)
    timeout.__cause__ = stop
    assert evidence_left(timeout) == evidence
    assert evidence_left(TimeoutError()) is None


@pytest.mark.parametrize(
    ("url", "port"),
    [
        ("http://host:65536/", "65536"),
        ("https://host:0/", "0"),
        ("host:0", "0"),
        ("https://me:hunter2@host:99999?x=1", "99999"),
        ("http://[::1]:70000", "70000"),
    ],
)
def test_a_port_out_of_range_is_named(url: str, port: str) -> None:
    with pytest.raises(Refused) as refused:
        parse_url("url", url)
    assert refused.value.text() == f"'{port}' is not a port. Allowed: 1 to 65535."


@pytest.mark.parametrize("url", ["http://host:abc/", "http://[::1/", "ftp://host:0/"])
def test_what_is_no_web_address_for_another_reason_is_said_as_such(url: str) -> None:
    with pytest.raises(Refused, match="is not a web address"):
        parse_url("url", url)

"""What a page must be like besides its status code, against real answers."""

import asyncio
import json
import tracemalloc
from collections.abc import Mapping

import pytest

from tests.checks.servers import (
    Answer,
    answering,
    checked,
    finish,
    http_kind,
    ok,
    read_request,
    serving,
)
from uptime_desktop.checks.http.assertions import MOST_SHOWN, shown_part
from uptime_desktop.domain.model import Outcome, Setting, Unmet
from uptime_desktop.domain.status import Status

pytestmark = pytest.mark.asyncio

MEBIBYTE = 1_048_576
PAGE = json.dumps({"status": "ok", "queue": {"length": 3}, "grüße": "ja"}).encode()
HEADERS = ("Content-Type: application/json", "X-Cache: HIT", "Via: 1.1 a", "Via: 1.1 b")


def unmet(outcome: Outcome) -> tuple[Unmet, ...]:
    assert outcome.evidence is not None
    return outcome.evidence.unmet


async def check_of(body: bytes, *headers: str, **settings: Setting) -> Outcome:
    async with answering(ok(body, *headers)) as server:
        return await checked(server.url, http_kind(), 30.0, **settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"regex": r'"status":\s*"ok"'},
        {"regex": r"(?i)STATUS.*LENGTH"},
        {"regex": ["status", "length.: 3"]},
        {"regex": "a{0,2},"},
        {"json_query": "status == ok\nqueue.length < 10"},
        {"json_query": '"grüße" == ja'},
        {"header_match": {"x-cache": "^HIT$", "Via": "1.1 b"}},
        {"header_match": "Content-Type: json$"},
    ],
)
async def test_a_page_as_it_should_be_is_up(settings: dict[str, Setting]) -> None:
    outcome = await check_of(PAGE, *HEADERS, **settings)
    assert (outcome.status, outcome.reason) == (Status.UP, "HTTP 200 OK")
    assert unmet(outcome) == ()


@pytest.mark.parametrize(
    ("settings", "reason", "what", "expected", "actual"),
    [
        ({"regex": "stat.s x"}, "pattern 'stat.s x' not found", "regex", "stat.s x", PAGE.decode()),
        (
            {"json_query": "queue.length > 5"},
            "JSON queue.length is 3, expected > 5",
            "json_query",
            "queue.length > 5",
            "3",
        ),
        (
            {"json_query": "missing exists"},
            "JSON missing is null, expected exists",
            "json_query",
            "missing exists",
            "null",
        ),
        (
            {"header_match": {"X-Cache": "MISS"}},
            "header X-Cache does not match 'MISS'",
            "header_match",
            "X-Cache: MISS",
            "HIT",
        ),
        (
            {"header_match": {"Via": "c$"}},
            "header Via does not match 'c$'",
            "header_match",
            "Via: c$",
            "1.1 a, 1.1 b",
        ),
        (
            {"header_match": {"X-Gone": "."}},
            "there is no header X-Gone",
            "header_match",
            "X-Gone: .",
            "",
        ),
        (
            {"keyword_absent": "ok"},
            "keyword 'ok' found, which must be absent",
            "keyword_absent",
            "≠ ok",
            "ok",
        ),
    ],
)
async def test_what_is_not_met_is_named_with_both_sides(
    settings: dict[str, Setting], reason: str, what: str, expected: str, actual: str
) -> None:
    outcome = await check_of(PAGE, *HEADERS, **settings)
    assert (outcome.status, outcome.reason) == (Status.DOWN, reason)
    assert unmet(outcome) == (Unmet(what, expected, actual),)


async def test_all_that_is_wrong_is_told_at_once() -> None:
    broken = ok(PAGE, *HEADERS, status="503 Service Unavailable")
    async with answering(broken) as server:
        outcome = await checked(
            server.url,
            keyword="fine",
            regex="^x",
            json_query="status == up\nqueue.length == 3\nlength(status.x) == 1",
            header_match={"X-Cache": "MISS"},
            latency_threshold="300s",
        )
    assert outcome.status is Status.DOWN
    assert outcome.reason == (
        "HTTP 503 Service Unavailable; header X-Cache does not match 'MISS'; "
        "keyword 'fine' not found; pattern '^x' not found; "
        "JSON status is ok, expected == up; "
        "JSON length(status.x) has no answer: In function length(), invalid type for value: None, "
        "expected…"
    )
    assert [one.what for one in unmet(outcome)] == [
        "status",
        "header_match",
        "keyword",
        "regex",
        "json_query",
        "json_query",
    ]
    assert unmet(outcome)[0] == Unmet("status", "200-399", "503")


async def test_a_slow_page_that_is_also_wrong_is_down_for_both_reasons() -> None:
    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        await asyncio.sleep(0.02)
        writer.write(ok())
        await finish(writer)

    async with serving(slow) as server:
        outcome = await checked(server.url, latency_threshold="10ms", keyword="fine")
    assert outcome.status is Status.DOWN
    assert outcome.reason.startswith("keyword 'fine' not found; took ")
    assert [one.what for one in unmet(outcome)] == ["keyword", "latency"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"<html>", "the page is not JSON: invalid character (byte 0)"),
        (b"", "the page is not JSON: Input data was truncated"),
        (b'{"a": 1} x', "the page is not JSON: trailing characters (byte 10)"),
        (b"[" * 100_000, "the JSON is nested too deeply"),
        (b'{"a":' * 100_000, "the JSON is nested too deeply"),
        (b"9" * 10_000, "the page is not JSON: Integer value out of range"),
    ],
)
async def test_a_page_that_is_no_json_is_told_once(body: bytes, reason: str) -> None:
    outcome = await check_of(body, json_query="a == 1\nb == 2")
    assert (outcome.status, outcome.reason) == (Status.DOWN, reason)
    assert [one.what for one in unmet(outcome)] == ["json_query"]


async def test_json_that_is_longer_than_what_is_read_is_told_as_such() -> None:
    body = json.dumps(["x" * 100] * 200).encode()
    outcome = await check_of(body, json_query="[0] exists", max_body=10_000)
    assert outcome.reason == "the JSON goes on after the 10000 bytes that are read"
    assert (await check_of(body, json_query="[0] exists")).status is Status.UP


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("\ufeff" + '{"grüße": 1}', "application/json"),
        ('{"grüße": 1}', "application/json; charset=utf-16"),
        ('{"grüße": 1}', "application/json; charset=iso-8859-1"),
    ],
)
async def test_json_is_read_in_the_page_s_own_charset(body: str, content_type: str) -> None:
    encoding = content_type.partition("=")[2] or "utf-8"
    outcome = await check_of(
        body.encode(encoding), f"Content-Type: {content_type}", json_query='"grüße" == 1'
    )
    assert outcome.status is Status.UP


async def test_a_compression_we_cannot_read_is_one_of_the_reasons() -> None:
    outcome = await check_of(
        b"\x0b\x02", "Content-Encoding: br", regex="a", header_match={"X-Gone": "."}
    )
    assert outcome.reason == (
        "there is no header X-Gone; the body is compressed as br, unreadable here"
    )


async def test_secrets_stay_hidden_where_an_expectation_tells_what_it_found() -> None:
    body = json.dumps({"echo": "Bearer tok-12345" * 20, "session_token": "server-own"}).encode()
    async with answering(ok(body, "Set-Cookie: id=visitor", "X-Echo: tok-12345")) as server:
        outcome = await checked(
            server.url,
            bearer_token="tok-12345",
            keyword="tok-12345 and more",
            json_query="echo == x\nsession_token == y",
            header_match={"Set-Cookie": "id=other", "X-Echo": "tok-6"},
        )
    assert outcome.status is Status.DOWN
    assert len(unmet(outcome)) == 5
    told = outcome.reason + repr(unmet(outcome))
    for secret in ("tok-12345", "visitor", "id=other", "server-own"):
        assert secret not in told
    assert unmet(outcome)[-1] == Unmet("json_query", "session_token == ***", "***")


async def test_what_was_found_cannot_write_to_a_terminal_or_on_more_than_one_line() -> None:
    body = json.dumps({"a": "\x1b[31mred\nand\x9b more"}).encode()
    outcome = await check_of(body, json_query="a == b")
    assert outcome.reason == "JSON a is \ufffd[31mred and\ufffd more, expected == b"
    assert not any(c in unmet(outcome)[0].actual for c in "\x1b\x9b")


async def test_no_part_of_a_secret_is_left_where_a_text_is_cut() -> None:
    secret = "s" * 10 + "ecret" * 30
    for padding in range(MOST_SHOWN + 20):
        told = shown_part("." * padding + secret * 50, (secret + "!" * 40, secret))
        assert "ssss" not in told
        assert "ecret" not in told


def many(piece: bytes, count: int) -> bytes:
    return b"[" + b",".join([piece] * count) + b"]"


async def a_body_without_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await read_request(reader)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
    for _ in range(1_000):
        writer.write(b"a" * 100_000)
        await writer.drain()


async def a_header_of_a_megabyte(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    await read_request(reader)
    writer.write(b"HTTP/1.1 200 OK\r\nX-Long: " + b"a" * MEBIBYTE + b"\r\n\r\n")
    await finish(writer)


def page(body: bytes) -> Answer:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(ok(body))
        await finish(writer)

    return answer


async def largest_gap_s(beside: "asyncio.Task[Outcome]") -> float:
    """How long the loop did not come round while the task ran."""
    loop = asyncio.get_running_loop()
    largest = 0.0
    while not beside.done():
        before = loop.time()
        await asyncio.sleep(0.001)
        largest = max(largest, loop.time() - before)
    return largest


TOO_LARGE = "the headers of the answer are larger than 64 KiB"


@pytest.mark.parametrize(
    ("answer", "settings", "reason"),
    [
        (page(b"[" * 100_000), {"json_query": "a == 1"}, "the JSON is nested too deeply"),
        (page(b"a" * MEBIBYTE), {"regex": "(a+)+$"}, "HTTP 200 OK"),
        (page(b"a" * MEBIBYTE), {"regex": "(a|aa|b?)*!$"}, "pattern '(a|aa|b?)*!$' not found"),
        (
            page(many(b"[]", 340_000)),
            {"json_query": "length(@) < 9"},
            "JSON length(@) is 340000, expected < 9",
        ),
        (page(many(b'{"a":1}', 120_000)), {"json_query": "[*].a | length(@) > 9"}, "HTTP 200 OK"),
        (a_body_without_end, {"keyword": "b"}, "keyword 'b' not found"),
        (a_body_without_end, {"regex": "b$"}, "pattern 'b$' not found"),
        (a_header_of_a_megabyte, {"header_match": {"X-Long": "(a+)+$"}}, TOO_LARGE),
    ],
    ids=["bomb", "regex", "alternatives", "lists", "objects", "body", "body regex", "header"],
)
async def test_the_worst_of_pages_leaves_the_loop_to_others_in_bounded_memory(
    answer: Answer,
    settings: Mapping[str, Setting],
    reason: str,
) -> None:
    async with serving(answer) as server:
        task = asyncio.create_task(checked(server.url, http_kind(), 30.0, **settings))
        gap_s = await largest_gap_s(task)
    outcome = task.result()
    assert outcome.reason == reason
    assert gap_s < 0.25


@pytest.mark.parametrize(
    ("answer", "settings"),
    [
        (page(b"[" * 100_000), {"json_query": "a == 1"}),
        (a_body_without_end, {"keyword": "b", "regex": "b$"}),
        (a_header_of_a_megabyte, {"header_match": {"X-Long": "(a+)+$"}}),
    ],
    ids=["bomb", "body", "header"],
)
async def test_a_hostile_page_takes_a_few_mebibytes_at_most(
    answer: Answer, settings: Mapping[str, Setting]
) -> None:
    async with serving(answer) as server:
        tracemalloc.start()
        try:
            await checked(server.url, http_kind(), 30.0, **settings)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 8 * MEBIBYTE

"""The http check against servers that behave."""

import asyncio
import base64
import gzip
import json
import zlib
from pathlib import Path

import pytest
from aiohttp import web

from tests.checks.servers import (
    answering,
    checked,
    finish,
    http_kind,
    ok,
    read_request,
    serving,
)
from uptime_desktop.checks.base import evidence_left
from uptime_desktop.domain.model import Evidence, Outcome, Setting
from uptime_desktop.domain.status import Status

pytestmark = pytest.mark.asyncio


def seen(outcome: Outcome) -> Evidence:
    assert outcome.evidence is not None
    return outcome.evidence


async def test_a_page_that_answers_is_up_and_leaves_evidence() -> None:
    async with answering(ok(b"all is well", "Server: test")) as server:
        outcome = await checked(server.url)
    assert (outcome.status, outcome.reason) == (Status.UP, "HTTP 200 OK")
    evidence = seen(outcome)
    assert evidence.status_line == "HTTP/1.1 200 OK"
    assert ("Server", "test") in evidence.headers
    assert evidence.body == "all is well"
    assert evidence.address == f"127.0.0.1:{server.port}"
    assert evidence.repeat_with.startswith("curl ")
    timings = dict(evidence.timings_ms)
    assert list(timings) == ["dns", "connect", "first_byte", "total"]
    assert timings["total"] == outcome.response_ms
    assert all(spent >= 0 for spent in timings.values())
    assert sum(timings.values()) <= 2 * timings["total"] + 0.01


async def test_the_request_is_complete_and_asks_for_no_second_one() -> None:
    async with answering(ok()) as server:
        await checked(server.url + "path?q=1", headers={"X-Note": "ä"})
    head = server.requests[0].decode()
    assert head.startswith("GET /path?q=1 HTTP/1.1\r\n")
    for line in (f"Host: 127.0.0.1:{server.port}", "X-Note: ä", "Connection: close", "Accept: */*"):
        assert f"\r\n{line}\r\n" in head


@pytest.mark.parametrize(
    ("status", "settings", "expected", "reason"),
    [
        ("503 Service Unavailable", {}, Status.DOWN, "HTTP 503 Service Unavailable"),
        ("503 ", {}, Status.DOWN, "HTTP 503 Service Unavailable"),
        ("404 Not Here", {}, Status.DOWN, "HTTP 404 Not Here"),
        ("404 Not Found", {"accepted_codes": "404"}, Status.UP, "HTTP 404 Not Found"),
        ("204 No Content", {"accepted_codes": "200"}, Status.DOWN, "HTTP 204 No Content"),
        ("799 ", {}, Status.DOWN, "HTTP 799"),
        ("301 Moved", {"follow_redirects": False}, Status.UP, "HTTP 301 Moved"),
        ("301 Moved", {}, Status.UP, "HTTP 301 Moved"),
    ],
)
async def test_the_status_code_decides(
    status: str, settings: dict[str, Setting], expected: Status, reason: str
) -> None:
    async with answering(ok(b"", status=status)) as server:
        outcome = await checked(server.url, http_kind(), 5.0, **settings)
    assert (outcome.status, outcome.reason) == (expected, reason)


@pytest.mark.parametrize(
    ("settings", "status", "reason"),
    [
        ({"keyword": "well"}, Status.UP, "HTTP 200 OK"),
        ({"keyword": "fine"}, Status.DOWN, "keyword 'fine' not found"),
        ({"keyword_absent": "fine"}, Status.UP, "HTTP 200 OK"),
        ({"keyword_absent": "well"}, Status.DOWN, "keyword 'well' found, which must be absent"),
    ],
)
async def test_a_keyword_decides(settings: dict[str, Setting], status: Status, reason: str) -> None:
    async with answering(ok(b"all is well")) as server:
        outcome = await checked(server.url, http_kind(), 5.0, **settings)
    assert (outcome.status, outcome.reason) == (status, reason)


@pytest.mark.parametrize(
    ("charset", "encoding"),
    [
        ("; charset=utf-16", "utf-16"),
        ('; Charset="ISO-8859-1"', "latin-1"),
        ("", "utf-8"),
        ("; charset=punycode", "utf-8"),
        ("; charset=base64", "utf-8"),
        ("; charset=no-such", "utf-8"),
    ],
)
async def test_a_keyword_is_read_in_the_page_s_own_charset(charset: str, encoding: str) -> None:
    page = ok("Grüße".encode(encoding), f"Content-Type: text/html{charset}")
    async with answering(page) as server:
        outcome = await checked(server.url, keyword="Grüße")
    assert outcome.status is Status.UP
    assert seen(outcome).body == "Grüße"


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(b"all is well")),
        ("gzip", gzip.compress(b"all is ") + gzip.compress(b"well")),
        ("x-gzip", gzip.compress(b"all is well")),
        ("deflate", zlib.compress(b"all is well")),
        ("deflate", raw_deflate(b"all is well")),
        ("identity", b"all is well"),
    ],
)
async def test_a_compressed_body_is_read(encoding: str, body: bytes) -> None:
    async with answering(ok(body, f"Content-Encoding: {encoding}")) as server:
        outcome = await checked(server.url, keyword="all is well")
    assert outcome.status is Status.UP
    assert seen(outcome).body == "all is well"


@pytest.mark.parametrize("beyond", [-1, 0, 1, 100, 257, 258, 5_000, 2_000_000])
async def test_a_compressed_body_is_read_to_its_very_end(beyond: int) -> None:
    page = json.dumps("a" * (1_048_576 + beyond)).encode()
    async with answering(ok(gzip.compress(page), "Content-Encoding: gzip")) as server:
        outcome = await checked(
            server.url, max_body=8_000_000, json_query=f"length(@) == {1_048_576 + beyond}"
        )
    assert outcome.status is Status.UP


async def test_a_compression_we_cannot_read_matters_only_to_a_keyword() -> None:
    async with answering(ok(b"\x0b\x02\x80", "Content-Encoding: br")) as server:
        assert (await checked(server.url)).status is Status.UP
        outcome = await checked(server.url, keyword="well")
    assert outcome.reason == "the body is compressed as br, unreadable here"


async def test_a_damaged_compressed_body_is_down() -> None:
    async with answering(ok(b"no gzip at all", "Content-Encoding: gzip")) as server:
        outcome = await checked(server.url)
    assert (outcome.status, outcome.reason) == (Status.DOWN, "the compressed body is damaged")


async def test_a_slow_answer_is_degraded() -> None:
    answered = asyncio.Event()

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        asyncio.get_running_loop().call_later(0.02, answered.set)
        await answered.wait()
        writer.write(ok())
        await finish(writer)

    async with serving(slow) as server:
        outcome = await checked(server.url, latency_threshold="10ms")
    assert outcome.status is Status.DEGRADED
    assert outcome.reason.startswith("took ")
    assert outcome.reason.endswith(" ms, more than 10 ms")


async def test_head_wants_no_body() -> None:
    async with answering(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n") as server:
        outcome = await checked(server.url, method="HEAD")
    assert outcome.status is Status.UP


async def test_a_body_is_posted() -> None:
    async with answering(ok()) as server:
        await checked(server.url, method="POST", body="grüß dich")
    assert server.requests[0].endswith("\r\n\r\ngrüß dich".encode())
    assert b"Content-Length: 11\r\n" in server.requests[0]


async def test_only_the_beginning_of_a_long_body_is_read() -> None:
    async with answering(ok(b"a" * 3_000 + b"needle")) as server:
        cut = await checked(server.url, max_body=3_000, keyword="needle")
        whole = await checked(server.url, keyword="needle")
        nothing = await checked(server.url, max_body=0)
    assert (cut.status, whole.status, nothing.status) == (Status.DOWN, Status.UP, Status.UP)
    assert seen(whole).body == "a" * 2_048
    assert seen(nothing).body == ""


async def test_interim_answers_are_passed_over() -> None:
    interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    async with answering(interim + ok()) as server:
        outcome = await checked(server.url)
    assert outcome.reason == "HTTP 200 OK"


async def test_a_real_server_with_chunks_redirects_and_a_login() -> None:
    async def hello(request: web.Request) -> web.StreamResponse:
        if request.headers.get("Authorization") != "Basic " + base64.b64encode(b"me:pw").decode():
            raise web.HTTPUnauthorized
        response = web.StreamResponse()
        response.enable_chunked_encoding()
        response.enable_compression()
        await response.prepare(request)
        await response.write(b"hello ")
        await response.write(b"world")
        await response.write_eof()
        return response

    async def old(_: web.Request) -> web.StreamResponse:
        raise web.HTTPMovedPermanently("/hello")

    app = web.Application()
    app.add_routes([web.get("/hello", hello), web.get("/old", old)])
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        port = runner.addresses[0][1]
        outcome = await checked(f"http://me:pw@127.0.0.1:{port}/old", keyword="hello world")
        denied = await checked(f"http://127.0.0.1:{port}/old")
    finally:
        await runner.cleanup()
    assert outcome.status is Status.UP
    assert denied.reason == "HTTP 401 Unauthorized"


@pytest.mark.parametrize(
    ("settings", "header"),
    [
        ({"username": "me", "password": "hunter22"}, "Basic bWU6aHVudGVyMjI="),
        ({"bearer_token": "hunter22"}, "Bearer hunter22"),
    ],
)
async def test_signing_in_is_heard_and_what_it_takes_is_never_told(
    settings: dict[str, Setting], header: str
) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = (await read_request(reader)).decode()
        is_signed_in = f"\r\nAuthorization: {header}\r\n" in request
        writer.write(ok(request.encode(), status="200 OK" if is_signed_in else "401 hunter22"))
        await finish(writer)

    async with serving(echo) as server:
        outcome = await checked(server.url, http_kind(), 5.0, **settings)
        wrong = await checked(server.url, password="hunter22", keyword="hunter22 is", regex="^x")
    assert outcome.status is Status.UP
    assert wrong.status is Status.DOWN
    for secret in ("hunter22", "bWU6aHVudGVyMjI="):
        assert secret not in repr(outcome) + repr(wrong)


@pytest.mark.parametrize("charset", ["utf-8", "utf-16"])
async def test_a_secret_that_comes_back_many_times_is_hidden_also_where_the_body_is_cut(
    charset: str,
) -> None:
    token = "tökén-" + "0123456789" * 10
    page = ok((token * 1_000).encode(charset), f"Content-Type: text/plain; charset={charset}")
    async with answering(page) as server:
        outcome = await checked(server.url, bearer_token=token)
    assert "0123" not in seen(outcome).body
    assert "tök" not in seen(outcome).body


def redirecting(to: str, code: int = 302) -> bytes:
    return ok(b"", f"Location: {to}", status=f"{code} Moved")


async def test_a_redirect_elsewhere_takes_no_secrets_along() -> None:
    secrets = {"Authorization": "Bearer abcdef", "X-Api-Key": "ghijkl", "X-Note": "hello"}
    async with answering(ok()) as last, answering(redirecting(last.url + "there")) as first:
        outcome = await checked(first.url, headers=secrets)
    assert outcome.status is Status.UP
    request = last.requests[0].decode()
    assert request.startswith("GET /there HTTP/1.1\r\n")
    assert f"Host: 127.0.0.1:{last.port}" in request
    assert "hello" in request
    assert "abcdef" not in request
    assert "ghijkl" not in request
    assert seen(outcome).address == f"127.0.0.1:{first.port}; 127.0.0.1:{last.port}"


@pytest.mark.parametrize(
    ("code", "method", "becomes"),
    [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "PUT", "GET"),
        (307, "POST", "POST"),
        (308, "PUT", "PUT"),
        (301, "HEAD", "HEAD"),
    ],
)
async def test_a_redirect_keeps_or_changes_the_method(code: int, method: str, becomes: str) -> None:
    body = "" if method == "HEAD" else "data"
    async with answering(ok()) as last, answering(redirecting(last.url, code)) as first:
        await checked(first.url, method=method, body=body)
    assert last.requests[0].startswith(becomes.encode() + b" ")
    assert last.requests[0].endswith(b"data") is (becomes in {"POST", "PUT"})


async def test_a_redirect_loop_is_down() -> None:
    async with answering(redirecting("/again")) as server:
        outcome = await checked(server.url)
    assert (outcome.status, outcome.reason) == (Status.DOWN, "redirected more than 10 times")
    assert len(server.requests) == 11


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "gopher://x/", "http://[::1", "javascript:alert(1)"]
)
async def test_a_redirect_to_something_else_than_the_web_is_down(target: str) -> None:
    async with answering(redirecting(target)) as server:
        outcome = await checked(server.url)
    assert outcome.status is Status.DOWN
    assert outcome.reason == f"redirected to {target}, not a web address"


async def test_a_server_on_ipv6_only_is_reached() -> None:
    async with answering(ok(), host="::1") as server:
        outcome = await checked(server.url)
        wrong = await checked(server.url, ip_version="4")
    assert outcome.status is Status.UP
    assert seen(outcome).address == f"[::1]:{server.port}"
    assert wrong.reason == "::1 has no IPv4 address"


async def test_localhost_is_tried_on_both_families() -> None:
    async with answering(ok(), host="::1") as server:
        outcome = await checked(f"http://localhost:{server.port}")
    assert outcome.status is Status.UP
    assert seen(outcome).address == (
        f"connection refused by 127.0.0.1:{server.port}; [::1]:{server.port}"
    )


async def test_a_secret_that_the_server_sends_back_is_hidden() -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = (await read_request(reader)).decode()
        body = "x" * 2_040 + json.dumps(request)
        writer.write(
            ok(
                body.encode() + b"hunter22",
                "Set-Cookie: id=visitor",
                "X-Echo: hunter22",
                "Location: https://you:pw@a.example/?token=tok",
                status="500 hunter22",
            )
        )
        await finish(writer)

    async with serving(echo) as server:
        url = server.url.replace("://", "://user:hunter22@")
        headers = {"X-Api-Key": "abcdefgh", "Cookie": "session=ijklmnop"}
        outcome = await checked(url, headers=headers)
        spec = http_kind().parse({"url": url, "headers": headers})
    told = repr(outcome) + http_kind().describe(spec) + http_kind().origin(spec)
    for secret in ("hunter22", "abcdefgh", "ijklmnop", "visitor", "you:pw", "=tok"):
        assert secret not in told
    assert base64.b64encode(b"user:hunter22").decode() not in told
    assert ("Set-Cookie", "***") in seen(outcome).headers
    assert ("Location", "https://***@a.example/?token=***") in seen(outcome).headers


async def test_a_cancelled_check_lets_go_at_once_and_tells_where_it_hung() -> None:
    async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await read_request(reader)
        hanging.set()
        assert await reader.read() == b""

    hanging = asyncio.Event()
    async with serving(silent) as server:
        task = asyncio.create_task(checked(server.url))
        await hanging.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as stop:
            await task
        await asyncio.wait_for(server.gone.wait(), 5)
    evidence = evidence_left(stop.value)
    assert evidence is not None
    assert evidence.address == f"127.0.0.1:{server.port}"
    assert "first_byte" in dict(evidence.timings_ms)


async def test_the_timeout_of_the_runner_keeps_the_evidence() -> None:
    async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async with serving(silent) as server:
        with pytest.raises(TimeoutError) as timeout:
            await checked(server.url, timeout_s=0.05)
    assert evidence_left(timeout.value) is not None


async def test_a_ca_file_that_is_not_there_says_nothing_about_the_target(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.pem")
    outcome = await checked("https://127.0.0.1:9", ca_file=missing)
    assert outcome.status is Status.UNKNOWN
    assert outcome.reason == f"the CA file {missing} cannot be read"

"""The websocket check of real servers, well-behaved and otherwise."""

import asyncio
import base64
import hashlib
import http
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trustme
from websockets.asyncio.server import Server as LibraryServer
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from tests.checks.chains import shaking_hands
from tests.checks.servers import (
    Answer,
    answering,
    finish,
    ok,
    read_request,
    server_context,
    serving,
)
from uptime_desktop.checks import websocket_session, websocket_upgrade
from uptime_desktop.checks.base import evidence_left
from uptime_desktop.checks.net.resolver import Resolver
from uptime_desktop.checks.websocket import WebSocketKind
from uptime_desktop.domain.model import Outcome, Setting, Unmet
from uptime_desktop.domain.status import Status

pytestmark = pytest.mark.asyncio

KIND = WebSocketKind(Resolver(lambda _: ["127.0.0.1"]))
Handler = Callable[[ServerConnection], Awaitable[None]]


async def checked(url: str, timeout_s: float = 10.0, **settings: Setting) -> Outcome:
    spec = KIND.parse({"url": url, **settings})
    async with asyncio.timeout(timeout_s):
        return await KIND.check(spec, timeout_s)


@asynccontextmanager
async def talking(handler: Handler, **options: object) -> AsyncIterator[str]:
    """A server of the library's; where it is."""
    server: LibraryServer
    async with serve(handler, "127.0.0.1", 0, **options) as server:  # type: ignore[arg-type]
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"{'wss' if options.get('ssl') else 'ws'}://127.0.0.1:{port}/live"


async def echo(socket: ServerConnection) -> None:
    async for message in socket:
        await socket.send(message)


async def chatty(socket: ServerConnection) -> None:
    for number in range(100):
        await socket.send(f"message {number}")
    await socket.wait_closed()


async def greeting(socket: ServerConnection) -> None:
    await socket.send("hello")
    await socket.send(b"\x00\xffready")
    await socket.wait_closed()


async def fragmenting(socket: ServerConnection) -> None:
    await socket.send(["all ", "is ", "well"])
    await socket.wait_closed()


async def test_a_ping_that_is_answered_is_up() -> None:
    closed: list[int | None] = []

    async def patient(socket: ServerConnection) -> None:
        await socket.wait_closed()
        closed.append(socket.close_code)

    async with talking(patient) as url:
        outcome = await checked(url)
    assert (outcome.status, outcome.reason) == (Status.UP, "open, and the ping was answered")
    assert closed == [1000]
    seen = outcome.evidence
    assert seen is not None
    assert seen.status_line == "HTTP/1.1 101 Switching Protocols"
    assert dict(seen.headers)["Upgrade"] == "websocket"
    assert [name for name, _ in seen.timings_ms] == ["dns", "connect", "first_byte", "total"]
    assert seen.address in url
    assert seen.repeat_with.startswith("curl ")


@pytest.mark.parametrize(
    ("handler", "settings", "body"),
    [
        (echo, {"send": "ping", "expect": "ping"}, "ping"),
        (echo, {"send": "Größe", "expect": "ö"}, "Größe"),
        (echo, {"send": "ping"}, ""),
        (greeting, {"expect": "hello"}, "hello"),
        (greeting, {"expect": "ready"}, "hello\n��ready"),
        (fragmenting, {"expect": "all is well"}, "all is well"),
        (chatty, {"expect": "message 15"}, "message 0\n"),
        (chatty, {}, ""),
    ],
)
async def test_what_comes_back_is_enough(
    handler: Handler, settings: dict[str, Setting], body: str
) -> None:
    async with talking(handler) as url:
        outcome = await checked(url, 10.0, **settings)
    assert outcome.status is Status.UP, outcome.reason
    assert outcome.evidence is not None
    assert outcome.evidence.body.startswith(body)


async def test_what_does_not_come_back_is_down() -> None:
    async with talking(chatty) as url:
        outcome = await checked(url, expect="message 16")
    assert outcome.status is Status.DOWN
    assert outcome.reason == "'message 16' is in none of the first 16 messages"
    assert outcome.evidence is not None
    assert outcome.evidence.unmet == (Unmet("message", "message 16", "message 15"),)


async def test_a_server_that_takes_long_is_degraded() -> None:
    async def slow(socket: ServerConnection) -> None:
        await asyncio.sleep(0.02)
        await socket.send("at last")
        await socket.wait_closed()

    async with talking(slow) as url:
        outcome = await checked(url, expect="at last", latency_threshold="1ms")
    assert outcome.status is Status.DEGRADED
    assert outcome.reason.endswith("more than 1 ms")


@pytest.mark.parametrize(
    ("spoken", "status", "reason", "unmet"),
    [
        (["mqtt"], Status.UP, "open, and the ping was answered", ()),
        (
            [],
            Status.DOWN,
            "the server chose no subprotocol of wamp, mqtt",
            (Unmet("subprotocol", "wamp, mqtt", "none"),),
        ),
    ],
)
async def test_a_subprotocol_must_be_agreed(
    spoken: list[str], status: Status, reason: str, unmet: tuple[Unmet, ...]
) -> None:
    def choose(_: ServerConnection, offered: list[str]) -> str | None:
        return next((name for name in offered if name in spoken), None)

    async with talking(echo, select_subprotocol=choose) as url:
        outcome = await checked(url, subprotocol=("wamp", "mqtt"))
    assert (outcome.status, outcome.reason) == (status, reason)
    assert outcome.evidence is not None
    assert outcome.evidence.unmet == unmet


async def test_who_we_are_reaches_the_server_and_stays_out_of_the_evidence() -> None:
    async def repeat(socket: ServerConnection) -> None:
        assert socket.request is not None
        await socket.send(json.dumps(dict(socket.request.headers.raw_items())))
        await socket.wait_closed()

    async with talking(repeat) as url:
        address = url.replace("//", "//me:hunter2@")
        outcome = await checked(address, expect="Basic", headers={"X-Api-Key": 'sword"fish'})
    assert outcome.status is Status.UP
    assert outcome.evidence is not None
    assert "X-Api-Key" in outcome.evidence.body
    shown = repr(outcome)
    for secret in ("hunter2", "sword", "bWU6aHVudGVyMg"):
        assert secret not in shown


async def test_a_message_with_a_password_is_hidden_when_it_is_sent_back() -> None:
    async with talking(echo) as url:
        outcome = await checked(url, send='{"password": "hunter2"}', expect="password")
    assert outcome.status is Status.UP
    assert outcome.evidence is not None
    assert outcome.evidence.body == "***"


async def test_over_tls_the_certificate_is_seen(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    ca_file = str(tmp_path / "ca.pem")
    async with talking(echo, ssl=server_context(authority, "127.0.0.1")) as url:
        outcome = await checked(url, ca_file=ca_file)
        distrusted = await checked(url)
    assert outcome.status is Status.UP
    assert outcome.evidence is not None
    assert "SHA-256" in outcome.evidence.certificate
    phases = [name for name, _ in outcome.evidence.timings_ms]
    assert phases == ["dns", "connect", "tls", "first_byte", "total"]
    assert distrusted.status is Status.DOWN
    assert distrusted.reason.endswith("which is not trusted")


async def test_a_certificate_that_ends_soon_is_degraded(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    context = server_context(authority, "127.0.0.1", expired_days_ago=-4)
    async with talking(echo, ssl=context) as url:
        outcome = await checked(url, ca_file=str(tmp_path / "ca.pem"))
    assert (outcome.status, outcome.reason) == (Status.DEGRADED, "certificate expires in 3 days")


async def test_a_server_without_tls_is_down_in_the_handshake() -> None:
    async with talking(echo) as url:
        outcome = await checked(url.replace("ws:", "wss:"))
    assert outcome.status is Status.DOWN
    assert outcome.reason.endswith(" in the TLS handshake")


async def test_a_server_that_refuses_the_upgrade_is_down_with_its_reasons() -> None:
    def refuse(socket: ServerConnection, _: Request) -> Response:
        return socket.respond(http.HTTPStatus.FORBIDDEN, "members only\n")

    async with talking(echo, process_request=refuse) as url:
        outcome = await checked(url)
    assert outcome.status is Status.DOWN
    assert outcome.reason == "not a WebSocket: the server answers HTTP 403 Forbidden"
    seen = outcome.evidence
    assert seen is not None
    assert seen.status_line == "HTTP/1.1 403 Forbidden"
    assert "Content-Length" in dict(seen.headers)
    assert seen.body == "members only\n"


CHUNKED = b"HTTP/1.1 502\r\nTransfer-Encoding: chunked\r\n\r\n4\r\noops\r\n0\r\n\r\n"
MOVED = b"HTTP/1.1 302 Found\r\nLocation: https://a.example/?token=x\r\nContent-Length: 0\r\n\r\n"


@pytest.mark.parametrize(
    ("data", "reason", "body"),
    [
        (ok(), "not a WebSocket: the server answers HTTP 200 OK", "all is well"),
        (b"HTTP/1.0 200 OK\r\n\r\nold", "not a WebSocket: the server answers HTTP 200 OK", "old"),
        (CHUNKED, "not a WebSocket: the server answers HTTP 502 Bad Gateway", "oops"),
        (
            MOVED,
            "HTTP 302: redirected to https://a.example/?token=***, which is not followed",
            "",
        ),
        (
            b"HTTP/1.1 426 Upgrade Required\r\nContent-Length: 9\r\n\r\ncut",
            "not a WebSocket: the server answers HTTP 426 Upgrade Required",
            "cut",
        ),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "the server's answer is not HTTP", "SSH-2.0-OpenSSH_9.2\n"),
        (b"HTTP/1.1 what\r\n\r\n", "the server's answer is not HTTP", "HTTP/1.1 what"),
        (b"HTTP/1.1 101 Swi", "connection closed in the middle of the headers", "HTTP/1.1 101"),
        (b"", "connection closed without an answer", ""),
        (
            b"HTTP/1.1 101 Switching\r\nX: " + b"a" * 65_536,
            "the headers of the answer are larger than 64 KiB",
            "HTTP/1.1 101",
        ),
        (
            b"HTTP/1.1 101 Switching\r\nX: " + b"a" * 9_000 + b"\r\n\r\n",
            "the server's answer to the upgrade is malformed",
            "HTTP/1.1 101",
        ),
    ],
)
async def test_what_is_not_a_websocket_is_down(data: bytes, reason: str, body: str) -> None:
    async with answering(data) as server:
        outcome = await checked(server.url)
    assert (outcome.status, outcome.reason) == (Status.DOWN, reason)
    assert outcome.evidence is not None
    assert outcome.evidence.body.replace("\r", "").startswith(body)


async def test_a_refusal_without_end_is_told_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(websocket_upgrade, "_BODY_S", 0.01)

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 503 Busy\r\n\r\ntry later")
        await reader.read()

    async with serving(hang) as server:
        outcome = await checked(server.url)
    assert outcome.reason == "not a WebSocket: the server answers HTTP 503 Busy"
    assert outcome.evidence is not None
    assert outcome.evidence.body == "try later"


def consenting(frames: bytes, *headers: str, key: bytes = b"", then_close: bool = False) -> Answer:
    """A server that upgrades by hand and then sends what it is told."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await read_request(reader)
        ours = key or request.partition(b"Sec-WebSocket-Key: ")[2].partition(b"\r\n")[0]
        magic = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(ours + magic).digest()).decode()
        lines = [
            "HTTP/1.1 101 Switching Protocols",
            *(headers or ("Upgrade: websocket", "Connection: Upgrade")),
            f"Sec-WebSocket-Accept: {accept}",
            "",
            "",
        ]
        writer.write("\r\n".join(lines).encode() + frames)
        if then_close:
            await finish(writer)
        await reader.read()

    return answer


BOTH = ("Upgrade: websocket", "Connection: Upgrade")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (
            consenting(b"", key=b"another"),
            "the server's Sec-WebSocket-Accept does not answer our key",
        ),
        (
            consenting(b"", "Upgrade: h2c", "Connection: Upgrade"),
            "the server agrees to switch, but not to WebSocket",
        ),
        (
            consenting(b"", "Upgrade: websocket"),
            "the server agrees to switch, but not to WebSocket",
        ),
        (
            consenting(b"", *BOTH, "Sec-WebSocket-Extensions: permessage-deflate"),
            "the server uses extensions that were not offered",
        ),
        (
            consenting(b"", *BOTH, "Sec-WebSocket-Protocol: mqtt"),
            "the server chose the subprotocol mqtt, which was not offered",
        ),
        (consenting(b"\x88\x00"), "closed by the server without a code"),
        (consenting(b"\x88\x02\x03\xe9"), "closed by the server with code 1001"),
        (
            consenting(b"\x88\x0e\x03\xf0not welcome\n"),
            "closed by the server with code 1008: not welcome",
        ),
        (
            consenting(b"\x88\x0e\x03\xf0not welcome\n", then_close=True),
            "closed by the server with code 1008: not welcome",
        ),
        (
            consenting(b"", then_close=True),
            "connection closed by 127.0.0.1:{port} without a word",
        ),
        (
            consenting(b"\x81\x7f" + (1 << 40).to_bytes(8, "big")),
            "a message of the server is larger than 64 KiB",
        ),
        (
            consenting(b"\x01\x7e\xff\xff" + b"a" * 65_535 + b"\x80\x02aa"),
            "a message of the server is larger than 64 KiB",
        ),
        (
            consenting(b"HTTP/1.1 400 Bad Request\r\n\r\n" + bytes(100)),
            "what the server sends is not WebSocket: ",
        ),
        (consenting(b"\x81\x85\0\0\0\0hello"), "what the server sends is not WebSocket: "),
        (consenting(b"\x80\x01a"), "what the server sends is not WebSocket: "),
        (consenting(b"\x88\x01a"), "what the server sends is not WebSocket: "),
        (consenting(b"\x88\x03\x03\xe8\xff"), "what the server sends is not WebSocket: "),
        (consenting(b"\x89\x00" * 30_000), "the server sends more than 512 frames"),
        (consenting(b"\x01\x00" + b"\x00\x00" * 30_000), "the server sends more than 512 frames"),
    ],
)
async def test_a_server_that_breaks_the_protocol_is_down(answer: Answer, reason: str) -> None:
    async with serving(answer) as server:
        outcome = await checked(server.url)
    assert outcome.status is Status.DOWN
    assert outcome.reason.startswith(reason.format(port=server.port))
    assert outcome.evidence is not None
    assert outcome.evidence.status_line == "HTTP/1.1 101 Switching Protocols"


async def test_what_a_server_says_with_its_consent_counts() -> None:
    async with serving(consenting(b"\x81\x05hello", then_close=True)) as server:
        outcome = await checked(server.url, expect="hello")
    assert (outcome.status, outcome.reason) == (Status.UP, "'hello' came back")


async def test_an_answer_to_no_ping_of_ours_is_none() -> None:
    async with serving(consenting(b"\x8a\x04abcd")) as server:
        with pytest.raises(TimeoutError):
            await checked(server.url, 0.1)


async def test_a_server_that_does_not_take_leave_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket_session, "_FAREWELL_S", 0.01)
    async with serving(consenting(b"\x81\x05hello")) as server:
        outcome = await checked(server.url, expect="hello")
    assert outcome.status is Status.UP


async def test_a_client_certificate_that_tls_1_3_asks_for_late_is_named(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    context = server_context(authority, "127.0.0.1")
    context.verify_mode = ssl.CERT_REQUIRED
    authority.configure_trust(context)
    async with serving(shaking_hands(context)) as server:
        outcome = await checked(f"wss://127.0.0.1:{server.port}", ca_file=str(tmp_path / "ca.pem"))
    assert outcome.reason == "the server asks for a client certificate"


async def test_nobody_listens() -> None:
    async with answering(b"") as server:
        pass
    outcome = await checked(server.url)
    assert outcome.reason == f"connection refused by 127.0.0.1:{server.port}"


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (None, ""),
        (consenting(b""), ""),
        (consenting(b"\x81\x05hello"), "hello"),
    ],
)
async def test_a_silent_server_is_left_at_the_timeout(answer: Answer | None, body: str) -> None:
    async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        while await reader.read(65_536):
            pass

    async with serving(answer or silent) as server:
        with pytest.raises(TimeoutError) as timeout:
            await checked(server.url, 0.5, expect="goodbye")
        await asyncio.wait_for(server.gone.wait(), 5)
    seen = evidence_left(timeout.value)
    assert seen is not None
    assert "first_byte" in dict(seen.timings_ms)
    assert seen.body == body
    assert bool(seen.status_line) is (answer is not None)

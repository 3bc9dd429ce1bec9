"""The http check by HTTP/2, against a real server and against some that only claim to be one."""

import asyncio
import contextlib
import gzip
import ssl
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import trustme
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import DataReceived, RequestReceived, StreamEnded, WindowUpdated

from tests.checks.servers import answering, checked, finish, http_kind, ok, server_context, serving
from uptime_desktop.checks.base import evidence_left
from uptime_desktop.domain.model import Evidence, Outcome, Setting
from uptime_desktop.domain.status import Status

pytestmark = pytest.mark.asyncio

MEBIBYTE = 1_048_576
Headers = list[tuple[str, str]]
Reply = Callable[[H2Connection, int], None]


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA(organization_name="Good Authority")


@pytest.fixture
def ca_file(authority: trustme.CA, tmp_path: Path) -> str:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(path)
    return str(path)


def offering(authority: trustme.CA, *protocols: str) -> ssl.SSLContext:
    context = server_context(authority, "127.0.0.1")
    context.set_alpn_protocols(list(protocols))
    return context


@dataclass
class Http2:
    """A server of one answer, which it sends as fast as it is allowed to."""

    headers: Headers = field(default_factory=lambda: [(":status", "200")])
    body: bytes = b"all is well"
    instead: Reply | None = None
    asked: list[dict[str, str]] = field(default_factory=list)
    received: bytes = b""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        protocol = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        protocol.initiate_connection()
        writer.write(protocol.data_to_send())
        unsent: dict[int, bytes] = {}
        while data := await reader.read(65_536):
            for event in protocol.receive_data(data):
                if isinstance(event, RequestReceived):
                    self.asked.append({str(k): str(v) for k, v in event.headers or ()})
                elif isinstance(event, DataReceived):
                    self.received += event.data or b""
                    length = event.flow_controlled_length or 0
                    protocol.acknowledge_received_data(length, event.stream_id or 0)
                elif isinstance(event, StreamEnded):
                    stream = event.stream_id or 0
                    if self.instead is not None:
                        self.instead(protocol, stream)
                    elif self.asked[-1][":method"] == "HEAD":
                        protocol.send_headers(stream, self.headers, end_stream=True)
                    else:
                        protocol.send_headers(stream, self.headers)
                        unsent[stream] = self.body
                if isinstance(event, WindowUpdated | StreamEnded):
                    send_granted(protocol, unsent)
            writer.write(protocol.data_to_send())
            await writer.drain()


def send_granted(protocol: H2Connection, unsent: dict[int, bytes]) -> None:
    for stream in list(unsent):
        while stream in unsent:
            body = unsent[stream]
            granted = protocol.local_flow_control_window(stream)
            size = min(granted, protocol.max_outbound_frame_size, len(body))
            if body and not size:
                break
            protocol.send_data(stream, body[:size], end_stream=size == len(body))
            unsent[stream] = body[size:]
            if size == len(body):
                del unsent[stream]


async def check_of(
    server: Http2, authority: trustme.CA, ca_file: str, **settings: Setting
) -> Outcome:
    tls = offering(authority, "h2", "http/1.1")
    given: dict[str, Setting] = {"http_version": "2", "ca_file": ca_file, **settings}
    async with serving(server.answer, tls=tls) as listening:
        return await checked(listening.url, http_kind(), 10.0, **given)


def seen(outcome: Outcome) -> Evidence:
    assert outcome.evidence is not None
    return outcome.evidence


@pytest.mark.parametrize("version", ["2", "any"])
async def test_a_page_by_http2_is_up_and_leaves_evidence(
    authority: trustme.CA, ca_file: str, version: str
) -> None:
    server = Http2([(":status", "200"), ("server", "test"), ("x-note", "ä")])
    outcome = await check_of(
        server, authority, ca_file, http_version=version, keyword="well", headers={"X-Ask": "me"}
    )
    assert (outcome.status, outcome.reason) == (Status.UP, "HTTP 200 OK")
    evidence = seen(outcome)
    assert evidence.status_line == "HTTP/2 200 OK"
    assert evidence.headers == (("server", "test"), ("x-note", "ä"))
    assert evidence.body == "all is well"
    assert evidence.certificate.startswith("127.0.0.1, for ")
    assert list(dict(evidence.timings_ms)) == ["dns", "connect", "tls", "first_byte", "total"]
    asked = server.asked[0]
    assert asked[":path"] == "/"
    assert asked[":authority"] == evidence.address
    assert asked["x-ask"] == "me"
    assert not asked.keys() & {"host", "connection"}


@pytest.mark.parametrize(
    ("version", "status", "reason"),
    [
        ("2", Status.DOWN, "the server does not offer HTTP/2"),
        ("any", Status.UP, "HTTP 200 OK"),
        ("1.1", Status.UP, "HTTP 200 OK"),
    ],
)
@pytest.mark.parametrize("offered", [("http/1.1",), ()])
async def test_a_server_that_knows_http1_only(
    authority: trustme.CA,
    ca_file: str,
    version: str,
    status: Status,
    reason: str,
    offered: tuple[str, ...],
) -> None:
    tls = offering(authority, *offered) if offered else server_context(authority, "127.0.0.1")
    async with answering(ok(), tls=tls) as server:
        outcome = await checked(server.url, ca_file=ca_file, http_version=version)
    assert (outcome.status, outcome.reason) == (status, reason)
    if status is Status.UP:
        assert seen(outcome).status_line == "HTTP/1.1 200 OK"


async def test_http2_is_not_offered_unless_asked_for(authority: trustme.CA, ca_file: str) -> None:
    async with answering(ok(), tls=offering(authority, "h2", "http/1.1")) as server:
        outcome = await checked(server.url, ca_file=ca_file)
    assert seen(outcome).status_line == "HTTP/1.1 200 OK"


async def test_a_plain_page_is_asked_for_by_http1_where_any_version_will_do() -> None:
    async with answering(ok()) as server:
        outcome = await checked(server.url, http_version="any")
    assert seen(outcome).status_line == "HTTP/1.1 200 OK"


@pytest.mark.parametrize("method", ["HEAD", "POST"])
async def test_methods_and_bodies_larger_than_the_server_takes_at_once(
    authority: trustme.CA, ca_file: str, method: str
) -> None:
    server = Http2([(":status", "200"), ("content-length", "11")])
    body = "ä" * 65_000 if method == "POST" else ""
    outcome = await check_of(server, authority, ca_file, method=method, body=body)
    assert outcome.status is Status.UP
    assert server.asked[0][":method"] == method
    assert server.received == body.encode()


async def test_a_long_page_is_read_to_its_end_or_to_the_limit(
    authority: trustme.CA, ca_file: str
) -> None:
    server = Http2(body=b"a" * MEBIBYTE + b"needle")
    cut = await check_of(server, authority, ca_file, keyword="needle")
    whole = await check_of(server, authority, ca_file, keyword="needle", max_body=2 * MEBIBYTE)
    assert (cut.status, whole.status) == (Status.DOWN, Status.UP)


async def test_a_compressed_page_is_read(authority: trustme.CA, ca_file: str) -> None:
    server = Http2([(":status", "200"), ("content-encoding", "gzip")], gzip.compress(b"all well"))
    outcome = await check_of(server, authority, ca_file, regex="^all well$")
    assert outcome.status is Status.UP


async def test_redirects_are_followed(authority: trustme.CA, ca_file: str) -> None:
    server = Http2([(":status", "302"), ("location", "/again")])
    outcome = await check_of(server, authority, ca_file)
    assert outcome.reason == "redirected more than 10 times"
    assert [asked[":path"] for asked in server.asked] == ["/"] + ["/again"] * 10


async def test_a_redirect_to_where_there_is_no_http2_is_down(
    authority: trustme.CA, ca_file: str
) -> None:
    async with answering(ok()) as plain:
        server = Http2([(":status", "302"), ("location", plain.url)])
        strict = await check_of(server, authority, ca_file)
        lenient = await check_of(server, authority, ca_file, http_version="any")
    assert strict.reason == "the server does not offer HTTP/2"
    assert lenient.status is Status.UP


async def test_a_server_without_an_address_of_the_wanted_kind(ca_file: str) -> None:
    outcome = await checked("https://[::1]:9/", ca_file=ca_file, http_version="2", ip_version="4")
    assert outcome.reason == "::1 has no IPv4 address"


async def test_a_status_that_is_not_accepted_is_down(authority: trustme.CA, ca_file: str) -> None:
    outcome = await check_of(Http2([(":status", "503")]), authority, ca_file, keyword="fine")
    assert outcome.reason == "HTTP 503 Service Unavailable; keyword 'fine' not found"


def reset(protocol: H2Connection, stream: int) -> None:
    protocol.reset_stream(stream, ErrorCodes.REFUSED_STREAM)


def reset_in_the_body(protocol: H2Connection, stream: int) -> None:
    protocol.send_headers(stream, [(":status", "200")])
    protocol.send_data(stream, b"half")
    protocol.reset_stream(stream, ErrorCodes.INTERNAL_ERROR)


def farewell(protocol: H2Connection, _: int) -> None:
    protocol.close_connection(ErrorCodes.ENHANCE_YOUR_CALM, b"too many of you")


@pytest.mark.parametrize(
    ("instead", "reason"),
    [
        (reset, "the server reset the stream: REFUSED_STREAM"),
        (reset_in_the_body, "the server reset the stream: INTERNAL_ERROR"),
        (farewell, "the server ended the connection: ENHANCE_YOUR_CALM, too many of you"),
    ],
)
async def test_a_server_that_breaks_off_says_why(
    authority: trustme.CA, ca_file: str, instead: Reply, reason: str
) -> None:
    outcome = await check_of(Http2(instead=instead), authority, ca_file)
    assert outcome.reason == reason
    if instead is reset_in_the_body:
        assert seen(outcome).status_line == "HTTP/2 200 OK"
        assert seen(outcome).body == "half"
    else:
        assert seen(outcome).body == ""


def frame(kind: int, payload: bytes, flags: int = 0, stream: int = 0) -> bytes:
    return (
        len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload
    )


SETTINGS = frame(4, b"")
PING = frame(6, bytes(8))
# A status of 200, by its number in the static table.
HEADERS = frame(1, b"\x88", 4, 1)
EMPTY_DATA = frame(0, b"", 0, 1)
# A header of one letter and 127, kept out of any table.
LITERAL = b"\x00\x01a\x7f\x00" + b"a" * 127


@pytest.mark.parametrize("size", [1, 7, 4_096])
@pytest.mark.parametrize(
    ("last_stream", "reason"),
    [(1, "HTTP 200 OK"), (0, "the server ended the connection: NO_ERROR")],
)
async def test_a_server_that_goes_may_still_answer(
    authority: trustme.CA, ca_file: str, size: int, last_stream: int, reason: str
) -> None:
    goodbye = frame(7, last_stream.to_bytes(4, "big") + bytes(4))
    said = SETTINGS + goodbye
    if last_stream:
        said += HEADERS + goodbye + frame(0, b"all is well", 1, 1)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65_536)
        for at in range(0, len(said), size):
            writer.write(said[at : at + size])
            await writer.drain()
        await reader.read()

    async with serving(answer, tls=offering(authority, "h2")) as server:
        outcome = await checked(server.url, ca_file=ca_file, http_version="2")
    assert outcome.reason == reason


@pytest.mark.parametrize(
    ("beginning", "piece", "reason"),
    [
        (b"", b"", "connection closed without an answer"),
        (SETTINGS, b"", "connection closed without an answer"),
        (SETTINGS + HEADERS, b"", "connection closed before the end of the answer"),
        (b"HTTP/1.1 200 OK\r\n\r\n", b"", "the server answers in HTTP/1, not in HTTP/2"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", b"", "the server's answer is not HTTP/2"),
        (SETTINGS + frame(9, b"x", 0, 1), b"", "the server breaks the rules of HTTP/2"),
        (SETTINGS + frame(1, b"\xff" * 20, 4, 1), b"", "the server breaks the rules of HTTP/2"),
        (SETTINGS, PING * 500, "the server sends frames without end"),
        (SETTINGS, SETTINGS * 500, "the server sends frames without end"),
        (SETTINGS, frame(1, b"\x08\x03100", 4, 1) * 500, "the server sends frames without end"),
        (SETTINGS + HEADERS, EMPTY_DATA * 500, "the server sends frames without end"),
        (
            SETTINGS + frame(1, b"\x88", 0, 1),
            frame(9, LITERAL * 50, 0, 1),
            "the server sends frames without end",
        ),
        (
            SETTINGS + frame(1, b"\x88" + LITERAL * 50, 0, 1),
            frame(9, LITERAL * 110, 0, 1) * 6 + frame(9, LITERAL, 4, 1),
            "the headers of the answer are larger than 64 KiB",
        ),
    ],
    ids=[
        "nothing",
        "settings only",
        "headers only",
        "http1",
        "ssh",
        "stray continuation",
        "bad compression",
        "pings",
        "settings",
        "interim",
        "empty data",
        "endless headers",
        "large headers",
    ],
)
async def test_what_only_claims_to_be_http2_is_down_in_bounded_memory_and_disturbs_nobody(
    authority: trustme.CA, ca_file: str, beginning: bytes, piece: bytes, reason: str
) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65_536)
        writer.write(beginning)
        while piece:
            writer.write(piece)
            await writer.drain()
        await finish(writer)

    async with serving(answer, tls=offering(authority, "h2")) as server, answering(ok()) as other:
        given: dict[str, Setting] = {"http_version": "2", "ca_file": ca_file, "max_body": 1_000}
        tracemalloc.start()
        try:
            hostile = asyncio.create_task(checked(server.url, http_kind(), 10.0, **given))
            beside = await checked(other.url)
            outcome = await hostile
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert beside.status is Status.UP
    assert (outcome.status, outcome.reason) == (Status.DOWN, reason)
    assert peak < 8 * MEBIBYTE


async def test_tiny_frames_leave_the_loop_to_others(authority: trustme.CA, ca_file: str) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65_536)
        writer.write(SETTINGS + HEADERS)
        with contextlib.suppress(OSError):
            while True:
                writer.write(frame(0, b"a", 0, 1) * 1_000)
                await writer.drain()

    gaps = []
    async with serving(answer, tls=offering(authority, "h2")) as server:
        given: dict[str, Setting] = {"http_version": "2", "ca_file": ca_file}
        task = asyncio.create_task(checked(server.url, http_kind(), 30.0, **given))
        loop = asyncio.get_running_loop()
        while not task.done():
            before = loop.time()
            await asyncio.sleep(0.001)
            gaps.append(loop.time() - before)
    assert task.result().status in {Status.UP, Status.DOWN}
    assert max(gaps) < 0.25


async def test_a_server_that_takes_for_ever_is_left_at_the_timeout(
    authority: trustme.CA, ca_file: str
) -> None:
    def never(_: H2Connection, __: int) -> None:
        return

    tls = offering(authority, "h2")
    async with serving(Http2(instead=never).answer, tls=tls) as server:
        with pytest.raises(TimeoutError) as timeout:
            await checked(server.url, timeout_s=0.5, ca_file=ca_file, http_version="2")
        await asyncio.wait_for(server.gone.wait(), 5)
    evidence = evidence_left(timeout.value)
    assert evidence is not None
    assert "first_byte" in dict(evidence.timings_ms)

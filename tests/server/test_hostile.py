"""Clients that do their worst: answered or let go, bounded, and never our error."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.fakes import until
from tests.server.rig import BACKUP, PING_KEY, UNKNOWN_ID, Rig, listening, read_all, read_reply
from uptime_desktop.domain.heartbeats import Signal
from uptime_desktop.server import connections

pytestmark = pytest.mark.asyncio

TARGET = f"/ping/{BACKUP.ping_id}".encode()
GET = b"GET " + TARGET + b" HTTP/1.1\r\nHost: x\r\n\r\n"
LAST = b"GET " + TARGET + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
POST = b"POST " + TARGET + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"


@pytest_asyncio.fixture
async def rig(caplog: pytest.LogCaptureFixture) -> AsyncIterator[Rig]:
    async with listening(caplog) as rig:
        yield rig


async def still_hears(rig: Rig) -> bool:
    return (await rig.ask(f"/ping/{BACKUP.ping_id}")).status == 200


@pytest.mark.parametrize(
    ("request_", "body"),
    [
        (b"GET " + TARGET + b" HTTP/1.0\r\n\r\n", ""),
        (b"GET http://anywhere.example" + TARGET + b" HTTP/1.1\r\nHost: x\r\n\r\n", ""),
        (b"GET " + TARGET + b" HTTP/1.1\r\nHost: evil.example\r\nX-Y: \xff\r\n\r\n", ""),
        (
            POST + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;ext=1\r\ndefg\r\n0\r\n\r\n",
            "abcdefg",
        ),
        (POST + b"Content-Length: 3\r\nContent-Encoding: gzip\r\n\r\nabc", "abc"),
        (POST + b"Content-Length: 0\r\n\r\n", ""),
    ],
)
async def test_unusual_but_right_requests_are_heard(rig: Rig, request_: bytes, body: str) -> None:
    async with rig.connected() as (reader, writer):
        writer.write(request_)
        reply = await read_reply(reader)
    assert (reply.status, reply.body) == (200, "OK")
    assert [ping.body for _, ping in rig.heard] == [body]


@pytest.mark.parametrize(
    "request_",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
        b"hello\r\n\r\n",
        b"\r\n\r\n\r\nGET\r\n\r\n",
        b"GET " + TARGET + b" HTTP/9.9\r\nHost: x\r\n\r\n",
        b"GET " + TARGET + b" HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
        b"GET " + TARGET + b" HTTP/1.1\r\nHost: x\r\nX: a\r\n b: c\0\r\n\r\n",
        b"GET " + TARGET + b"?" + b"a" * 10_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET " + TARGET + b" HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 10_000 + b"\r\n\r\n",
        b"GET " + TARGET + b" HTTP/1.1\r\nHost: x\r\n" + b"X: a\r\n" * 1_000 + b"\r\n",
        POST + b"Content-Length: -1\r\n\r\n",
        POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        POST + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\nnonsense\r\n\r\n",
        POST + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n\r\n",
    ],
)
async def test_garbage_is_refused_and_never_heard(rig: Rig, request_: bytes) -> None:
    answer = await rig.exchange(request_)
    assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.0 400 "))
    assert answer.endswith((b"invalid request", b"invalid url format"))
    assert rig.heard == []
    assert await still_hears(rig)


@pytest.mark.parametrize(
    "target",
    [
        b"/ping/../../etc/passwd",
        b"/ping/%2e%2e/%2e%2e/etc/passwd",
        b"/ping/%0d%0aSet-Cookie:%20a=b",
        b"/api/push/%0d%0aX-Injected:%20yes?msg=%0d%0a",
        b"/ping/<script>",
    ],
)
async def test_nothing_that_was_sent_comes_back(rig: Rig, target: bytes) -> None:
    answer = await rig.exchange(
        b"GET " + target + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    assert answer.startswith((b"HTTP/1.1 404 ", b"HTTP/1.1 400 "))
    for word in (b"passwd", b"Set-Cookie", b"Injected", b"script"):
        assert word not in answer


async def test_requests_in_a_row_are_answered_in_a_row(rig: Rig) -> None:
    unknown = f"GET /ping/{UNKNOWN_ID} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    start = f"POST /{PING_KEY}/backup/start HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"
    answer = await rig.exchange(GET + unknown + start.encode() + LAST)
    assert [answer.count(one) for one in (b" 200 OK\r\n", b" 404 Not Found\r\n")] == [3, 1]
    signals = [ping.signal for _, ping in rig.heard]
    assert signals == [Signal.SUCCESS, Signal.START, Signal.SUCCESS]


async def test_a_request_may_come_byte_by_byte(rig: Rig) -> None:
    async with rig.connected() as (reader, writer):
        for number in range(len(LAST)):
            writer.write(LAST[number : number + 1])
            await writer.drain()
        assert (await read_reply(reader)).status == 200


async def test_a_client_that_asks_first_is_told_to_go_on(rig: Rig) -> None:
    async with rig.connected() as (reader, writer):
        writer.write(POST + b"Content-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"abc")
        assert (await read_reply(reader)).body == "OK"
    assert rig.heard[0][1].body == "abc"


async def test_a_body_without_end_is_answered_and_let_go(rig: Rig) -> None:
    async with rig.connected() as (reader, writer):
        writer.write(
            POST.replace(b"close", b"keep-alive") + b"Content-Length: 1000000000000\r\n\r\n"
        )

        async def send() -> None:
            with contextlib.suppress(ConnectionError):
                while True:
                    writer.write(b"a" * 65_536)
                    await writer.drain()

        sending = asyncio.create_task(send())
        reply = await read_reply(reader)
        assert (reply.status, reply.headers["connection"]) == (200, "close")
        assert await read_all(reader) == b""
        await sending
    assert [len(ping.body) for _, ping in rig.heard] == [10_000]


async def test_who_leaves_in_the_middle_is_not_heard(rig: Rig) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", rig.port)
    writer.write(POST + b"Content-Length: 1000\r\n\r\nhalf")
    await writer.drain()
    assert await still_hears(rig)
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()
    assert await still_hears(rig)
    assert len(rig.heard) == 2
    del reader


@pytest.mark.parametrize(
    "beginning", [b"", b"GET /ping/", LAST[:-2], POST + b"Content-Length: 1000\r\n\r\nhalf"]
)
async def test_a_request_that_does_not_end_is_let_go(rig: Rig, beginning: bytes) -> None:
    async with rig.connected() as (reader, writer):
        writer.write(beginning)
        assert await still_hears(rig)
        rig.seconds += 9
        assert await still_hears(rig)
        rig.seconds += 1
        assert await read_all(reader) == b""
    assert len(rig.heard) == 2


async def test_a_connection_may_rest_between_requests(rig: Rig) -> None:
    async with rig.connected() as (reader, writer):
        for _ in range(3):
            writer.write(GET)
            assert (await read_reply(reader)).status == 200
            rig.seconds += 30


async def test_who_never_reads_is_let_go(rig: Rig) -> None:
    with socket.create_connection(("127.0.0.1", rig.port)) as client:
        client.setblocking(False)
        is_reset = False

        def keep_asking() -> bool:
            nonlocal is_reset
            rig.seconds += 0.05
            try:
                client.send(GET * 1_000)
            except BlockingIOError:
                pass
            except ConnectionError:
                is_reset = True
            return is_reset

        await until(keep_asking)
    rig.seconds += 60
    assert await still_hears(rig)


async def test_one_address_has_only_so_many_connections(rig: Rig) -> None:
    async with contextlib.AsyncExitStack() as stack:
        held = [await stack.enter_async_context(rig.connected()) for _ in range(64)]
        for reader, writer in held:
            writer.write(GET)
            assert (await read_reply(reader)).status in (200, 429)
        refused = await rig.exchange(b"")
        assert refused.startswith(b"HTTP/1.1 503 ")
        held[0][1].write(LAST)
        await read_all(held[0][0])
        rig.seconds += 60
        assert await still_hears(rig)


async def test_there_are_only_so_many_connections_in_all(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_MOST_OPEN", 2)
    async with rig.connected() as (reader, writer), rig.connected():
        writer.write(GET)
        assert (await read_reply(reader)).status == 200
        assert (await rig.exchange(b"")).startswith(b"HTTP/1.1 503 ")
    await until_admitted(rig)


async def until_admitted(rig: Rig) -> None:
    async with asyncio.timeout(20):
        while not (await rig.exchange(LAST)).startswith(b"HTTP/1.1 200 "):  # noqa: ASYNC110
            await asyncio.sleep(0.005)

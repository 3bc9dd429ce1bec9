"""The http check against servers that do their worst: a clear outcome, bounded, alone."""

import asyncio
import gzip
import socket
import struct
import tracemalloc
import zlib
from collections.abc import AsyncIterator

import pytest

from tests.checks.servers import Answer, answering, checked, finish, ok, read_request, serving
from uptime_desktop.checks.base import evidence_left
from uptime_desktop.domain.model import Outcome
from uptime_desktop.domain.status import Status

pytestmark = pytest.mark.asyncio

MEBIBYTE = 1_048_576
HEAD = b"HTTP/1.1 200 OK\r\n"


def endless(beginning: bytes, piece: bytes) -> Answer:
    """Sends without end, as fast as it is read."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(beginning)
        while True:
            writer.write(piece)
            await writer.drain()

    return answer


def gzip_bomb() -> tuple[bytes, bytes]:
    """A gzip stream of zeros: its beginning, and a piece of 1 KiB for each further MiB."""
    packer = zlib.compressobj(9, wbits=31)
    first = packer.compress(bytes(MEBIBYTE)) + packer.flush(zlib.Z_FULL_FLUSH)
    further = packer.compress(bytes(MEBIBYTE)) + packer.flush(zlib.Z_FULL_FLUSH)
    return first, further


async def reset_in_the_body(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await read_request(reader)
    writer.write(HEAD + b"Content-Length: 1000\r\n\r\nhalf")
    await writer.drain()
    reset(writer)


async def reset_at_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await read_request(reader)
    reset(writer)


def reset(writer: asyncio.StreamWriter) -> None:
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()


CLOSED_IN_BODY = "connection closed before the end of the body"
NOT_HTTP = "the server's answer is not HTTP"
MALFORMED = "the body of the answer is malformed"
TOO_LARGE = "the headers of the answer are larger than 64 KiB"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "connection closed without an answer"),
        (b"HTTP/1.1 200 OK\r\nServer:", "connection closed in the middle of the headers"),
        (b"HTT", "connection closed in the middle of the headers"),
        (b"<html>HTTP/0.9 had no headers</html>", NOT_HTTP),
        (b"SSH-2.0-OpenSSH_9.2\r\n", NOT_HTTP),
        (bytes(range(256)), NOT_HTTP),
        (b"HTTP/1.1 abc OK\r\n\r\n", NOT_HTTP),
        (b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n", NOT_HTTP),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", NOT_HTTP),
        (HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", NOT_HTTP),
        (HEAD + b"Content-Length: -1\r\n\r\n", NOT_HTTP),
        (HEAD + b"Content-Length: 1000\r\n\r\nhalf", CLOSED_IN_BODY),
        (CHUNKED + b"5\r\nhello\r\n", CLOSED_IN_BODY),
        (CHUNKED + b"zz\r\nhello\r\n", MALFORMED),
        (CHUNKED + b"5\r\nhello, too long\r\n0\r\n\r\n", MALFORMED),
        (CHUNKED + b"f" * 40 + b"\r\n", MALFORMED),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 50, "the server sends interim answers without end"),
    ],
)
async def test_a_broken_answer_is_down_with_the_reason(data: bytes, reason: str) -> None:
    async with answering(data) as server:
        outcome = await checked(server.url)
    assert (outcome.status, outcome.reason) == (Status.DOWN, reason)


async def test_what_came_instead_of_http_is_evidence() -> None:
    async with answering(b"SSH-2.0-OpenSSH_9.2\r\n\x1b[31m") as server:
        outcome = await checked(server.url)
    assert outcome.response_ms is None
    assert outcome.evidence is not None
    assert outcome.evidence.body == "SSH-2.0-OpenSSH_9.2\r\n\N{REPLACEMENT CHARACTER}[31m"


async def test_what_comes_after_the_announced_length_is_ignored() -> None:
    async with answering(HEAD + b"Content-Length: 3\r\n\r\nyes and no") as server:
        outcome = await checked(server.url)
    assert outcome.status is Status.UP
    assert outcome.evidence is not None
    assert outcome.evidence.body == "yes"


@pytest.mark.parametrize("answer", [reset_at_once, reset_in_the_body])
async def test_a_reset_is_down_and_keeps_what_came(answer: Answer) -> None:
    async with serving(answer) as server:
        outcome = await checked(server.url)
    assert outcome.status is Status.DOWN
    assert outcome.reason == f"connection reset by 127.0.0.1:{server.port}"
    assert outcome.evidence is not None
    if answer is reset_in_the_body:
        assert outcome.evidence.status_line == "HTTP/1.1 200 OK"


async def test_a_server_that_answers_before_it_has_read_the_body_is_heard() -> None:
    async def impatient(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(ok(b"", status="413 Too Large"))
        await finish(writer)

    async with serving(impatient) as server:
        outcome = await checked(server.url, method="POST", body="x" * 60_000)
    assert outcome.status is Status.DOWN
    assert outcome.reason in {
        "HTTP 413 Too Large",
        f"connection reset by 127.0.0.1:{server.port}",
    }


@pytest.mark.parametrize(
    ("beginning", "piece", "status", "reason"),
    [
        (HEAD, b"X-More: of the same\r\n" * 50, Status.DOWN, TOO_LARGE),
        (b"HTTP/1.1 200 ", b"OK" * 500, Status.DOWN, TOO_LARGE),
        (HEAD + b"X-Long: ", b"a" * 1_000, Status.DOWN, TOO_LARGE),
        (CHUNKED, b"5;" + b"x" * 1_000, Status.DOWN, TOO_LARGE),
        (HEAD + b"\r\n", b"a" * 65_536, Status.UP, "HTTP 200 OK"),
        (HEAD + b"Content-Encoding: gzip\r\n\r\n", b"", Status.UP, "HTTP 200 OK"),
    ],
    ids=["headers", "status line", "header", "chunk size", "body", "gzip bomb"],
)
async def test_an_endless_answer_is_cut_off_in_bounded_memory_and_disturbs_nobody(
    beginning: bytes, piece: bytes, status: Status, reason: str
) -> None:
    if not piece:
        first, piece = gzip_bomb()
        beginning += first
    async with serving(endless(beginning, piece)) as server, answering(ok()) as other:
        tracemalloc.start()
        try:
            hostile = asyncio.create_task(checked(server.url))
            beside = await checked(other.url)
            outcome = await hostile
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert beside.status is Status.UP
    assert (outcome.status, outcome.reason) == (status, reason)
    assert peak < 6 * MEBIBYTE


async def test_a_gzip_bomb_that_arrives_whole_is_cut_off_in_bounded_memory() -> None:
    layer = zlib.compressobj(9, wbits=31)
    zeros = bytes(MEBIBYTE)
    bomb = b"".join(layer.compress(zeros) for _ in range(256)) + layer.flush()
    async with answering(ok(bomb, "Content-Encoding: gzip")) as server:
        tracemalloc.start()
        try:
            outcome = await checked(server.url)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert outcome.status is Status.UP
    assert peak < 6 * MEBIBYTE


async def test_gzip_members_that_hold_nothing_do_not_go_on_for_ever() -> None:
    empty = gzip.compress(b"") * 500
    async with serving(endless(HEAD + b"Content-Encoding: gzip\r\n\r\n", empty)) as server:
        outcome = await checked(server.url)
    assert outcome.status is Status.UP


async def never_answers(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read()


async def a_byte_now_and_then(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await read_request(reader)
    for byte in HEAD * 1_000:
        writer.write(bytes((byte,)))
        await writer.drain()
        await asyncio.sleep(0.01)


async def half_a_body(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await read_request(reader)
    writer.write(HEAD + b"Content-Length: 10\r\n\r\nhalf")
    await reader.read()


@pytest.mark.parametrize("answer", [never_answers, a_byte_now_and_then, half_a_body])
async def test_a_server_that_takes_for_ever_is_left_at_the_timeout(answer: Answer) -> None:
    async with serving(answer) as server, answering(ok()) as other:
        hostile = asyncio.create_task(checked(server.url, timeout_s=0.5))
        beside = await checked(other.url)
        with pytest.raises(TimeoutError) as timeout:
            await hostile
        await asyncio.wait_for(server.gone.wait(), 5)
    assert beside.status is Status.UP
    evidence = evidence_left(timeout.value)
    assert evidence is not None
    assert evidence.address == f"127.0.0.1:{server.port}"


async def test_nobody_listens() -> None:
    async with answering(ok()) as server:
        pass
    outcome = await checked(server.url)
    assert outcome.status is Status.DOWN
    assert outcome.reason == f"connection refused by 127.0.0.1:{server.port}"
    assert outcome.evidence is not None
    assert "connect" in dict(outcome.evidence.timings_ms)


async def loop_turns(while_running: "asyncio.Task[Outcome]") -> AsyncIterator[float]:
    loop = asyncio.get_running_loop()
    while not while_running.done():
        before = loop.time()
        await asyncio.sleep(0)
        yield loop.time() - before


async def test_tiny_chunks_leave_the_loop_to_others_between_them() -> None:
    async with serving(endless(CHUNKED, b"1\r\na\r\n" * 1_000)) as server:
        task = asyncio.create_task(checked(server.url))
        turns = [turn async for turn in loop_turns(task)]
    assert len(turns) > 100
    assert task.result().status is Status.UP

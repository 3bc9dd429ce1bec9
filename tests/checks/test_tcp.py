"""The tcp check: its settings, and real servers."""

import asyncio

import pytest

from tests.checks.servers import Answer, answering, finish, serving
from uptime_desktop.checks.base import evidence_left
from uptime_desktop.checks.tcp import TcpKind, TcpSpec
from uptime_desktop.domain.model import Outcome, Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status

KIND = TcpKind()


@pytest.mark.parametrize(
    ("settings", "described"),
    [
        ({"host": "db.example", "port": 5432}, "db.example:5432"),
        ({"host": "db.example", "port": "5432"}, "db.example:5432"),
        ({"host": "db.example:5432"}, "db.example:5432"),
        ({"host": "tcp://DB.example:5432/"}, "db.example:5432"),
        ({"host": "::1", "port": 22}, "[::1]:22"),
        ({"host": "[::1]:22"}, "[::1]:22"),
        ({"host": "bücher.example:22"}, "xn--bcher-kva.example:22"),
    ],
)
def test_a_port_is_named(settings: dict[str, Setting], described: str) -> None:
    spec = KIND.parse(settings)
    assert KIND.describe(spec) == KIND.origin(spec) == described


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"host": "db.example"}, "port"),
        ({"host": "db.example:0"}, "port"),
        ({"host": "db.example:65536"}, "port"),
        ({"host": "db.example:22", "port": 22}, "port"),
        ({"host": "db example:22"}, "host"),
        ({"host": "http://db.example:22"}, "host"),
        ({"port": 22}, "host"),
        ({"host": "a:1", "send": r"\q"}, "send"),
        ({"host": "a:1", "expect": "\\"}, "expect"),
        ({"host": "a:1", "url": "x"}, "url"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(settings: dict[str, Setting], field: str) -> None:
    with pytest.raises(Refused) as refused:
        KIND.parse(settings)
    assert refused.value.field == field


def test_escapes_stand_for_bytes() -> None:
    spec = KIND.parse({"host": "a:1", "send": r"PING\r\n\x00\xff\\ü"})
    assert spec.send == b"PING\r\n\x00\xff\\" + "ü".encode()


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"host": "a:1"}, "nc -v -z a 1"),
        ({"host": "a:1", "expect": "SSH"}, "nc -v a 1"),
        ({"host": "a:1", "send": r"PING\r\n"}, r"printf %b 'PING\r\n' | nc -v a 1"),
        ({"host": "a:1", "send": "AUTH hunter2"}, "printf %b '***' | nc -v a 1"),
    ],
)
def test_the_line_that_repeats_it(settings: dict[str, Setting], line: str) -> None:
    assert KIND.parse(settings).repeat_with == line


async def checked(port: int, timeout_s: float = 5.0, **settings: Setting) -> Outcome:
    spec: TcpSpec = KIND.parse({"host": "127.0.0.1", "port": port, **settings})
    async with asyncio.timeout(timeout_s):
        return await KIND.check(spec, timeout_s)


async def banner(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"220 mail")
    await writer.drain()
    writer.write(b".example ready\r\n")
    await finish(writer)


async def pong(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    said = await reader.readuntil(b"\r\n")
    writer.write(b"PONG" if said == b"PING\r\n" else b"ERR")
    await finish(writer)


async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read()


async def babbling(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"bla" * 1_000)
        await writer.drain()


@pytest.mark.asyncio
async def test_a_port_that_accepts_is_up() -> None:
    async with serving(silent) as server:
        outcome = await checked(server.port)
    assert outcome.status is Status.UP
    assert outcome.reason == f"connected to 127.0.0.1:{server.port}"
    assert outcome.evidence is not None
    assert outcome.evidence.address == f"127.0.0.1:{server.port}"
    assert [name for name, _ in outcome.evidence.timings_ms] == ["dns", "connect", "total"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "settings", "status", "reason"),
    [
        (banner, {"expect": "mail.example ready"}, Status.UP, "connected to "),
        (banner, {"expect": "ftp"}, Status.DOWN, "connection closed before 'ftp' came"),
        (pong, {"send": r"PING\r\n", "expect": "PONG"}, Status.UP, "connected to "),
        (babbling, {"expect": "sense"}, Status.DOWN, "'sense' is not in the first 64 KiB"),
    ],
)
async def test_what_comes_back_decides(
    answer: Answer, settings: dict[str, Setting], status: Status, reason: str
) -> None:
    async with serving(answer) as server:
        outcome = await checked(server.port, 5.0, **settings)
    assert outcome.status is status
    assert outcome.reason.startswith(reason)
    assert outcome.evidence is not None
    assert outcome.evidence.body
    assert "first_byte" in dict(outcome.evidence.timings_ms)


@pytest.mark.asyncio
async def test_nobody_listens() -> None:
    async with answering(b"") as server:
        pass
    outcome = await checked(server.port)
    assert outcome.status is Status.DOWN
    assert outcome.reason == f"connection refused by 127.0.0.1:{server.port}"


@pytest.mark.asyncio
async def test_a_silent_server_is_left_at_the_timeout() -> None:
    async with serving(silent) as server:
        with pytest.raises(TimeoutError) as timeout:
            await checked(server.port, 0.05, expect="hello")
        await asyncio.wait_for(server.gone.wait(), 5)
    assert evidence_left(timeout.value) is not None

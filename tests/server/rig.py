"""A listener on loopback with two monitors and a time of its own, and a way to speak to it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Final

import pytest

from uptime_desktop.domain.heartbeats import Ping
from uptime_desktop.server.listener import Address, AddressBook, Listener

PING_KEY: Final = "fqOOd6-F4MMNuCEnzTU01w"
BACKUP: Final = Address(
    ("home", "backup"), "5bf66975-d4c7-4bf5-bcc8-b8d8a82ea278", "backup", "home_backup"
)
REPORT: Final = Address(
    ("home", "report"), "0c8983c9-9d73-446f-adb5-0641fdacc9d4", "report", "home_report"
)
UNKNOWN_ID: Final = "5bf66975-d4c7-4bf5-bcc8-b8d8a82ea279"
NOW_MS: Final = 1_800_000_000_000


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: str


@dataclass
class Rig:
    port: int = 0
    seconds: float = 1_000.0
    heard: list[tuple[tuple[str, str], Ping]] = field(default_factory=list)
    created: list[str] = field(default_factory=list)
    creation: asyncio.Event = field(default_factory=asyncio.Event)
    failure: Exception | None = None

    def __post_init__(self) -> None:
        self.creation.set()
        self.listener = Listener(self._hear, self._create, lambda: NOW_MS, lambda: self.seconds)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def ask(
        self, target: str, method: str = "GET", body: str | bytes = b"", **headers: str
    ) -> Reply:
        """One request over a connection of its own."""
        sent = body.encode() if isinstance(body, str) else body
        lines = [f"{method} {target} HTTP/1.1", "Host: localhost", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        lines += [f"Content-Length: {len(sent)}"] if sent else []
        answer = await self.exchange("\r\n".join([*lines, "", ""]).encode() + sent)
        return parsed(answer)

    async def exchange(self, data: bytes) -> bytes:
        """All that comes back for these bytes until the connection is closed."""
        async with self.connected() as (reader, writer):
            writer.write(data)
            with contextlib.suppress(ConnectionError):
                await writer.drain()
            return await read_all(reader)

    @contextlib.asynccontextmanager
    async def connected(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            yield reader, writer
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    def _hear(self, key: tuple[str, str], ping: Ping) -> None:
        if self.failure is not None:
            raise self.failure
        self.heard.append((key, ping))

    async def _create(self, slug: str) -> Address:
        self.created.append(slug)
        await self.creation.wait()
        if self.failure is not None:
            raise self.failure
        number = f"{len(self.created):012}"
        return Address(("pings", slug), f"00000000-0000-0000-0000-{number}", slug, f"_{slug}")


@contextlib.asynccontextmanager
async def listening(caplog: pytest.LogCaptureFixture | None = None) -> AsyncIterator[Rig]:
    """The rig; nothing a client does may be logged as an error of ours."""
    rig = Rig()
    rig.listener.use(AddressBook([BACKUP, REPORT], PING_KEY))
    rig.port = await rig.listener.start("127.0.0.1", 0)
    try:
        yield rig
    finally:
        await rig.listener.close()
        # One more turn, in which closed transports let go of their sockets.
        await asyncio.sleep(0)
    if caplog is not None:
        assert [one for one in caplog.records if one.levelname in ("ERROR", "WARNING")] == []


async def read_all(reader: asyncio.StreamReader) -> bytes:
    async with asyncio.timeout(20):
        with contextlib.suppress(ConnectionError):
            return await reader.read()
    return b""


async def read_reply(reader: asyncio.StreamReader) -> Reply:
    """One answer of a connection that stays open."""
    async with asyncio.timeout(20):
        head = await reader.readuntil(b"\r\n\r\n")
        length = parsed(head).headers["content-length"]
        return parsed(head + await reader.readexactly(int(length)))


def parsed(answer: bytes) -> Reply:
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return Reply(int(first.split()[1]), headers, body.decode())

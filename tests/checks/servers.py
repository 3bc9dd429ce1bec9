"""Real servers on loopback, well-behaved and otherwise, for one test each."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import trustme

from uptime_desktop.checks.http.kind import HttpKind
from uptime_desktop.checks.http.transport import DirectTransport
from uptime_desktop.checks.net.resolver import LookUp, Resolver
from uptime_desktop.domain.model import Outcome, Setting

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Server:
    host: str
    port: int
    is_tls: bool
    requests: list[bytes] = field(default_factory=list)
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.is_tls else 'http'}://{host}:{self.port}/"


@contextlib.asynccontextmanager
async def serving(
    answer: Answer, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> AsyncIterator[Server]:
    """A TCP server; `gone` is set when a client that had connected is no longer there."""
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await answer(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            server.gone.set()
            writer.transport.abort()
            tasks.discard(task)

    listening = await asyncio.start_server(connected, host, 0, ssl=tls)
    server = Server(host, listening.sockets[0].getsockname()[1], tls is not None)
    try:
        yield server
    finally:
        listening.close()
        running = list(tasks)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        # One more turn, in which aborted transports let go of their sockets.
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def answering(
    data: bytes, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> AsyncIterator[Server]:
    """Reads a request, writes `data`, closes. The requests are kept."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.requests.append(await read_request(reader))
        writer.write(data)
        await finish(writer)

    async with serving(answer, host, tls) as server:
        yield server


async def read_request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return head + await reader.readexactly(int(line.split(b":")[1]))
    return head


async def finish(writer: asyncio.StreamWriter) -> None:
    """Close so that all that was written arrives."""
    await writer.drain()
    writer.close()
    with contextlib.suppress(OSError, ssl.SSLError):
        await writer.wait_closed()


def ok(body: bytes = b"all is well", *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def http_kind(look_up: LookUp | None = None, look_up_timeout_s: float = 10.0) -> HttpKind:
    """The kind with a resolver of its own, so that no test sees another's look-ups."""
    resolver = Resolver(look_up, look_up_timeout_s) if look_up else Resolver()
    return HttpKind(DirectTransport(resolver))


async def checked(
    url: str, kind: HttpKind | None = None, timeout_s: float = 5.0, **settings: Setting
) -> Outcome:
    """One check as the runner does it: parsed, and cancelled at its timeout."""
    kind = kind or http_kind()
    spec = kind.parse({"url": url, **settings})
    async with asyncio.timeout(timeout_s):
        return await kind.check(spec, timeout_s)


def server_context(
    authority: trustme.CA, *names: str, expired_days_ago: int | None = None
) -> ssl.SSLContext:
    ends = None
    if expired_days_ago is not None:
        ends = datetime.now(UTC) - timedelta(days=expired_days_ago, hours=1)  # noqa: TID251
    certificate = authority.issue_cert(*names, common_name=names[0], not_after=ends)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context
